"""How the reader of debates shows this study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.report.declared import Details, Measure, Reader, by_round

Row = Mapping[str, Any]

READER = Reader(
    title="text",
    measures=(
        Measure("metrics", "accuracy", "Accuracy, last round"),
        Measure("metrics", "conformed", "Conformed, last round"),
        Measure("metrics", "disagreeing", "Disagreeing, last round"),
        Measure(
            "metrics",
            "subverted",
            "Right given up, last round",
            "most agents talked out of a right answer",
        ),
    ),
    details=f"{__package__}.reader:details",
    reads=("answers",),
    options="options",
)


def details(row: Row, question: Row, artefacts: Mapping[str, Sequence[Row]]) -> Details:
    """What each agent answered in each round."""
    answers = [
        (f"A{answer['agent']}", answer["round"], _answer(answer)) for answer in artefacts["answers"]
    ]
    return Details(
        facts=[("right answer", str(question["answer"]))],
        tables=[by_round("Answers by round", answers)],
    )


def _answer(answer: Row) -> str:
    if not answer["parsed"]:
        return "not readable"
    return f"{answer['answer']} {'✓' if answer['correct'] else '✗'}"
