"""What a protocol is: a sequence of steps, each a list of calls that do not wait for each other."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol as Interface

from dissensus.llm.call import Message


@dataclass(frozen=True)
class Turn:
    """A speech as it stands in the transcript: what the next speakers are shown.

    ``repairs`` counts the attempts that had to be asked for again; ``violations`` are those that
    the accepted text still has, none where the speech is compliant.
    """

    number: int
    speaker: str
    role: str
    round_label: str
    model: str
    text: str
    repairs: int
    violations: tuple[str, ...]

    @property
    def compliant(self) -> bool:
        return not self.violations


@dataclass(frozen=True)
class Call:
    """One turn to be taken: by whom, on which prompt, under which rules.

    ``violations`` gives the broken rules of a text, none where it may stand; ``again`` makes the
    prompt for the next attempt from them.
    """

    number: int
    speaker: str
    role: str
    round_label: str
    model: str
    messages: tuple[Message, ...]
    violations: ViolationCheck
    again: RepairPrompt


class ViolationCheck(Interface):
    def __call__(self, text: str, /) -> tuple[str, ...]: ...


class RepairPrompt(Interface):
    def __call__(self, violations: tuple[str, ...], /) -> tuple[Message, ...]: ...


_ROUND = "round "


def round_label(number: int) -> str:
    """What the turns of a numbered round are labelled."""
    return f"{_ROUND}{number}"


def round_of(label: str) -> int:
    """The number in a label that :func:`round_label` made."""
    return int(label.removeprefix(_ROUND))


#: Yields a step, is sent the turns it led to, in the same order, and ends with the session.
Steps = Generator[Sequence[Call], Sequence[Turn], None]
