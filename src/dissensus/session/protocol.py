"""What a protocol is: a sequence of steps, each a list of calls that do not wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, Generic, ParamSpec, TypeVar
from typing import Protocol as Interface

from dissensus.llm.call import Message
from dissensus.session.computed import Tool

#: Stands for what is said, where nothing has been said yet; no prompt has it.
PLACEHOLDER = "\ue000"

Value = TypeVar("Value", covariant=True)
P = ParamSpec("P")


@dataclass(frozen=True)
class Parsed(Generic[Value]):
    """A reply, read.

    Attributes
    ----------
    value : what the reply says; None where it cannot be read.
    problems : what is wrong with it, a phrase each; none where it may stand.
    """

    value: Value | None
    problems: tuple[str, ...] = ()


class ReplyFormat(Interface[Value]):
    """What the reply to a call must be.

    One that has a method ``read_body`` too is given the reply as it came, besides its text, where
    the call has options.
    """

    def read(self, text: str) -> Parsed[Value]:
        """Read a reply; never raises."""


@dataclass(frozen=True)
class Decoding:
    """How a model makes its reply.

    Attributes
    ----------
    temperature : of sampling.
    max_tokens : the most tokens of the reply.
    top_p : the share of probability that tokens are drawn from; None for the provider's own.
    options : what else is sent, by the provider's names, such as ``stop``, ``response_format``,
        ``logprobs`` or ``tools``; plain data. Simulated models take no note of it. A reply to a
        call with options is kept in the journal as it came.
    """

    temperature: float
    max_tokens: int
    top_p: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, protocol: Mapping[str, Any]) -> Decoding:
        """From a study's settings of its protocol."""
        return cls(protocol["temperature"], protocol["max_tokens"], protocol.get("top_p"))


@dataclass(frozen=True)
class Given:
    """A turn that stands already, so that no model is asked for it.

    Attributes
    ----------
    origin : where it is from; see :attr:`Turn.origin`.
    turn : as it stands; None before a run, where what the call expects is assumed.
    tool : a function that takes the turn, and is journaled as a model is; None where it stands.
    """

    origin: str
    turn: Turn | None
    tool: Tool | None = None


@dataclass(frozen=True)
class Call:
    """One turn to be taken.

    Attributes
    ----------
    number : of the step, from 1 or 0.
    speaker, role, round_label : who speaks, as what, and when.
    model : the name of the one that is asked.
    messages : the prompt.
    format : what the reply must be.
    again : makes the prompt of the next attempt from the problems of a reply.
    decoding : how the model makes its reply.
    purpose : what the call is for, such as "debate", "extract" or "judge"; spending is added up
        by it.
    required : whether the session attempt fails if the call does. Otherwise its turn has no text
        and no value, and what was paid for before is kept.
    expected : the reply that is assumed where calls are counted and priced before a run.
    otherwise : another one, where the number of calls depends on what is replied; "" where not.
    given : the turn, where it stands already; None where the model is asked.
    """

    number: int
    speaker: str
    role: str
    round_label: str
    model: str
    messages: tuple[Message, ...]
    format: ReplyFormat[Any]
    again: RepairPrompt
    decoding: Decoding
    purpose: str
    required: bool = True
    expected: str = PLACEHOLDER
    otherwise: str = ""
    given: Given | None = None

    def turn(
        self, text: str, value: Any = None, violations: tuple[str, ...] = (), repairs: int = 0
    ) -> Turn:
        """The turn that a reply makes of this call."""
        place = (self.number, self.speaker, self.role, self.round_label, self.model)
        return Turn(*place, text, repairs, violations, value)


class RepairPrompt(Interface):
    def __call__(self, problems: tuple[str, ...], /) -> tuple[Message, ...]: ...


@dataclass(frozen=True)
class Turn:
    """A speech as it stands in the transcript: what the next speakers are shown.

    Attributes
    ----------
    repairs : how often it had to be asked for again.
    violations : the rules that the accepted text still breaks; none where it is compliant.
    value : the text as the call's format reads it; None where it cannot be read.
    origin : the session that the turn is from, what was put in place of another's turn, or the tool
        that took it; "" for a turn of this session that a model took.
    person : whether a person spoke; None where an imported file does not say.
    """

    number: int
    speaker: str
    role: str
    round_label: str
    model: str
    text: str
    repairs: int
    violations: tuple[str, ...]
    value: Any = None
    origin: str = ""
    person: bool | None = False

    @property
    def is_imported(self) -> bool:
        """Whether it was said elsewhere, and came in with a file."""
        return self.origin.startswith(IMPORTED_FROM)

    @property
    def compliant(self) -> bool:
        return not self.violations


#: How the origin of an imported turn begins, before the name of its file.
IMPORTED_FROM = "imported from "
_ROUND = "round "


def round_label(number: int) -> str:
    """What the turns of a numbered round are labelled."""
    return f"{_ROUND}{number}"


def round_of(label: str) -> int:
    """The number in a label that :func:`round_label` made."""
    return int(label.removeprefix(_ROUND))


#: Yields a step, is sent the turns it led to, in the same order, and ends with the session.
Steps = Generator[Sequence[Call], Sequence[Turn], Any]


def restartable(steps: Callable[P, Steps]) -> Callable[P, Callable[[], Steps]]:
    """A generator of steps whose call gives what begins them anew at each attempt."""

    @wraps(steps)
    def bound(*args: P.args, **kwargs: P.kwargs) -> Callable[[], Steps]:
        return partial(steps, *args, **kwargs)

    return bound


def assumed_calls(protocol: Steps, say: Callable[[Call], str] | None = None) -> Iterator[Call]:
    """Every call of a session, in order, where nobody is asked; those that are given among them.

    Parameters
    ----------
    protocol : as it starts.
    say : the reply that is assumed; None for what each call expects.
    """
    step = next(protocol, None)
    while step is not None:
        yield from step
        replies = [(call, say(call) if say else call.expected) for call in step]
        turns = [call.turn(text, call.format.read(text).value) for call, text in replies]
        try:
            step = protocol.send(turns)
        except StopIteration:
            step = None
