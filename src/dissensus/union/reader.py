"""How the reader of debates shows this study."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.report.labels import MISSING, number
from dissensus.report.readers import Claim, Details, Measure, Reader, Rows
from dissensus.union.tables import LAYERS, SIDES

Row = Mapping[str, Any]

READER = Reader(
    title="motion",
    measures=(
        Measure("verdicts", "votes_proposition", "Votes for the proposition"),
        Measure("verdicts", "votes_opposition", "Votes for the opposition"),
        Measure("verdicts", "student_votes", "Votes for the students"),
        Measure("verdicts", "student_survival", "Students' claims that survive"),
        Measure("verdicts", "student_demolitions", "Students' rebuttals that demolish"),
    ),
    details="dissensus.union.reader:details",
    reads=("verdicts", "claims", "rebuttals", "scores", "votes"),
)


def details(row: Row, motion: Row, found: Mapping[str, Sequence[Row]]) -> Details:
    """The verdict and its layers; every claim with its rebuttals and its fate; scores and votes."""
    sides = {name: side for side in SIDES for name in motion[side]}
    if row["kind"] != "debate":
        return Details(sides=sides)
    return Details(
        sides=sides,
        facts=[
            fact
            for one in found["verdicts"]
            for fact in (
                ("winner", one["winner"]),
                ("decided by", one["decided_by"]),
                *((f"the {layer} says", one[layer]) for layer in LAYERS),
            )
        ],
        claims=_claims(found),
        tables=[_scores(found["scores"]), _votes(found["votes"])],
    )


def _claims(found: Mapping[str, Sequence[Row]]) -> list[Claim]:
    texts = {one["claim_id"]: one["text"] for one in found["claims"]}
    answers: dict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for one in found["rebuttals"]:
        said = f"{one['by']}: {texts.get(one['by'], '')}" if one["by"] else ""
        answers[one["claim_id"]].append(
            (one["speaker"], f"speech {one['speech']}" if one["speech"] else "", _how(one), said)
        )
    return [
        Claim(
            one["claim_id"],
            one["speaker"],
            f"speech {one['speech']}",
            one["text"],
            one["fate"],
            tuple(answers[one["claim_id"]]),
        )
        for one in found["claims"]
    ]


def _how(one: Row) -> str:
    """What a rebuttal does, as the annotation has it."""
    words = {"logic": "shows a fault of logic", "new": "brings new evidence"}
    found = [said for name, said in words.items() if one[name]]
    found += ["undermines it"] if one["undermines"] else []
    kept = ", ".join(found) or "answers without a ground"
    return kept if one["counted"] else f"{kept}; does not count"


def _scores(scores: Sequence[Row]) -> Rows:
    return Rows(
        "Scores of the speeches",
        ("Speech", "Speaker", "Side", "Mean", "Recalibrated"),
        [
            (
                one["speech"],
                one["speaker"],
                one["side"],
                number(one["mean"], 2),
                number(one["recalibrated"], 2),
            )
            for one in scores
        ],
    )


def _votes(votes: Sequence[Row]) -> Rows:
    return Rows(
        "Votes of the judges",
        ("Panel", "Pass", "Seat", "Judge", "Votes for"),
        [
            (one["panel"], one["pass"], one["seat"], one["judge"], one["side"] or MISSING)
            for one in votes
        ],
    )
