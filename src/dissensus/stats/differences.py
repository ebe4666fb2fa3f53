"""A difference of mean paired differences, between two groups of pairs: sign flips and spread.

Where the treatment does nothing to any pair of either group, swapping the two members of a pair
changes the sign of its difference and nothing else. So every pair is flipped by itself: with n
pairs in each group 2^(2n) patterns, where flipping differences of differences would have 2^n.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray, as_sample, check_count, check_level
from dissensus.stats.results import NAN, Estimate, RandomisationTest, monte_carlo

_TIE = 1e-12
_NONE = np.zeros(0)


def flipped_gain(
    later: npt.ArrayLike,
    first: npt.ArrayLike = _NONE,
    *,
    confidence: float = 0.95,
    flips: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> tuple[Estimate, RandomisationTest]:
    """mean(later) - mean(first), its sign-flip test and the interval that inverts the test.

    Parameters
    ----------
    later, first : shape (n,) and (m,); treated minus reference of the pairs of two groups, n >= 1;
        m = 0 for the mean of the later ones alone.
    confidence : level of the interval.
    flips : random sign patterns; all 2^(n + m) where they are no more than that.
    seed : source of the patterns.

    Returns
    -------
    The estimate, whose limits are infinite where the patterns are too few for the level, and the
    test of no gain: exact, or p = (b + 1)/(flips + 1).

    Raises
    ------
    ValueError : no later pair, values that are not finite, or `flips` < 1.

    Notes
    -----
    With a gain g taken off the later pairs, pattern s gives A(s) - g B(s), A being the difference
    of signed means and B the mean of the later signs. That is as far out as the observed a - g
    where g is beyond c(s) = (a - A)/(1 - B); patterns s and -s have the two tails. So the p-value
    of g is the share of patterns with c(s) on the far side of g from a, twice, and the limits are
    order statistics of c. Where all later signs are +, g drops out: such a pattern counts for every
    g or for none.
    """
    after = as_sample(later, "later", 1)
    before = as_sample(first, "first", 0)
    check_level(confidence, "confidence")
    signs, exact = _patterns(after.size + before.size, check_count(flips, "flips"), seed)
    moved = signs[:, : after.size]
    values, shares = moved @ after / after.size, moved.mean(axis=1)
    estimate = float(after.mean())
    if before.size:
        values = values - signs[:, after.size :] @ before / before.size
        estimate -= float(before.mean())
    slack = _TIE * max(abs(estimate), float(np.abs(values).max()))
    extreme, total = int((np.abs(values) >= abs(estimate) - slack).sum()), len(signs)
    if exact:
        test = RandomisationTest(estimate, extreme / total, total, True, 0.0)
        # p(g) = 2 * count / total has to exceed alpha.
        rank = (1.0 - confidence) * total / 2.0
    else:
        test = monte_carlo(estimate, extreme, total)
        # p(g) = (count + 1)/(total + 1), counted over the patterns and their opposites.
        rank = (1.0 - confidence) * (total + 1.0) - 1.0
        values, shares = np.append(values, -values), np.append(shares, -shares)
    low, high = _limits(values, shares, estimate, slack, int(np.floor(rank + 1e-9)))
    n = after.size + before.size
    return Estimate(estimate, NAN, low, high, test.p_value, n, n), test


def spread_of_gain(later: npt.ArrayLike, first: npt.ArrayLike = _NONE) -> tuple[float, float]:
    """Standard error of :func:`flipped_gain`'s estimate, and its degrees of freedom.

    Parameters
    ----------
    later, first : as for :func:`flipped_gain`; their variances are taken to be equal.

    Returns
    -------
    se, df : float
        The standard error is NaN without a degree of freedom.
    """
    groups = [one for one in (np.asarray(later, float), np.asarray(first, float)) if one.size]
    df = float(sum(one.size - 1 for one in groups))
    if df < 1.0:
        return NAN, df
    squares = sum(float(((one - one.mean()) ** 2).sum()) for one in groups)
    return float(np.sqrt(squares / df * sum(1.0 / one.size for one in groups))), df


def _patterns(n: int, flips: int, seed: int | np.random.Generator) -> tuple[FloatArray, bool]:
    """Sign patterns, (m, n), and whether they are all there are."""
    exact = 2**n <= flips
    if exact:
        bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    else:
        bits = np.random.default_rng(seed).integers(0, 2, size=(flips, n))
    return np.where(bits == 1, -1.0, 1.0), exact


def _limits(
    values: FloatArray, shares: FloatArray, estimate: float, slack: float, rank: int
) -> tuple[float, float]:
    """The order statistics of c(s) from either end, `rank` of them being left out."""
    if rank < 0:
        return -np.inf, np.inf
    fixed = shares > 1.0 - _TIE
    crossing = np.full(values.size, np.nan)
    np.divide(estimate - values, 1.0 - shares, out=crossing, where=~fixed)
    below = np.where(fixed, np.where(values >= estimate - slack, -np.inf, np.inf), crossing)
    above = np.where(fixed, np.where(values <= estimate + slack, np.inf, -np.inf), crossing)
    low, high = np.sort(below)[rank], np.sort(above)[-1 - rank]
    return float(min(low, estimate)), float(max(high, estimate))
