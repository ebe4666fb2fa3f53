"""Several tests at once: adjusted p-values, and all pairs of groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from dissensus.stats.checks import FloatArray, as_sample, check_level
from dissensus.stats.results import PairComparison

Adjustment = Literal["bh", "by", "holm"]


def adjust(p_values: npt.ArrayLike, method: Adjustment) -> FloatArray:
    """Adjusted p-values; NaN stays NaN and does not count as a test.

    Parameters
    ----------
    p_values : array_like, shape (m,)
        From 0 to 1, or NaN where a test was not defined. May be empty.
    method : {'bh', 'by', 'holm'}
        False discovery rate under independence or positive dependence (Benjamini & Hochberg
        1995), under any dependence (Benjamini & Yekutieli 2001), or family-wise error (Holm
        1979).

    Returns
    -------
    ndarray, shape (m,)
        In the order of the input.

    Raises
    ------
    ValueError
        For an unknown method, more than one dimension or a value outside 0 to 1.
    """
    if method not in ("bh", "by", "holm"):
        raise ValueError(f"method is {method!r}; pass 'bh', 'by' or 'holm'.")
    raw = np.asarray(p_values, dtype=np.float64)
    if raw.ndim != 1:
        raise ValueError(f"p_values has shape {raw.shape}; pass a one-dimensional array.")
    defined = ~np.isnan(raw)
    outside = raw[defined & ~((raw >= 0.0) & (raw <= 1.0))]
    if outside.size:
        raise ValueError(f"p_values holds {outside[0]}; p-values lie between 0 and 1.")
    adjusted = np.full(raw.shape, np.nan)
    if not defined.any():
        return adjusted
    if method == "holm":
        # Two lines, where statsmodels takes two seconds to import and 50 ms a call.
        order = np.flatnonzero(defined)[np.argsort(raw[defined], kind="stable")]
        steps = np.arange(order.size, 0, -1) * raw[order]
        adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    else:
        adjusted[defined] = stats.false_discovery_control(raw[defined], method=method)
    return adjusted


def tukey_kramer(groups: Sequence[npt.ArrayLike], confidence: float = 0.95) -> list[PairComparison]:
    """All pairs of means with simultaneous intervals (Tukey 1953; Kramer 1956).

    Parameters
    ----------
    groups : sequence of array_like
        At least 2 independent samples of at least 2 values each.
    confidence : float
        Simultaneous level of the intervals.

    Returns
    -------
    list of PairComparison
        Pairs (i, j), i < j, in order. `statistic` is the pooled t of the pair and `p_value` its
        family-wise p from the studentised range (`scipy.stats.tukey_hsd`); equal variances
        are assumed. `p_bh` and `p_by` stay NaN, the p-value being adjusted already.

    Raises
    ------
    ValueError
        For fewer than 2 groups, or groups too small, not finite or without any variance.
    """
    check_level(confidence, "confidence")
    if len(groups) < 2:
        raise ValueError(f"groups holds {len(groups)} sample(s); pass at least 2.")
    samples = [as_sample(group, f"groups[{i}]") for i, group in enumerate(groups)]
    df = float(sum(sample.size - 1 for sample in samples))
    pooled = sum(float(sample.var()) * sample.size for sample in samples) / df
    if pooled == 0.0:
        raise ValueError("groups vary nowhere within (pooled variance 0); compare them by eye.")
    result = stats.tukey_hsd(*samples)
    interval = result.confidence_interval(confidence)
    pairs = []
    for i, first in enumerate(samples):
        for j in range(i + 1, len(samples)):
            se = float(np.sqrt(pooled * (1.0 / first.size + 1.0 / samples[j].size)))
            estimate = float(result.statistic[i, j])
            low, high = float(interval.low[i, j]), float(interval.high[i, j])
            p_value = float(result.pvalue[i, j])
            pairs.append(PairComparison(i, j, estimate, se, df, low, high, estimate / se, p_value))
    return pairs
