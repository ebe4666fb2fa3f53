"""How the sessions of the study ask: prompts into calls, calls into numbered steps."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from dissensus.session.protocol import (
    Call,
    Decoding,
    Parsed,
    ReplyFormat,
    Turn,
)
from dissensus.session.replies import JsonReply
from dissensus.session.templates import repaired, sharing

from ..replies import Recalibration

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
        scored = len(parsed.value.speeches)
        return Parsed(None, (f"It has {scored} speeches, and there are {self.speeches}.",))


def ask(
    speaker: str,
    role: str,
    model: str,
    prompt: str,
    format: ReplyFormat[Any],
    repair: str,
    decoding: Decoding,
    purpose: str,
    shared: Iterable[str] = (),
    **more: Any,
) -> Call:
    """A call that has no place yet.

    Parameters
    ----------
    repair : calls again.
    shared : parts of the prompt up to which others begin like it.
    more : other fields of a call.
    """
    messages = (sharing(prompt, *shared),)
    again = partial(repaired, messages, repair)
    return Call(0, speaker, role, "", model, messages, format, again, decoding, purpose, **more)


@dataclass
class Asking:
    """Numbers the steps of one attempt at a session, from 1."""

    number: int = 0

    def step(self, label: str, calls: Sequence[Call]) -> Part[list[Turn]]:
        """All of some calls at once; no step where there are none."""
        if not calls:
            return []
        self.number += 1
        turns = yield [replace(call, number=self.number, round_label=label) for call in calls]
        return list(turns)
