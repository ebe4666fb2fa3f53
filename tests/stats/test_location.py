"""Location estimates against scipy, statsmodels, R's printed values and the paper's Table 1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from dissensus.stats import location

enough = settings(max_examples=50)

GOLDEN = Path(__file__).parents[1] / "golden" / "language_saturated.csv"
# Hollander & Wolfe's depression data (R, ?wilcox.test): V = 40, p = .03906 two-sided.
X = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
Y = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])

samples = st.lists(st.floats(-1e3, 1e3).map(lambda x: round(x, 2)), min_size=2, max_size=25).map(
    np.array
)


def saturated():
    table = np.genfromtxt(GOLDEN, delimiter=",", skip_header=1, usecols=(1, 2))
    return table[:, 1] - table[:, 0]


def test_table_1():
    result = location.paired_t(saturated())
    assert result.n == 99
    assert result.estimate == pytest.approx(0.499, abs=5e-4)
    assert (result.ci_low, result.ci_high) == pytest.approx((0.442, 0.556), abs=5e-4)
    assert result.se == pytest.approx(0.028723, abs=2e-5)
    assert result.estimate / result.se == pytest.approx(17.373, abs=0.01)
    assert location.cohen_dz(saturated()).estimate == pytest.approx(1.746, abs=1e-3)


def test_paired_t_equals_scipy():
    reference = stats.ttest_rel(X, Y)
    interval = reference.confidence_interval(0.9)
    result = location.paired_t(X - Y, 0.9)
    assert result.p_value == pytest.approx(reference.pvalue)
    assert (result.ci_low, result.ci_high) == pytest.approx((interval.low, interval.high))


def test_paired_t_of_identical_differences():
    constant, zero = location.paired_t([0.1] * 5), location.paired_t([0.0] * 5)
    assert (constant.se, constant.ci_low, constant.p_value) == (0.0, constant.estimate, 0.0)
    assert np.isnan(zero.p_value)


def test_wilcoxon_of_the_depression_data():
    result = location.wilcoxon_signed_rank(X - Y)
    assert result.p_value == pytest.approx(0.0390625)
    assert result.estimate == pytest.approx((40 - 5) / 45)


def test_wilcoxon_ranks_zeros_before_leaving_them_out():
    # Pratt: |d| ranks are 1.5, 1.5 (the zeros), 3, 4, 5; the positives hold 3 + 5 of 12.
    result = location.wilcoxon_signed_rank([0.0, 0.0, 1.0, -2.0, 3.0])
    assert result.estimate == pytest.approx((8 - 4) / 12)
    assert result.n == 5
    assert location.wilcoxon_signed_rank([0.0, 0.0]).p_value == 1.0


def test_sign_test_by_hand():
    result = location.sign_test([1, 1, 1, 1, 1, 1, 1, 1, -1, 0, 0])
    assert result.estimate == pytest.approx(8 / 9)
    assert result.n == 9
    assert result.p_value == pytest.approx(2 * (1 + 9) / 2**9)
    assert result.ci_low == pytest.approx(stats.beta.ppf(0.025, 8, 2))
    assert result.ci_high == pytest.approx(stats.beta.ppf(0.975, 9, 1))
    assert location.sign_test([0.0, 0.0]).p_value == 1.0


def walsh_averages(sample):
    i, j = np.triu_indices(len(sample))
    return np.sort((sample[i] + sample[j]) / 2)


@enough
@given(samples)
def test_hodges_lehmann_is_the_median_walsh_average(sample):
    result = location.hodges_lehmann(sample)
    assert result.estimate == pytest.approx(np.median(walsh_averages(sample)), abs=1e-9)
    assert result.ci_low <= result.estimate <= result.ci_high


def test_hodges_lehmann_of_the_depression_data():
    # R: wilcox.test(x - y, conf.int = TRUE): pseudomedian .46, interval .01 to .786.
    result = location.hodges_lehmann(X - Y)
    assert result.estimate == pytest.approx(0.46, abs=1e-3)
    assert (result.ci_low, result.ci_high) == pytest.approx((0.01, 0.786), abs=1e-3)


@pytest.mark.parametrize("n", [8, 15, 25])
def test_hodges_lehmann_interval_inverts_the_test(n):
    sample = np.random.default_rng(n).normal(0.3, 1, n)
    result = location.hodges_lehmann(sample)
    for inside, limit in ((1e-6, result.ci_low), (-1e-6, result.ci_high)):
        assert stats.wilcoxon(sample - limit - inside, method="exact").pvalue > 0.05
        assert stats.wilcoxon(sample - limit + inside, method="exact").pvalue <= 0.05


def test_hodges_lehmann_interval_is_infinite_where_no_rank_reaches_the_level():
    assert location.hodges_lehmann(np.arange(1.0, 6.0)).ci_low == -np.inf
    assert location.hodges_lehmann(np.arange(1.0, 7.0)).ci_low == 1.0


def test_hodges_lehmann_interval_limits_join_smoothly_where_the_normal_takes_over():
    for tail in (0.005, 0.025, 0.05):
        exact = int(np.searchsorted(location._signed_rank_cdf(101), tail, side="right"))
        assert abs(location._signed_rank_limit(101, tail) - exact) <= 8


def test_signed_rank_null_matches_counting():
    # n = 3: rank sums 0..6 arise 1, 1, 1, 2, 1, 1, 1 ways of 8.
    assert location._signed_rank_cdf(3) == pytest.approx(np.cumsum([1, 1, 1, 2, 1, 1, 1]) / 8)


@pytest.mark.parametrize("rounding", [12, 1, 0])
def test_walsh_selection_when_the_averages_must_be_narrowed_down(rounding, monkeypatch):
    monkeypatch.setattr(location, "_CANDIDATES", 50)
    sample = np.sort(np.round(np.random.default_rng(1).normal(size=80), rounding))
    averages = walsh_averages(sample)
    for rank in (1, 2, 100, 1600, 1621, 3239, averages.size):
        found = location._walsh_order_statistic(sample, rank)
        assert found == pytest.approx(averages[rank - 1], abs=1e-12)


def test_hodges_lehmann_of_many_differences():
    sample = np.random.default_rng(2).normal(1.0, 1, 2_000)
    result = location.hodges_lehmann(sample)
    assert result.estimate == pytest.approx(np.median(walsh_averages(sample)), abs=1e-12)
    assert result.ci_high - result.ci_low == pytest.approx(
        2 * 1.96 * np.sqrt(np.pi / 3 / 2_000), rel=0.1
    )


@pytest.mark.slow
@settings(enough, max_examples=5)
@given(samples)
def test_location_estimates_turn_with_the_sign(sample):
    for function in (
        location.paired_t,
        location.hodges_lehmann,
        location.wilcoxon_signed_rank,
        location.cohen_dz,
    ):
        ahead, behind = function(sample), function(-sample)
        expected = (-behind.estimate, -behind.ci_high, -behind.ci_low)
        assert (ahead.estimate, ahead.ci_low, ahead.ci_high) == pytest.approx(
            expected, nan_ok=True, rel=1e-6, abs=1e-9
        )
        assert ahead.p_value == pytest.approx(behind.p_value, nan_ok=True)


def test_superiority_by_the_logit_of_a_share():
    d = np.concatenate([np.ones(31), -np.ones(9)])
    result = location.probability_of_superiority(d)
    half = stats.t.ppf(0.975, 39) * np.sqrt(31 / 40 * 9 / 40 / 39) / (31 / 40 * 9 / 40)
    limits = special.expit(np.log(31 / 9) + np.array([-half, half]))
    assert result.estimate == pytest.approx(31 / 40)
    assert (result.ci_low, result.ci_high) == pytest.approx(tuple(limits))
    t = np.log(31 / 9) / half * stats.t.ppf(0.975, 39)
    assert result.p_value == pytest.approx(2 * stats.t.sf(t, 39))


def test_superiority_of_pairs_that_all_agree_is_exact_with_a_case_a_cluster():
    from statsmodels.stats.proportion import proportion_confint

    result = location.probability_of_superiority(np.ones(12), np.repeat(np.arange(4), 3))
    assert (result.ci_low, result.ci_high) == pytest.approx(proportion_confint(4, 4, 0.05, "beta"))
    assert result.p_value == pytest.approx(stats.binomtest(4, 4).pvalue)


def test_superiority_covers_one_half_where_clusters_differ_strongly():
    rng = np.random.default_rng(9)
    covered, significant = 0, 0
    for _ in range(300):
        clusters = np.repeat(np.arange(20), rng.integers(1, 9, 20))
        d = rng.normal(0, 0.5, 20)[clusters] + rng.normal(0, 0.3, len(clusters))
        result = location.probability_of_superiority(d, clusters)
        covered += result.ci_low <= 0.5 <= result.ci_high
        significant += result.p_value < 0.05
    assert 0.92 < covered / 300 < 0.985
    assert significant == 300 - covered


@enough
@given(samples)
def test_superiority_ignores_monotone_rescaling(sample):
    result = location.probability_of_superiority(sample)
    scaled = location.probability_of_superiority(np.arctan(sample))
    assert str(result) == str(scaled)
    if not np.isnan(result.ci_low):
        assert (result.p_value < 0.05) == (not result.ci_low <= 0.5 <= result.ci_high)
        assert 0.0 <= result.ci_low <= result.estimate <= result.ci_high <= 1.0


def test_superiority_where_everything_ties():
    result = location.probability_of_superiority(np.zeros(20))
    assert (result.estimate, result.p_value) == (0.5, 1.0)
    assert np.isnan(result.ci_low)


@pytest.mark.parametrize(("shift", "n"), [(0.0, 10), (0.5, 25), (2.0, 99), (-1.0, 5)])
def test_dz_limits_put_the_observed_t_in_the_tails(shift, n):
    sample = np.random.default_rng(n).normal(shift, 1, n)
    result = location.cohen_dz(sample)
    t = stats.ttest_1samp(sample, 0)
    assert result.estimate == pytest.approx(t.statistic / np.sqrt(n))
    assert result.p_value == pytest.approx(t.pvalue)
    low, high = result.ci_low * np.sqrt(n), result.ci_high * np.sqrt(n)
    assert stats.nct.sf(t.statistic, n - 1, low) == pytest.approx(0.025, abs=1e-6)
    assert stats.nct.cdf(t.statistic, n - 1, high) == pytest.approx(0.025, abs=1e-6)


def test_dz_of_identical_differences_is_undefined():
    assert np.isnan(location.cohen_dz([0.3, 0.3, 0.3]).estimate)


@enough
@given(samples, st.floats(0.1, 1e3))
def test_equivalence_interval_and_p_value_agree(sample, margin):
    result = location.two_one_sided_tests(sample, margin)
    inside = -margin < result.ci_low and result.ci_high < margin
    if result.p_value != pytest.approx(0.05, abs=1e-9):
        assert (result.p_value < 0.05) == inside


def test_equivalence_equals_statsmodels():
    from statsmodels.stats.weightstats import DescrStatsW

    d = np.random.default_rng(1).normal(0.02, 0.3, 50)
    reference = DescrStatsW(d).ttost_mean(-0.1, 0.1)[0]
    assert location.two_one_sided_tests(d, 0.1).p_value == pytest.approx(reference)


def test_equivalence_of_identical_differences():
    assert location.two_one_sided_tests([0.2] * 4, 0.3).p_value == 0.0
    assert location.two_one_sided_tests([0.2] * 4, 0.1).p_value == 1.0


@pytest.mark.parametrize(
    "function",
    [
        location.paired_t,
        location.wilcoxon_signed_rank,
        location.sign_test,
        location.hodges_lehmann,
        location.probability_of_superiority,
        location.cohen_dz,
    ],
)
@pytest.mark.parametrize("bad", [[], [1.0], [1.0, np.nan], [1.0, np.inf]])
def test_unusable_differences(function, bad):
    with pytest.raises(ValueError, match="differences"):
        function(bad)


def test_unusable_settings():
    with pytest.raises(ValueError, match="confidence is 95"):
        location.paired_t([1.0, 2.0], 95)
    with pytest.raises(ValueError, match="margin is 0"):
        location.two_one_sided_tests([1.0, 2.0], 0.0)
    with pytest.raises(ValueError, match=r"alpha is 0\.5"):
        location.two_one_sided_tests([1.0, 2.0], 1.0, 0.5)
