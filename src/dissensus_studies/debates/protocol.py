"""The protocol of an imported session: its turns stand already, and nobody is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from dissensus.llm.call import Message
from dissensus.session.protocol import (
    IMPORTED_FROM,
    Call,
    Decoding,
    Given,
    Parsed,
    Steps,
    Turn,
    restartable,
)

#: What no call is made for.
_NOTHING_ASKED = Decoding(0.0, 1)


@dataclass(frozen=True)
class ImportedSpec:
    """What an imported session depends on: all that its file says of it.

    Attributes
    ----------
    file : the file's name.
    turns : each as JSON, see ``turns`` of :data:`~.design.IMPORTED`.
    """

    file: str
    turns: Sequence[str]


class AsItStands:
    """The format of a turn that nobody was asked for."""

    def read(self, text: str) -> Parsed[str]:
        """The text itself."""
        return Parsed(text)


class NeverAgain:
    """Stands where a call says how it is asked again: an imported turn never is."""

    def __call__(self, problems: tuple[str, ...], /) -> tuple[Message, ...]:
        return ()


@restartable
def play(spec: ImportedSpec) -> Steps:
    """A step for each number of a turn, with all who speak in it."""
    origin = f"{IMPORTED_FROM}{spec.file}"
    turns = [_turn(line, origin) for line in spec.turns]
    for _, step in groupby(turns, key=lambda turn: turn.number):
        yield [_given(turn) for turn in step]


def _turn(line: str, origin: str) -> Turn:
    number, speaker, role, label, model, person, text, value, repairs, compliant, *_ = json.loads(
        line
    )
    return Turn(
        number,
        speaker,
        role,
        label,
        model,
        text,
        repairs,
        () if compliant else ("as its file says",),
        None if value is None else json.loads(value),
        origin,
        person,
    )


def _given(turn: Turn) -> Call:
    return Call(
        number=turn.number,
        speaker=turn.speaker,
        role=turn.role,
        round_label=turn.round_label,
        model=turn.model,
        messages=(),
        format=AsItStands(),
        again=NeverAgain(),
        decoding=_NOTHING_ASKED,
        purpose="import",
        given=Given(turn.origin, turn),
    )
