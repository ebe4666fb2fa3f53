"""Ratios of sums over clusters and their bootstrap: against loops, known spreads, properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from dissensus.stats.bootstrap import cluster_bootstrap
from dissensus.stats.ratios import (
    Ratios,
    cluster_weights,
    percentile_intervals,
    percentile_p,
    ratios_of_sums,
)

ABOVE = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [5.0, 1.0]])
BELOW = np.array([[2.0, 0.0], [2.0, 0.0], [1.0, 4.0], [5.0, 1.0]])

counts = hnp.arrays(np.int64, st.tuples(st.integers(3, 12), st.just(3)), elements=st.integers(0, 5))


def test_weights_are_multinomial_counts():
    weights = cluster_weights(7, 4000, 3)
    assert weights.shape == (4000, 7)
    assert (weights.sum(axis=1) == 7).all()
    # Each count is binomial(7, 1/7), and two of them have covariance -1/7.
    assert weights.var(axis=0) == pytest.approx(np.full(7, 6 / 7), rel=0.1)
    assert np.cov(weights.T)[0, 1] == pytest.approx(-1 / 7, abs=0.05)
    assert (cluster_weights(7, 10, 3) == cluster_weights(7, 10, 3)).all()
    assert (cluster_weights(7, 10, 3) != cluster_weights(7, 10, 4)).any()


def test_a_resample_is_the_clusters_put_together_again():
    weights = cluster_weights(4, 50, 1)
    ratios = ratios_of_sums(ABOVE, BELOW, weights)
    assert ratios.observed == pytest.approx([8 / 10, 4 / 5])
    for row, resampled in zip(weights.astype(int), ratios.resampled, strict=True):
        drawn = np.repeat(np.arange(4), row)
        below = BELOW[drawn].sum(axis=0)
        for column in range(2):
            expected = ABOVE[drawn, column].sum() / below[column] if below[column] else np.nan
            assert resampled[column] == pytest.approx(expected, nan_ok=True)


def test_differences_and_quotients_use_the_same_resample():
    ratios = ratios_of_sums(ABOVE, BELOW, cluster_weights(4, 400, 1))
    first, second = (
        Ratios(ratios.observed[one : one + 1], ratios.resampled[:, one : one + 1]) for one in (0, 1)
    )
    difference, quotient = first - second, first / second
    assert difference.observed == pytest.approx([0.0])
    assert quotient.observed == pytest.approx([1.0])
    both = ratios.resampled
    np.testing.assert_allclose(difference.resampled[:, 0], both[:, 0] - both[:, 1])
    defined = both[:, 1] != 0
    np.testing.assert_allclose(quotient.resampled[defined, 0], both[defined, 0] / both[defined, 1])
    assert (first - first).resampled[~np.isnan(first.resampled)] == pytest.approx(0.0)


def test_the_interval_of_a_mean_is_the_one_of_scipy():
    rng = np.random.default_rng(5)
    values = rng.exponential(size=60)
    ratios = ratios_of_sums(values[:, None], np.ones((60, 1)), cluster_weights(60, 20_000, 2))
    found = percentile_intervals(ratios, 0.9)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, confidence_level=0.9, method="percentile", rng=rng
    )
    assert found.estimate[0] == pytest.approx(values.mean())
    assert found.se[0] == pytest.approx(expected.standard_error, rel=0.03)
    assert found.low[0] == pytest.approx(expected.confidence_interval.low, rel=0.02)
    assert found.high[0] == pytest.approx(expected.confidence_interval.high, rel=0.02)


def test_limits_are_quantiles_of_what_is_defined():
    resampled = np.array([[1.0, 1.0], [2.0, np.nan], *[[3.0, 3.0]] * 18])
    found = percentile_intervals(Ratios(np.array([2.0, 2.0]), resampled), 0.8)
    assert found.low == pytest.approx([np.quantile(resampled[:, 0], 0.1), 3.0])
    rest = np.delete(resampled[:, 1], 1)
    assert found.se == pytest.approx([resampled[:, 0].std(ddof=1), rest.std(ddof=1)])


def test_what_the_data_do_not_define_is_not_a_number():
    above = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    below = np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    found = percentile_intervals(ratios_of_sums(above, below, cluster_weights(3, 500, 1)))
    # One cluster has all the cases of the first column, none has any of the second.
    assert found.estimate == pytest.approx([0.5, np.nan], nan_ok=True)
    assert np.isnan([found.se, found.low, found.high]).all()
    # Two of twelve: (10/12)^12 = 11% of the resamples have neither; of two, none has neither.
    above, below = np.zeros((12, 1)), np.zeros((12, 1))
    above[0], below[:2] = 1.0, 1.0
    rare = percentile_intervals(ratios_of_sums(above, below, cluster_weights(12, 5000, 1)))
    assert rare.estimate == pytest.approx(0.5)
    assert np.isnan(rare.se).all()
    alone = percentile_intervals(ratios_of_sums(above[:2], below[:2], cluster_weights(2, 500, 1)))
    assert (alone.low, alone.high) == (0.0, 1.0)
    quotient = ratios_of_sums(ABOVE, BELOW, cluster_weights(4, 5, 1))
    nothing = Ratios(np.zeros(2), np.zeros((5, 2)))
    assert np.isnan((quotient / nothing).observed).all()


@settings(max_examples=60)
@given(counts)
def test_an_interval_contains_its_estimate(below):
    above = below // 2
    ratios = ratios_of_sums(above, below, cluster_weights(len(below), 400, 1))
    found = percentile_intervals(ratios)
    known = ~np.isnan(found.low)
    assert (found.low[known] <= found.estimate[known] + 1e-12).all()
    assert (found.estimate[known] <= found.high[known] + 1e-12).all()
    assert (found.estimate[known] >= 0).all()
    assert (found.high[known] <= 1).all()


@settings(max_examples=40)
@given(counts, st.integers(2, 4))
def test_clusters_twice_over_change_no_ratio(below, times):
    above = below // 2
    once = ratios_of_sums(above, below, cluster_weights(len(below), 2, 1))
    again = ratios_of_sums(
        np.tile(above, (times, 1)),
        np.tile(below, (times, 1)),
        cluster_weights(times * len(below), 2, 1),
    )
    np.testing.assert_allclose(again.observed, once.observed)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="pass \\(m, c\\)"):
        ratios_of_sums(ABOVE, BELOW[:, :1], cluster_weights(4, 2, 1))
    with pytest.raises(ValueError, match="pass \\(m, c\\)"):
        ratios_of_sums(ABOVE, BELOW, cluster_weights(3, 2, 1))
    with pytest.raises(ValueError, match="clusters is 0"):
        cluster_weights(0, 2, 1)
    with pytest.raises(ValueError, match="fewer than 2 resamples"):
        percentile_intervals(ratios_of_sums(ABOVE, BELOW, cluster_weights(4, 1, 1)))


def test_p_is_the_level_at_which_the_interval_reaches_zero() -> None:
    resampled = np.array([[-2.0], [-1.0], *([value] for value in np.arange(1.0, 198.0))])
    p = percentile_p(Ratios(np.array([90.0]), resampled))[0]
    assert p == pytest.approx(2 * 3 / 200)
    # As the cluster bootstrap of a mean has it, on the same draws.
    values = np.random.default_rng(5).normal(0.3, 1.0, 40)
    weights = cluster_weights(40, 999, 7)
    found = ratios_of_sums(values[:, None], np.ones((40, 1)), weights)
    same = cluster_bootstrap(values, resamples=999, seed=7)
    assert percentile_p(found)[0] == pytest.approx(same.p_value, abs=0.01)
    # Where no limits are given there is no p either.
    holed = Ratios(np.array([1.0]), np.where(np.arange(10)[:, None] < 2, np.nan, 1.0))
    assert np.isnan(percentile_p(holed)[0])
    assert np.isnan(percentile_p(Ratios(np.array([np.nan]), np.ones((9, 1))))[0])
