"""Cluster bootstrap of ratios of sums, and of what is computed from several of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray, check_count, check_level

#: No interval is given if a larger share of resamples defines no number: the others would be those
#: that drew one of the few clusters with a case.
UNDEFINED = 0.1


@dataclass(frozen=True)
class Ratios:
    """Numbers of a sample, and the same numbers of each resample.

    Attributes
    ----------
    observed : shape (c,); NaN where the sample defines no number.
    resampled : shape (b, c); NaN where a resample defines none. Ratios that are combined must come
        from the same weights, so that a row is one resample throughout.
    """

    observed: FloatArray
    resampled: FloatArray

    def __sub__(self, other: Ratios) -> Ratios:
        """Differences, column by column."""
        return self._combined(np.subtract, other)

    def __truediv__(self, other: Ratios) -> Ratios:
        """Quotients, column by column; undefined where the divisor is 0."""
        return self._combined(_quotient, other)

    def _combined(self, how: Callable[..., FloatArray], other: Ratios) -> Ratios:
        return Ratios(how(self.observed, other.observed), how(self.resampled, other.resampled))


@dataclass(frozen=True)
class Intervals:
    """Estimates with percentile limits, each of shape (c,) and NaN where not defined."""

    estimate: FloatArray
    se: FloatArray
    low: FloatArray
    high: FloatArray


def cluster_weights(clusters: int, resamples: int, seed: int | np.random.Generator) -> FloatArray:
    """How often each resample draws each cluster: multinomial, as many draws as clusters.

    Parameters
    ----------
    clusters : clusters, at least 1.
    resamples : resamples, at least 1.
    seed : source of the resamples.

    Returns
    -------
    Shape (resamples, clusters). Whole numbers; each row sums to `clusters`.

    Raises
    ------
    ValueError : a count below 1.
    """
    check_count(clusters, "clusters")
    check_count(resamples, "resamples")
    rng = np.random.default_rng(seed)
    # Counted draws are multinomial weights, six times as fast as `rng.multinomial`.
    drawn = rng.integers(0, clusters, size=(resamples, clusters))
    drawn += np.arange(resamples)[:, None] * clusters
    counted = np.bincount(drawn.ravel(), minlength=resamples * clusters)
    return counted.reshape(resamples, clusters).astype(np.float64)


def ratios_of_sums(
    numerators: npt.ArrayLike, denominators: npt.ArrayLike, weights: FloatArray
) -> Ratios:
    """Ratios of sums over clusters, in the sample and in each resample.

    Parameters
    ----------
    numerators, denominators : shape (m, c); each cluster's share of both sums; a cluster without
        any case of a column has zeros there.
    weights : shape (b, m); from `cluster_weights`.

    Returns
    -------
    Of c columns, in the unit of a numerator per unit of a denominator; NaN where a denominator is
    0. A column to which a single cluster contributes has no resamples, since one cluster does not
    say how much clusters differ.

    Raises
    ------
    ValueError : the shapes do not fit.

    Notes
    -----
    Resampling whole clusters keeps whatever depends within them (Davison & Hinkley 1997,
    section 3.8); both sums vary, since clusters differ in size.
    """
    above, below = np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)
    if above.ndim != 2 or above.shape != below.shape or above.shape[0] != weights.shape[1]:
        raise ValueError(
            f"numerators have shape {above.shape}, denominators {below.shape} and weights "
            f"{weights.shape}; pass (m, c), (m, c) and (b, m)."
        )
    resampled = _quotient(weights @ above, weights @ below)
    resampled[:, (below != 0.0).sum(axis=0) < 2] = np.nan
    return Ratios(_quotient(above.sum(axis=0), below.sum(axis=0)), resampled)


def percentile_intervals(ratios: Ratios, confidence: float = 0.95) -> Intervals:
    """Percentile intervals and standard errors of resampled numbers.

    Parameters
    ----------
    ratios : of c columns.
    confidence : level of the intervals.

    Returns
    -------
    `se` is the standard deviation of the resampled numbers (Efron & Tibshirani 1993, chapters 6 and
    13). Resamples that define no number are left out; where they are more than :data:`UNDEFINED` of
    all, neither `se` nor limits are given.

    Raises
    ------
    ValueError : a confidence that is not between 0 and 1, or fewer than 2 resamples.
    """
    check_level(confidence, "confidence")
    if len(ratios.resampled) < 2:
        raise ValueError("There are fewer than 2 resamples; a spread needs at least 2.")
    missing = np.isnan(ratios.resampled)
    defined = ~np.isnan(ratios.observed) & (missing.mean(axis=0) <= UNDEFINED)
    whole, holed = defined & ~missing.any(axis=0), defined & missing.any(axis=0)
    tails = [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]
    spread = np.full((3, len(defined)), np.nan)
    resampled = ratios.resampled[:, whole]
    spread[0, whole] = resampled.std(axis=0, ddof=1)
    spread[1:, whole] = np.quantile(resampled, tails, axis=0)
    for column in np.flatnonzero(holed):
        values = ratios.resampled[~missing[:, column], column]
        spread[:, column] = [values.std(ddof=1), *np.quantile(values, tails)]
    return Intervals(ratios.observed, *spread)


def percentile_p(ratios: Ratios) -> FloatArray:
    """Two-sided p-values: the level at which a percentile interval just reaches zero.

    Parameters
    ----------
    ratios : of c columns, whose being zero is tested.

    Returns
    -------
    Shape (c,), never below 2 / (b + 1); NaN where :func:`percentile_intervals` gives no limits.
    """
    missing = np.isnan(ratios.resampled)
    defined = ~np.isnan(ratios.observed) & (missing.mean(axis=0) <= UNDEFINED)
    tails = np.minimum((ratios.resampled <= 0.0).sum(axis=0), (ratios.resampled >= 0.0).sum(axis=0))
    p = np.minimum(1.0, 2.0 * (tails + 1.0) / ((~missing).sum(axis=0) + 1.0))
    return np.where(defined, p, np.nan)


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    result = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=below != 0.0)
    return result
