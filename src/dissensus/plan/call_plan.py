"""The calls each session will make, for counting and pricing before a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from textwrap import wrap
from typing import Any, NamedTuple

from dissensus.llm.call import Message
from dissensus.session.inputs import Inputs
from dissensus.session.placeholders import shown, sized, unsized
from dissensus.session.protocol import Call, Steps, assumed_calls
from dissensus.study.configuration import Configuration
from dissensus.study.kind import Kind
from dissensus.study.own_code import naming_the_line
from dissensus.study.sessions import Sessions
from dissensus.study.study import Unidentified


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
    depends : whether the number of calls after it depends on its reply.
    messages : as they are sent, with a placeholder of its own for the texts of each reply.
    """

    purpose: str
    model: str
    prompt: str
    again: str
    limit: int
    shown: float
    embedded: int = 0
    depends: bool = False
    messages: tuple[Message, ...] = ()


class CallPlan(NamedTuple):
    """The calls of one kind of session.

    Attributes
    ----------
    calls : in order; where their number depends on replies, the longer of two ways it may go.
    least : the same, of the shorter way.
    sessions : of that kind.
    """

    calls: list[PlannedCall]
    least: list[PlannedCall]
    sessions: int

    @property
    def fewest(self) -> int:
        """How many calls a session makes at least."""
        return len(self.least)


def call_plans(sessions: Sessions) -> Iterator[CallPlan]:
    """The calls of every kind of session.

    Replies are those that the calls expect, and once more the others that they name: a retry that
    a judge asks for is not among them.
    """
    study, rows = sessions.study, sessions.rows.values()
    alike: dict[Any, list[Mapping[str, Any]]] = {}
    for row in rows:
        kind = study.kind_of(row)
        alike.setdefault((type(kind), kind.alike(row)), []).append(row)
    inputs = study.expected_inputs(sessions.folder)
    for first, *others in alike.values():
        ways = _planned(sessions, first, inputs)
        yield CallPlan(max(ways, key=len), min(ways, key=len), 1 + len(others))


def _planned(sessions: Sessions, row: Mapping[str, Any], inputs: Inputs) -> list[list[PlannedCall]]:
    """The calls of a session, in each way that it may go."""
    study, name = sessions.study, row["session_id"]
    kind = study.kind_of(row)
    with naming_the_line(
        type(study).__module__, f"session {name} with expected replies", is_paid=False
    ):
        start = sessions.steps(row, inputs)
        ways = [planned_calls(kind, start())]
        if any(call.depends for call in ways[0]):
            ways.append(planned_calls(kind, start(), otherwise=True))
        return ways


def planned_calls(
    kind: Kind[Any, Any], steps: Steps, *, otherwise: bool = False
) -> list[PlannedCall]:
    """The calls of a session whose steps are given, in order.

    Parameters
    ----------
    otherwise : whether calls that name another reply are given that.
    """
    most, replies = kind.settings.protocol.max_tokens, count(1)

    def say(call: Call) -> str:
        """The reply that is expected, as long as it may be."""
        text = (otherwise and call.otherwise) or call.expected
        return sized(text, call.decoding.max_tokens, next(replies))

    asked = (call for call in assumed_calls(steps, say) if call.given is None)
    return [_call_as_planned(kind, call, most) for call in asked]


def _call_as_planned(kind: Kind[Any, Any], call: Call, most: int) -> PlannedCall:
    prompt, again = _text(call.messages), _text(call.again(call.format.read("").problems))
    return PlannedCall(
        call.purpose,
        call.model,
        unsized(prompt),
        unsized(again),
        call.decoding.max_tokens,
        shown(prompt, most),
        kind.embedded(call),
        bool(call.otherwise),
        call.messages,
    )


def _text(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


def unidentified(configuration: Configuration, sessions: Sessions) -> Unidentified | None:
    """Why a study's main estimand cannot be had with its settings; None where it can."""
    models = {name: model.model_dump() for name, model in configuration.models.items()}
    return sessions.study.unidentified(list(sessions.rows.values()), models, configuration.seed)


def warn(gap: Unidentified | None) -> list[str]:
    """The reason and the mend, as lines for the terminal; none where nothing is missing."""
    return wrap(f"{gap.reason} {gap.mend}", 100) if gap else []
