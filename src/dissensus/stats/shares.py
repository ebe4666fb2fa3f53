"""Shares of few cases: the mid-p sign test, the interval that goes with it, and Wilson's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from dissensus.stats.checks import FloatArray, check_level
from dissensus.stats.results import NAN, Estimate


def mid_p_sign_test(successes: npt.ArrayLike, trials: npt.ArrayLike) -> FloatArray:
    """Two-sided mid-p value of the null that a share is one half (Lancaster 1961).

    Parameters
    ----------
    successes, trials : counts of one shape; 0 <= successes <= trials.

    Returns
    -------
    Of that shape: twice the smaller tail, in which the observed count weighs one half; at most 1,
    and 1 without trials.

    Raises
    ------
    ValueError : counts out of range.

    Notes
    -----
    The exact test of some 20 trials at 5% rejects in 3 to 4% of cases only, since the binomial has
    few values; the mid-p test comes nearer to 5% and may exceed it slightly (Agresti 2013, section
    1.4.4). On the discordant pairs of two paired votes this is McNemar's mid-p test (Fagerland,
    Lydersen & Laake 2013).
    """
    k, n = _counts(successes, trials)
    least = np.minimum(k, n - k)
    below = np.where(least > 0, stats.binom.cdf(least - 1.0, n, 0.5), 0.0)
    tail = below + 0.5 * stats.binom.pmf(least, n, 0.5)
    return np.asarray(np.minimum(2.0 * tail, 1.0), dtype=np.float64)


def mid_p_interval(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The shares that the two-sided mid-p test does not reject (Berry & Armitage 1995).

    Parameters
    ----------
    k, n : successes and trials, 0 <= k <= n, n >= 1.
    confidence : level.

    Returns
    -------
    low, high : float
        0 or 1 where nothing was, or all were, a success.

    Raises
    ------
    ValueError : counts out of range.
    """
    _some(k, n)
    tail = (1.0 - check_level(confidence, "confidence")) / 2.0

    def above(share: float) -> float:
        """P(X > k) + P(X = k)/2, which rises with the share."""
        return float(special.bdtrc(k, n, share) + 0.5 * stats.binom.pmf(k, n, share)) - tail

    def below(share: float) -> float:
        return 1.0 - 2.0 * tail - above(share)

    low = 0.0 if k == 0 else float(optimize.brentq(above, 0.0, 1.0))
    high = 1.0 if k == n else float(optimize.brentq(below, 0.0, 1.0))
    return low, high


def wilson(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Score interval of a share (Wilson 1927).

    Parameters
    ----------
    k, n : successes and trials, 0 <= k <= n, n >= 1.
    confidence : level.

    Raises
    ------
    ValueError : counts out of range.
    """
    _some(k, n)
    z = float(special.ndtri(0.5 + check_level(confidence, "confidence") / 2.0))
    share, room = k / n, z**2 / n
    centre = (share + room / 2.0) / (1.0 + room)
    half = z / (1.0 + room) * np.sqrt(share * (1.0 - share) / n + room / (4.0 * n))
    low = 0.0 if k == 0 else max(0.0, float(centre - half))
    high = 1.0 if k == n else min(1.0, float(centre + half))
    return low, high


def _counts(successes: npt.ArrayLike, trials: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    k, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    if ((k < 0) | (k > n)).any():
        raise ValueError("A count of successes is below 0 or above that of trials.")
    return k, n


def _some(k: int, n: int) -> None:
    """Refuse counts that no interval can be of."""
    _counts(k, n)
    if n < 1:
        raise ValueError("n is 0; a share of nothing has no interval.")


def unless_certain(mean: Estimate, confidence: float = 0.95) -> Estimate:
    """The mean of a share, with the limits of :func:`none_or_all` where it is none or all."""
    low, high = none_or_all(mean.estimate, mean.n_clusters, confidence)
    return mean if np.isnan(low) else replace(mean, ci_low=low, ci_high=high)


def none_or_all(share: float, clusters: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's limits of a share of none or all, with a case a cluster.

    Resamples of such cases are all alike, and say that the share is certain.

    Returns
    -------
    low, high : float
        NaN for any other share, and for a single cluster.
    """
    # What was computed from sums differs by rounding.
    rounded = round(share, 12)
    if rounded not in (0.0, 1.0) or clusters < 2:
        return NAN, NAN
    return wilson(int(rounded) * clusters, clusters, confidence)


def share_limits(mean: Estimate, confidence: float = 0.95) -> tuple[float, float]:
    """The limits of a share's mean, between 0 and 1.

    Those of its t interval on the logit scale (delta method). Where all clusters have none or all,
    which leaves no standard error: Wilson's, with a case a cluster.

    Parameters
    ----------
    mean : of shares, with a symmetrical interval of that level, or with none.

    Returns
    -------
    low, high : float
        NaN where neither says anything: a single cluster, or clusters that agree on another share.
    """
    share = round(mean.estimate, 12)
    if share in (0.0, 1.0):
        return none_or_all(share, mean.n_clusters, confidence)
    half = (mean.ci_high - mean.estimate) / (share * (1.0 - share))
    low, high = special.expit(special.logit(share) + np.array([-half, half]))
    return float(low), float(high)
