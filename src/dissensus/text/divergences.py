"""Lexical similarity of token distributions, and what length does to it.

No smoothing anywhere: a token that a unit does not use has probability zero, and 0 log 0 = 0.
Reductions are numpy's own and never BLAS's, so that results do not depend on a machine's cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.text.entropies import FloatArray, as_counts, entropy, generalised_jsd, xlogx

IntArray = npt.NDArray[np.intp]

# Cells of repetition x unit x type counted at once: arrays of this size stay in the cache, while
# those of all repetitions at once would be new pages from the system at every call.
_CELLS = 32_000


def lexical_similarity(counts: npt.ArrayLike) -> float:
    """S_lex = 1 - JSD / log k of k units' token distributions, in [0, 1].

    Parameters
    ----------
    counts : shape (k, v); how often each unit uses each type.

    Returns
    -------
    0 for disjoint vocabularies, 1 for equal distributions. NaN if there is one unit only or if a
    unit is empty, where the ratio is undefined.

    Raises
    ------
    ValueError : an argument has the wrong shape or sign.
    """
    table = as_counts(counts, "counts")
    totals, k = table.sum(axis=1), len(table)
    if k < 2 or (totals == 0.0).any():
        return float("nan")
    bound = float(entropy(np.full(k, 1.0 / k)))
    return float(np.clip(1.0 - generalised_jsd(table / totals[:, None]) / bound, 0.0, 1.0))


def _indexed(units: Sequence[npt.ArrayLike]) -> tuple[IntArray, IntArray, int]:
    """All tokens as indices into the units' own vocabulary, the units' lengths, and its size."""
    arrays = [np.asarray(unit, dtype=np.int64).ravel() for unit in units]
    lengths = np.array([array.size for array in arrays], dtype=np.intp)
    if not lengths.sum():
        return np.empty(0, dtype=np.intp), lengths, 0
    types, tokens = np.unique(np.concatenate(arrays), return_inverse=True)
    return tokens.astype(np.intp, copy=False), lengths, types.size


def _counts(tokens: IntArray, sizes: IntArray, types: int) -> IntArray:
    """Counts of each type, (k, types); units have so many of the tokens, one after the other."""
    cells = np.repeat(np.arange(sizes.size) * types, sizes) + tokens
    return np.bincount(cells, minlength=sizes.size * types).reshape(sizes.size, types)


@dataclass(frozen=True)
class LexicalMeasures:
    """Lexical similarity of a session's units; see :func:`grouped_measures`.

    Attributes
    ----------
    plain : S_lex of the units as they are.
    matched : mean S_lex of the units cut at random to one length.
    null : mean S_lex when the session's tokens are shuffled over its units.
    excess : ``plain - null``: below zero where units differ more than their lengths make them.
    tokens, types : size of the session and of its vocabulary.
    """

    plain: float
    matched: float
    null: float
    excess: float
    tokens: int
    types: int


def plain_similarity(pieces: Sequence[npt.ArrayLike], labels: Sequence[int]) -> float:
    """S_lex of the units that pieces make up, as they are.

    Parameters
    ----------
    pieces : m integer arrays, token ids of each turn.
    labels : m ints, the unit of every piece, numbered from 0 without a gap.

    Returns
    -------
    As :func:`lexical_similarity`.
    """
    tokens, lengths, types = _indexed(pieces)
    sizes = np.bincount(labels, lengths).astype(np.intp)
    order = np.argsort(np.repeat(labels, lengths), kind="stable")
    return lexical_similarity(_counts(tokens[order], sizes, types))


def grouped_measures(
    pieces: Sequence[npt.ArrayLike],
    groupings: Sequence[Sequence[int]],
    *,
    depths: Sequence[int],
    repetitions: int,
    rng: np.random.Generator,
) -> list[LexicalMeasures]:
    """Lexical similarity of units, plain, matched for length, and against a shuffle null.

    Parameters
    ----------
    pieces : sequence of m integer arrays
        Token ids of each turn.
    groupings : sequence of g sequences of m ints
        Of each grouping the unit of every piece, numbered from 0 without a gap.
    depths : sequence of g ints
        Of each grouping the tokens that every unit is rarefied to, drawn without replacement; a
        shorter unit keeps all.
    repetitions : int
        Rarefactions, and shuffles, that are averaged over.
    rng : numpy.random.Generator
        Source of both; the null does not change with `depths`. Groupings share the numbers.

    Returns
    -------
    Every float is NaN if there are fewer than two units or one is empty.

    Raises
    ------
    ValueError : a depth or `repetitions` is below 1.

    Notes
    -----
    Longer samples from one source share more of their types, so that S_lex rises with length alone.
    Rarefaction holds length constant; the null holds the lengths and the pooled tokens.
    """
    if min(depths) < 1 or repetitions < 1:
        raise ValueError(
            f"depth {min(depths)} and repetitions {repetitions}: both must be at least 1."
        )
    tokens, lengths, types = _indexed(pieces)
    codes, width = _renumbered(tokens, types)
    shuffled = rng.permuted(np.broadcast_to(codes, (repetitions, codes.size)), axis=1)
    keys = rng.random(shuffled.shape)
    measures = []
    for labels, depth in zip(groupings, depths, strict=True):
        sizes = np.bincount(labels, lengths).astype(np.intp)
        plain = null = matched = float("nan")
        if sizes.size > 1 and (sizes > 0).all():
            order = np.argsort(np.repeat(labels, lengths), kind="stable")
            plain = lexical_similarity(_counts(tokens[order], sizes, types))
            null = float(_similarities(shuffled, sizes, sizes, width).mean())
            kept, cut = _rarefied(keys, sizes, depth), np.minimum(sizes, depth)
            codes_of = np.broadcast_to(codes[order], keys.shape)
            matched = float(_similarities(codes_of, sizes, cut, width, kept).mean())
        measures.append(LexicalMeasures(plain, matched, null, plain - null, tokens.size, types))
    return measures


def _renumbered(tokens: IntArray, types: int) -> tuple[IntArray, int]:
    """The tokens with types that occur twice or more numbered from 1, all others being 0.

    A type that occurs once adds 1 log 1 = 0 to its unit's sum, and to the pool's sum the same term
    as every other such type. So all of them, half of a vocabulary, are counted in one column.
    """
    often = np.bincount(tokens, minlength=types) > 1
    return np.where(often, np.cumsum(often), 0)[tokens], int(often.sum()) + 1


def _rarefied(keys: FloatArray, sizes: IntArray, depth: int) -> npt.NDArray[np.bool_]:
    """Which tokens each unit keeps: those with its `depth` least keys, or all; shaped as `keys`."""
    kept = np.ones(keys.shape, dtype=np.bool_)
    for end, size in zip(np.cumsum(sizes), sizes, strict=True):
        if size > depth:
            drawn = keys[:, end - size : end]
            limits = np.partition(drawn, depth - 1, axis=1)[:, depth - 1, None]
            kept[:, end - size : end] = drawn <= limits
    return kept


def _similarities(
    drawn: IntArray,
    sizes: IntArray,
    cut: IntArray,
    width: int,
    kept: npt.NDArray[np.bool_] | None = None,
) -> FloatArray:
    """S_lex with uniform weights of each row of codes, (r, n), in units of `sizes`, (k,).

    Of each unit `cut` tokens count, those `kept`, or all. Counts are small integers, so that their
    logarithms come from a table.
    """
    k = sizes.size
    units, share = np.repeat(np.arange(k), sizes), 1.0 / (k * cut)
    table = xlogx(np.arange(int(cut.max()) + 1, dtype=np.float64))
    step = max(1, _CELLS // (k * width))
    values = []
    for first in range(0, len(drawn), step):
        rows = drawn[first : first + step]
        cells = rows + (units + k * np.arange(len(rows))[:, None]) * width
        chosen = cells.ravel() if kept is None else cells[kept[first : first + step]]
        counts = np.bincount(chosen, minlength=len(rows) * k * width).reshape(-1, k, width)
        logs = table[counts]
        logs[:, :, 0] = 0.0
        within = np.log(cut).mean() - (logs.sum(axis=2) * share).sum(axis=1)
        pooled = np.einsum("rkv,k->rv", counts, share)
        once = (counts[:, :, 0] * xlogx(share)).sum(axis=1)
        values.append(entropy(pooled[:, 1:]) - once - within)
    return np.asarray(np.clip(1.0 - np.concatenate(values) / np.log(k), 0.0, 1.0))
