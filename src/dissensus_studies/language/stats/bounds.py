"""Bounds on a paired effect when some outcomes were lost.

Each of n pairs was assigned both arms, and NaN marks an outcome that never came about. Manski's
bounds speak of all n pairs and assume nothing; Lee's speak of the units that would have been
observed in either arm and assume that the arm moves loss in one direction only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from dissensus.stats.checks import FloatArray
from dissensus.stats.results import NAN


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper bound on the mean of treated minus reference.

    Attributes
    ----------
    lower, upper : in the unit of the outcomes; infinite where nothing limits them.
    estimate : mean difference over the complete pairs; NaN without any. It need not lie within the
        bounds, for these take in what the incomplete pairs do show.
    n : pairs assigned.
    """

    lower: float
    upper: float
    estimate: float
    n: int


def manski_bounds(
    treated: npt.ArrayLike,
    reference: npt.ArrayLike,
    support: tuple[float, float] | None = None,
) -> Bounds:
    """Worst-case bounds on the mean difference over all assigned pairs (Horowitz & Manski 2000).

    Parameters
    ----------
    treated, reference : shape (n,); outcomes of the two members of each pair, NaN where lost; n >=
        1.
    support : smallest and largest outcome possible. Left out, any loss makes both bounds infinite.

    Returns
    -------
    The lower bound puts the support's minimum for each lost treated outcome and its maximum for
    each lost reference outcome, the upper bound the reverse. So a pair that lost one outcome adds
    its observed outcome against either end, one that lost both the whole width of the support, up
    and down. With no loss both bounds are the mean difference.

    Raises
    ------
    ValueError : no pairs, unequal lengths, infinite outcomes, or outcomes outside the support.
    """
    first, second = _pairs(treated, reference)
    low, high = (-np.inf, np.inf) if support is None else support
    if not low < high:
        raise ValueError(
            f"support is ({low}, {high}); pass the smallest outcome, then the largest."
        )
    seen = np.concatenate([first, second])
    seen = seen[~np.isnan(seen)]
    if ((seen < low) | (seen > high)).any():
        worst = seen[(seen < low) | (seen > high)][0]
        raise ValueError(f"Outcome {worst} lies outside the support ({low}, {high}); widen it.")
    lower = np.where(np.isnan(first), low, first) - np.where(np.isnan(second), high, second)
    upper = np.where(np.isnan(first), high, first) - np.where(np.isnan(second), low, second)
    return _bounds(first, second, float(lower.mean()), float(upper.mean()))


def lee_bounds(treated: npt.ArrayLike, reference: npt.ArrayLike) -> Bounds:
    """Trimming bounds for the always-observed under monotone selection (Lee 2009).

    Parameters
    ----------
    treated, reference : shape (n,); outcomes of the two members of each pair, NaN where lost; n >=
        1.

    Returns
    -------
    The arm with fewer losses keeps the m largest or the m smallest of its outcomes, m being the
    number observed in the other arm, whose mean is left as it is. Infinite where an arm lost
    everything.

    Raises
    ------
    ValueError : no pairs, unequal lengths or infinite outcomes.

    Notes
    -----
    Lee (2009), Review of Economic Studies 76:1071-1102. Both arms have n members, so the share
    to trim, a difference of response rates over the larger one, is a whole number of outcomes.
    Loss is compared between arms and not within pairs, since a session can fail by chance as well
    as by its arm. A pair that lost one outcome still lends the other to its arm. Without loss both
    bounds are the mean difference; with equal losses they are the difference of the arms' means.
    """
    first, second = _pairs(treated, reference)
    x, y = np.sort(first[~np.isnan(first)]), np.sort(second[~np.isnan(second)])
    kept = min(x.size, y.size)
    if kept == 0:
        return _bounds(first, second, -np.inf, np.inf)
    # Only the arm with fewer losses is longer than `kept`; slicing leaves the other one whole.
    lower = float(x[:kept].mean() - y[y.size - kept :].mean())
    upper = float(x[x.size - kept :].mean() - y[:kept].mean())
    return _bounds(first, second, lower, upper)


def imbens_manski(
    bounds: Bounds, se_lower: float, se_upper: float, confidence: float
) -> tuple[float, float]:
    """An interval for the effect that the bounds hold, and not for the bounds.

    Parameters
    ----------
    bounds : of the effect.
    se_lower, se_upper : standard errors of the two.
    confidence : level of the interval.

    Returns
    -------
    Lower and upper limit. NaN without finite bounds and standard errors.

    Notes
    -----
    Imbens & Manski (2004), Econometrica 72:1845-1857, equation 7: [l - C se_l, u + C se_u] where
    Phi(C + (u - l) / max(se_l, se_u)) - Phi(-C) is the level. C is the two-sided normal quantile
    where the bounds meet, and goes to the one-sided one where they are far apart.
    """
    width, largest = bounds.upper - bounds.lower, max(se_lower, se_upper)
    if not np.isfinite([width, se_lower, se_upper]).all():
        return NAN, NAN
    if largest == 0.0:
        return bounds.lower, bounds.upper

    def short(c: float) -> float:
        return float(special.ndtr(c + width / largest) - special.ndtr(-c) - confidence)

    c = float(optimize.brentq(short, 0.0, 10.0))
    return bounds.lower - c * se_lower, bounds.upper + c * se_upper


def _pairs(treated: npt.ArrayLike, reference: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    first = np.asarray(treated, dtype=np.float64)
    second = np.asarray(reference, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape or first.size == 0:
        raise ValueError(
            f"treated and reference have shapes {first.shape} and {second.shape}; pass one outcome "
            "per pair and arm, at least one pair."
        )
    if np.isinf(first).any() or np.isinf(second).any():
        raise ValueError("treated or reference holds an infinite outcome; mark lost ones as NaN.")
    return first, second


def _bounds(first: FloatArray, second: FloatArray, lower: float, upper: float) -> Bounds:
    complete = ~(np.isnan(first) | np.isnan(second))
    estimate = float((first - second)[complete].mean()) if complete.any() else NAN
    return Bounds(lower, upper, estimate, first.size)
