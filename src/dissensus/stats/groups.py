"""Independent groups compared: omnibus tests and all pairs, from values or from summaries.

Tests that re-draw the assignment (`permutation_f`, `largest_minus_smallest`) live in
`redrawing` and are re-exported here, where a reader looks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from dissensus.stats.checks import FloatArray, as_sample, check_level
from dissensus.stats.multiplicity import adjust
from dissensus.stats.redrawing import (
    RangeTest,
    Redraw,
    largest_minus_smallest,
    permutation_f,
)
from dissensus.stats.results import NAN, OmnibusTest, PairComparison

__all__ = [
    "RangeTest",
    "Redraw",
    "anova",
    "anova_from_summary",
    "kruskal_wallis",
    "largest_minus_smallest",
    "pairwise_welch",
    "pairwise_welch_from_summary",
    "permutation_f",
    "welch_anova",
    "welch_anova_from_summary",
    "welch_t_from_summary",
]


def anova_from_summary(means: npt.ArrayLike, sds: npt.ArrayLike, ns: npt.ArrayLike) -> OmnibusTest:
    """One-way analysis of variance from printed means, SDs and sizes (Fisher 1925).

    Parameters
    ----------
    means, sds, ns : array_like, shape (k,)
        Mean, standard deviation (n - 1) and size, at least 2, of each of k >= 2 groups.

    Returns
    -------
    OmnibusTest
        F with k - 1 and N - k df. Without variance within groups F is infinite and p 0, or
        both NaN where the means are equal too.

    Raises
    ------
    ValueError
        For fewer than 2 groups, a size below 2, a negative SD or values that are not finite.
    """
    m, s, n = _summary(means, sds, ns)
    df_between, df_within = m.size - 1.0, float(n.sum()) - m.size
    grand = float((n * m).sum() / n.sum())
    between = float((n * (m - grand) ** 2).sum()) / df_between
    within = float(((n - 1.0) * s**2).sum()) / df_within
    unbounded = NAN if np.ptp(m) == 0.0 else np.inf
    statistic = unbounded if within == 0.0 else between / within
    return _omnibus(statistic, df_between, df_within, n)


def welch_anova_from_summary(
    means: npt.ArrayLike, sds: npt.ArrayLike, ns: npt.ArrayLike
) -> OmnibusTest:
    """Analysis of variance for unequal variances from means, SDs and sizes (Welch 1951).

    Parameters
    ----------
    means, sds, ns : array_like, shape (k,)
        As for `anova_from_summary`.

    Returns
    -------
    OmnibusTest
        Welch's F with k - 1 and Satterthwaite df (`statsmodels.stats.oneway.anova_generic`).
        All NaN where a group has no variance: its weight would be infinite.

    Raises
    ------
    ValueError
        As `anova_from_summary`.
    """
    m, s, n = _summary(means, sds, ns)
    if (s == 0.0).any():
        return _omnibus(NAN, m.size - 1.0, NAN, n)
    from statsmodels.stats.oneway import anova_generic

    result = anova_generic(m, s**2, n, use_var="unequal")
    df_between, df_within = (float(df) for df in result.df)
    return _omnibus(float(result.statistic), df_between, df_within, n)


def anova(groups: Sequence[npt.ArrayLike]) -> OmnibusTest:
    """One-way analysis of variance of samples; see `anova_from_summary`.

    Parameters
    ----------
    groups : sequence of array_like
        At least 2 samples of at least 2 values each.

    Returns
    -------
    OmnibusTest

    Raises
    ------
    ValueError
        As `anova_from_summary`.
    """
    return anova_from_summary(*_summarise(_samples(groups)))


def welch_anova(groups: Sequence[npt.ArrayLike]) -> OmnibusTest:
    """Analysis of variance for unequal variances; see `welch_anova_from_summary`.

    Parameters
    ----------
    groups : sequence of array_like
        At least 2 samples of at least 2 values each.

    Returns
    -------
    OmnibusTest

    Raises
    ------
    ValueError
        As `anova_from_summary`.
    """
    return welch_anova_from_summary(*_summarise(_samples(groups)))


def kruskal_wallis(groups: Sequence[npt.ArrayLike]) -> OmnibusTest:
    """Kruskal-Wallis rank test with correction for ties (Kruskal & Wallis 1952).

    Parameters
    ----------
    groups : sequence of array_like
        At least 2 samples of at least 1 value each.

    Returns
    -------
    OmnibusTest
        H with k - 1 df, chi-square reference (`scipy.stats.kruskal`). Where all values are the
        same, H is NaN and p is 1.

    Raises
    ------
    ValueError
        For fewer than 2 groups, an empty one or values that are not finite.
    """
    samples = _samples(groups, minimum=1)
    sizes = np.array([sample.size for sample in samples], dtype=np.float64)
    df, n, k = len(samples) - 1.0, int(sizes.sum()), len(samples)
    if np.ptp(np.concatenate(samples)) == 0.0:
        return OmnibusTest(NAN, df, NAN, 1.0, n, k)
    test = stats.kruskal(*samples)
    return OmnibusTest(float(test.statistic), df, NAN, float(test.pvalue), n, k)


def welch_t_from_summary(
    mean_1: float,
    sd_1: float,
    n_1: int,
    mean_2: float,
    sd_2: float,
    n_2: int,
    confidence: float = 0.95,
) -> PairComparison:
    """Welch's t test of two printed means, first minus second (Welch 1947).

    Parameters
    ----------
    mean_1, sd_1, n_1, mean_2, sd_2, n_2 : float or int
        Mean, standard deviation (n - 1) and size, at least 2, of each group.
    confidence : float
        Level of the interval.

    Returns
    -------
    PairComparison
        With `first` 0 and `second` 1. Two SDs of 0 give a standard error of 0 and p = 0, or
        NaN where the means are equal too.

    Raises
    ------
    ValueError
        For a size below 2, a negative SD or values that are not finite.
    """
    m, s, n = _summary([mean_1, mean_2], [sd_1, sd_2], [n_1, n_2])
    return _welch_pair(m, s, n, 0, 1, check_level(confidence, "confidence"))


def pairwise_welch_from_summary(
    means: npt.ArrayLike, sds: npt.ArrayLike, ns: npt.ArrayLike, confidence: float = 0.95
) -> list[PairComparison]:
    """Welch's t test for every pair of printed means, with adjusted p-values.

    Parameters
    ----------
    means, sds, ns : array_like, shape (k,)
        As for `anova_from_summary`.
    confidence : float
        Level of each interval; the intervals are not simultaneous.

    Returns
    -------
    list of PairComparison
        Pairs (i, j), i < j, in order; `p_bh` and `p_by` are adjusted over all of them.

    Raises
    ------
    ValueError
        As `anova_from_summary`.
    """
    m, s, n = _summary(means, sds, ns)
    check_level(confidence, "confidence")
    pairs = [_welch_pair(m, s, n, i, j, confidence) for i, j in combinations(range(m.size), 2)]
    raw = [pair.p_value for pair in pairs]
    adjusted = zip(pairs, adjust(raw, "bh"), adjust(raw, "by"), strict=True)
    return [replace(pair, p_bh=float(bh), p_by=float(by)) for pair, bh, by in adjusted]


def pairwise_welch(
    groups: Sequence[npt.ArrayLike], confidence: float = 0.95
) -> list[PairComparison]:
    """Welch's t test for every pair of samples; see `pairwise_welch_from_summary`.

    Parameters
    ----------
    groups : sequence of array_like
        At least 2 samples of at least 2 values each.
    confidence : float
        Level of each interval.

    Returns
    -------
    list of PairComparison

    Raises
    ------
    ValueError
        As `anova_from_summary`.
    """
    return pairwise_welch_from_summary(*_summarise(_samples(groups)), confidence)


def _welch_pair(
    m: FloatArray, s: FloatArray, n: FloatArray, i: int, j: int, confidence: float
) -> PairComparison:
    estimate, first, second = float(m[i] - m[j]), s[i] ** 2 / n[i], s[j] ** 2 / n[j]
    se = float(np.sqrt(first + second))
    if se == 0.0:
        p_value = NAN if estimate == 0.0 else 0.0
        return PairComparison(i, j, estimate, se, NAN, estimate, estimate, NAN, p_value)
    df = float((first + second) ** 2 / (first**2 / (n[i] - 1) + second**2 / (n[j] - 1)))
    half = float(special.stdtrit(df, (1.0 + confidence) / 2.0)) * se
    t = estimate / se
    p_value = float(2.0 * special.stdtr(df, -abs(t)))
    return PairComparison(i, j, estimate, se, df, estimate - half, estimate + half, t, p_value)


def _samples(groups: Sequence[npt.ArrayLike], minimum: int = 2) -> list[FloatArray]:
    if len(groups) < 2:
        raise ValueError(f"groups holds {len(groups)} sample(s); pass at least 2.")
    return [as_sample(group, f"groups[{i}]", minimum) for i, group in enumerate(groups)]


def _summarise(samples: list[FloatArray]) -> tuple[FloatArray, FloatArray, FloatArray]:
    means = np.array([sample.mean() for sample in samples])
    # A constant sample has no variance, whatever the rounding of its mean leaves behind.
    sds = np.array([sample.std(ddof=1) if np.ptp(sample) > 0.0 else 0.0 for sample in samples])
    return means, sds, np.array([sample.size for sample in samples], dtype=np.float64)


def _summary(
    means: npt.ArrayLike, sds: npt.ArrayLike, ns: npt.ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    m, s, n = as_sample(means, "means"), as_sample(sds, "sds"), as_sample(ns, "ns")
    if not m.size == s.size == n.size:
        raise ValueError(f"means, sds and ns hold {m.size}, {s.size} and {n.size} values; match.")
    if (s < 0.0).any():
        raise ValueError(f"sds holds {s.min()}; a standard deviation is not negative.")
    if (n < 2.0).any():
        raise ValueError(f"ns holds {n.min():g}; leave out groups of fewer than 2 values.")
    return m, s, n


def _omnibus(statistic: float, df_between: float, df_within: float, n: FloatArray) -> OmnibusTest:
    p_value = float(special.fdtrc(df_between, df_within, statistic))
    return OmnibusTest(statistic, df_between, df_within, p_value, int(n.sum()), n.size)
