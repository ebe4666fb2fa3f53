"""Answers of one team under one condition as arrays: what the model-based inference reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dissensus.stats.checks import IntArray

from ..measures.reading import canonical_number

BoolArray = npt.NDArray[np.bool_]

#: An answer that could not be parsed.
UNPARSED = -1
#: Options of an open question that names none and was not answered in more ways.
FEWEST_OPTIONS = 4


@dataclass(frozen=True)
class Panel:
    """M questions answered by N agents in rounds 0 to T.

    Attributes
    ----------
    answers : (M, T + 1, N), index of the option; -1 where the answer could not be parsed.
    correct : (M,), index of the correct option.
    options : (M,), number of options K.
    peers : 0-based peers of each agent.
    """

    answers: IntArray
    correct: IntArray
    options: IntArray
    peers: tuple[tuple[int, ...], ...]

    @property
    def n_questions(self) -> int:
        return len(self.answers)

    @property
    def rounds(self) -> int:
        """Rounds after the opening."""
        return int(self.answers.shape[1]) - 1

    @property
    def n_peers(self) -> IntArray:
        """(N,), how many peers each agent hears."""
        return np.array([len(heard) for heard in self.peers], dtype=np.int64)

    @property
    def hears(self) -> IntArray:
        """(N, N), 1 where the agent of the row hears the agent of the column."""
        matrix = np.zeros((len(self.peers), len(self.peers)), dtype=np.int64)
        for agent, heard in enumerate(self.peers):
            matrix[agent, list(heard)] = 1
        return matrix

    @property
    def width(self) -> int:
        """Columns that arrays over options need."""
        return int(max(self.options.max(), self.correct.max() + 1, self.answers.max() + 1))

    def usable(self, rounds: int) -> BoolArray:
        """(M, rounds, N), whether the transition into round t = 1, 2, ... can be used.

        It can where the new answer was parsed and so was all that the agent saw before: its own
        answers and its peers' of every round below t.
        """
        parsed = self.answers[:, : rounds + 1] != UNPARSED
        before = np.logical_and.accumulate(parsed, axis=1)[:, :-1]
        missed = np.einsum("mtj,ij->mti", ~before, self.hears) > 0
        return np.asarray(parsed[:, 1:] & before & ~missed)


def one_hot(answers: IntArray, options: int) -> IntArray:
    """(..., K), 1 at the option that was answered; all 0 for an answer that was not parsed."""
    return np.asarray(answers[..., None] == np.arange(options), dtype=np.int64)


def panel_of(rows: pd.DataFrame, questions: pd.DataFrame, peers: Sequence[Sequence[int]]) -> Panel:
    """Arrange answers by question, round and agent.

    Parameters
    ----------
    rows : of the table `answers`, of one team and one condition.
    questions : rows of the table `questions`, of those questions at least.
    peers : 0-based peers of each agent.

    Returns
    -------
    Questions in the order of their ids. A row that is not there counts as not parsed.

    Notes
    -----
    A question of choice has the options that it prints. An open one has those of the bank
    (its answer and known distractors) and whatever else was answered, and never fewer than
    :data:`FEWEST_OPTIONS`: a number that nobody gave could have been given.
    """
    asked = {str(row["question_id"]): row for row in questions.to_dict("records")}
    names = sorted(rows["question_id"].astype(str).unique())
    place = {name: index for index, name in enumerate(names)}
    rounds = int(rows["round"].max()) if len(rows) else 0
    answers = np.full((len(names), rounds + 1, len(peers)), UNPARSED, dtype=np.int64)
    labels = [_labels(asked[name]) for name in names]
    correct = [label[str(asked[name]["answer"])] for name, label in zip(names, labels, strict=True)]
    # In order of the rows' own key, so that what was answered first does not hang on the file.
    ordered = rows.sort_values(["question_id", "round", "agent"])
    for name, number, agent, answer in zip(
        ordered["question_id"].astype(str),
        ordered["round"],
        ordered["agent"],
        ordered["answer"],
        strict=True,
    ):
        if answer:
            index = place[name]
            code = labels[index].setdefault(str(answer), len(labels[index]))
            answers[index, int(number), int(agent) - 1] = code
    options = [
        len(label) if asked[name]["kind"] == "choice" else max(len(label), FEWEST_OPTIONS)
        for name, label in zip(names, labels, strict=True)
    ]
    return Panel(
        answers,
        np.array(correct, dtype=np.int64),
        np.array(options, dtype=np.int64),
        tuple(tuple(heard) for heard in peers),
    )


def _labels(question: Mapping[Any, Any]) -> dict[str, int]:
    """Index of each answer that the question is known to have."""
    if question["kind"] == "choice":
        return {chr(ord("A") + index): index for index in range(len(question["options"]))}
    numbers = [str(option) for option in question["options"]]
    right = [str(question["answer"]), *(canonical_number(number) or number for number in numbers)]
    return {option: index for index, option in enumerate(dict.fromkeys(right))}
