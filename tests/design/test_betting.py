"""Looks at bounded outcomes: valid without symmetry, where sign flips are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dissensus.design import betting
from dissensus.design.anytime import looks_at
from dissensus.stats.checks import FloatArray

AFTER, RUNS = range(10, 121, 10), 60


def ends(draw: Callable[[np.random.Generator], FloatArray], truth: float, bound: float | None,
         seed: int) -> tuple[float, float]:  # fmt: skip
    """Shares of studies that ever stop with a finding, and whose last interval has the truth."""
    rng, found, covered = np.random.default_rng(seed), 0, 0
    for _ in range(RUNS):
        last = list(looks_at(draw(rng), np.ones(120), AFTER, 0.95, bound))[-1]
        found += last.p_value <= 0.05
        covered += last.ci_low <= truth <= last.ci_high
    return found / RUNS, covered / RUNS


def skewed(rng: np.random.Generator) -> FloatArray:
    """The mean is zero: 0.9 * 0.1 - 0.1 * 0.9."""
    return np.where(rng.random(120) < 0.9, 0.1, -0.9)


def binary(rng: np.random.Generator) -> FloatArray:
    return (rng.random(120) < 0.12).astype(float) - (rng.random(120) < 0.02)


@pytest.mark.thorough
def test_a_skewed_null_ends_no_more_studies_than_its_level_says() -> None:
    most = 0.05 + 3 * (0.05 * 0.95 / RUNS) ** 0.5
    assert ends(skewed, 0.0, 1.0, 1)[0] < most
    # It is what sign flips are not: symmetry is their assumption.
    assert ends(skewed, 0.0, None, 1)[0] > 2 * most


@pytest.mark.thorough
def test_rare_events_have_their_coverage() -> None:
    assert ends(binary, 0.10, 1.0, 2)[1] > 0.95 - 3 * (0.05 * 0.95 / RUNS) ** 0.5


def test_a_large_effect_is_found_and_its_interval_is_within_the_bounds() -> None:
    rng = np.random.default_rng(3)
    values = np.clip(rng.normal(0.4, 0.3, 60), -1.0, 1.0)
    first, last = looks_at(values, np.ones(60), (0, 60), 0.95, 1.0)
    assert (first.ci_low, first.ci_high, first.e_value, first.p_value) == (-1.0, 1.0, 1.0, 1.0)
    assert last.p_value < 1e-6
    assert 0.2 < last.ci_low < values.mean() < last.ci_high < 0.6


@pytest.mark.parametrize("theta", [-0.3, 0.0, 0.5])
def test_one_step_is_fair_whatever_the_shape(theta: float) -> None:
    """The mean of the wealth after one cluster, over a skewed two-point law with this mean."""
    low, high = -1.0, 0.8
    share = (theta - low) / (high - low)
    wealth = [np.exp(betting.evidence(np.array([x]), 1.0, theta)) for x in (low, high)]
    assert (1 - share) * wealth[0] + share * wealth[1] == pytest.approx(1.0)


def test_limits_are_where_the_evidence_is_one_over_alpha() -> None:
    values = np.tile([1.0, 0.0, 0.0, -1.0, 1.0], 12)
    low, high = betting.limits(values, 1.0, 0.9)
    for limit in (low, high):
        assert np.exp(betting.evidence(values, 1.0, limit)) == pytest.approx(10.0, rel=1e-3)
    assert betting.limits(-values, 1.0, 0.9) == pytest.approx((-high, -low))


def test_a_difference_outside_its_bounds_is_refused() -> None:
    with pytest.raises(ValueError, match="farther from 0 than 1"):
        betting.evidence(np.array([0.2, 1.5]), 1.0, 0.0)
