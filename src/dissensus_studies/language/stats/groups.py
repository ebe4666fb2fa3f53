"""Independent groups compared: omnibus tests, and all pairs of means.

`redrawing` has the tests that draw the random assignment again.
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
from dissensus.stats.results import NAN, OmnibusTest, PairComparison, t_estimate


def anova(groups: Sequence[npt.ArrayLike]) -> OmnibusTest:
    """One-way analysis of variance (Fisher 1925).

    Parameters
    ----------
    groups : at least 2 samples of at least 2 values each.

    Returns
    -------
    F with k - 1 and N - k df. Without variance within groups F is infinite and p 0, or both NaN
    where the means are equal too.

    Raises
    ------
    ValueError : fewer than 2 groups, a group that is too small, or values that are not finite.
    """
    m, s, n = _summary(groups)
    df_between, df_within = m.size - 1.0, float(n.sum()) - m.size
    grand = float((n * m).sum() / n.sum())
    between = float((n * (m - grand) ** 2).sum()) / df_between
    within = float(((n - 1.0) * s**2).sum()) / df_within
    unbounded = NAN if np.ptp(m) == 0.0 else np.inf
    statistic = unbounded if within == 0.0 else between / within
    return _omnibus(statistic, df_between, df_within)


def welch_anova(groups: Sequence[npt.ArrayLike]) -> OmnibusTest:
    """Analysis of variance for unequal variances (Welch 1951).

    Parameters
    ----------
    groups : at least 2 samples of at least 2 values each.

    Returns
    -------
    Welch's F with k - 1 and Satterthwaite df (`statsmodels.stats.oneway.anova_generic`). All NaN
    where a group has no variance: its weight would be infinite.

    Raises
    ------
    ValueError : as `anova`.
    """
    m, s, n = _summary(groups)
    if (s == 0.0).any():
        return _omnibus(NAN, m.size - 1.0, NAN)
    from statsmodels.stats.oneway import anova_generic

    result = anova_generic(m, s**2, n, use_var="unequal")
    df_between, df_within = (float(df) for df in result.df)
    return _omnibus(float(result.statistic), df_between, df_within)


def kruskal_wallis(groups: Sequence[npt.ArrayLike]) -> OmnibusTest:
    """Kruskal-Wallis rank test with correction for ties (Kruskal & Wallis 1952).

    Parameters
    ----------
    groups : at least 2 samples of at least 1 value each.

    Returns
    -------
    H with k - 1 df, chi-square reference (`scipy.stats.kruskal`). Where all values are the same, H
    is NaN and p is 1.

    Raises
    ------
    ValueError : fewer than 2 groups, an empty one or values that are not finite.
    """
    samples = _samples(groups, minimum=1)
    df = len(samples) - 1.0
    if np.ptp(np.concatenate(samples)) == 0.0:
        return OmnibusTest(NAN, df, NAN, 1.0)
    test = stats.kruskal(*samples)
    return OmnibusTest(float(test.statistic), df, NAN, float(test.pvalue))


def pairwise_welch(
    groups: Sequence[npt.ArrayLike], confidence: float = 0.95
) -> list[PairComparison]:
    """Welch's t test for every pair of means, with adjusted p-values (Welch 1947).

    Parameters
    ----------
    groups : at least 2 samples of at least 2 values each.
    confidence : level of each interval; the intervals are not simultaneous.

    Returns
    -------
    Pairs (i, j), i < j, in order; `p_bh` and `p_by` are adjusted over all of them. A pair without
    any variance has a standard error of 0 and p = 0, or NaN where the means are equal too.

    Raises
    ------
    ValueError : as `anova`.
    """
    m, s, n = _summary(groups)
    check_level(confidence, "confidence")
    pairs = [_welch_pair(m, s, n, i, j, confidence) for i, j in combinations(range(m.size), 2)]
    raw = [pair.p_value for pair in pairs]
    adjusted = zip(pairs, adjust(raw, "bh"), adjust(raw, "by"), strict=True)
    return [replace(pair, p_bh=float(bh), p_by=float(by)) for pair, bh, by in adjusted]


def tukey_kramer(groups: Sequence[npt.ArrayLike], confidence: float = 0.95) -> list[PairComparison]:
    """All pairs of means with simultaneous intervals (Tukey 1953; Kramer 1956).

    Parameters
    ----------
    groups : at least 2 independent samples of at least 2 values each.
    confidence : simultaneous level of the intervals.

    Returns
    -------
    Pairs (i, j), i < j, in order. `statistic` is the pooled t of the pair and `p_value` its
    family-wise p from the studentised range (`scipy.stats.tukey_hsd`); equal variances are assumed.
    `p_bh` and `p_by` stay NaN, the p-value being adjusted already.

    Raises
    ------
    ValueError : as `anova`; also where no group has any variance.
    """
    check_level(confidence, "confidence")
    samples = _samples(groups)
    df = float(sum(sample.size - 1 for sample in samples))
    pooled = sum(float(sample.var()) * sample.size for sample in samples) / df
    if pooled == 0.0:
        raise ValueError("groups vary nowhere within (pooled variance 0); compare them by eye.")
    result = stats.tukey_hsd(*samples)
    interval = result.confidence_interval(confidence)
    pairs = []
    for i, j in combinations(range(len(samples)), 2):
        se = float(np.sqrt(pooled * (1.0 / samples[i].size + 1.0 / samples[j].size)))
        estimate = float(result.statistic[i, j])
        low, high = float(interval.low[i, j]), float(interval.high[i, j])
        p_value = float(result.pvalue[i, j])
        pairs.append(PairComparison(i, j, estimate, se, df, low, high, estimate / se, p_value))
    return pairs


def _welch_pair(
    m: FloatArray, s: FloatArray, n: FloatArray, i: int, j: int, confidence: float
) -> PairComparison:
    estimate, first, second = float(m[i] - m[j]), s[i] ** 2 / n[i], s[j] ** 2 / n[j]
    se, df, t = float(np.sqrt(first + second)), NAN, NAN
    if se > 0.0:
        df = float((first + second) ** 2 / (first**2 / (n[i] - 1) + second**2 / (n[j] - 1)))
        t = estimate / se
    welch = t_estimate(estimate, se, df, confidence, int(n[i] + n[j]), 2)
    return PairComparison(i, j, estimate, se, df, welch.ci_low, welch.ci_high, t, welch.p_value)


def _samples(groups: Sequence[npt.ArrayLike], minimum: int = 2) -> list[FloatArray]:
    if len(groups) < 2:
        raise ValueError(f"groups holds {len(groups)} sample(s); pass at least 2.")
    return [as_sample(group, f"groups[{i}]", minimum) for i, group in enumerate(groups)]


def _summary(groups: Sequence[npt.ArrayLike]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means, standard deviations and sizes of the groups."""
    samples = _samples(groups)
    means = np.array([sample.mean() for sample in samples])
    # A constant sample has no variance, whatever the rounding of its mean leaves behind.
    sds = np.array([sample.std(ddof=1) if np.ptp(sample) > 0.0 else 0.0 for sample in samples])
    return means, sds, np.array([sample.size for sample in samples], dtype=np.float64)


def _omnibus(statistic: float, df_between: float, df_within: float) -> OmnibusTest:
    p_value = float(special.fdtrc(df_between, df_within, statistic))
    return OmnibusTest(statistic, df_between, df_within, p_value)
