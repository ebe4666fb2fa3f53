"""A session for a terminal or a file: plain text, Markdown or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_uppercase
from textwrap import fill
from typing import Any

from dissensus.keep.reading import Reading, round_of, voice_of
from dissensus.report import escaping
from dissensus.report.captions import SIMULATED
from dissensus.report.labels import counted
from dissensus.text.seen import UNSEEN

Row = Mapping[str, Any]

_EMPTY_LINE = re.compile(r"\n\s*\n")


def page(reading: Reading, messages: Sequence[Row] | None, form: str) -> str:
    """A session with its turns and, where given, what was sent.

    Parameters
    ----------
    reading : the session.
    messages : rows of :data:`dissensus.session.messages.MESSAGES`; None leaves them out.
    form : text, md or json.
    """
    if form == "json":
        return _data(reading, messages)
    return _Page(_MARKDOWN if form == "md" else _TEXT).of(reading, messages)


def fitted(text: str, columns: int) -> str:
    """A text with its lines broken between words, for a terminal of so many columns.

    What has no blanks, such as Chinese, is left to the terminal.
    """
    return "\n".join(
        fill(
            line,
            columns,
            subsequent_indent=line[: len(line) - len(line.lstrip(" "))],
            break_long_words=False,
            break_on_hyphens=False,
            expand_tabs=False,
            replace_whitespace=False,
        )
        if len(line) > columns
        else line
        for line in text.split("\n")
    )


def citation(reading: Reading) -> str:
    """What names a session for good: run, study, id, commit, digest of its settings, and seed."""
    made = reading.provenance
    return (
        f"dissensus, run {reading.run}, {reading.study} {reading.session_id}, commit "
        f"{str(made['commit'])[:12]}, settings {made['settings_sha256'][:12]}, seed "
        f"{reading.row.get('seed', '')}"
    )


class _Form:
    """How headings, lines and texts of others are written."""

    def __init__(self, heading: Callable[[int, str], str], text: Callable[[str], str]) -> None:
        self.heading = heading
        self.text = text


def _paragraphs(text: str) -> str:
    """A quotation that keeps its lines."""
    parts = [part for part in _EMPTY_LINE.split(escaping.shown(text)) if part.strip()]
    broken = "\\\n> "
    kept = (broken.join(map(escaping.markdown, part.strip().split("\n"))) for part in parts)
    return "\n>\n".join(f"> {part}" for part in kept) or "*No text.*"


_TEXT = _Form(
    lambda level, words: f"{'=-~'[level - 1] * 2} {escaping.line(words)}",
    lambda text: escaping.shown(text).strip("\n") or "(no text)",
)
_MARKDOWN = _Form(lambda level, words: f"{'#' * level} {escaping.markdown(words)}", _paragraphs)


class _Page:
    """One session as paragraphs."""

    def __init__(self, form: _Form) -> None:
        self.form = form
        self.parts: list[str] = []

    def of(self, reading: Reading, messages: Sequence[Row] | None) -> str:
        self.heading(1, f"{reading.study} {reading.session_id}")
        if reading.simulated:
            self.say(SIMULATED)
        if reading.debated:
            self.parts.append(self.form.text(reading.debated))
        for letter, answer in zip(ascii_uppercase, reading.answers, strict=False):
            self.say(f"{letter}: {answer}")
        self.say(citation(reading))
        facts = (f"{name} {_value(value)}" for name, value in reading.row.items())
        self.say("; ".join(facts))
        if reading.failure:
            self.say(f"The session failed for good: {reading.failure}")
        if messages is not None:
            self._calls(reading, messages)
        else:
            self._turns(reading)
        return "\n\n".join(self.parts) + "\n"

    def heading(self, level: int, words: str) -> None:
        self.parts.append(self.form.heading(level, words))

    def say(self, words: str) -> None:
        line = escaping.line(words)
        self.parts.append(escaping.markdown(words) if self.form is _MARKDOWN else line)

    def _turns(self, reading: Reading) -> None:
        """The transcript; of a session that was lost, what was said until then."""
        for turn in reading.turns:
            repaired = f", {counted(turn['repairs'], 'repair')}" if turn["repairs"] else ""
            broken = "" if turn["compliant"] else ", breaks a format rule"
            self.heading(2, f"{_place(turn)}: {round_of(turn)}{repaired}{broken}")
            self.parts.append(self.form.text(turn["text"]))
        if not reading.turns:
            for attempt, call in self._attempts(reading):
                self._reply(attempt, call)

    def _calls(self, reading: Reading, messages: Sequence[Row]) -> None:
        """Every call: what was sent, message by message, and what came back."""
        by_call: dict[str, list[Row]] = {}
        for message in messages:
            by_call.setdefault(message["request_sha256"], []).append(message)
        for attempt, call in self._attempts(reading):
            self.say(f"Request {call['request_sha256']}, rebuilt, and found in the journal.")
            for message in by_call.get(call["request_sha256"], ()):
                self.say(f"[{message['message_role']}]")
                self.parts.append(self.form.text(message["content"]))
            self.say("[reply]")
            self._reply(attempt, call)

    def _attempts(self, reading: Reading) -> Iterator[tuple[Row, Row]]:
        """Every attempt with its call, each below its heading, and those of a session below one of
        their own where it was held several times.
        """
        last = max((attempt["session_attempt"] for attempt in reading.attempts), default=1)
        begun = 0
        for attempt, call in zip(reading.attempts, reading.calls, strict=True):
            if last > 1 and attempt["session_attempt"] > begun:
                begun = attempt["session_attempt"]
                self.heading(2, f"Attempt {begun} of {last} at the session")
            self.heading(2 + (last > 1), f"{_place(attempt)}, attempt {attempt['attempt']}")
            yield attempt, call

    def _reply(self, attempt: Row, call: Row) -> None:
        for outcome, words in _tries(call):
            self.say(f"A try failed: {outcome}" + (f", \u201c{words}\u201d" if words else ""))
        if not attempt["error"]:
            self.parts.append(self.form.text(attempt["text"]))
        for rule in attempt["violations"]:
            self.say(f"Breaks a rule: {rule}")
        self.say(
            f"{call['input_tokens']:,} tokens sent, {call['output_tokens']:,} received"
            + ("" if call["cost_usd"] is None else f", ${call['cost_usd']:.6f}")
            + f", {call['latency_s']:.1f} s"
        )


def _tries(call: Row) -> list[tuple[str, str]]:
    """Every try of a call that failed: its outcome, and the provider's own words."""
    outcomes = [*call["faults"], *([call["error"]] if call["error"] else [])]
    # What was journaled by an earlier version has no words.
    words = [*call["faults_said"], *[""] * len(outcomes)]
    return list(zip(outcomes, words, strict=False))


def _place(row: Row) -> str:
    role = f" ({row['role']})" if row["role"] else ""
    return f"Turn {row['turn']}, {row['speaker']}{role}, {voice_of(row)}"


def _value(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _data(reading: Reading, messages: Sequence[Row] | None) -> str:
    data: dict[str, Any] = {
        "simulated": reading.simulated,
        "citation": citation(reading),
        "session": reading.row,
        "failure": reading.failure,
        "turns": reading.turns,
        "attempts": reading.attempts,
        "calls": reading.calls,
    }
    if messages is not None:
        data["messages"] = messages
    text = json.dumps(data, ensure_ascii=False, indent=1, default=str)
    # Written as JSON writes them, so that no text changes.
    return UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1], text) + "\n"
