"""How far apart two agents are, and whether their stances go together over questions.

The measures are EVINCE's. Its worked example has a JS divergence above 1 bit, which two
distributions cannot have, so that nothing here is checked against it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .state import js_of

IntArray = NDArray[np.intp]

#: Share of belief that is spread evenly before a KL divergence, which is infinite where one agent
#: gives no probability at all to what another thinks possible.
SPREAD = 0.01


def kl(p: ArrayLike, q: ArrayLike) -> float:
    """Kullback-Leibler divergence of p from q in bits, both with 1% of belief spread evenly.

    Parameters
    ----------
    p, q : shape (K,); distributions over the same options.
    """
    first, second = (
        (1.0 - SPREAD) * row + SPREAD / row.size
        for row in (np.asarray(p, np.float64), np.asarray(q, np.float64))
    )
    return max(float((first * np.log2(first / second)).sum()), 0.0)


def jsd(p: ArrayLike, q: ArrayLike) -> float:
    """Jensen-Shannon divergence of two distributions, shape (K,) each: bits, at most 1."""
    return js_of(np.stack([np.asarray(p, np.float64), np.asarray(q, np.float64)]))


def wasserstein(p: ArrayLike, q: ArrayLike) -> float:
    """Wasserstein-1 distance over K ordered options, option k lying at k / (K - 1): in [0, 1].

    0 for a single option.
    """
    gaps = np.abs(np.cumsum(np.asarray(p, np.float64) - np.asarray(q, np.float64)))[:-1]
    return float(gaps.mean()) if gaps.size else 0.0


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Half the sum of absolute differences: in [0, 1].

    It is the Wasserstein distance over options without order, all at distance 1.
    """
    return float(np.abs(np.asarray(p, np.float64) - np.asarray(q, np.float64)).sum()) / 2.0


def normalised_mutual_information(a: IntArray, b: IntArray) -> float | None:
    """2 I(a; b) / (H(a) + H(b)) of two agents' stances over questions: in [0, 1].

    Parameters
    ----------
    a, b : shape (n,); index of the option that each agent takes on each question.

    Returns
    -------
    None where neither ever changes its option.
    """
    first, second = _codes(a), _codes(b)
    width = int(second.max(initial=0)) + 1
    marginals = _entropy(first) + _entropy(second)
    if marginals <= 0.0:
        return None
    return max(0.0, 2.0 - 2.0 * _entropy(_codes(first * width + second)) / marginals)


def permutation_p(
    a: IntArray, b: IntArray, topics: Sequence[str], permutations: int, seed: int
) -> float | None:
    """How often the mutual information is as great when b is permuted over the topics.

    (b + 1) / (m + 1) with m `permutations`, of which b reach the observed value: an exact test of
    independence over exchangeable topics (Phipson and Smyth, 2010). Whole topics change places,
    each with one of as many sessions, since sessions on a topic come out alike. None where the
    information is undefined, or no topic has another to change places with.
    """
    observed = normalised_mutual_information(a, b)
    if observed is None:
        return None
    first, second = _codes(a), _codes(b)
    width, n = int(second.max(initial=0)) + 1, len(first)
    places = _dealt_topics(topics, permutations, np.random.default_rng(seed))
    if places is None:
        return None
    dealt = second[places]
    cells = first[None, :] * width + dealt
    size = (int(first.max(initial=0)) + 1) * width
    offsets = np.arange(permutations)[:, None] * size
    counts = np.bincount((cells + offsets).ravel(), minlength=permutations * size)
    table = counts.reshape(permutations, size) / n
    joint = -(table * np.log(np.where(table > 0, table, 1.0))).sum(axis=1)
    # Margins do not change, so the information is great where the joint entropy is small.
    joint_observed = np.bincount(first * width + second, minlength=size) / n
    least = -(joint_observed * np.log(np.where(joint_observed > 0, joint_observed, 1.0))).sum()
    return (int((joint <= least + 1e-9).sum()) + 1) / (permutations + 1)


def _dealt_topics(topics: Sequence[str], times: int, rng: np.random.Generator) -> IntArray | None:
    """Whose session stands in the place of each, shape (times, n); None where nothing can move."""
    codes = _codes(list(topics))
    sizes = np.bincount(codes)
    places = np.broadcast_to(np.arange(len(codes)), (times, len(codes))).copy()
    moves = False
    for size in np.unique(sizes):
        alike = np.flatnonzero(sizes == size)
        moves |= len(alike) > 1
        # Topics by sessions: a row changes places with a row.
        sessions = np.array([np.flatnonzero(codes == topic) for topic in alike])
        order = np.argsort(rng.random((times, len(alike))), axis=1)
        places[:, sessions.ravel()] = sessions[order].reshape(times, -1)
    return places if moves else None


def _codes(values: ArrayLike) -> IntArray:
    return np.unique(np.asarray(values), return_inverse=True)[1].astype(np.intp)


def _entropy(codes: IntArray) -> float:
    shares = np.bincount(codes) / max(len(codes), 1)
    return float(-(shares * np.log(np.where(shares > 0, shares, 1.0))).sum())
