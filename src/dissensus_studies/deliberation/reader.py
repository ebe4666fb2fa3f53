"""How the reader of debates shows this study."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.report.declared import Claim, Details, Measure, Reader, by_round

Row = Mapping[str, Any]

READER = Reader(
    title="question",
    measures=(
        Measure("metrics", "entropy_last", "Disagreement left (bits)"),
        Measure("metrics", "entropy_drop", "Disagreement lost (bits)"),
        Measure("metrics", "claim_engagement", "Claims engaged with"),
        Measure("metrics", "correct_last", "Correct, last round"),
    ),
    details=f"{__package__}.reader:details",
    reads=("claims", "engagements", "stances"),
    exchange=f"{__package__}.reader:exchange",
    options="options",
)


def details(row: Row, topic: Row, artefacts: Mapping[str, Sequence[Row]]) -> Details:
    """Stances by round, and every claim with who took it up, and how."""
    texts = {claim["claim_id"]: claim["text"] for claim in artefacts["claims"]}
    answers: dict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for engagement in artefacts["engagements"]:
        claim, how = engagement["resolved_claim"], engagement["relation"]
        if (
            engagement["quote"]
            and claim in texts
            and not _stands_in(engagement["quote"], texts[claim])
        ):
            how += ", with a quote that is not in the claim"
        answers[claim].append(
            (engagement["source"], f"round {engagement['round']}", how, engagement["quote"])
        )
    stances = [
        (stance["agent"], stance["round"], _stance(stance)) for stance in artefacts["stances"]
    ]
    return Details(
        facts=[("true option", str(topic["truth"]))],
        claims=[
            Claim(
                stated["claim_id"],
                stated["agent"],
                f"round {stated['round']}",
                stated["text"],
                "" if answers[stated["claim_id"]] else "ignored",
                tuple(answers[stated["claim_id"]]),
            )
            for stated in artefacts["claims"]
        ],
        tables=[by_round("Stances by round", stances)],
    )


def exchange(
    turns: Sequence[Row], artefacts: Mapping[str, Sequence[Row]]
) -> Sequence[tuple[str, str]]:
    """The first claim that another agent objects to, and what that agent claims in that round."""
    claims = {claim["claim_id"]: claim for claim in artefacts["claims"]}
    for engagement in artefacts["engagements"]:
        claim, source = claims.get(engagement["resolved_claim"]), engagement["source"]
        own = [
            each["text"]
            for each in claims.values()
            if (each["agent"], each["round"]) == (source, engagement["round"])
        ]
        if claim and own and engagement["relation"] == "rebut" and claim["agent"] != source:
            return [(claim["agent"], claim["text"]), (f"{source}, against it", own[0])]
    return []


def _stands_in(quote: str, text: str) -> bool:
    """Whether a text has a quote, but for case, spaces and marks at its ends."""
    words, whole = (" ".join(text_part.casefold().split()) for text_part in (quote, text))
    return words.strip(" .,;:…\"'“”‘’") in whole


def _stance(row: Row) -> str:
    """What an agent holds after a round, in words where that is none of the options."""
    if row["declined"]:
        return "abstains"
    return str(row["stance"]) if row["parsed"] else "not readable"
