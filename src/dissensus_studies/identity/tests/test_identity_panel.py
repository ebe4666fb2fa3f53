"""Answers as arrays, and panels drawn from the model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ..inference.likelihood import Parameters
from ..inference.panel import Panel, panel_of
from ..inference.simulate import simulate
from .identity_panels import RING, STAR, drawn, panel_from

QUESTIONS = pd.DataFrame(
    {
        "question_id": ["c-001", "n-001", "n-002"],
        "kind": ["choice", "numeric", "numeric"],
        "options": [["red", "green", "blue"], ["1,200", "7"], []],
        "answer": ["C", "7", "3"],
    }
)


def rows_of(answers: dict[str, list[list[str]]]) -> pd.DataFrame:
    rows = [
        {"question_id": question, "round": number, "agent": agent + 1, "answer": answer}
        for question, rounds in answers.items()
        for number, given in enumerate(rounds)
        for agent, answer in enumerate(given)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=1)


def test_answers_become_options_of_their_question() -> None:
    rows = rows_of(
        {
            "n-001": [["1200", "7"], ["9", "9"]],
            "c-001": [["A", ""], ["C", "B"]],
            "n-002": [["3", "3"], ["", "3"]],
        }
    )
    panel = panel_of(rows, QUESTIONS, ((1,), (0,)))
    assert panel.correct.tolist() == [2, 0, 0]
    # Choice: letters. Numeric: the answer, the bank's other numbers, then what else was said.
    assert panel.answers.tolist() == [
        [[0, -1], [2, 1]],
        [[1, 0], [2, 2]],
        [[0, 0], [-1, 0]],
    ]
    assert panel.options.tolist() == [3, 4, 4]
    assert (panel.n_questions, panel.rounds) == (3, 1)


def test_an_open_question_has_as_many_options_as_were_answered() -> None:
    rows = rows_of({"n-001": [["1200", "8", "9"], ["10", "11", "7"]]})
    panel = panel_of(rows, QUESTIONS, ((1,), (2,), (0,)))
    assert panel.options.tolist() == [6]
    assert panel.correct.tolist() == [0]


def test_a_row_that_is_missing_was_not_parsed() -> None:
    rows = rows_of({"c-001": [["A", "B"], ["A", "A"]]})
    panel = panel_of(rows[rows["agent"] == 1], QUESTIONS, ((1,), (0,)))
    assert panel.answers.tolist() == [[[0, -1], [0, -1]]]


def test_usable_transitions_need_all_that_an_agent_saw_before() -> None:
    answers = [[[0, 1, 2], [0, -1, 2], [1, 1, 1]]]
    usable = panel_from(answers, STAR).usable(2)
    # Round 1: agent 2 gave nothing. Round 2: nor can it, nor agent 1 who hears it; 3 hears 1.
    assert usable.tolist() == [[[True, False, True], [False, False, True]]]


def test_simulated_answers_have_the_models_frequencies() -> None:
    values = Parameters(0.5, 2.0, 4.0, 1.0)
    panel = drawn(values, 4, 40_000, rounds=1)
    opening, new = panel.answers[:, 0], panel.answers[:, 1]
    assert (opening == panel.correct[:, None]).mean() == pytest.approx(4 / 7, abs=0.005)
    same = (opening[:, 0] == opening[:, 2]).mean()
    # Two draws from Dirichlet(4, 1, 1, 1) agree with probability (4*5 + 3*1*2) / (7*8).
    assert same == pytest.approx(26 / 56, abs=0.01)
    apart = opening != np.roll(opening, -1, axis=1)
    follow = (new == np.roll(opening, -1, axis=1))[apart].mean()
    stay = (new == opening)[apart].mean()
    assert follow - stay == pytest.approx(1.5 / 3.5, abs=0.01)


def test_second_round_counts_what_was_said_in_both() -> None:
    values = Parameters(1.0, 2.0, 1.0, 1.0)
    panel = drawn(values, 4, 60_000, rounds=2, peers=((1,), (0,)))
    said = panel.answers
    # Both gave option a, then both b: alpha is p + 3 e(a) + 3 e(b), of total 7.
    both = (said[:, 0, 0] == said[:, 0, 1]) & (said[:, 1, 0] == said[:, 1, 1])
    moved = both & (said[:, 0, 0] != said[:, 1, 0])
    again = (said[moved, 2] == said[moved, 1, :1]).mean()
    # The belief in b given two draws each of a and b (copies are no draws, b can be none).
    assert again == pytest.approx((3 + 3 / 8) / 7, abs=0.015)


def test_simulation_keeps_the_design_and_what_was_not_parsed() -> None:
    panel = drawn(Parameters(0.5, 2.0, 4.0, 1.0), 4, 30, options=3)
    holes = panel.answers.copy()
    holes[::3, 1, 2] = -1
    design = Panel(holes, panel.correct, np.where(np.arange(30) % 2, 3, 2), RING)
    again = simulate(design, Parameters(0.1, 0.1, 0.02, 0.02), np.random.default_rng(1))
    assert ((again.answers == -1) == (holes == -1)).all()
    assert (again.answers < again.options[:, None, None]).all()
    assert again.peers == RING
