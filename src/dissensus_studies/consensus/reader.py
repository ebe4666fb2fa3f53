"""How the reader of debates shows this study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.report.declared import Details, Measure, Reader, by_round
from dissensus.report.pages.exchange import quoted

from .design import DEBATE, TRAINING
from .outcomes import OUTCOMES, PRIMARY
from .wording import VOTER

Row = Mapping[str, Any]

READER = Reader(
    title="statement",
    measures=(
        Measure("metrics", PRIMARY, OUTCOMES[PRIMARY].title),
        Measure("metrics", "rounds_lasted", "Rounds"),
        Measure("metrics", "switches", "Switches"),
        Measure("metrics", "match", "Matches the public"),
    ),
    details=f"{__package__}.reader:details",
    reads=("votes",),
    exchange=f"{__package__}.reader:exchange",
)


def exchange(
    turns: Sequence[Row], artefacts: Mapping[str, Sequence[Row]]
) -> Sequence[tuple[str, str]]:
    """Two who vote, one after the other; side rounds are talks of some of them alone."""
    return quoted([(turn["speaker"], turn["text"]) for turn in turns if turn["role"] == VOTER])


def details(row: Row, statement: Row, artefacts: Mapping[str, Sequence[Row]]) -> Details:
    """What each agent voted in each round; nothing of a session that is no debate."""
    if row["kind"] not in (DEBATE, TRAINING):
        return Details()
    votes = [(vote["agent"], vote["round"], vote["label"]) for vote in artefacts["votes"]]
    return Details(
        facts=[("the public", str(statement["truth"]))],
        tables=[by_round("Votes by round", votes)],
    )
