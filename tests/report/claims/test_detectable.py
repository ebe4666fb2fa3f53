"""The smallest effect that is said to be found is found in 80% of studies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dissensus.report.claims.detectable import range_found, smallest_found
from dissensus.report.facts import Row, unmarked

KEY = ("arm",)


def row(arm: str, se: float | None, clusters: int) -> Row:
    return Row({"arm": arm, "se": se, "n_clusters": clusters}, "contrasts", KEY)


def test_studies_with_that_effect_find_it_in_four_of_five_after_the_strictest_step() -> None:
    n, sd, tests, alpha = 24, 0.6, 3, 0.05
    effect = smallest_found(row("a", sd / np.sqrt(n), n), alpha, tests)
    assert effect is not None
    drawn = np.random.default_rng(5).normal(float(effect), sd, (20_000, n))
    p = stats.ttest_1samp(drawn, 0.0, axis=1).pvalue
    assert (p < alpha / tests).mean() == pytest.approx(0.8, abs=0.01)
    # A half-width is far below it.
    assert float(effect) > 1.5 * stats.t.ppf(0.975, n - 1) * sd / np.sqrt(n)


def test_the_range_is_over_the_arms_and_says_one_number_once() -> None:
    rows = [row("a", 0.1, 20), row("b", 0.2, 20), row("c", None, 20), row("d", 0.3, 1)]
    small, large = unmarked(range_found(rows, 0.05, 3)).split(" to ")
    assert float(large) == pytest.approx(2 * float(small), abs=0.011)
    assert " to " not in unmarked(range_found(rows[:1], 0.05, 3))
    assert range_found(rows[2:], 0.05, 3) == ""
