"""Bootstraps and CR2 against scipy, statsmodels, matrix algebra and each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, stats

from dissensus.stats.bootstrap import (
    cluster_bootstrap,
    cluster_robust_mean,
    two_way_cluster_bootstrap,
)
from dissensus.stats.location import paired_t

enough = settings(max_examples=50)

GOLDEN = Path(__file__).parents[1] / "golden" / "language_saturated.csv"
METHODS = ("percentile", "bca", "studentised")


def limits(result):
    return result.ci_low, result.ci_high


def clustered(seed, sizes, spread=1.0):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.normal(0, spread, len(sizes))[clusters] + rng.normal(size=clusters.size)
    return values, clusters


@pytest.mark.parametrize("method", METHODS)
def test_golden_set_gives_table_1_within_rounding(method):
    table = np.genfromtxt(GOLDEN, delimiter=",", skip_header=1, usecols=(1, 2))
    result = cluster_bootstrap(table[:, 1] - table[:, 0], method=method)
    assert result.estimate == pytest.approx(0.499, abs=5e-4)
    assert limits(result) == pytest.approx((0.442, 0.556), abs=4e-3)
    assert result.se == pytest.approx(0.0287, abs=1e-3)


@pytest.mark.parametrize(("method", "name"), [("percentile", "percentile"), ("bca", "BCa")])
def test_unclustered_interval_equals_scipy(method, name):
    values = np.random.default_rng(3).exponential(size=40)
    reference = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method=name, rng=np.random.default_rng(1)
    )
    result = cluster_bootstrap(values, resamples=20_000, method=method)
    interval = reference.confidence_interval
    assert limits(result) == pytest.approx((interval.low, interval.high), abs=0.02)
    assert result.se == pytest.approx(reference.standard_error, rel=0.03)


def test_bca_equals_percentile_for_symmetric_data():
    half = np.random.default_rng(4).normal(size=30)
    values = np.concatenate([half, -half])
    percentile = cluster_bootstrap(values, method="percentile", resamples=20_000)
    bca = cluster_bootstrap(values, method="bca", resamples=20_000)
    assert limits(bca) == pytest.approx(limits(percentile), abs=0.01)


def test_bca_leans_towards_the_long_tail():
    values = np.random.default_rng(5).lognormal(0, 1.2, 40)
    assert cluster_bootstrap(values, method="bca").ci_high > cluster_bootstrap(values).ci_high


def test_studentised_approaches_student_t_for_normal_data():
    values = np.random.default_rng(6).normal(1.0, 1, 60)
    result = cluster_bootstrap(values, method="studentised", resamples=20_000)
    reference = paired_t(values)
    assert limits(result) == pytest.approx(limits(reference), abs=0.04)


def test_equal_clusters_are_resampled_as_their_means():
    values, clusters = clustered(7, [4] * 25)
    whole = cluster_bootstrap(values, clusters, seed=2)
    means = cluster_bootstrap(values.reshape(25, 4).mean(axis=1), seed=2)
    assert limits(whole) == pytest.approx(limits(means))
    assert (whole.n, whole.n_clusters) == (100, 25)


def test_resampled_mean_is_the_ratio_of_sums_and_sizes():
    # Two clusters: a resample is all of the one, all of the other, or both.
    values, clusters = [0.0, 3.0, 3.0, 3.0], [0, 1, 1, 1]
    result = cluster_bootstrap(values, clusters, resamples=40_000)
    spread = np.sqrt(0.25 * 0 + 0.25 * 9 + 0.5 * 2.25**2 - (0.75 + 0.5 * 2.25) ** 2)
    assert result.se == pytest.approx(spread, rel=0.01)
    assert limits(result) == pytest.approx((0.0, 3.0))


def test_chunks_do_not_change_the_numbers(monkeypatch):
    values, clusters = clustered(8, [1, 5, 2, 7, 3, 1, 4])
    whole = cluster_bootstrap(values, clusters, resamples=999)
    monkeypatch.setattr("dissensus.stats.bootstrap._CELLS", 50)
    pieces = cluster_bootstrap(values, clusters, resamples=999)
    assert pieces.se == pytest.approx(whole.se, rel=0.15)
    assert pieces.n_clusters == 7


@pytest.mark.parametrize("method", METHODS)
@enough
@given(
    values=st.lists(st.integers(-9, 9), min_size=4, max_size=12).filter(lambda v: len(set(v)) > 2),
    shift=st.integers(-5, 5),
)
def test_bootstrap_moves_with_a_shift(method, values, shift):
    base = cluster_bootstrap(values, method=method, resamples=400)
    moved = cluster_bootstrap([v + shift for v in values], method=method, resamples=400)
    assert moved.estimate == pytest.approx(base.estimate + shift)
    assert limits(moved) == pytest.approx((base.ci_low + shift, base.ci_high + shift), abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shift", [0.05, 0.25, 0.35, 0.7])
def test_p_value_says_what_the_interval_says(method, shift):
    values = np.random.default_rng(9).gamma(1.0, 1.0, 40) - 1 + shift
    result = cluster_bootstrap(values, method=method)
    if abs(result.p_value - 0.05) > 0.003:
        assert (result.p_value < 0.05) == (not result.ci_low <= 0 <= result.ci_high)


def test_bootstrap_is_deterministic_and_handles_constants():
    values, clusters = clustered(10, [3] * 8)
    assert cluster_bootstrap(values, clusters, seed=1) == cluster_bootstrap(
        values, clusters, seed=np.random.default_rng(1)
    )
    constant = cluster_bootstrap([0.1] * 6)
    assert (constant.se, limits(constant)) == (0.0, (constant.estimate, constant.estimate))


def test_studentised_interval_is_infinite_where_too_few_clusters_vary():
    # Three in ten resamples hold nothing but fives: no spread, and no upper limit then.
    result = cluster_bootstrap([5.0, 5.0, 5.0, 5.1], method="studentised")
    assert result.ci_high == np.inf
    assert result.ci_low < result.estimate
    assert limits(cluster_bootstrap([1.0, 2.0], method="studentised")) == (-np.inf, np.inf)


def test_clustered_percentile_interval_covers():
    covered = 0
    for seed in range(200):
        values, clusters = clustered(seed, [2, 6] * 15)
        result = cluster_bootstrap(values, clusters, resamples=400, seed=seed)
        covered += result.ci_low <= 0 <= result.ci_high
    assert 0.87 <= covered / 200 <= 0.985


@enough
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20).filter(lambda v: len(set(v)) > 1))
def test_singletons_give_the_t_interval(values):
    result, reference = cluster_robust_mean(values, np.arange(len(values))), paired_t(values)
    assert result.se == pytest.approx(reference.se)
    assert limits(result) == pytest.approx(limits(reference))
    assert result.p_value == pytest.approx(reference.p_value)


def cr2_by_matrices(values, clusters):
    """CR2 and Bell-McCaffrey df written out with hat matrix and matrix square roots."""
    n = values.size
    hat = np.full((n, n), 1.0 / n)
    rest, residual = np.eye(n) - hat, values - values.mean()
    variance, columns = 0.0, []
    for label in np.unique(clusters):
        rows = np.flatnonzero(clusters == label)
        block = rest[np.ix_(rows, rows)]
        weights = linalg.inv(linalg.sqrtm(block).real) @ np.ones(rows.size) / n
        variance += (weights @ residual[rows]) ** 2
        columns.append(rest[:, rows] @ weights)
    spectrum = linalg.eigvalsh(np.column_stack(columns).T @ np.column_stack(columns))
    return np.sqrt(variance), spectrum.sum() ** 2 / (spectrum**2).sum()


@pytest.mark.parametrize("sizes", [[3, 3, 3, 3], [1, 2, 8, 4, 5], [1, 1, 1, 12]])
def test_cr2_equals_matrix_algebra(sizes):
    values, clusters = clustered(11, sizes)
    se, df = cr2_by_matrices(values, clusters)
    result = cluster_robust_mean(values, clusters, 0.9)
    assert result.se == pytest.approx(se)
    assert limits(result) == pytest.approx(stats.t.interval(0.9, df, values.mean(), se))


@pytest.mark.slow
def test_cr2_of_equal_clusters_is_t_on_their_means_and_statsmodels_cr1():
    import statsmodels.api as sm

    values, clusters = clustered(12, [5] * 9)
    result, means = cluster_robust_mean(values, clusters), values.reshape(9, 5).mean(axis=1)
    assert limits(result) == pytest.approx(limits(paired_t(means)))
    fit = sm.OLS(values, np.ones(values.size)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    assert result.se == pytest.approx(float(fit.bse[0]) * np.sqrt(9 / 8))


def crossed(seed, rows=12, columns=9):
    rng = np.random.default_rng(seed)
    r, c = np.divmod(np.arange(rows * columns), columns)
    values = rng.normal(size=rows)[r] + rng.normal(size=columns)[c] + rng.normal(size=r.size)
    return values, r, c


def test_two_way_bootstrap_agrees_with_statsmodels():
    import statsmodels.api as sm

    values, rows, columns = crossed(2, 40, 30)
    fit = sm.OLS(values, np.ones(values.size)).fit()

    def variance(groups):
        robust = fit.get_robustcov_results("cluster", groups=groups, use_correction=False)
        return robust.cov_params()[0, 0]

    expected = variance(rows) + variance(columns) - variance(np.arange(values.size))
    result = two_way_cluster_bootstrap(values, rows, columns, resamples=20_000)
    assert result.se == pytest.approx(np.sqrt(expected), rel=0.03)
    half = stats.t.ppf(0.975, 29) * result.se
    assert limits(result) == pytest.approx((result.estimate - half, result.estimate + half))


def test_two_way_with_nested_rows_is_one_way_over_columns():
    values, motions = clustered(13, [1, 4, 2, 6, 3, 5, 2])
    draws = np.arange(values.size)
    result = two_way_cluster_bootstrap(values, draws, motions, resamples=2_000, seed=5)
    one_way = two_way_cluster_bootstrap(values, motions, motions, resamples=2_000, seed=5)
    assert result.se == pytest.approx(one_way.se, rel=1e-12)
    apart = cluster_bootstrap(values, motions, resamples=20_000, seed=3)
    assert result.se == pytest.approx(apart.se, rel=0.06)
    assert result.n_clusters == 7


def test_two_way_se_is_never_below_one_way():
    values = np.array([1.0, -1.0, -1.0, 1.0]) + np.array([0, 0, 0, 1e-3])
    rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    one_way = two_way_cluster_bootstrap(values, rows, rows, resamples=500).se
    assert two_way_cluster_bootstrap(values, rows, columns, resamples=500).se >= one_way > 0


def test_two_way_of_singletons_is_the_ordinary_standard_error():
    values = np.random.default_rng(3).normal(size=20)
    order = np.random.default_rng(4).permutation(20)
    result = two_way_cluster_bootstrap(values, np.arange(20), order, resamples=20_000)
    assert result.se == pytest.approx(stats.sem(values) * np.sqrt(19 / 20), rel=0.03)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cluster_bootstrap([1.0]), "at least 2"),
        (lambda: cluster_bootstrap([1.0, np.nan]), "is nan"),
        (lambda: cluster_bootstrap([1.0, 2.0], [3, 3]), "1 distinct label"),
        (lambda: cluster_bootstrap([1.0, 2.0], resamples=1), "resamples is 1"),
        (lambda: cluster_bootstrap([1.0, 2.0], method="basic"), "method is 'basic'"),
        (lambda: cluster_bootstrap([1.0, 2.0], confidence=1.0), "confidence is 1.0"),
        (lambda: cluster_robust_mean([1.0, 2.0], [1]), "one label per value"),
        (lambda: two_way_cluster_bootstrap([1.0, 2.0], [1, 2], [1, 1]), "columns holds 1"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
