"""Mid-p tests and score intervals against hand calculation, scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from dissensus.design.contrasts import robust_mean
from dissensus.stats.ratios import cluster_weights, percentile_intervals, ratios_of_sums
from dissensus.stats.shares import (
    mid_p_interval,
    mid_p_sign_test,
    none_or_all,
    pooled_shares,
    share_limits,
    wilson,
)


def test_mid_p_of_a_few_by_hand():
    # Of 5, none: 1/32 counts half, twice. Of 5, one: 1/32 whole and 5/32 half, twice.
    assert mid_p_sign_test([0, 1, 5, 4], 5) == pytest.approx([1 / 32, 7 / 32, 1 / 32, 7 / 32])
    assert mid_p_sign_test([3, 0], [6, 0]) == pytest.approx([1.0, 1.0])


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_mid_p_is_the_exact_p_less_half_of_what_was_seen(counts):
    k, n = counts
    exact = stats.binomtest(k, n).pvalue
    expected = exact - stats.binom.pmf(k, n, 0.5) if 2 * k != n else 1.0
    assert float(mid_p_sign_test(k, n)) == pytest.approx(expected, abs=1e-12)


def test_mid_p_keeps_its_level_better_than_the_exact_test():
    n = np.random.default_rng(1).binomial(40, 0.4, 4000)
    k = np.random.default_rng(2).binomial(n, 0.5)
    size = (mid_p_sign_test(k, n) < 0.05).mean()
    assert 0.035 < size < 0.06
    least = np.minimum(k, n - k)
    assert (2 * stats.binom.cdf(least, n, 0.5) < 0.05).mean() < size


@given(
    st.integers(1, 120).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([0.9, 0.95]),
)
def test_mid_p_interval_has_what_the_test_does_not_reject(counts, confidence):
    k, n = counts
    low, high = mid_p_interval(k, n, confidence)
    outer = stats.binomtest(k, n).proportion_ci(confidence)
    assert outer.low <= low <= k / n <= high <= outer.high
    tail = (1 - confidence) / 2
    if k > 0:
        above = stats.binom.sf(k, n, low) + stats.binom.pmf(k, n, low) / 2
        assert above == pytest.approx(tail, abs=1e-8)
    if k < n:
        below = stats.binom.cdf(k, n, high) - stats.binom.pmf(k, n, high) / 2
        assert below == pytest.approx(tail, abs=1e-8)
    inside = low < 0.5 < high
    assert inside == (float(mid_p_sign_test(k, n)) > 1 - confidence)


def test_wilson_equals_statsmodels():
    from statsmodels.stats.proportion import proportion_confint

    for k, n in ((0, 4), (1, 4), (7, 20), (20, 20)):
        expected = proportion_confint(k, n, 0.1, method="wilson")
        assert wilson(k, n, 0.9) == pytest.approx(expected, abs=1e-12)


def test_counts_out_of_range_are_refused():
    for wrong in (lambda: mid_p_sign_test(3, 2), lambda: wilson(-1, 2), lambda: wilson(0, 0)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError):
        mid_p_interval(0, 0)


def test_limits_of_none_or_all_are_clopper_and_pearsons_by_cluster():
    from statsmodels.stats.proportion import proportion_confint

    for clusters in (2, 9, 40):
        expected = proportion_confint(clusters, clusters, 0.05, method="beta")
        assert none_or_all(1.0, clusters) == pytest.approx(expected, abs=1e-12)
        low, high = none_or_all(0.0, clusters)
        assert (1.0 - high, 1.0 - low) == pytest.approx(expected, abs=1e-12)
    assert np.isnan(none_or_all(0.5, 9)).all() and np.isnan(none_or_all(1.0, 1)).all()


def test_a_pooled_share_by_hand():
    """Clusters of one size: Student's interval of their means, carried to logits by the slope."""
    cases, size = np.array([3.0, 5.0, 1.0, 4.0, 4.0, 2.0]), 5.0
    made = pooled_shares(cases[:, None], np.full((6, 1), size))
    means = cases / size
    error = stats.sem(means)
    assert (made.estimate[0], made.se[0]) == pytest.approx((means.mean(), error))
    slope = 1.0 / (means.mean() * (1.0 - means.mean()))
    half = stats.t.ppf(0.975, 5) * error * slope
    expected = special.expit(special.logit(means.mean()) + np.array([-half, half]))
    assert [made.low[0], made.high[0]] == pytest.approx(expected)


def test_pooled_shares_that_say_little():
    nothing, alike, one, none = [0, 0, 0], [1, 2, 3], [1, 0, 0], [0, 0, 0]
    sizes = np.column_stack([[0, 0, 0], [2, 4, 6], [2, 0, 0], [2, 3, 1]])
    made = pooled_shares(np.column_stack([nothing, alike, one, none]), sizes)
    assert np.isnan(made.estimate[0]) and made.estimate[1:] == pytest.approx([0.5, 0.5, 0.0])
    assert np.isnan([*made.low[:3], *made.high[:3]]).all()
    assert (made.low[3], made.high[3]) == pytest.approx((0.0, 1.0 - 0.025 ** (1 / 3)))
    assert pooled_shares(np.zeros((3, 0)), np.zeros((3, 0))).low.shape == (0,)


@pytest.mark.parametrize(
    ("true", "precision"),
    [
        (0.85, 4.0),
        *(pytest.param(*each, marks=pytest.mark.thorough) for each in ((0.5, 2.0), (0.3, 3.0))),
    ],
)
def test_shares_of_nine_clusters_are_covered_as_often_as_is_said(true, precision):
    """Nine statements with two debates each, whose shares of four agents vary by statement."""
    rng, times = np.random.default_rng(3), 600
    held = np.zeros(3)
    clusters = np.repeat(np.arange(9), 2).astype(str)
    for seed in range(times):
        of_clusters = rng.beta(true * precision, (1 - true) * precision, 9)
        values = rng.binomial(4, np.repeat(of_clusters, 2)) / 4
        sums, sizes = values.reshape(9, 2).sum(axis=1)[:, None], np.full((9, 1), 2.0)
        pooled = pooled_shares(sums, sizes)
        limits = [
            share_limits(robust_mean(values, clusters, 0.95)),
            (pooled.low[0], pooled.high[0]),
        ]
        drawn = ratios_of_sums(sums, sizes, cluster_weights(9, 400, seed))
        percentiles = percentile_intervals(drawn)
        limits.append((percentiles.low[0], percentiles.high[0]))
        held += [low <= true <= high for low, high in limits]
    by_mean, by_sum, by_percentiles = held / times
    # Three standard errors of 600 studies are .027; percentiles are what this is instead of.
    assert by_mean == pytest.approx(0.95, abs=0.027)
    assert by_sum == pytest.approx(0.95, abs=0.027)
    assert by_percentiles < by_sum - 0.02
