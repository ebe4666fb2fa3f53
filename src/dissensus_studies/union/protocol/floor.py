"""A debate as it goes on: who takes part, by which rules, and what has been said so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dissensus.session.protocol import Decoding

from ..prompts import Framework, Spoken, Wording
from ..replies import Memo, Style
from .asking import Asking
from .gates import Gate

#: Judges on a panel, in each of two passes.
SEATS = 3


@dataclass(frozen=True)
class Models:
    """Who is asked for what: names of models; ``judges`` are those of the seats, in turn."""

    speaker: str
    extractor: str
    interjector: str
    annotator: str
    judges: tuple[str, ...]


@dataclass(frozen=True)
class Rules:
    """How a debate runs.

    Attributes
    ----------
    words : that a speech is asked for.
    definitions : whether they are taken down and shown.
    gate : of points of information.
    audited : whether a second panel judges with the sides stated, and with them exchanged.
    notes, speech, point : decoding of what speakers are asked: their notes, their speeches, and
        points of information with their answers.
    exact, exact_short : of what is taken down or scored, at temperature 0; in claims and rebuttals,
        and in short replies.
    panel : of the panels.
    """

    words: int
    definitions: bool
    gate: Gate
    audited: bool
    notes: Decoding
    speech: Decoding
    point: Decoding
    exact: Decoding
    exact_short: Decoding
    panel: Decoding

    @classmethod
    def of(cls, protocol: Mapping[str, Any]) -> Rules:
        """From the settings of the protocol."""
        notes, scored = Decoding.of(protocol), exact(protocol)
        point = replace(notes, max_tokens=protocol["short_tokens"])
        return cls(
            protocol["words"],
            protocol["definitions"],
            Gate.of(protocol),
            protocol["audited"],
            notes,
            replace(notes, max_tokens=protocol["speech_tokens"]),
            point,
            scored,
            replace(scored, max_tokens=protocol["short_tokens"]),
            replace(point, temperature=protocol["judging_temperature"]),
        )


def exact(protocol: Mapping[str, Any]) -> Decoding:
    """The decoding of what is taken down or scored: at temperature 0."""
    return replace(Decoding.of(protocol), temperature=0.0)


@dataclass(frozen=True)
class Debater:
    """A speaker of the debate.

    Attributes
    ----------
    name, side : see the artefact motions.
    style : how they speak.
    lens : number of the emphasis lens, from 0.
    passages : of their own work, that they may draw on.
    memo : of their coach; None where they have none.
    """

    name: str
    side: str
    style: Style
    lens: int
    passages: tuple[str, ...]
    memo: Memo | None = None


@dataclass
class Floor:
    """One attempt at a debate.

    Attributes
    ----------
    motion : as it is debated.
    debaters : in the order of their speeches; the sides take turns.
    draw_seed : of the gates.
    asking : numbers the steps.
    notes : name -> private notes; nobody else is shown them.
    spoken : the speeches so far.
    framework : the definitions so far.
    """

    wording: Wording
    motion: str
    debaters: tuple[Debater, ...]
    draw_seed: int
    models: Models
    rules: Rules
    asking: Asking = field(default_factory=Asking)
    notes: dict[str, str] = field(default_factory=dict)
    spoken: list[Spoken] = field(default_factory=list)
    framework: Framework = field(default_factory=Framework)

    def persona(self, debater: Debater) -> str:
        return self.wording.persona(debater.name, debater.style)

    @property
    def defined(self) -> str:
        """The definitions so far as a prompt has them; nothing where there are none."""
        return self.wording.framework(self.wording.definitions(self.framework))
