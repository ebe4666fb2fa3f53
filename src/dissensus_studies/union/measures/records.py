"""From the turns of debates to the tables of what was said and judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from statistics import fmean
from typing import Any

from dissensus.errors import ArtefactError
from dissensus.study.makes import RowsOf, TurnsBySession, makes
from dissensus.text.words import count_words

from ..protocol.gates import Gate, Place, drawn
from ..tables import DEBATE, DIMENSIONS, FATES, LAYERS, RECORDS, SIDES
from .debate import JudgedDebate, Offered, Row, Speech, read_debate, slot_a
from .survival import fates
from .tally import claim_points, counted, tally
from .verdicts import NONE, higher, margin, panel, passes_agree, verdict

Rows = list[dict[str, Any]]
#: The points of a speech that were drawn to be offered, in order, each with whether it was taken.
Drawn = Callable[[Row, Speech], Sequence[tuple[Offered, bool]]]

#: Words of a speech of the length that the source asks for.
LENGTH = range(1000, 1801)


@dataclass
class Tables(RowsOf):
    """Rows of the seven artefacts, of one debate or of many."""

    speeches: Rows = field(default_factory=list)
    points: Rows = field(default_factory=list)
    claims: Rows = field(default_factory=list)
    rebuttals: Rows = field(default_factory=list)
    scores: Rows = field(default_factory=list)
    votes: Rows = field(default_factory=list)
    verdicts: Rows = field(default_factory=list)


def drawn_by(protocol: Mapping[str, Any]) -> Drawn:
    """What the gates of the protocol let through, drawn again.

    Parameters
    ----------
    protocol : the settings of the protocol.
    """
    gate = Gate.of(protocol)

    def points(session: Row, speech: Speech) -> Sequence[tuple[Offered, bool]]:
        place = Place(session["draw_seed"], speech.number, len(session["order"]))
        return drawn(speech.offers, len(speech.arguments or ()), place, gate)

    return points


@makes(
    speeches=RECORDS["speeches"],
    points=RECORDS["points"],
    claims=RECORDS["claims"],
    rebuttals=RECORDS["rebuttals"],
    scores=RECORDS["scores"],
    votes=RECORDS["votes"],
    verdicts=RECORDS["verdicts"],
)
def reconstruct_debates(
    turns: TurnsBySession,
    manifest: list[dict[str, Any]],
    motions: list[dict[str, Any]],
    layers: list[str],
    protocol: dict[str, Any],
) -> Tables:
    """What was said and judged in all debates, and their verdicts."""
    sessions = {row["session_id"]: row for row in manifest}
    debated = {row["motion_id"]: row for row in motions}
    return reconstruct(turns, sessions, debated, layers, drawn_by(protocol))


def reconstruct(
    sessions: Mapping[str, Sequence[Row]],
    manifest: Mapping[str, Row],
    motions: Mapping[str, Row],
    layers: Sequence[str],
    points: Drawn,
) -> Tables:
    """The tables of all debates that ran to their end.

    Parameters
    ----------
    sessions : session_id -> rows of the artefact ``turns``, in order; of all kinds of session.
    manifest : session_id -> row.
    motions : motion_id -> row.
    layers : those that may decide a debate, in the order in which they are asked.
    points : which offers were drawn, and taken; :func:`drawn_by` knows.

    Raises
    ------
    ArtefactError : a speech has more or fewer answers than points that its speaker took.
    """
    tables = Tables()
    for name, turns in sessions.items():
        session = manifest[name]
        if session["kind"] == "debate":
            debate = read_debate(session, motions[session["motion_id"]], turns)
            tables.add(debate_tables(debate, layers, points))
    return tables


def debate_tables(debate: JudgedDebate, layers: Sequence[str], points: Drawn) -> Tables:
    """The tables of one debate; ``layers`` and ``points`` as in :func:`reconstruct`."""
    ids = {name: debate.session[name] for name in DEBATE}
    offered = {
        rebuttal.number: _points(debate.session, rebuttal, points) for rebuttal in debate.speeches
    }
    speeches = [_speech(speech, offered[speech.number]) for speech in debate.speeches]
    claims = _claims(debate)
    parts = Tables(
        speeches=speeches,
        points=[row for rows in offered.values() for row in rows],
        claims=claims,
        rebuttals=_rebuttals(debate),
        scores=[_scores(debate, speech) for speech in debate.speeches],
        votes=_votes(debate, speeches),
        verdicts=[_verdict(debate, claims, layers)],
    )
    return Tables(**{name: [{**ids, **row} for row in rows] for name, rows in vars(parts).items()})


def _points(session: Row, speech: Speech, drawn_of: Drawn) -> Rows:
    points = drawn_of(session, speech)
    taken = sum(accepted for _, accepted in points)
    if taken != len(speech.answers):
        raise ArtefactError(
            f"Speech {speech.number} of session {session['session_id']} has "
            f"{len(speech.answers)} answers to the {taken} points of information that its speaker "
            "took; delete its transcript and it will be made again."
        )
    answers = iter(speech.answers)
    return [
        {
            "speech": speech.number,
            "offer": number,
            "speaker": point.speaker,
            "argument": point.argument,
            "accepted": accepted,
            "text": point.text,
            "answer": next(answers) if accepted else "",
        }
        for number, (point, accepted) in enumerate(points, start=1)
    ]


def _speech(speech: Speech, points: Rows) -> dict[str, Any]:
    words = count_words(speech.text)
    return {
        **_place(speech),
        "student": speech.student,
        "words": words,
        "length_kept": words in LENGTH,
        "arguments": len(speech.arguments or ()),
        "extracted": speech.arguments is not None,
        "offered": len(points),
        "accepted": sum(row["accepted"] for row in points),
        "text": speech.text,
    }


def _place(speech: Speech) -> dict[str, Any]:
    return {"speech": speech.number, "speaker": speech.speaker, "side": speech.side}


def _claims(debate: JudgedDebate) -> Rows:
    rebuttals = debate.all_rebuttals
    claim_of = {claim.claim_id: claim for claim in debate.claims}
    answered = Counter(
        rebuttal.claim_id for rebuttal in compress(rebuttals, counted(rebuttals, claim_of))
    )
    worth = claim_points(debate.claims, rebuttals, len(debate.speeches))
    fate = fates(debate.claims, rebuttals)
    return [
        {
            "claim_id": claim.claim_id,
            **_place(speech := debate.speeches[claim.speech - 1]),
            "student": speech.student,
            "kind": claim.kind,
            "specific": claim.specific,
            "points": worth[claim.claim_id],
            "rebuttals": answered[claim.claim_id],
            "fate": fate[claim.claim_id],
            "text": claim.text,
        }
        for claim in debate.claims
    ]


def _rebuttals(debate: JudgedDebate) -> Rows:
    rebuttals = debate.all_rebuttals
    are_counted = counted(rebuttals, {claim.claim_id: claim for claim in debate.claims})
    speakers = {speech.number: speech.speaker for speech in debate.speeches}
    return [
        {
            "rebuttal": number,
            "claim_id": rebuttal.claim_id,
            "by": rebuttal.by,
            "speech": rebuttal.speech,
            "speaker": speakers.get(rebuttal.speech, ""),
            "side": rebuttal.side,
            "logic": rebuttal.logic,
            "new": rebuttal.new,
            "undermines": rebuttal.undermines,
            "counted": is_counted,
            "points": rebuttal.points if is_counted else 0.0,
        }
        for number, (rebuttal, is_counted) in enumerate(
            zip(rebuttals, are_counted, strict=True), start=1
        )
    ]


def _scores(debate: JudgedDebate, speech: Speech) -> dict[str, Any]:
    rubric = debate.rubrics.get(speech.number)
    place = debate.recalibrated.get(speech.number)
    scores = {name: getattr(rubric, name) for name in DIMENSIONS} if rubric else {}
    return {
        **_place(speech),
        **{name: scores.get(name) for name in DIMENSIONS},
        "mean": _mean(scores.values()) if scores else None,
        "rank": float(place.rank) if place else None,
        "recalibrated": place.score if place else None,
    }


def _mean(numbers: Iterable[float]) -> float:
    # Scores have few decimals: what differs after nine of them is the sum's last bit.
    return round(fmean(numbers), 9)


def _votes(debate: JudgedDebate, speeches: Rows) -> Rows:
    more = sum(row["words"] if row["side"] == SIDES[0] else -row["words"] for row in speeches)
    return [
        {
            "panel": vote.panel,
            "pass": vote.pass_,
            "seat": vote.seat,
            "judge": vote.judge,
            "slot": vote.slot,
            "label": vote.label,
            "side": vote.side,
            "words_more": float(more if slot_a(vote.panel, vote.pass_) == SIDES[0] else -more),
        }
        for vote in debate.votes
    ]


def _verdict(debate: JudgedDebate, claims: Rows, layers: Sequence[str]) -> dict[str, Any]:
    blind = [vote for vote in debate.votes if vote.panel == "blind"]
    sides = [vote.side for vote in blind]
    points = tally(debate.claims, debate.all_rebuttals, len(debate.speeches))
    surviving = Counter(row["side"] for row in claims if row["fate"] == FATES[0])
    says = dict(
        zip(
            LAYERS,
            (
                panel(sides),
                higher(*(points[side] for side in SIDES)) if debate.is_annotated else NONE,
                higher(*(_recalibrated(debate, side) for side in SIDES)),
                higher(*(surviving[side] for side in SIDES)) if debate.is_annotated else NONE,
            ),
            strict=True,
        )
    )
    winner, decided_by = verdict(says, layers)
    votes = {side: sides.count(side) for side in SIDES}
    return {
        "winner": winner,
        "decided_by": decided_by,
        "margin": margin(winner, decided_by, {"panel": votes, "annotation": points}),
        "votes_proposition": votes[SIDES[0]],
        "votes_opposition": votes[SIDES[1]],
        "passes_agree": passes_agree((vote.pass_, vote.side) for vote in blind),
        **says,
        "points_proposition": points[SIDES[0]],
        "points_opposition": points[SIDES[1]],
        "surviving_proposition": surviving[SIDES[0]],
        "surviving_opposition": surviving[SIDES[1]],
        "one_sided": debate.is_one_sided,
        "student_votes": _student_votes(debate, sides),
        "student_survival": _student_survival(claims),
        "student_demolitions": _student_demolitions(debate),
    }


def _recalibrated(debate: JudgedDebate, side: str) -> float | None:
    """Mean recalibrated score of a side's speeches; None where there is no recalibration."""
    scores = [
        debate.recalibrated[speech.number].score
        for speech in debate.speeches
        if speech.side == side and debate.recalibrated
    ]
    return _mean(scores) if scores else None


def _student_votes(debate: JudgedDebate, sides: Sequence[str]) -> float | None:
    of_students = {speech.side for speech in debate.speeches if speech.student}
    readable = [side for side in sides if side]
    if len(of_students) != 1 or not readable:
        return None
    return readable.count(*of_students) / len(readable)


def _student_survival(claims: Rows) -> float | None:
    of_students = [row["fate"] == FATES[0] for row in claims if row["student"]]
    return sum(of_students) / len(of_students) if of_students else None


def _student_demolitions(debate: JudgedDebate) -> float | None:
    claim_of = {claim.claim_id: claim for claim in debate.claims}
    by_students = {speech.number for speech in debate.speeches if speech.student}
    rebuttals = debate.all_rebuttals
    demolish = [
        rebuttal.demolishes
        for rebuttal in compress(rebuttals, counted(rebuttals, claim_of))
        if rebuttal.speech in by_students
    ]
    return sum(demolish) / len(demolish) if demolish else None
