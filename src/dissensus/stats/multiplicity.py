"""Several tests at once: adjusted p-values, what they tell apart, and a specification curve's.

Specifications share their data, so their p-values cannot be counted as if independent. Flipping
whole rows keeps their dependence: under the sharp null of no effect on any pair in any
specification every flipped matrix is as likely as the observed one (Simonsohn, Simmons & Nelson
2020, Nature Human Behaviour 4:1208-1214, the under-the-null variant of their joint test). Rows of
a cluster are flipped together, so that an effect that varies over clusters about zero is no effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from dissensus.stats.checks import FloatArray, as_codes, check_count, check_level

_CELLS = 500_000  # signs at a time, few enough for the cache
_TIE = 1e-9

Adjustment = Literal["bh", "by", "holm"]
#: Two things, by their names.
Pair = tuple[str, str]


def adjust(p_values: npt.ArrayLike, method: Adjustment) -> FloatArray:
    """Adjusted p-values; NaN stays NaN and does not count as a test.

    Parameters
    ----------
    p_values : shape (m,); from 0 to 1, or NaN where a test was not defined. May be empty.
    method : {'bh', 'by', 'holm'}; false discovery rate under independence or positive dependence
        (Benjamini & Hochberg 1995), under any dependence (Benjamini & Yekutieli 2001), or
        family-wise error (Holm 1979).

    Returns
    -------
    Shape (m,). In the order of the input.

    Raises
    ------
    ValueError : an unknown method, more than one dimension or a value outside 0 to 1.
    """
    if method not in ("bh", "by", "holm"):
        raise ValueError(f"method is {method!r}; pass 'bh', 'by' or 'holm'.")
    raw = np.asarray(p_values, dtype=np.float64)
    if raw.ndim != 1:
        raise ValueError(f"p_values has shape {raw.shape}; pass a one-dimensional array.")
    defined = ~np.isnan(raw)
    outside = raw[defined & ~((raw >= 0.0) & (raw <= 1.0))]
    if outside.size:
        raise ValueError(f"p_values holds {outside[0]}; p-values lie between 0 and 1.")
    adjusted = np.full(raw.shape, np.nan)
    if not defined.any():
        return adjusted
    if method == "holm":
        # Two lines, where statsmodels takes two seconds to import and 50 ms a call.
        order = np.flatnonzero(defined)[np.argsort(raw[defined], kind="stable")]
        steps = np.arange(order.size, 0, -1) * raw[order]
        adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    else:
        adjusted[defined] = stats.false_discovery_control(raw[defined], method=method)
    return adjusted


@dataclass(frozen=True, slots=True)
class JointTest:
    """Three summaries of a specification curve, each against its row-flip distribution.

    Attributes
    ----------
    median : median over specifications of the mean difference; p two-sided.
    share_significant : share of specifications with a positive mean and two-sided t p-value below
        alpha; p one-sided, for a share as large.
    stouffer : sum of the specifications' z over the root of their number; p two-sided.
    p_median, p_share, p_stouffer : (b + 1)/(m + 1) over m flips.
    """

    median: float
    share_significant: float
    stouffer: float
    p_median: float
    p_share: float
    p_stouffer: float


def joint_permutation(
    differences: npt.ArrayLike,
    clusters: npt.ArrayLike | None = None,
    *,
    alpha: float = 0.05,
    flips: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> JointTest:
    """Joint sign-flip test of a specification curve.

    Parameters
    ----------
    differences : shape (n, k); paired difference of each pair in each specification, NaN where a
        specification does not have the pair. The median compares columns, so give them one unit
        (such as SDs).
    clusters : shape (n,); labels of rows that are flipped together; None for each alone.
    alpha : level of the single specifications' t tests.
    flips : random sign patterns, each applied to whole rows or clusters of them.
    seed : source of the patterns.

    Raises
    ------
    ValueError : another shape, infinite values, fewer than 2 clusters or a column with fewer than 2
        pairs.
    """
    matrix, counts = _matrix(differences)
    check_level(alpha, "alpha")
    check_count(flips, "flips")
    filled = np.where(np.isnan(matrix), 0.0, matrix)
    # Squares do not change with a sign, so that each flip needs the column sums alone.
    squares = np.einsum("nk,nk->k", filled, filled)
    observed = _summaries(filled.sum(axis=0)[None], squares, counts, alpha)[:, 0]
    units = filled if clusters is None else _sums(filled, clusters)
    n, k = units.shape
    rng = np.random.default_rng(seed)
    slack = _TIE * np.array(
        [max(filled.max(), -filled.min()), 1.0, max(1.0, abs(float(observed[2])))]
    )
    threshold = np.abs(observed) - slack
    extreme = np.zeros(3, dtype=np.int64)
    # Signs come four to a word: in whole words, they do not depend on the step.
    step = max(4, _CELLS // max(n, k) // 4 * 4)
    for start in range(0, flips, step):
        size = min(step, flips - start)
        signs = rng.integers(0, 2, size=(size, n), dtype=np.int8) * 2.0 - 1.0
        flipped = _summaries(signs @ units, squares, counts, alpha)
        extreme += (np.abs(flipped) >= threshold[:, None]).sum(axis=1)
    p_values = (extreme + 1) / (flips + 1)
    median, share, stouffer = (float(value) for value in observed)
    p_median, p_share, p_stouffer = (float(value) for value in p_values)
    return JointTest(median, share, stouffer, p_median, p_share, p_stouffer)


def _sums(rows: FloatArray, clusters: npt.ArrayLike) -> FloatArray:
    """Sums of the rows of each cluster, shape (clusters, k)."""
    codes = as_codes(clusters, len(rows), "clusters")
    count = int(codes.max()) + 1
    if count < 2:
        raise ValueError("clusters holds 1 distinct label; at least 2 clusters are needed.")
    sums = np.zeros((count, rows.shape[1]))
    np.add.at(sums, codes, rows)
    return sums


def _summaries(
    sums: FloatArray, squares: FloatArray, counts: FloatArray, alpha: float
) -> FloatArray:
    """Median effect, share significant and positive, Stouffer's z: (3, size) for (size, k)."""
    means = sums / counts
    spread = np.maximum(squares - sums * means, 0.0)
    spread[spread < 1e-12 * squares] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = means / np.sqrt(spread / (counts - 1.0) / counts)
    t[sums == 0.0] = 0.0
    # The floor keeps z finite where a column does not vary and t is infinite.
    tails = np.maximum(special.stdtr(counts - 1.0, -np.abs(t)), 1e-300)
    z = -np.sign(t) * special.ndtri(tails)
    significant = ((t > 0.0) & (2.0 * tails < alpha)).mean(axis=1)
    stouffer = z.sum(axis=1) / np.sqrt(counts.size)
    return np.vstack([np.median(means, axis=1), significant, stouffer])


def _matrix(differences: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The matrix and the pairs present in each column."""
    matrix = np.asarray(differences, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] < 2 or matrix.shape[1] < 1:
        raise ValueError(
            f"differences has shape {matrix.shape}; pass pairs by specifications, at least (2, 1)."
        )
    if np.isinf(matrix).any():
        raise ValueError("differences holds an infinite value; mark missing pairs as NaN.")
    counts = (~np.isnan(matrix)).sum(axis=0).astype(np.float64)
    if counts.min() < 2:
        column = int(counts.argmin())
        raise ValueError(f"differences[:, {column}] has {counts.min():g} pair(s); 2 are needed.")
    return matrix, counts


def tied_sets(names: Sequence[str], apart: Iterable[Pair]) -> list[tuple[str, ...]]:
    """The largest sets of which no two are told apart, in the order of their first members.

    "Not told apart" is not transitive: A may be like B, and B like C, while A and C differ. So the
    sets may overlap. They are found by inserting and absorbing (Piepho 2004, Journal of
    Computational and Graphical Statistics 13:456-466).

    Parameters
    ----------
    names : of all, in the order that sets keep, such as that of their estimates.
    apart : pairs that are told apart.

    Raises
    ------
    ValueError : a name stands twice, or a pair names something else, or one thing twice.
    """
    place = {name: number for number, name in enumerate(names)}
    if len(place) < len(names):
        raise ValueError("two names are the same; give each another")
    sets = [frozenset(names)] if names else []
    for one, other in apart:
        if one not in place or other not in place or one == other:
            raise ValueError(f"({one!r}, {other!r}) is no pair of the names")
        parted = []
        for each in sets:
            parted += [each - {one}, each - {other}] if {one, other} <= each else [each]
        # A set within another says nothing that the other does not.
        unique = set(parted)
        sets = [each for each in unique if not any(each < whole for whole in unique)]
    ordered = [tuple(sorted(each, key=place.__getitem__)) for each in sets]
    return sorted(ordered, key=lambda each: [place[name] for name in each])


def letters(names: Sequence[str], sets: Sequence[Sequence[str]]) -> dict[str, str]:
    """Name -> a letter for each set that it is in: who shares none is told apart.

    Sets beyond the 26th have two letters and a point before them.
    """
    marks = [_mark(number) for number in range(len(sets))]
    return {
        name: "".join(mark for mark, each in zip(marks, sets, strict=True) if name in each)
        for name in names
    }


def _mark(number: int) -> str:
    size = len(ascii_lowercase)
    if number < size:
        return ascii_lowercase[number]
    return f".{ascii_lowercase[number // size - 1]}{ascii_lowercase[number % size]}"


def told_apart(
    names: Sequence[str],
    estimates: npt.ArrayLike,
    errors: npt.ArrayLike,
    df: npt.ArrayLike,
    alpha: float = 0.05,
) -> list[Pair]:
    """Pairs whose estimates differ, by Welch's t tests of all pairs, adjusted by Holm.

    Parameters
    ----------
    names : shape (k,).
    estimates, errors, df : of each, shape (k,): standard errors of 0 or more, and their degrees of
        freedom. They are taken to err independently of each other: where they err alike, too few
        pairs are told apart.
    alpha : family-wise, over all pairs.
    """
    values, se, free = (np.asarray(each, dtype=float) for each in (estimates, errors, df))
    pairs = [*combinations(range(len(names)), 2)]
    p_values = [_p_value(values[[i, j]], se[[i, j]], free[[i, j]]) for i, j in pairs]
    adjusted = adjust(p_values, "holm")
    return [(names[i], names[j]) for (i, j), p in zip(pairs, adjusted, strict=True) if p < alpha]


def _p_value(values: FloatArray, se: FloatArray, df: FloatArray) -> float:
    variance = se**2
    total = float(variance.sum())
    gap = abs(float(values[0] - values[1]))
    if total == 0.0:
        return float(gap == 0.0)
    welch = total**2 / float((variance**2 / df).sum())
    return float(2 * stats.t.sf(gap / total**0.5, welch))
