"""Evidence and intervals of a mean paired difference that hold however often one looks.

Let ``X_j = S_j - n_j theta`` be what the ``j``-th cluster's sum of ``n_j`` differences has besides
the mean ``theta``. Let the ``X_j`` be independent and symmetric about zero: given their sizes
``|X_1|, |X_2|, ...``, their signs are fair coins. For a strength ``c`` and the running root mean
square ``s_j = sqrt((X_1^2 + ... + X_j^2) / j)``,

    M_n(c) = prod_j exp(c X_j / s_j) / cosh(c X_j / s_j) = prod_j (1 + tanh(c X_j / s_j)).

Given all sizes, ``s_j`` is a constant, and the ``j``-th factor is 1 plus a fair coin's sign times
a constant: its mean is 1, whatever came before. So ``M_n(c)`` is a nonnegative martingale that
begins at 1, and so is a mean of it over strengths of both signs (de la Pena 1999, Annals of
Probability 27:537-564, lemma 6.1; Ramdas, Ruf, Larsson & Koolen 2020, arXiv:2009.03167, section 5).
By Ville's inequality it exceeds ``1 / alpha`` at any look with a probability of at most ``alpha``,
whatever the tails are, and the ``theta`` for which it has not are an interval with a coverage of at
least ``1 - alpha`` at all looks together (Howard, Ramdas, McAuliffe & Sekhon 2021, Annals of
Statistics 49:1055-1080).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.design import betting
from dissensus.stats.checks import FloatArray, as_sample

#: Effects in units of the root mean square for which the evidence grows fastest, from a small one,
#: of which some hundred clusters are needed, to one that ten show. All weigh the same.
STRENGTHS = np.geomspace(0.1, 1.6, 7)

#: How far from the estimate limits are looked for, in units of the mean size of a difference.
_REACH = np.geomspace(1e-2, 1e3, 31)
_HALVINGS = 20


@dataclass(frozen=True)
class Look:
    """What is known after some clusters.

    Attributes
    ----------
    e_value : evidence against a mean of 0: a martingale that begins at 1 where that is the mean.
    ci_low, ci_high : limits that hold at all looks together; infinite where clusters are too few.
    p_value : one over the largest evidence at any look so far, and 1 at most.
    """

    e_value: float
    ci_low: float
    ci_high: float
    p_value: float


def evidence(sums: FloatArray, sizes: FloatArray, means: FloatArray) -> FloatArray:
    """The logarithm of the martingale against each of some means, after each cluster.

    Parameters
    ----------
    sums, sizes : of the differences of each cluster, in the order in which they came, shape (n,).
    means : that are tested, shape (k,).

    Returns
    -------
    Shape (k, n).
    """
    up, down = _growth(sums, sizes, means)
    return _mixed(np.concatenate([np.cumsum(up, axis=2), np.cumsum(down, axis=2)]))


def _growth(
    sums: FloatArray, sizes: FloatArray, means: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Logarithms of all factors, of strengths above and below 0, each (strengths, k, n)."""
    apart = sums[None] - np.asarray(means)[:, None] * sizes[None]
    spread = np.sqrt(np.cumsum(apart**2, axis=1) / np.arange(1, sums.size + 1))
    scaled = np.divide(apart, spread, out=np.zeros_like(apart), where=spread > 0.0)
    twice = 2.0 * STRENGTHS[:, None, None] * scaled
    # log(1 + tanh(x)) in a form that has no 0 in it.
    up = np.log(2.0) - np.logaddexp(0.0, -twice)
    return up, up - twice


def _mixed(wealth: FloatArray) -> FloatArray:
    """The logarithm of the mean over strengths, the first axis, of what logarithms are given of."""
    most = wealth.max(axis=0)
    return np.asarray(most + np.log(np.exp(wealth - most).mean(axis=0)))


def looks_at(
    sums: FloatArray,
    sizes: FloatArray,
    after: Sequence[int],
    confidence: float,
    bound: float | None = None,
) -> Iterator[Look]:
    """What is known at each of some looks, found when it is asked for.

    Parameters
    ----------
    sums, sizes : as for :func:`evidence`.
    after : how many clusters each look has, ascending.
    confidence : level of the intervals, of all looks together.
    bound : that no difference is farther from 0 than; then clusters are bet on, and need not be
        symmetric (:mod:`dissensus.design.betting`). None where there is none.

    Yields
    ------
    A :class:`Look` each. Limits are the narrowest of all looks so far; where these leave nothing,
    those of the look alone.

    Raises
    ------
    ValueError : a sum is not finite.
    """
    sums, sizes = as_sample(sums, "sums", 0), as_sample(sizes, "sizes", 0)
    most, low, high = 0.0, -np.inf, np.inf
    for count in after:
        # Of what there is so far alone: the same numbers, to the last digit, whatever follows.
        value, below, above = _known(sums[:count], sizes[:count], confidence, bound)
        most = max(most, value)
        low, high = max(low, below), min(high, above)
        own = (low, high) if low <= high else (below, above)
        yield Look(float(np.exp(min(value, 700.0))), *own, float(np.exp(-most)))


def _known(
    sums: FloatArray, sizes: FloatArray, confidence: float, bound: float | None
) -> tuple[float, float, float]:
    """The logarithm of the evidence against no difference, and both limits, at one look."""
    if bound is not None:
        value = betting.evidence(sums / sizes, bound, 0.0) if sums.size else 0.0
        return value, *betting.limits(sums / sizes, bound, confidence)
    value = float(evidence(sums, sizes, np.zeros(1))[0, -1]) if sums.size else 0.0
    return value, *limits(sums, sizes, confidence)


def limits(sums: FloatArray, sizes: FloatArray, confidence: float) -> tuple[float, float]:
    """The smallest and the largest mean that the evidence so far leaves, at this look.

    Parameters
    ----------
    sums, sizes : as for :func:`evidence`.
    confidence : level.
    """
    if not sums.size:
        return -np.inf, np.inf
    estimate = float(sums.sum() / sizes.sum())
    scale = float(np.abs(sums / sizes - estimate).mean()) or abs(estimate) or 1.0
    return (
        -_limit(-sums, sizes, -estimate, scale, confidence),
        _limit(sums, sizes, estimate, scale, confidence),
    )


def _limit(
    sums: FloatArray, sizes: FloatArray, estimate: float, scale: float, confidence: float
) -> float:
    """The upper limit: the farthest mean that is left, found on a grid and then by halving."""
    most = -np.log1p(-confidence)

    def left(means: FloatArray) -> FloatArray:
        total = np.concatenate([part.sum(axis=2) for part in _growth(sums, sizes, means)])
        return np.asarray(_mixed(total) < most)

    means = estimate + scale * np.concatenate([[0.0], _REACH])
    (inside,) = np.nonzero(left(means))
    if not inside.size:
        return estimate
    if inside[-1] == means.size - 1:
        return float(np.inf)
    low, high = means[inside[-1]], means[inside[-1] + 1]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if left(np.array([middle]))[0] else (low, middle)
    return float(high)
