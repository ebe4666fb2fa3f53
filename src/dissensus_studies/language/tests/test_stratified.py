"""Order-stratified estimates against hand calculation, scipy and a simulated crossover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ..stats.stratified import order_stratified

enough = settings(max_examples=50)
AHEAD, BEHIND = [1.0, 2.0, 6.0], [0.0, 1.0, 1.0, 2.0, 6.0, 2.0]
FIRST = np.repeat([True, False], [3, 6])


def limits(result):
    return result.ci_low, result.ci_high


def test_by_hand():
    result = order_stratified(AHEAD + BEHIND, FIRST)
    variance_ahead, variance_behind = 7.0 / 3, np.var(BEHIND, ddof=1) / 6
    assert result.stratified.estimate == pytest.approx(np.mean(AHEAD + BEHIND))
    assert result.stratified.se == pytest.approx(
        np.sqrt(variance_ahead / 9 + variance_behind * 4 / 9)
    )
    assert result.unweighted.estimate == pytest.approx((3 + 2) / 2)
    assert result.period_effect.estimate == pytest.approx((3 - 2) / 2)
    expected = np.sqrt(variance_ahead + variance_behind) / 2
    assert result.unweighted.se == pytest.approx(expected)
    assert result.period_effect.se == pytest.approx(expected)


def test_period_effect_is_half_of_welchs_difference():
    reference = stats.ttest_ind(AHEAD, BEHIND, equal_var=False)
    interval = reference.confidence_interval(0.9)
    result = order_stratified(AHEAD + BEHIND, FIRST, confidence=0.9).period_effect
    assert result.p_value == pytest.approx(reference.pvalue)
    assert limits(result) == pytest.approx((interval.low / 2, interval.high / 2))


def test_equal_orders_make_weighting_irrelevant():
    d = np.random.default_rng(1).normal(size=20)
    result = order_stratified(d, np.arange(20) % 2 == 0)
    assert limits(result.stratified) == pytest.approx(limits(result.unweighted))


@enough
@given(st.floats(-5, 5), st.floats(-5, 5), st.integers(2, 12), st.integers(2, 12))
def test_unweighted_mean_is_free_of_the_period(effect, period, n_ahead, n_behind):
    noise = np.random.default_rng(2).normal(size=n_ahead + n_behind)
    first = np.arange(noise.size) < n_ahead
    base = order_stratified(noise, first)
    moved = order_stratified(noise + effect + np.where(first, period, -period), first)
    assert moved.unweighted.estimate == pytest.approx(base.unweighted.estimate + effect)
    assert moved.period_effect.estimate == pytest.approx(base.period_effect.estimate + period)
    assert moved.unweighted.se == pytest.approx(base.unweighted.se)


def test_coverage_in_a_crossover_with_a_period_effect():
    rng = np.random.default_rng(3)
    covered = np.zeros(2)
    for _ in range(400):
        first = rng.permutation(np.arange(24) < 8)
        d = 0.5 + np.where(first, 0.8, -0.8) + rng.normal(0, np.where(first, 2.0, 0.7))
        result = order_stratified(d, first)
        covered += [
            result.unweighted.ci_low <= 0.5 <= result.unweighted.ci_high,
            result.period_effect.ci_low <= 0.8 <= result.period_effect.ci_high,
        ]
    assert covered / 400 == pytest.approx([0.95, 0.95], abs=0.04)


def test_clusters_that_share_an_effect_are_covered_too():
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(20), 4)
    covered = np.zeros(3)
    for _ in range(300):
        first = rng.random(80) < 0.5
        d = 0.5 + np.where(first, 0.3, -0.3) + rng.normal(0, 1, 20)[clusters] + rng.normal(size=80)
        found = order_stratified(d, first, clusters)
        true = ((found.stratified, 0.5), (found.unweighted, 0.5), (found.period_effect, 0.3))
        covered += [each.ci_low <= value <= each.ci_high for each, value in true]
        plain = order_stratified(d, first)
        assert found.unweighted.estimate == pytest.approx(plain.unweighted.estimate)
        assert found.period_effect.estimate == pytest.approx(plain.period_effect.estimate)
    assert covered / 300 == pytest.approx([0.95] * 3, abs=0.035)


def test_orders_without_variance():
    result = order_stratified([1.0, 1.0, 3.0, 3.0, 3.0], [True, True, False, False, False])
    assert (result.unweighted.estimate, result.unweighted.se) == (2.0, 0.0)
    assert result.period_effect.p_value == 0.0
    half = order_stratified([1.0, 2.0, 3.0, 3.0, 3.0], [True, True, False, False, False])
    assert half.unweighted.se == pytest.approx(0.25)
    assert np.isfinite(half.unweighted.ci_high)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: order_stratified([1.0, 2.0, 3.0], [True, False, True]), "at least 4"),
        (lambda: order_stratified([1.0] * 4, [True, False, False, False]), r"1 pair\(s\) had"),
        (lambda: order_stratified([1.0] * 4, [1, 0, 1, 0]), "True or False"),
        (lambda: order_stratified([1.0] * 4, [True, False]), "one True or False per pair"),
        (lambda: order_stratified([1.0, 2.0, 3.0, np.nan], [True] * 4), "is nan"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
