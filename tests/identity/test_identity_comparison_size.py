"""Comparisons of two sides whose questions differ strongly: how often a null is rejected."""

from __future__ import annotations

import numpy as np

from dissensus.identity.inference.comparisons import Side, _Comparison, _row
from dissensus.stats.ratios import Ratios

_WORLDS, _QUESTIONS = 300, 60


def _side(rng: np.random.Generator, base: np.ndarray, answers: np.ndarray) -> Side:
    """Answers whose rate is the question's, and the side's on it, in logits; 1 to 8 a question."""
    rates = 1.0 / (1.0 + np.exp(-base - rng.normal(0.0, 1.0, len(base))))
    names = np.array([f"q{place}" for place in range(len(base))], dtype=object)
    counts = (rng.binomial(answers, rates).astype(float), answers.astype(float))

    def share(ratios: Ratios) -> Ratios:
        return ratios

    return Side("side", names, np.ones(len(base), dtype=bool), [counts], share)


def test_a_null_is_rejected_as_often_as_is_said_where_questions_are_strong_clusters() -> None:
    rng, rejected = np.random.default_rng(7), 0
    for world in range(_WORLDS):
        base = rng.normal(0.0, 1.5, _QUESTIONS)
        answers = rng.integers(1, 9, _QUESTIONS)
        sides = (_side(rng, base, answers) for _ in range(2))
        row = _row(_Comparison("rounds", f"w{world}", "ibc", *sides), 0.95, 500, world)
        rejected += row["p_value"] < 0.05
    # The level, and some four standard errors of its count.
    assert 0.02 * _WORLDS < rejected < 0.10 * _WORLDS
