"""Treatment and period effects of a paired design with randomised order (AB/BA crossover)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.stats.bootstrap import cluster_robust_mean
from dissensus.stats.checks import FloatArray, as_sample, check_level
from dissensus.stats.results import Estimate, constant, t_estimate


@dataclass(frozen=True, slots=True)
class OrderStratified:
    """Estimates from one crossover, all in the unit of the differences.

    Attributes
    ----------
    stratified : means of the two orders weighted by their sizes: the plain mean, with the variance
        between orders taken out of its standard error.
    unweighted : means of the two orders weighted equally: free of any period effect, however
        unequal the orders came out.
    period_effect : half the difference of the two orders' means, treated first minus treated
        second: what being first rather than second adds.
    """

    stratified: Estimate
    unweighted: Estimate
    period_effect: Estimate


def order_stratified(
    differences: npt.ArrayLike,
    first: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    confidence: float = 0.95,
) -> OrderStratified:
    """Treatment effect stratified by order, and the period effect (Hills & Armitage 1979).

    Parameters
    ----------
    differences : shape (n,); treated minus reference, one per pair.
    first : shape (n,); whether the treated member came first; at least 2 pairs of each kind.
    clusters : shape (n,); labels; None for independent pairs.
    confidence : level of the intervals.

    Returns
    -------
    Intervals and p-values (null of zero). Of independent pairs from t with Welch-Satterthwaite df,
    the orders' variances being estimated apart; of clusters by
    :func:`~dissensus.stats.bootstrap.cluster_robust_mean` of what each pair adds to the estimate.

    Raises
    ------
    ValueError : fewer than 2 pairs of either order or 2 clusters, unequal lengths or values that
        are not finite.

    Notes
    -----
    With treatment effect T, period effect P (first minus second) and no carry-over, the means
    are T + P where treated came first and T - P where it came second (Senn 2002, chapter 3).
    """
    ahead, behind = _orders(differences, first)
    check_level(confidence, "confidence")
    share = ahead.size / (ahead.size + behind.size)
    parts = ((share, 1.0 - share), (0.5, 0.5), (0.5, -0.5))
    if clusters is None:
        return OrderStratified(*(_combination(ahead, behind, *part, confidence) for part in parts))
    is_first = np.asarray(first, dtype=bool)
    added = [_added(np.asarray(differences, float), is_first, part) for part in parts]
    return OrderStratified(*(cluster_robust_mean(values, clusters, confidence) for values in added))


def _added(
    sample: FloatArray, first: npt.NDArray[np.bool_], weights: tuple[float, float]
) -> FloatArray:
    """What each pair adds to the weighted sum of the orders' means: its mean is the estimate."""
    added = np.empty(sample.size)
    total = 0.0
    for weight, order in zip(weights, (first, ~first), strict=True):
        mean = float(sample[order].mean())
        added[order] = weight * sample.size / order.sum() * (sample[order] - mean)
        total += weight * mean
    return added + total


def _orders(differences: npt.ArrayLike, first: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    sample = as_sample(differences, "differences", 4)
    mask = np.asarray(first)
    if mask.dtype.kind != "b" or mask.shape != sample.shape:
        raise ValueError(
            f"first has shape {mask.shape} and type {mask.dtype}; pass one True or False per pair."
        )
    ahead, behind = sample[mask], sample[~mask]
    if min(ahead.size, behind.size) < 2:
        raise ValueError(
            f"{ahead.size} pair(s) had the treated member first and {behind.size} second; both "
            "orders need at least 2."
        )
    return ahead, behind


def _combination(
    ahead: FloatArray, behind: FloatArray, w_ahead: float, w_behind: float, confidence: float
) -> Estimate:
    """w_ahead * mean(ahead) + w_behind * mean(behind) with Welch's interval."""
    estimate = float(w_ahead * ahead.mean() + w_behind * behind.mean())
    variances = [
        weight**2 * float(sample.var(ddof=1)) / sample.size if np.ptp(sample) > 0.0 else 0.0
        for weight, sample in ((w_ahead, ahead), (w_behind, behind))
    ]
    n, variance = ahead.size + behind.size, sum(variances)
    if variance == 0.0:
        return constant(estimate, n, n)
    terms = variances[0] ** 2 / (ahead.size - 1) + variances[1] ** 2 / (behind.size - 1)
    return t_estimate(estimate, float(np.sqrt(variance)), variance**2 / terms, confidence, n, n)
