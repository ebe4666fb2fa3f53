"""Measures of answers, against counts by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus import measures

ANSWERS = st.lists(st.sampled_from(["A", "B", "C", None]), min_size=1, max_size=12)


def test_transitions_are_counted_by_what_answers_were_and_became() -> None:
    got = measures.transitions(
        ["A", "A", "B", "B", "C", None, "A"],
        ["A", "B", "A", "C", "C", "A", None],
        ["A", "A", "A", "A", "A", "A", "A"],
    )
    assert got == (0.2, 0.2, 0.2, 0.4, 0.6, 5)


@given(st.lists(st.tuples(*[st.sampled_from("ABC")] * 3), min_size=1, max_size=20))
def test_shares_sum_to_one_and_their_difference_is_the_gain(rows: Any) -> None:
    before, after, right = zip(*rows, strict=True)
    got = measures.transitions(before, after, right)
    assert sum(got[:4]) == pytest.approx(1.0)
    gain = np.mean(np.array(after) == right) - np.mean(np.array(before) == right)
    assert got.wrong_right - got.right_wrong == pytest.approx(gain)


def test_nothing_that_was_read_has_no_share() -> None:
    got = measures.transitions([None], ["A"], ["A"])
    assert got.n == 0 and np.isnan(got[:5]).all()


def test_conformity_is_of_those_who_were_apart_from_the_group() -> None:
    alone, group, right = ["A", "A", "A", "B", "C"], ["B"] * 5, ["A"] * 5
    got = measures.conformity(alone, ["B", "A", "C", "B", "B"], group, right)
    # Four were apart and two went over; three were right, and one stayed.
    assert got == (0.5, pytest.approx(1 / 3), 4, 3)
    assert np.isnan(measures.conformity(["B"], ["B"], ["B"], ["A"]).conformity)


def test_a_vote_has_a_winner_or_none() -> None:
    assert measures.vote(["A", "B", "B"]) == "B"
    assert measures.vote(["A", "B", "B"], [0.9, 0.3, 0.3]) == "A"
    assert measures.vote(["A", "B"]) is None
    assert measures.vote([None, None]) is None and measures.vote([]) is None
    assert measures.vote([None, "A"]) == "A" and measures.vote(["A"], [0]) is None
    # .1 + .2 is more than .3 by a digit that means nothing.
    assert measures.vote(["A", "A", "B"], [0.1, 0.2, 0.3]) is None


@given(ANSWERS, st.randoms())
def test_a_vote_is_the_same_in_any_order(answers: Any, random: Any) -> None:
    mixed = random.sample(answers, len(answers))
    assert measures.vote(answers) == measures.vote(mixed)


def test_the_oracle_gap_is_what_the_vote_loses() -> None:
    got = measures.oracle_gap(
        [["A", "B", "B"], ["A", "A", "B"], ["C", "C", None], ["A", "B"]], ["A", "A", "A", "A"]
    )
    # Right among the answers in three of four; the vote in one, and by a half in a tie.
    assert got == (0.75, 0.375, 0.375, 4)


@given(st.lists(st.tuples(ANSWERS, st.sampled_from("ABC")), min_size=1, max_size=8))
def test_the_gap_is_never_below_zero(rows: Any) -> None:
    answers, right = zip(*rows, strict=True)
    assert measures.oracle_gap(answers, right).gap >= -1e-12


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: measures.transitions(["A"], [], ["A"]), "before has 1, after has 0, right has 1"),
        (lambda: measures.vote(["A"], [-1]), "a weight is below 0"),
        (lambda: measures.vote(["A"], [float("nan")]), "a weight is below 0, or no number"),
        (lambda: measures.vote(["A"], [1, 2]), "answers has 1, weights has 2"),
        (lambda: measures.oracle_gap([], []), "there are no items"),
    ],
)
def test_a_wrong_argument_is_told_what_was_expected(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_discovery_is_counted_by_hand() -> None:
    """The first group discovers, the second does not, the third began right, the last is mute."""
    first = [["x", "y"], ["x"], ["r", "x"], ["y", None]]
    last = [["x", "r"], ["x"], ["r", "r"], [None, None]]
    assert measures.discovery(first, last, ["r"] * 4) == (0.5, 0.5, 2, 2)
    assert measures.discovery(first[:2] * 3, last[:2] * 3, ["r"] * 6) == (0.5, 1.0, 6, 3)


def test_a_discovery_without_a_group_has_no_share() -> None:
    assert measures.discovery([["r"]], [["x"]], ["r"]).n_found == 0
    assert all(value != value for value in measures.discovery([], [], [])[:2])
    with pytest.raises(ValueError, match="each must have as many"):
        measures.discovery([[1]], [], [1])
