"""The calls each session will make, for counting and pricing before a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.llm.call import Message
from dissensus.session.inputs import PlaceholderInputs
from dissensus.session.protocol import assumed_calls
from dissensus.study.sessions import Sessions


@dataclass(frozen=True)
class PlannedCall:
    """One call as it will be made.

    Attributes
    ----------
    purpose : such as "debate" or "judge".
    model : its name.
    prompt : the messages' text, with :data:`PLACEHOLDER` for every speech that it shows.
    again : the same where the turn is asked for once more.
    """

    purpose: str
    model: str
    prompt: str
    again: str


def call_plans(sessions: Sessions) -> Iterator[tuple[list[PlannedCall], int]]:
    """The calls of every kind of session, with the number of sessions of that kind.

    Replies are taken to give no cause for further calls: a retry that a judge asks for is not
    among them.
    """
    study, rows = sessions.study, sessions.rows.values()
    kinds = Counter(study.kind(row) for row in rows)
    first: dict[Any, Mapping[str, Any]] = {}
    for row in rows:
        first.setdefault(study.kind(row), row)
    for kind, number in kinds.items():
        yield _planned(sessions, first[kind]), number


def _planned(sessions: Sessions, row: Mapping[str, Any]) -> list[PlannedCall]:
    steps = sessions.study.steps(sessions.spec(row), PlaceholderInputs())()
    calls = []
    for call in assumed_calls(steps):
        again = call.again(call.format.read("").problems)
        calls.append(PlannedCall(call.purpose, call.model, _text(call.messages), _text(again)))
    return calls


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


def describe(sessions: Sessions) -> list[str]:
    """Lines that say how many sessions and calls a study will have."""
    study, rows = sessions.study, list(sessions.rows.values())
    draws = len({row["draw_id"] for row in rows})
    arms = Counter(row[study.arm] for row in rows)
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
    ]
