"""Sessions sketched before they are held: the prompts as they will be, but for what is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.llm.call import Message
from dissensus.session.protocol import Turn
from dissensus.study.sessions import Debates

#: What calls are made, and paid, for: by debaters, by judges of them.
DEBATING, JUDGING = "run_session", "judge_session"

#: Stands for what is said; no prompt has it.
PLACEHOLDER = "\ue000"


@dataclass(frozen=True)
class PlannedCall:
    """One call as it will be asked.

    Attributes
    ----------
    stage : DEBATING or JUDGING.
    model : its name.
    prompt : the messages' text, with :data:`PLACEHOLDER` for every speech that it shows.
    again : the same where the turn is asked for once more.
    """

    stage: str
    model: str
    prompt: str
    again: str


@dataclass(frozen=True)
class CallPlan:
    """The calls of sessions of one kind, and their settings of the protocol."""

    calls: Sequence[PlannedCall]
    protocol: Mapping[str, Any]


def stage_of(role: str) -> str:
    """What a call by a speaker of a role is made for."""
    return JUDGING if role.startswith("judge") else DEBATING


def call_plans(debates: Debates) -> Iterator[tuple[CallPlan, int]]:
    """Every kind of session with the number of sessions of that kind.

    What hangs on replies is sketched as if they gave no cause for it: no retry that a judge asks
    for is among the calls.
    """
    kinds = Counter(debates.kind(row) for row in debates.rows.values())
    first: dict[Any, Mapping[str, Any]] = {}
    for row in debates.rows.values():
        first.setdefault(debates.kind(row), row)
    for kind, sessions in kinds.items():
        yield _call_plan(debates, first[kind]), sessions


def _call_plan(debates: Debates, row: Mapping[str, Any]) -> CallPlan:
    spec = debates.spec(row)
    steps = debates.steps(spec, PLACEHOLDER)()
    calls: list[PlannedCall] = []
    step = next(steps, None)
    while step is not None:
        said = []
        for call in step:
            again = call.again(call.violations(""))
            calls.append(
                PlannedCall(stage_of(call.role), call.model, _text(call.messages), _text(again))
            )
            place = (call.number, call.speaker, call.role, call.round_label, call.model)
            said.append(Turn(*place, text=PLACEHOLDER, repairs=0, violations=()))
        try:
            step = steps.send(said)
        except StopIteration:
            step = None
    return CallPlan(calls, spec["protocol"])


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)
