"""Evidence and intervals of the mean of bounded differences: no symmetry, whatever their shape.

Let ``X_j``, the mean difference of the ``j``-th cluster, lie between ``-B`` and ``B``, with mean
``theta`` whatever came before. For a share ``f`` of the capital that is bet,

    K_n(f) = prod_j (1 + f (X_j - theta) / (B + theta)),
    L_n(f) = prod_j (1 - f (X_j - theta) / (B - theta))

have no factor below ``1 - f``, and each factor has the mean 1: nonnegative martingales that begin
at 1, and so is their mean over shares (Waudby-Smith & Ramdas 2024, Journal of the Royal Statistical
Society B 86:1-27: a hedged capital process with a grid of constant bets). By Ville's inequality it
exceeds ``1 / alpha`` at any look with a probability of at most ``alpha``. Its logarithm is convex
in ``theta``, so that the means that are left are an interval.
"""

from __future__ import annotations

import numpy as np

from dissensus.stats.checks import FloatArray

#: Shares of the capital that are bet, from what finds a small effect in hundreds of clusters on.
SHARES = np.geomspace(0.02, 0.95, 12)

_HALVINGS = 40
#: Means are tested up to so near a bound, in units of it.
_NEAR = 1e-9


def evidence(means: FloatArray, bound: float, theta: float) -> float:
    """The logarithm of the martingale against a mean, after the last cluster.

    Parameters
    ----------
    means : mean difference of each cluster, shape (n,).
    bound : that no difference is farther from 0 than.
    theta : the mean that is tested, within the bounds.

    Raises
    ------
    ValueError : a difference lies outside the bounds.
    """
    if np.abs(means).max(initial=0.0) > bound * (1.0 + _NEAR):
        raise ValueError(f"A difference lies farther from 0 than {bound:g}, which is its bound.")
    apart = np.clip(means, -bound, bound) - theta
    bets = SHARES[:, None] * np.array([[apart / (bound + theta)], [-apart / (bound - theta)]])
    wealth = np.log1p(bets).sum(axis=-1).ravel()
    most = float(wealth.max())
    return most + float(np.log(np.exp(wealth - most).mean()))


def limits(means: FloatArray, bound: float, confidence: float) -> tuple[float, float]:
    """The smallest and the largest mean that the evidence so far leaves, at this look.

    Parameters
    ----------
    means, bound : as for :func:`evidence`.
    confidence : level.
    """
    if not means.size:
        return -bound, bound
    return -_upper(-means, bound, confidence), _upper(means, bound, confidence)


def _upper(means: FloatArray, bound: float, confidence: float) -> float:
    """The upper limit, by halving between the estimate and the bound."""
    most, farthest = -np.log1p(-confidence), bound * (1.0 - _NEAR)
    low, high = float(np.clip(means.mean(), -farthest, farthest)), farthest
    if evidence(means, bound, high) < most:
        return bound
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if evidence(means, bound, middle) < most else (low, middle)
    return high
