"""How the reader of debates shows this study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.report.declared import Details, Measure, Reader, by_round

from .design.graph import read_peers
from .terms import VANILLA

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
    reads=("answers", "manifest"),
    options="options",
    exchange=f"{__package__}.reader:exchange",
)


def exchange(
    turns: Sequence[Row], artefacts: Mapping[str, Sequence[Row]]
) -> Sequence[tuple[str, str]]:
    """The first agent that, with labels, takes over what a peer answered in the round before.

    Parameters
    ----------
    turns : of a session.
    artefacts : its answers, and its row of the manifest.

    Returns
    -------
    The peer's turn, and the agent's; nothing where no agent does that in a later round than the
    first, after an opening that is a session of its own.
    """
    (row,) = artefacts["manifest"]
    if row["condition"] != VANILLA:
        return []
    peers = read_peers(row["graph"])
    given = {
        (each["round"], each["agent"]): each["answer"]
        for each in artefacts["answers"]
        if each["parsed"]
    }
    said = {(turn["round_label"], turn["speaker"]): turn["text"] for turn in turns}
    for (now, agent), answer in sorted(given.items()):
        if given.get((now - 1, agent), answer) == answer:
            continue
        for peer in peers[agent - 1]:
            before = said.get((f"round {now - 1}", f"A{peer}"))
            if given.get((now - 1, peer)) == answer and before:
                taken = said[f"round {now}", f"A{agent}"]
                return [(f"A{peer}", before), (f"A{agent}, who has read that", taken)]
    return []


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
