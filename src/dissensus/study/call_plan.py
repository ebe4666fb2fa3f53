"""The calls each session will make, for counting and pricing before a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from dissensus.llm.call import Message
from dissensus.session.inputs import Inputs
from dissensus.session.placeholders import shown, sized, unsized
from dissensus.session.protocol import Call, Steps, assumed_calls
from dissensus.study.own_code import naming_the_line
from dissensus.study.sessions import Sessions
from dissensus.study.study import Study


@dataclass(frozen=True)
class PlannedCall:
    """One call as it will be made.

    Attributes
    ----------
    purpose : such as "debate" or "judge".
    model : its name.
    prompt : the messages' text, with :data:`PLACEHOLDER` for every text that it shows of others.
    again : the same where the turn is asked for once more.
    limit : the most tokens of its reply.
    shown : the most tokens of the texts that the placeholders of ``prompt`` stand for.
    embedded : how many texts of its reply are embedded.
    """

    purpose: str
    model: str
    prompt: str
    again: str
    limit: int
    shown: float
    embedded: int = 0


def call_plans(sessions: Sessions) -> Iterator[tuple[list[PlannedCall], int]]:
    """The calls of every kind of session, with the number of sessions of that kind.

    Replies are those that the calls expect: a retry that a judge asks for is not among them.
    """
    study, rows = sessions.study, sessions.rows.values()
    kinds = Counter(study.kind(row) for row in rows)
    first: dict[Any, Mapping[str, Any]] = {}
    for row in rows:
        first.setdefault(study.kind(row), row)
    inputs = study.expected_inputs(sessions.folder)
    for kind, number in kinds.items():
        yield _planned(sessions, first[kind], inputs), number


def _planned(sessions: Sessions, row: Mapping[str, Any], inputs: Inputs) -> list[PlannedCall]:
    study, name = sessions.study, row["session_id"]
    with naming_the_line(type(study).__module__, f"session {name} with expected replies"):
        return planned_calls(study, study.steps(sessions.spec(row), inputs)())


def planned_calls(study: Study[Any], steps: Steps) -> list[PlannedCall]:
    """The calls of a session whose steps are given, in order."""
    most = study.settings.protocol.max_tokens
    return [_call_as_planned(study, call, most) for call in assumed_calls(steps, _reply)]


def _call_as_planned(study: Study[Any], call: Call, most: int) -> PlannedCall:
    prompt, again = _text(call.messages), _text(call.again(call.format.read("").problems))
    return PlannedCall(
        call.purpose,
        call.model,
        unsized(prompt),
        unsized(again),
        call.decoding.max_tokens,
        shown(prompt, most),
        study.embedded(call),
    )


def _reply(call: Call) -> str:
    """The reply that a call expects, as long as it may be."""
    return sized(call.expected, call.decoding.max_tokens)


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


def describe(sessions: Sessions) -> list[str]:
    """Lines that say how many sessions and calls a study will have."""
    study, rows = sessions.study, list(sessions.rows.values())
    draws = len({row["draw_id"] for row in rows})
    arms = Counter(map(study.arm_of, rows))
    calls: Counter[tuple[str, str]] = Counter()
    for planned, number in call_plans(sessions):
        for call in planned:
            calls[call.purpose, call.model] += number
    protocol = study.settings.protocol
    most = calls.total() * (1 + protocol.repairs) * protocol.session_attempts
    return [
        f"{study.name}: {draws:,} draws, {len(rows):,} sessions "
        f"({', '.join(f'{n:,} {arm}' for arm, n in arms.items())})",
        f"{calls.total():,} calls if nothing goes wrong; {most:,} with every repair and every "
        "session attempt",
        *(f"  {purpose}: {model}: {n:,} calls" for (purpose, model), n in sorted(calls.items())),
        *wrap(study.counting, 100),
    ]
