"""Shares of few cases or clusters: the mid-p sign test, and intervals.

The interval of a share over clusters is Student's on the logit scale: it stays between 0 and 1, and
covers what it should with a handful of clusters, where percentiles of a bootstrap are too narrow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import optimize, special, stats

from dissensus.stats.balance import clopper_pearson
from dissensus.stats.checks import FloatArray, check_level
from dissensus.stats.ratios import Intervals
from dissensus.stats.results import NAN, Estimate

_ROUNDING = 1e-12


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


@dataclass(frozen=True)
class Split:
    """Pairs of votes, those that name the same, and those that name the first of two (A)."""

    pairs: int
    same: int
    first: int

    @classmethod
    def of(cls, first: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> Split:
        """From whether each vote of a pair is for the first; pairs beyond the first axis count."""
        return cls(first.size, int((first == other).sum()), int((first & other).sum()))

    @property
    def p_value(self) -> float:
        """Mid-p sign test that pairs that name the same name either equally often."""
        return float(mid_p_sign_test(self.first, self.same)) if self.same else NAN

    def estimate(self, confidence: float) -> Estimate:
        """Share for the first among those that name the same."""
        if not self.same:
            return Estimate(NAN)
        limits = mid_p_interval(self.first, self.same, confidence)
        return Estimate(self.first / self.same, NAN, *limits, self.p_value, self.same)


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
    """The exact limits (Clopper & Pearson 1934) of a share of none or all, with a case a cluster.

    A standard error of such cases is 0, and resamples are all alike: both say that the share is
    certain. With a case a cluster the limits hold however much the cases of one are alike.

    Returns
    -------
    low, high : float
        NaN for any other share, and for a single cluster.
    """
    # What was computed from sums differs by rounding.
    rounded = round(share, 12)
    if rounded not in (0.0, 1.0) or clusters < 2:
        return NAN, NAN
    return clopper_pearson(int(rounded) * clusters, clusters, confidence)


def share_limits(mean: Estimate, confidence: float = 0.95) -> tuple[float, float]:
    """The limits of a share's mean, between 0 and 1.

    Those of its t interval on the logit scale (delta method). Where all clusters have none or all,
    which leaves no standard error: the exact ones of :func:`none_or_all`.

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
    return on_logits(share, mean.ci_high - mean.estimate)


def on_logits(share: float, half: float) -> tuple[float, float]:
    """Limits of a share as far from it on the logit scale as half an interval is (delta method).

    Parameters
    ----------
    share : above 0 and below 1.
    half : half the width of its symmetrical interval.
    """
    wide = half / (share * (1.0 - share))
    low, high = special.expit(special.logit(share) + np.array([-wide, wide]))
    return float(low), float(high)


def pooled_shares(
    cases: npt.ArrayLike, sizes: npt.ArrayLike, confidence: float = 0.95
) -> Intervals:
    """Shares of all cases, which come in clusters, with limits between 0 and 1.

    Parameters
    ----------
    cases, sizes : shape (m, c); of each cluster the sum of its cases' values, each from 0 to 1, and
        how many they are; a cluster without any has zeros in a column.
    confidence : level of the intervals.

    Returns
    -------
    Of c columns the ratio of the sums, its linearised standard error (Cochran 1977, *Sampling
    Techniques*, section 6.3) and Student's t interval on the logit scale, with a degree of freedom
    less than clusters that have cases; the limits of :func:`none_or_all` where all clusters have
    none or all. NaN without cases, and no limits of a single cluster or where shares of clusters do
    not differ.
    """
    above, below = np.asarray(cases, np.float64), np.asarray(sizes, np.float64)
    total, clusters = below.sum(axis=0), (below > 0.0).sum(axis=0)
    share = np.divide(above.sum(axis=0), total, out=np.full(total.shape, NAN), where=total > 0.0)
    spread = ((above - below * share) ** 2).sum(axis=0)
    # Rounding is no difference between clusters.
    known = (clusters > 1) & (spread > (_ROUNDING * total) ** 2)
    error = np.full(total.shape, NAN)
    error[known] = (
        np.sqrt(spread * clusters / np.maximum(clusters - 1.0, 1.0))[known] / total[known]
    )
    half = special.stdtrit(np.maximum(clusters - 1.0, 1.0), 0.5 + confidence / 2.0) * error
    limits = [
        on_logits(*of_column) if is_known else none_or_all(of_column[0], count, confidence)
        for *of_column, is_known, count in zip(share, half, known, clusters, strict=True)
    ]
    low, high = np.array(limits, np.float64).reshape(-1, 2).T
    return Intervals(share, error, low, high)
