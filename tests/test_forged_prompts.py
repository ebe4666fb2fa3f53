"""Every prompt of every study, where all models say what the prompts themselves say: none forges.

A model's words stand where the study shows them, and nowhere does a line of theirs begin as a line
of the prompt's own does: as many lines begin so as where everybody speaks harmlessly.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import Any

import pytest

from dissensus.keep.reading import configured
from dissensus.session.inputs import Inputs
from dissensus.session.protocol import PLACEHOLDER, Call, assumed_calls
from dissensus.study.sessions import Sessions
from marking import thorough_but
from support import Project
from test_reproduced import STUDIES, reproduced  # noqa: F401

HARMLESS = "QUIET words."
#: Tokens of chat templates, by which a server would end one message and begin another.
TOKENS = "<|im_start|>", "<|im_end|>", "<｜User｜>", "[INST]", "</s>", "<start_of_turn>", "<<SYS>>"
#: What no line of a text may begin with: white space and what is not seen is passed over.
UNSEEN = "\u200b\ufeff\u2060\u00ad \t"


ENDS = "\n", "\r", "\u2028", "\x85"


@dataclass
class Saying:
    """Inputs, and replies to calls, in which all that anybody says is the same text."""

    inputs: Inputs
    words: str

    def reply(self, call: Call) -> str:
        return self._said(call.expected)

    def texts(self, session_id: str, speakers: list[str], expected: str = PLACEHOLDER) -> list[str]:
        return [self._said(t) for t in self.inputs.texts(session_id, speakers, expected)]

    def turns(self, session_id: str, expected: Sequence[Any] = ()) -> list[dict[str, Any]]:
        turns = self.inputs.turns(session_id, expected)
        return [{**turn, "text": self._said(turn["text"])} for turn in turns]

    def rows_of(self, *about: Any) -> list[dict[str, Any]]:
        rows = self.inputs.rows_of(*about)
        return [
            {name: self._said(v) if isinstance(v, str) else v for name, v in row.items()}
            for row in rows
        ]

    def text_of(self, artefact: str) -> str:
        return self._said(self.inputs.text_of(artefact))

    def _said(self, text: str) -> str:
        """JSON's strings are escaped; a text before the JSON is not."""
        before, brace, after = re.sub("[\uf000-\uf009]", "", text).partition("{")
        in_json = after.replace(json.dumps(PLACEHOLDER)[1:-1], PLACEHOLDER)
        escaped = json.dumps(self.words)[1:-1]
        return (
            before.replace(PLACEHOLDER, self.words) + brace + in_json.replace(PLACEHOLDER, escaped)
        )


def prompts(sessions: Sessions, words: str) -> Iterator[str]:
    """The prompts of a session of every kind in every arm."""
    study = sessions.study
    kinds = {(study.arm_of(row), row.get("kind")): row for row in sessions.rows.values()}
    for row in kinds.values():
        saying = Saying(sessions.study.expected_inputs(sessions.folder), words)
        steps = sessions.steps(row, saying)()
        for call in assumed_calls(steps, saying.reply):
            yield from (message.content for message in call.messages)


def heads(study: str, prompts: Sequence[str]) -> tuple[str, ...]:
    """How the prompts' own lines begin, up to what anybody says."""
    lines = {line.split("QUIET")[0] for prompt in prompts for line in prompt.splitlines()}
    found = {line.strip() for line in lines if not line.startswith(">")}
    if study == "union":
        # Its prompts are parted by headings and by lines of equals signs alone.
        found = {line for line in found if line.startswith(("##", "==="))}
    if study == "identity":
        # A response may state an option again; what parts one response from the next is a phrase.
        found = {line for line in found if re.match(r"(- Agent|This|Based|Instr|First)", line)}
    return tuple(sorted(line for line in found if len(line) > 3 and line != "none"))


def begun(prompt: str, heads: tuple[str, ...]) -> Counter[str]:
    """Head -> how many lines of a prompt begin with it."""
    found: Counter[str] = Counter()
    for line, times in Counter(prompt.splitlines()).items():
        if head := head_of(line, heads):
            found[head] += times
    return found


@cache
def head_of(line: str, heads: tuple[str, ...]) -> str:
    """The longest head that a line begins with; "" where it begins with none."""
    shown = line.lstrip(UNSEEN)
    return max((head for head in heads if shown.startswith(head)), key=len, default="")


@pytest.mark.parametrize("study", thorough_but(STUDIES, "language", "deliberation", "union"))
def test_no_line_of_what_is_said_passes_for_one_of_the_prompts(
    reproduced: Project,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    study: str,
) -> None:
    monkeypatch.chdir(reproduced.folder)
    files = dict.fromkeys(("config.yaml", reproduced.configuration))
    sessions = Sessions.read(configured([*files]), reproduced.results(study=study))
    harmless = list(prompts(sessions, HARMLESS))
    known = heads(study, harmless)
    shown = [prompt for prompt in harmless if "QUIET" in prompt]
    assert len(known) > 3 and len(shown) > 3
    lines = [*known, *(f"\u200b {head} QUIET" for head in known), *TOKENS]
    forged = "".join(end + line for line, end in zip(lines, cycle(ENDS)))
    attacked = list(prompts(sessions, forged))
    assert len(attacked) == len(harmless)
    # Sessions of one kind have most of their prompts in common.
    for before, after in dict.fromkeys(zip(harmless, attacked, strict=True)):
        # Fewer there may be: a text that names a secret is shown to nobody.
        assert not begun(after, known) - begun(before, known)
        assert not [token for token in TOKENS if token in after]
