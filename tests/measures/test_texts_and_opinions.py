"""Diversity and facts of texts, and whose opinion moves whom."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus import measures


@given(st.integers(1, 8), st.integers(1, 4))
def test_groups_of_equal_texts_count_once_each(groups: int, size: int) -> None:
    matrix = np.kron(np.eye(groups), np.ones((size, size)))
    assert measures.vendi_of(matrix) == pytest.approx(groups)


def test_two_texts_by_the_formula() -> None:
    c = 0.3
    high, low = (1 + c) / 2, (1 - c) / 2
    expected = np.exp(-(high * np.log(high) + low * np.log(low)))
    assert measures.vendi_of([[1, c], [c, 1]]) == pytest.approx(expected)


def test_equal_texts_are_one_and_others_more() -> None:
    assert measures.vendi(["Rivers are free."] * 3) == pytest.approx(1.0, abs=1e-3)
    two = measures.vendi(["Rivers are free.", "The budget is too small for three schools."])
    assert 1.2 < two <= 2.0


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[1, 0.5]], "must be square and symmetric"),
        ([[1, 0.5], [0.2, 1]], "must be square and symmetric"),
        ([[2, 0], [0, 2]], "must have 1 on its diagonal"),
        ([[1, 1, -1], [1, 1, 1], [-1, 1, 1]], "is not positive semidefinite"),
    ],
)
def test_what_is_no_similarity_is_refused(matrix: list[list[float]], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        measures.vendi_of(matrix)


def test_facts_that_are_told_survive() -> None:
    facts = {"poison": "arsenic tea", "time": re.compile(r"\b(9|nine) (pm|o'clock)"), "dog": "dog"}
    held = {"A1": ["poison", "dog"], "A2": ["time", "dog"]}
    text = "The dog barked at nine o'clock; in the TEA there was Arsenic."
    assert measures.facts_in(text, facts) == {"poison": True, "time": True, "dog": True}
    assert measures.survival(held, "A dog. Some tea.", facts) == pytest.approx(
        {"all": 1 / 3, "shared": 1.0, "unshared": 0.0}
    )
    assert np.isnan(measures.survival({"A1": ["dog"], "A2": ["time"]}, "", facts)["shared"])
    with pytest.raises(KeyError):
        measures.survival({"A1": ["cat"]}, "", facts)


def moved(weights: np.ndarray, steps: int, stay: np.ndarray | None = None) -> list[np.ndarray]:
    rng = np.random.default_rng(4)
    before = rng.uniform(0, 100, (steps, 3))
    initial = rng.uniform(0, 100, (steps, 3))
    after = before @ weights.T
    if stay is not None:
        after = (1 - stay) * after + stay * initial
    return [before, after + rng.normal(0, 0.5, after.shape), initial]


def test_planted_weights_come_back() -> None:
    weights = np.array([[0.7, 0.3, 0.0], [0.2, 0.5, 0.3], [0.0, 0.0, 1.0]])
    before, after, _ = moved(weights, 400)
    got = measures.degroot_weights(before, after)
    assert got == pytest.approx(weights, abs=0.01)
    assert got.sum(axis=1) == pytest.approx(1.0) and got.min() >= 0
    # Where zero is and how long a unit is changes nothing.
    other = measures.degroot_weights(3 + before / 50, 3 + after / 50)
    assert other == pytest.approx(got, abs=1e-6)


def test_who_stays_by_the_first_opinion_is_told_apart() -> None:
    weights, stay = np.full((3, 3), 1 / 3), np.array([0.0, 0.4, 0.9])
    before, after, initial = moved(weights, 600, stay)
    got = measures.degroot_weights(before, after, initial)
    assert got.shape == (3, 4)
    assert got[:, 3] == pytest.approx(stay, abs=0.02)
    assert got[:, :3] == pytest.approx((1 - stay)[:, None] * weights, abs=0.02)


def test_weights_that_cannot_be_told_are_missing() -> None:
    assert np.isnan(measures.degroot_weights(np.ones((9, 3)), np.ones((9, 3)))).all()
    with pytest.raises(ValueError, match="each must be steps x agents"):
        measures.degroot_weights(np.ones((3, 2)), np.ones((3, 3)))
    with pytest.raises(ValueError, match="no finite number"):
        measures.degroot_weights([[1, np.nan]], [[1, 2]])
