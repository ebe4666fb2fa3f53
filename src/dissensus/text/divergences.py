"""Entropies and Jensen-Shannon divergences of token distributions, and what length does to them.

No smoothing anywhere: a token that a unit does not use has probability zero, and 0 log 0 = 0.
Reductions are numpy's own and never BLAS's, so that results do not depend on a machine's cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

# Cells of repetition x unit x type counted at once: arrays of this size stay in the heap and the
# cache, where those of all repetitions at once would be fresh pages from the system at every call.
_CELLS = 16_000


def _xlogx(x: FloatArray) -> FloatArray:
    return np.asarray(x * np.log(np.where(x > 0.0, x, 1.0)))


def entropy(p: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Shannon entropy -sum p log p in nats along the last axis, with 0 log 0 = 0.

    Parameters
    ----------
    p : array_like, shape (..., v)
        Distributions; each last-axis slice sums to one.

    Returns
    -------
    ndarray, shape (...)
        Entropies in nats (a zero-dimensional array for one distribution).
    """
    return np.asarray(-_xlogx(np.asarray(p, dtype=np.float64)).sum(axis=-1))


def _weights(weights: npt.ArrayLike | None, k: int) -> FloatArray:
    """Weights that sum to one, uniform by default."""
    if weights is None:
        return np.full(k, 1.0 / k)
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (k,) or not np.isfinite(w).all() or (w < 0.0).any() or not w.sum() > 0.0:
        raise ValueError(f"weights must be {k} non-negative numbers with a positive sum, not {w}.")
    return np.asarray(w / w.sum())


def _matrix(values: npt.ArrayLike, name: str) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] == 0:
        raise ValueError(f"{name} has shape {array.shape}; pass (units, types), at least one unit.")
    if not np.isfinite(array).all() or (array < 0.0).any():
        raise ValueError(f"{name} holds values that are negative or not finite.")
    return array


def _jsd(p: FloatArray, w: FloatArray) -> float:
    divergence = float(entropy((w[:, None] * p).sum(axis=0)) - (w * entropy(p)).sum())
    return max(divergence, 0.0)  # equal distributions can fall an ulp below zero


def generalised_jsd(distributions: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
    """Generalised Jensen-Shannon divergence of k distributions, in nats.

    H(sum_i w_i p_i) - sum_i w_i H(p_i), between 0 and H(w) (Lin, 1991, IEEE Transactions on
    Information Theory 37:145-151, eq. 5.1). ``scipy.spatial.distance.jensenshannon`` is the square
    root of the case k = 2 with equal weights.

    Parameters
    ----------
    distributions : array_like, shape (k, v)
        One distribution a row.
    weights : array_like, shape (k,), optional
        Non-negative; divided by their sum. Uniform by default.

    Raises
    ------
    ValueError
        If a row does not sum to one, or an argument has the wrong shape or sign.
    """
    p = _matrix(distributions, "distributions")
    if not np.allclose(p.sum(axis=1), 1.0, atol=1e-6):
        raise ValueError("distributions has a row that does not sum to 1; divide counts by totals.")
    return _jsd(p, _weights(weights, len(p)))


def lexical_similarity(counts: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
    """S_lex = 1 - JSD_w / H(w) of k units' token distributions, in [0, 1].

    Parameters
    ----------
    counts : array_like, shape (k, v)
        How often each unit uses each type.
    weights : array_like, shape (k,), optional
        Non-negative; divided by their sum. Uniform by default, so that H(w) = log k.

    Returns
    -------
    float
        0 for disjoint vocabularies, 1 for equal distributions. NaN if a unit is empty or if H(w)
        is zero (one unit, or all the weight on one), where the ratio is undefined.

    Raises
    ------
    ValueError
        If an argument has the wrong shape or sign.
    """
    table = _matrix(counts, "counts")
    w = _weights(weights, len(table))
    totals = table.sum(axis=1)
    bound = float(entropy(w))
    if bound <= 0.0 or (totals == 0.0).any():
        return float("nan")
    return float(np.clip(1.0 - _jsd(table / totals[:, None], w) / bound, 0.0, 1.0))


def _indexed(units: Sequence[npt.ArrayLike]) -> tuple[IntArray, IntArray, int]:
    """All tokens as indices into the units' own vocabulary, the units' lengths, and its size."""
    arrays = [np.asarray(unit, dtype=np.int64).ravel() for unit in units]
    lengths = np.array([array.size for array in arrays], dtype=np.intp)
    if not lengths.sum():
        return np.empty(0, dtype=np.intp), lengths, 0
    types, tokens = np.unique(np.concatenate(arrays), return_inverse=True)
    return tokens.astype(np.intp, copy=False), lengths, types.size


def _counts(tokens: IntArray, lengths: IntArray, types: int) -> IntArray:
    cells = np.repeat(np.arange(lengths.size) * types, lengths) + tokens
    return np.bincount(cells, minlength=lengths.size * types).reshape(lengths.size, types)


def count_matrix(units: Sequence[npt.ArrayLike]) -> npt.NDArray[np.intp]:
    """Counts of each type in each unit, over the vocabulary that the units use between them.

    Parameters
    ----------
    units : sequence of k integer arrays
        Token ids, in any order.

    Returns
    -------
    ndarray of int, shape (k, v)
        Columns in ascending order of token id; v = 0 if no unit has a token.
    """
    return _counts(*_indexed(units))


def pairwise_jsd(counts: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Jensen-Shannon divergence of every two units, divided by log 2 and so in [0, 1].

    Parameters
    ----------
    counts : array_like, shape (k, v)
        How often each unit uses each type.

    Returns
    -------
    ndarray, shape (k, k)
        Symmetric with a zero diagonal; NaN wherever a unit is empty.
    """
    table = _matrix(counts, "counts")
    k = len(table)
    totals = table.sum(axis=1)
    p = table / np.where(totals > 0.0, totals, 1.0)[:, None]
    own = entropy(p)
    result = np.zeros((k, k))
    for i in range(k - 1):
        # A row at a time: all pairs at once would hold k * k * v numbers.
        divergence = entropy((p[i] + p[i + 1 :]) / 2.0) - (own[i] + own[i + 1 :]) / 2.0
        result[i, i + 1 :] = result[i + 1 :, i] = np.clip(divergence / np.log(2.0), 0.0, 1.0)
    empty = totals == 0.0
    result[empty] = result[:, empty] = np.nan
    return result


@dataclass(frozen=True)
class LexicalMeasures:
    """Lexical similarity of a session's units; see :func:`lexical_measures`.

    Attributes
    ----------
    plain : float
        S_lex of the units as they are.
    matched : float
        Mean S_lex of the units cut at random to one length.
    null : float
        Mean S_lex when the session's tokens are shuffled over its units.
    excess : float
        ``plain - null``: below zero where units differ more than their lengths make them.
    tokens, types : int
        Size of the session and of its vocabulary.
    pairwise_mean : float
        Mean over the pairs of units of 1 - JSD / log 2.
    """

    plain: float
    matched: float
    null: float
    excess: float
    tokens: int
    types: int
    pairwise_mean: float


def lexical_measures(
    units: Sequence[npt.ArrayLike], *, depth: int, repetitions: int, rng: np.random.Generator
) -> LexicalMeasures:
    """Lexical similarity of k units, plain, matched for length, and against a shuffle null.

    Parameters
    ----------
    units : sequence of k integer arrays
        Token ids of each turn, speaker or side.
    depth : int
        Tokens that every unit is rarefied to, drawn without replacement; a shorter unit keeps all.
    repetitions : int
        Rarefactions, and shuffles, that are averaged over.
    rng : numpy.random.Generator
        Source of both; the null is drawn first and does not change with `depth`.

    Returns
    -------
    LexicalMeasures
        With uniform weights. Every float is NaN if there are fewer than two units or one is empty.

    Raises
    ------
    ValueError
        If `depth` or `repetitions` is below 1.

    Notes
    -----
    Longer samples from one source share more of their types, so that S_lex rises with length alone.
    Rarefaction holds length constant; the null holds the lengths and the pooled tokens.
    """
    if depth < 1 or repetitions < 1:
        raise ValueError(f"depth {depth} and repetitions {repetitions}: both must be at least 1.")
    tokens, lengths, types = _indexed(units)
    if lengths.size < 2 or (lengths == 0).any():
        nan = float("nan")
        return LexicalMeasures(nan, nan, nan, nan, tokens.size, types, nan)
    counts = _counts(tokens, lengths, types)
    plain = lexical_similarity(counts)
    shuffled = rng.permuted(np.broadcast_to(tokens, (repetitions, tokens.size)), axis=1)
    null = float(_similarities(shuffled, lengths, types).mean())
    kept = np.minimum(lengths, depth)
    matched = _similarities(_rarefied(tokens, lengths, kept, repetitions, rng), kept, types).mean()
    pairs = 1.0 - pairwise_jsd(counts)[np.triu_indices(lengths.size, 1)]
    return LexicalMeasures(
        plain, float(matched), null, plain - null, tokens.size, types, float(pairs.mean())
    )


def _rarefied(
    tokens: IntArray, lengths: IntArray, kept: IntArray, r: int, rng: np.random.Generator
) -> IntArray:
    """The first `kept` tokens of r random orders of each unit, unit after unit, (r, sum kept)."""
    samples = []
    for unit, size in zip(np.split(tokens, np.cumsum(lengths)[:-1]), kept, strict=True):
        rows = np.broadcast_to(unit, (r, unit.size))
        # A unit that keeps all its tokens needs no draw: their order does not matter.
        samples.append(rows if size == unit.size else rng.permuted(rows, axis=1)[:, :size])
    return np.concatenate(samples, axis=1)


def _similarities(drawn: IntArray, lengths: IntArray, types: int) -> FloatArray:
    """S_lex with uniform weights of each row of tokens, (r, n), cut into units of `lengths`.

    A unit's sum of c log c over its types is the sum of log c over its tokens, c being the count of
    the token's own type; counts are small integers, so their logarithms come from a table.
    """
    k = lengths.size
    offsets = np.repeat(np.arange(k) * types, lengths)
    share = np.repeat(1.0 / (k * lengths), lengths)
    logs = np.log(np.maximum(np.arange(int(lengths.max()) + 1), 1))
    step = max(1, _CELLS // (k * types))
    values = []
    for first in range(0, len(drawn), step):
        rows = drawn[first : first + step]
        r = np.arange(len(rows))[:, None]
        cells = rows + (offsets + r * (k * types))
        counts = np.bincount(cells.ravel(), minlength=len(rows) * k * types)
        within = np.log(lengths).mean() - np.einsum("rn,n->r", logs[counts[cells]], share)
        masses = np.broadcast_to(share, rows.shape).ravel()
        pooled = np.bincount((rows + r * types).ravel(), masses, minlength=len(rows) * types)
        values.append(entropy(pooled.reshape(-1, types)) - within)
    return np.asarray(np.clip(1.0 - np.concatenate(values) / np.log(k), 0.0, 1.0))
