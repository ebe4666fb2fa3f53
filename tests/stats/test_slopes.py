"""Slopes and sums of means: against scipy, statsmodels, formulas of others and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, stats

from dissensus.stats.bootstrap import cluster_robust_mean
from dissensus.stats.results import Estimate
from dissensus.stats.slopes import cluster_robust_slope, cluster_robust_sum


def brute(y: np.ndarray, design: np.ndarray, clusters: np.ndarray) -> tuple[float, float, float]:
    """Coefficient 0, its CR2 standard error and Satterthwaite df, with every matrix in full.

    Imbens & Kolesar 2016, section 4; a design with dummies is inverted by a pseudo-inverse.
    """
    n = len(y)
    bread = linalg.pinv(design.T @ design)
    hat = design @ bread @ design.T
    rest = np.eye(n) - hat
    residuals, score, columns = rest @ y, 0.0, []
    for cluster in np.unique(clusters):
        rows = clusters == cluster
        values, vectors = linalg.eigh(rest[np.ix_(rows, rows)])
        root = np.where(values > 1e-9, np.maximum(values, 1e-9) ** -0.5, 0.0)
        adjusted = vectors @ np.diag(root) @ vectors.T @ design[rows] @ bread[:, 0]
        score += (adjusted @ residuals[rows]) ** 2
        columns.append(rest[:, rows] @ adjusted)
    gram = np.array(columns) @ np.array(columns).T
    df = np.trace(gram) ** 2 / (gram**2).sum()
    return float((bread @ design.T @ y)[0]), score**0.5, float(df)


def agrees(found: Estimate, estimate: float, se: float, df: float) -> None:
    assert (found.estimate, found.se) == pytest.approx((estimate, se), rel=1e-8)
    low, high = stats.t.interval(0.95, df, estimate, se)
    assert (found.ci_low, found.ci_high) == pytest.approx((low, high), rel=1e-7)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(estimate) / se, df), rel=1e-6)


@given(seed=st.integers(0, 2**32), clusters=st.integers(3, 8), is_numeric=st.booleans())
def test_a_slope_is_that_of_the_matrices_in_full(
    seed: int, clusters: int, is_numeric: bool
) -> None:
    rng = np.random.default_rng(seed)
    n = 6 * clusters
    blocks = np.arange(n) // 3
    labels = np.append(np.arange(clusters), rng.integers(0, clusters, n // 3 - clusters))[blocks]
    y = rng.normal(0, 1, n) + rng.normal(0, 1, clusters)[labels]
    x = np.tile([0.0, 1.0, 6.0] if is_numeric else [0.0, 1.0, 1.0], n // 3)
    x += is_numeric * rng.integers(0, 3, n)
    agrees(cluster_robust_slope(y, x, labels), *brute(y, np.column_stack([x, np.ones(n)]), labels))
    dummies = np.eye(n // 3)[blocks]
    agrees(
        cluster_robust_slope(y, x, labels, blocks),
        *brute(y, np.column_stack([x, dummies]), labels),
    )


def test_two_groups_of_single_values_have_the_degrees_of_freedom_of_the_paper() -> None:
    rng = np.random.default_rng(3)
    n, m = 12, 5
    y = np.append(rng.normal(0, 1, n), rng.normal(1, 3, m))
    x = np.append(np.zeros(n), np.ones(m))
    found = cluster_robust_slope(y, x, np.arange(n + m))
    welch = stats.ttest_ind(y[n:], y[:n], equal_var=False)
    se = (y[n:].mean() - y[:n].mean()) / welch.statistic
    # Imbens & Kolesar 2016, section 2.
    df = (n + m) ** 2 * (n - 1) * (m - 1) / (n**2 * (n - 1) + m**2 * (m - 1))
    agrees(found, float(y[n:].mean() - y[:n].mean()), float(se), df)


def test_blocks_of_two_are_a_paired_t_test() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.normal(0, 1, (2, 15))
    found = cluster_robust_slope(
        np.append(first, second), np.repeat([0.0, 1.0], 15), [*range(15)] * 2, [*range(15)] * 2
    )
    paired = stats.ttest_rel(second, first)
    assert found.p_value == pytest.approx(paired.pvalue, rel=1e-9)
    assert found.ci_high == pytest.approx(paired.confidence_interval().high)
    assert (found.n, found.n_clusters) == (30, 15)


def test_without_cr2_the_variance_is_that_of_statsmodels() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(5)
    # Balanced within clusters, where CR2 is the plain sandwich times G / (G - 1).
    labels, x = np.repeat(np.arange(9), 4), np.tile([1.0, 2.0, 3.0, 7.0], 9)
    y = 0.3 * x + rng.normal(0, 1, 36) + rng.normal(0, 1, 9)[labels]
    design = np.column_stack([x, np.eye(9)[labels]])
    fit = sm.OLS(y, design).fit(
        cov_type="cluster", cov_kwds={"groups": labels, "use_correction": False}
    )
    found = cluster_robust_slope(y, x, labels, labels)
    assert found.estimate == pytest.approx(fit.params[0])
    assert found.se == pytest.approx(fit.bse[0] * (9 / 8) ** 0.5)


@pytest.mark.parametrize(
    ("y", "x", "clusters", "estimate"),
    [
        ([1.0, 2.0, 3.0], [0, 0, 0], "abc", None),
        ([1.0, 2.0, 3.0], [0, 1, 1], "aaa", 1.5),
        # One cluster alone has a level, so that nothing says how clusters of that level differ.
        ([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1], "abcc", 2.0),
        # On the line.
        ([1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4], "abcd", 1.0),
        ([], [], "", None),
    ],
)
def test_what_cannot_be_told_has_no_standard_error(
    y: list[float], x: list[float], clusters: str, estimate: float | None
) -> None:
    found = cluster_robust_slope(y, x, list(clusters))
    assert np.isnan([found.se, found.ci_low, found.p_value]).all()
    assert found.estimate == pytest.approx(estimate) if estimate else np.isnan(found.estimate)


def test_a_sum_of_means_without_gaps_is_the_mean_of_the_sums() -> None:
    rng = np.random.default_rng(6)
    values, labels = rng.normal(0, 1, (20, 3)), rng.integers(0, 7, 20)
    weights = np.array([0.25, 0.5, 0.25])
    found = cluster_robust_sum(values, weights, labels)
    mean = cluster_robust_mean(values @ weights, labels)
    assert (found.estimate, found.se) == pytest.approx((mean.estimate, mean.se))
    assert (found.ci_low, found.p_value) == pytest.approx((mean.ci_low, mean.p_value))


def test_a_sum_of_means_with_gaps_is_of_the_means_and_held_by_its_interval() -> None:
    rng, held, studies = np.random.default_rng(7), 0, 400
    for _ in range(studies):
        values = rng.normal(0, 1, (16, 1)) + rng.normal(0, 1, (16, 3))
        # Half of them end early, whatever they say.
        values[8:, 2] = np.nan
        found = cluster_robust_sum(values, [0.25, 0.5, 0.25], np.arange(16))
        held += found.ci_low <= 0.0 <= found.ci_high
    assert found.estimate == pytest.approx(float(np.nanmean(values, axis=0) @ [0.25, 0.5, 0.25]))
    assert found.n == 16
    assert held >= 0.95 * studies - 3 * (0.05 * 0.95 * studies) ** 0.5


def test_a_column_of_one_cluster_gives_a_sum_without_a_standard_error() -> None:
    values = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, np.nan]])
    found = cluster_robust_sum(values, [0.5, 0.5], [1, 2, 3])
    assert found.estimate == pytest.approx(2.5) and np.isnan(found.se)
    assert np.isnan(cluster_robust_sum(values * np.nan, [0.5, 0.5], [1, 2, 3]).estimate)
