"""How the sessions of the study ask: prompts into calls, calls into numbered steps."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from dissensus.llm.call import Message
from dissensus.session.protocol import (
    PLACEHOLDER,
    Call,
    Decoding,
    Parsed,
    ReplyFormat,
    Turn,
)
from dissensus.session.replies import JsonReply
from dissensus.session.templates import repaired
from dissensus.union.replies import Recalibration

Result = TypeVar("Result")
#: A part of a protocol that takes steps of its own and comes to something.
Part = Generator[Sequence[Call], Sequence[Turn], Result]


@dataclass(frozen=True)
class FreeText:
    """The format of a reply that is a text, with anything in it."""

    def read(self, text: str) -> Parsed[str]:
        """The text; see :class:`dissensus.session.protocol.Parsed`."""
        return Parsed(text) if text.strip() else Parsed(None, ("The reply is empty.",))


@dataclass(frozen=True)
class RecalibrationOf:
    """The format of a recalibration of so many speeches."""

    speeches: int

    def read(self, text: str) -> Parsed[Recalibration]:
        """See :class:`dissensus.session.protocol.Parsed`."""
        parsed = JsonReply(Recalibration).read(text)
        if parsed.value is None or len(parsed.value.speeches) == self.speeches:
            return parsed
        found = len(parsed.value.speeches)
        return Parsed(None, (f"It has {found} speeches, and there are {self.speeches}.",))


@dataclass(frozen=True)
class Ask:
    """A call before it has its place; the fields are those of a call."""

    speaker: str
    role: str
    model: str
    prompt: str
    format: ReplyFormat[Any]
    repair: str
    decoding: Decoding
    purpose: str
    required: bool = True
    expected: str = PLACEHOLDER

    def call(self, number: int, label: str) -> Call:
        messages = (Message("user", self.prompt),)
        return Call(
            number,
            self.speaker,
            self.role,
            label,
            self.model,
            messages,
            self.format,
            partial(repaired, messages, self.repair),
            self.decoding,
            self.purpose,
            self.required,
            self.expected,
        )


@dataclass
class Asking:
    """Numbers the steps of one attempt at a session, from 1."""

    number: int = 0

    def step(self, label: str, asks: Sequence[Ask]) -> Part[list[Turn]]:
        """All of some calls at once; no step where there are none."""
        if not asks:
            return []
        self.number += 1
        turns = yield [ask.call(self.number, label) for ask in asks]
        return list(turns)
