"""One row a debate and round: how many were right, and what those who disagreed then did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from dissensus.design.equal_tokens import majority_vote
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import chance, common, flag, share

from ..design.manifest import MANIFEST
from ..terms import OPENING
from .answers import NAMES, read_answers
from .transitions import ANSWERS, TRANSITIONS, follow_answers

METRICS = Schema(
    name="metrics",
    row="round of a debate; without measures where the debate or its opening failed for good",
    columns={
        **MANIFEST.pick(*NAMES),
        **common("round"),
        "complete": flag("Whether the debate and its opening ran to their end."),
        **common("parsed_share?"),
        "accuracy": share("Share of the agents whose answer is right."),
        "vote": chance("Chance that a majority vote is right, ties being broken at random."),
        "disagreeing": Column(
            "int?", "How many agents had a peer who disagreed, all answers being read.", "count"
        ),
        "conformed": Column(
            "int?", "How many of those in disagreeing took the answer of such a peer.", "count"
        ),
        "stayed": Column(
            "int?", "How many of those in disagreeing kept their own answer.", "count"
        ),
        "exposed_correct": Column(
            "int?", "How many of those in disagreeing were right before.", "count"
        ),
        "subverted": Column("int?", "How many of those in exposed_correct are wrong now.", "count"),
        "exposed_wrong": Column(
            "int?",
            "How many wrong agents had a peer who was right, all answers being read.",
            "count",
        ),
        "corrected": Column("int?", "How many of those in exposed_wrong are right now.", "count"),
    },
    key=("session_id", "round"),
)


def count_transitions(rows: Sequence[Mapping[str, Any]], right: str) -> dict[str, int]:
    """Count the usable transitions of a round by what the agents were shown and did.

    Parameters
    ----------
    rows : of :data:`~.measures.transitions.TRANSITIONS`.
    right : the right answer.

    Returns
    -------
    What is counted -> number. ``conformed`` and ``stayed`` are among ``disagreeing``, the
    numerators of equations 1 and 2 in A.3 of "Measuring and mitigating identity bias";
    ``subverted`` is among ``exposed_correct`` and ``corrected`` among ``exposed_wrong`` (equations
    6 and 7). With several peers, an agent that was right is exposed if at least one peer was wrong,
    and the reverse.
    """
    usable = [row for row in rows if row["usable"]]
    disagreeing = [row for row in usable if row["n_disagree"]]
    # Whoever disagrees with one that is right is wrong.
    correct = [row for row in disagreeing if row["was_correct"]]
    wrong = [row for row in usable if not row["was_correct"] and right in row["peers"]]
    return {
        "disagreeing": len(disagreeing),
        "conformed": sum(row["follows_peer"] for row in disagreeing),
        "stayed": sum(row["follows_own"] for row in disagreeing),
        "exposed_correct": len(correct),
        "subverted": sum(not row["is_correct"] for row in correct),
        "exposed_wrong": len(wrong),
        "corrected": sum(row["is_correct"] for row in wrong),
    }


@makes(answers=ANSWERS, transitions=TRANSITIONS, metrics=METRICS)
def measure_identity(
    turns: list[dict[str, Any]],
    outcomes: list[dict[str, Any]],
    manifest: list[dict[str, Any]],
    questions: list[dict[str, Any]],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """What every agent answered, what it did with the answers it saw, and who was right."""
    answers = read_answers(turns, outcomes, manifest, questions)
    transitions = follow_answers(answers, manifest)
    return answers, transitions, measure_rounds(answers, transitions, manifest, questions)


def measure_rounds(
    answers: Iterable[Mapping[str, Any]],
    transitions: Iterable[Mapping[str, Any]],
    manifest: Iterable[Mapping[str, Any]],
    questions: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """The metrics of every debate and round of the manifest.

    Parameters
    ----------
    answers, transitions : of the debates that are complete, a round's rows together.
    manifest, questions : the sessions and what they debate.

    Returns
    -------
    Rows of :data:`METRICS`, in the manifest's order. ``accuracy`` is the share of all agents that
    are right; an answer that could not be parsed is not.
    """
    right = {row["question_id"]: row["answer"] for row in questions}
    place = itemgetter("session_id", "round")
    given = {key: list(group) for key, group in groupby(answers, key=place)}
    followed = {key: list(group) for key, group in groupby(transitions, key=place)}
    rows = []
    for row in manifest:
        if row["condition"] == OPENING:
            continue
        for number in range(row["rounds"] + 1):
            key = (row["session_id"], number)
            measured: dict[str, Any] = dict.fromkeys(METRICS.columns)
            measured |= {name: row[name] for name in NAMES}
            measured |= {"round": number, "complete": key in given}
            if key in given:
                measured |= _of_agents(given[key], right[row["question_id"]])
            if key in followed:
                measured |= count_transitions(followed[key], right[row["question_id"]])
            rows.append(measured)
    return rows


def _of_agents(answers: Sequence[Mapping[str, Any]], right: str) -> dict[str, float]:
    return {
        "parsed_share": sum(answer["parsed"] for answer in answers) / len(answers),
        "accuracy": sum(answer["correct"] for answer in answers) / len(answers),
        "vote": majority_vote([answer["answer"] for answer in answers], right),
    }
