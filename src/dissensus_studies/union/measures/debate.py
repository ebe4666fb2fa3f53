"""A debate as its turns have it: what was said, and every structured reply read again.

A reply that cannot be read costs what it would have said, and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import replies
from ..replies import Model
from ..tables import SIDES
from .tally import Claim, Rebuttal

Row = Mapping[str, Any]
#: Role -> its turns, in order, each with the number of the last speech before it.
_ByRole = Mapping[str, Sequence[tuple[int, Row]]]

PANELS = ("blind", "labelled")
#: So many rebuttals by one side and none by the other are asked for again.
ONE_SIDED = 10
#: So many are flagged: of as many either way by chance, fewer than 1% would all be of one side
#: (2 / 2^8). Four of the nine annotations that the source has published are 8 or 9 to none.
FLAGGED = 8


@dataclass(frozen=True)
class Offered:
    """A point of information as an opponent's reply has it; ``argument`` counts from 1."""

    speaker: str
    argument: int
    text: str


@dataclass(frozen=True)
class Speech:
    """A speech with what belongs to it.

    Attributes
    ----------
    number : its place in the debate, from 1.
    student : whether its speaker may be coached.
    arguments : what the extraction found; None where that could not be read.
    offers : all points that opponents would have made, in the order of their turns.
    answers : one for each point that was accepted, in their order; "" where the call failed.
    """

    number: int
    speaker: str
    side: str
    student: bool
    text: str
    arguments: tuple[str, ...] | None
    offers: tuple[Offered, ...]
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Vote:
    """A judge's vote; ``slot``, ``label``, ``side`` and ``reason`` are "" where it has none.

    ``pass_`` is 1 or 2, ``seat`` counts from 1, ``judge`` is the model's name.
    """

    panel: str
    pass_: int
    seat: int
    judge: str
    slot: str = ""
    label: str = ""
    side: str = ""
    reason: str = ""


@dataclass(frozen=True)
class JudgedDebate:
    """One debate.

    Attributes
    ----------
    session : its row of the artefact ``manifest``.
    speeches : in their order; the first is the proposition's.
    definitions, contest : None where there are none, or they could not be read.
    rubrics : speech -> its scores, of those that could be read.
    recalibrated : speech -> its place among all; empty where that could not be read.
    claims : of all speeches whose list could be read.
    listed : speeches whose list could be read.
    rebuttals : rebutting side -> what the last readable list of its rebuttals has.
    votes : of both panels.
    """

    session: Row
    speeches: tuple[Speech, ...]
    definitions: replies.Definitions | None
    contest: replies.Contest | None
    rubrics: Mapping[int, replies.Rubric]
    recalibrated: Mapping[int, replies.Recalibrated]
    claims: tuple[Claim, ...]
    listed: frozenset[int]
    rebuttals: Mapping[str, tuple[Rebuttal, ...]]
    votes: tuple[Vote, ...]

    @property
    def all_rebuttals(self) -> list[Rebuttal]:
        """The proposition's, then the opposition's."""
        return [rebuttal for side in SIDES for rebuttal in self.rebuttals.get(side, ())]

    @property
    def is_annotated(self) -> bool:
        """Whether every list of claims and of rebuttals could be read."""
        return len(self.listed) == len(self.speeches) and len(self.rebuttals) == len(SIDES)

    @property
    def is_one_sided(self) -> bool:
        """Whether many rebuttals were found one way, and none the other."""
        counts = sorted(map(len, self.rebuttals.values()))
        return len(counts) == len(SIDES) and counts[0] == 0 and counts[1] >= FLAGGED


def read_debate(session: Row, motion: Row, turns: Sequence[Row]) -> JudgedDebate:
    """A debate from its turns.

    Parameters
    ----------
    session : its row of the artefact ``manifest``.
    motion : the row of its motion.
    turns : its rows of the artefact ``turns``, in order, of a session that ran to its end.
    """
    by_role = _by_role(turns)
    speeches = _speeches(motion, by_role)
    numbers = {speech.speaker: speech.number for speech in speeches}
    lists = _of_speeches(by_role, "claims", replies.FoundClaims, numbers)
    claims = tuple(
        Claim(
            f"{number}.{n}",
            number,
            speeches[number - 1].side,
            argument.type,
            argument.specific,
            argument.text,
        )
        for number, extracted in sorted(lists.items())
        for n, argument in enumerate(extracted.claims, start=1)
    )
    return JudgedDebate(
        session,
        speeches,
        _only(by_role, "definitions", replies.Definitions),
        _only(by_role, "contest", replies.Contest),
        _of_speeches(by_role, "rubric", replies.Rubric, numbers),
        _recalibrated(by_role, len(speeches)),
        claims,
        frozenset(lists),
        _rebuttals(by_role, speeches, {claim.claim_id: claim for claim in claims}),
        tuple(_vote(panel, turn) for panel in PANELS for _, turn in by_role[panel]),
    )


def side_of(speaker: str, motion: Row) -> str:
    """The side that a motion gives a speaker."""
    return SIDES[0] if speaker in motion["proposition"] else SIDES[1]


def other(side: str) -> str:
    """The side that is not this one."""
    return SIDES[1 - SIDES.index(side)]


def _by_role(turns: Sequence[Row]) -> _ByRole:
    turns_of: dict[str, list[tuple[int, Row]]] = defaultdict(list)
    speech = 0
    for turn in turns:
        speech += turn["role"] == "speech"
        turns_of[turn["role"]].append((speech, turn))
    return turns_of


def _only(by_role: _ByRole, role: str, model: type[Model]) -> Model | None:
    return next((replies.read(model, turn["text"]) for _, turn in by_role[role]), None)


def _about(turn: Row) -> str:
    """Whom a judge's turn is about: its speaker is ``<role>:<whom>``."""
    return str(turn["speaker"]).partition(":")[2]


def _speeches(motion: Row, by_role: _ByRole) -> tuple[Speech, ...]:
    arguments = {
        number: tuple(argument.point for argument in extracted.arguments)
        for number, turn in by_role["extract"]
        if (extracted := replies.read(replies.Extraction, turn["text"]))
    }
    offers: dict[int, list[Offered]] = defaultdict(list)
    for number, turn in by_role["offer"]:
        offered = replies.read(replies.Offers, turn["text"])
        for offer in offered.offers if offered else ():
            offers[number].append(Offered(turn["speaker"], offer.argument, offer.point))
    answers: dict[int, list[str]] = defaultdict(list)
    for number, turn in by_role["answer"]:
        answers[number].append(turn["text"])
    return tuple(
        Speech(
            number,
            turn["speaker"],
            side_of(turn["speaker"], motion),
            turn["speaker"] in motion["students"],
            turn["text"],
            arguments.get(number),
            tuple(offers[number]),
            tuple(answers[number]),
        )
        for number, turn in by_role["speech"]
    )


def _of_speeches(
    by_role: _ByRole, role: str, model: type[Model], numbers: Mapping[str, int]
) -> dict[int, Model]:
    """Number of a speech -> what was replied about it, of replies that could be read."""
    return {
        numbers[_about(turn)]: reply
        for _, turn in by_role[role]
        if (reply := replies.read(model, turn["text"]))
    }


def _recalibrated(by_role: _ByRole, speeches: int) -> dict[int, replies.Recalibrated]:
    scored = _only(by_role, "recalibrate", replies.Recalibration)
    # The ranks of some of the speeches are not comparable with those of all.
    if not scored or len(scored.speeches) != speeches:
        return {}
    return {speech.speech: speech for speech in scored.speeches}


def _rebuttals(
    by_role: _ByRole, speeches: Sequence[Speech], claims: Mapping[str, Claim]
) -> dict[str, tuple[Rebuttal, ...]]:
    """Rebutting side -> its rebuttals; a list asked for again replaces the first."""
    sides = {speech.number: speech.side for speech in speeches}
    lists: dict[str, tuple[Rebuttal, ...]] = {}
    for _, turn in by_role["rebuttals"]:
        listed = replies.read(replies.FoundRebuttals, turn["text"])
        if listed:
            lists[_about(turn)] = tuple(
                _rebuttal(rebuttal, sides, claims) for rebuttal in listed.rebuttals
            )
    return lists


def _rebuttal(
    rebuttal: replies.FoundRebuttal, sides: Mapping[int, str], claims: Mapping[str, Claim]
) -> Rebuttal:
    by, speech = rebuttal.by.strip(), rebuttal.speech
    if speech not in sides:
        speech = claims[by].speech if by in claims else 0
    return Rebuttal(
        rebuttal.target.strip(),
        by,
        speech,
        sides.get(speech, ""),
        rebuttal.logic,
        rebuttal.new,
        rebuttal.undermines,
    )


def _vote(panel: str, turn: Row) -> Vote:
    """A vote; on the blind panel slots change sides in pass 2, on the labelled one labels do."""
    pass_, seat = (int(part) for part in _about(turn).split(":"))
    place = (panel, pass_, seat, turn["model"])
    if panel == "blind":
        blind = replies.read(replies.BlindVote, turn["text"])
        if blind is None:
            return Vote(*place)
        side = SIDES[(blind.winner == "B") != (pass_ == 2)]
        return Vote(*place, blind.winner, "", side, blind.reason)
    labelled = replies.read(replies.LabelledVote, turn["text"])
    if labelled is None:
        return Vote(*place)
    side = SIDES[(labelled.winner == "Opposition") != (pass_ == 2)]
    slot = "A" if side == SIDES[0] else "B"
    return Vote(*place, slot, labelled.winner.lower(), side, labelled.reason)


def slot_a(panel: str, pass_: int) -> str:
    """The side in slot A: the one that speaks first, but for the blind panel's second pass."""
    return SIDES[panel == "blind" and pass_ == 2]
