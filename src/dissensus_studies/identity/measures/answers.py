"""What each agent answered in each round, and which debates have answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dissensus.session.protocol import round_of

from ..terms import OPENING
from .reading import parse_answer, parse_leniently

#: The columns that name a session.
NAMES = ("session_id", "team", "bank", "question_id", "condition")


def read_answers(
    turns: Iterable[Mapping[str, Any]],
    outcomes: Iterable[Mapping[str, Any]],
    manifest: Iterable[Mapping[str, Any]],
    questions: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """The answers of every debate that ran to its end, with those of its opening as round 0.

    Parameters
    ----------
    turns, outcomes : of all sessions; turns of a session in any order.
    manifest : the sessions; those of debates name their opening.
    questions : kind, options and right answer of each.

    Returns
    -------
    Rows of :data:`~.measures.transitions.ANSWERS`, in the manifest's order. A
    debate that failed, or whose opening did, has none. An answer that cannot be parsed is
    "" and not correct.
    """
    complete = {row["session_id"] for row in outcomes if row["complete"]}
    asked = {row["question_id"]: row for row in questions}
    given: dict[str, list[dict[str, Any]]] = {}
    for turn in turns:
        answer = _answer(turn, asked[turn["question_id"]])
        given.setdefault(turn["session_id"], []).append(answer)
    rows = []
    for row in manifest:
        if row["condition"] == OPENING or not {row["session_id"], row["opening"]} <= complete:
            continue
        named = {name: row[name] for name in NAMES}
        answers = given[row["opening"]] + given[row["session_id"]]
        answers.sort(key=lambda answer: (answer["round"], answer["agent"]))
        rows += [named | answer for answer in answers]
    return rows


def _answer(turn: Mapping[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    asked = turn["text"], question["kind"], len(question["options"]), question["options"]
    answer = parse_answer(*asked)
    lenient = answer or parse_leniently(*asked)
    return {
        "round": round_of(turn["round_label"]),
        "agent": int(turn["speaker"].removeprefix("A")),
        "answer": answer,
        "parsed": answer != "",
        "correct": answer != "" and answer == question["answer"],
        "lenient_answer": lenient,
        "lenient_correct": lenient != "" and lenient == question["answer"],
    }
