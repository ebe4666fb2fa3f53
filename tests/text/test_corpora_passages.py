"""Passages for questions: by marginal relevance, each once, in an order that repeats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.text.corpora.passages import diverse

NAMES = ("apart", "twin", "aside", "near")
TEXTS = np.array([[0.5, -0.866], [0.89, 0.456], [0.6, 0.8], [0.9, 0.4359]])


@pytest.mark.parametrize(
    ("diversity", "expected"),
    [
        # Cosines with the question: near .9, twin .89, aside .6, apart .5.
        (0.0, ["near", "twin", "aside", "apart"]),
        # Cosines with near: twin .9998, aside .8887, apart .0725; of twin with apart .0501, of
        # aside with apart -.3928. Second: twin (.89 - .9998) / 2 = -.055, aside -.144, apart .214.
        # Third: the largest cosine of twin and of aside is still that with near.
        (0.5, ["near", "apart", "twin", "aside"]),
        # What is least like anything before.
        (1.0, ["near", "apart", "aside", "twin"]),
    ],
)
def test_marginal_relevance_by_hand(diversity: float, expected: list[str]):
    taken = list(diverse(np.array([[1.0, 0.0]]), TEXTS, 4, diversity))
    assert [NAMES[one.text] for one in taken] == expected
    cosines = {NAMES[one.text]: one.cosine for one in taken}
    assert cosines["near"] == pytest.approx(0.9) and cosines["apart"] == pytest.approx(0.5)


@given(st.integers(1, 4), st.integers(0, 12), st.integers(0, 15), st.floats(0, 1), st.integers(0))
def test_each_text_is_taken_once_and_questions_take_turns(
    asked: int, texts: int, most: int, diversity: float, seed: int
):
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(asked + texts, 5))
    units = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    taken = list(diverse(units[:asked], units[asked:], most, diversity))
    assert len({one.text for one in taken}) == len(taken) == min(most, texts)
    assert [one.question for one in taken] == [turn % asked for turn in range(len(taken))]
