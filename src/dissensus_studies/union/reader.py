"""How the reader of debates shows this study."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.report.declared import Claim, Details, Measure, Reader, Rows
from dissensus.report.labels import MISSING, number

from .outcomes import OUTCOMES, PRIMARY
from .tables import LAYERS, SIDES

Row = Mapping[str, Any]

READER = Reader(
    title="motion",
    measures=(
        Measure("verdicts", "votes_proposition", "Votes for the proposition"),
        Measure("verdicts", "votes_opposition", "Votes for the opposition"),
        Measure("verdicts", "student_votes", OUTCOMES["student_votes"].title),
        Measure("verdicts", PRIMARY, OUTCOMES[PRIMARY].title),
        Measure("verdicts", "student_demolitions", OUTCOMES["student_demolitions"].title),
    ),
    details=f"{__package__}.reader:details",
    reads=("verdicts", "claims", "rebuttals", "scores", "votes"),
    aside=(
        *("prepare", "extract", "offer", "answer", "definitions", "contest", "rubric"),
        *("recalibrate", "claims", "rebuttals", "blind", "labelled"),
        *("style", "memo", "names"),
    ),
)


def details(row: Row, motion: Row, artefacts: Mapping[str, Sequence[Row]]) -> Details:
    """The verdict and its layers; every claim with its rebuttals and its fate; scores and votes."""
    sides = {name: side for side in SIDES for name in motion[side]}
    if row["kind"] != "debate":
        return Details(sides=sides)
    return Details(
        sides=sides,
        facts=[
            fact
            for verdict in artefacts["verdicts"]
            for fact in (
                ("winner", verdict["winner"]),
                ("decided by", verdict["decided_by"]),
                *((f"the {layer} says", verdict[layer]) for layer in LAYERS),
            )
        ],
        claims=_claims(artefacts),
        tables=[_scores(artefacts["scores"]), _votes(artefacts["votes"])],
    )


def _claims(artefacts: Mapping[str, Sequence[Row]]) -> list[Claim]:
    texts = {claim["claim_id"]: claim["text"] for claim in artefacts["claims"]}
    answers: dict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for rebuttal in artefacts["rebuttals"]:
        answer = f"{rebuttal['by']}: {texts.get(rebuttal['by'], '')}" if rebuttal["by"] else ""
        answers[rebuttal["claim_id"]].append(
            (
                rebuttal["speaker"],
                f"speech {rebuttal['speech']}" if rebuttal["speech"] else "",
                _how(rebuttal),
                answer,
            )
        )
    return [
        Claim(
            claim["claim_id"],
            claim["speaker"],
            f"speech {claim['speech']}",
            claim["text"],
            claim["fate"],
            tuple(answers[claim["claim_id"]]),
        )
        for claim in artefacts["claims"]
    ]


def _how(rebuttal: Row) -> str:
    """What a rebuttal does, as the annotation has it."""
    words = {"logic": "shows a fault of logic", "new": "brings new evidence"}
    grounds = [ground for name, ground in words.items() if rebuttal[name]]
    grounds += ["undermines it"] if rebuttal["undermines"] else []
    kept = ", ".join(grounds) or "answers without a ground"
    return kept if rebuttal["counted"] else f"{kept}; does not count"


def _scores(scores: Sequence[Row]) -> Rows:
    return Rows(
        "Scores of the speeches",
        ("Speech", "Speaker", "Side", "Mean", "Recalibrated"),
        [
            (
                score["speech"],
                score["speaker"],
                score["side"],
                number(score["mean"], 2),
                number(score["recalibrated"], 2),
            )
            for score in scores
        ],
    )


def _votes(votes: Sequence[Row]) -> Rows:
    return Rows(
        "Votes of the judges",
        ("Panel", "Pass", "Seat", "Judge", "Votes for"),
        [
            (vote["panel"], vote["pass"], vote["seat"], vote["judge"], vote["side"] or MISSING)
            for vote in votes
        ],
    )
