"""Group comparisons by re-drawing the random assignment that formed the groups.

Both tests hold the outcomes fixed, as under the sharp null, and ask how often a fresh draw of
the labels from the actual mechanism does what the observed draw did (Fisher 1935; Rosenbaum
2002, section 2.4). A mechanism that draws each label independently may leave groups empty or of
size one; both statistics are defined there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray, IntArray, as_sample, check_count
from dissensus.stats.results import NAN, RandomisationTest

Labels = npt.NDArray[Any]
Redraw = Callable[[np.random.Generator, int], Labels]
"""Given a generator and a size, that many fresh assignments: labels of shape (size, n)."""

_CELLS = 200_000  # labels re-drawn at a time: few enough for the cache
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class RangeTest:
    """The largest against the smallest group mean, allowing for their having been picked.

    Attributes
    ----------
    largest, smallest : object
        Labels of the groups with the largest and the smallest mean.
    difference : float
        Largest mean minus smallest, in the unit of the values.
    statistic : float
        The difference over its standard error with the pooled within-group variance.
    p_value, simulation_error : float
        (b + 1)/(m + 1) and its standard error due to simulation.
    redraws : int
        m, the number of re-drawn assignments.
    """

    largest: Any
    smallest: Any
    difference: float
    statistic: float
    p_value: float
    redraws: int
    simulation_error: float


def permutation_f(
    values: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    redraw: Redraw | None = None,
    permutations: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> RandomisationTest:
    """Omnibus F test of equal group means against re-drawn assignments.

    Parameters
    ----------
    values : array_like, shape (n,)
        Outcomes.
    labels : array_like, shape (n,)
        Observed groups, of any sortable type; at least 2 of them.
    redraw : callable, optional
        `redraw(rng, size)` returns labels (size, n) from the assignment mechanism; it may use
        labels that were never observed. Left out, the observed labels are permuted uniformly.
    permutations : int
        Re-draws m; p is (b + 1)/(m + 1).
    seed : int or numpy.random.Generator
        Source of the re-draws.

    Returns
    -------
    RandomisationTest
        `statistic` is F with k - 1 and n - k df over the k groups that are present; a re-draw
        with a single group has F = 0, one without variance within groups an infinite F. NaN
        statistic and p = 1 where all values are the same.

    Raises
    ------
    ValueError
        For unusable values or labels, one observed group or only groups of size one, or a
        redraw of the wrong shape.
    """
    return redrawn_comparison(values, labels, redraw=redraw, permutations=permutations, seed=seed)[
        0
    ]


def largest_minus_smallest(
    values: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    redraw: Redraw | None = None,
    permutations: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> RangeTest:
    """Largest group mean minus smallest, with a p-value that allows for having picked them.

    Parameters
    ----------
    values, labels, redraw, permutations, seed
        As for `permutation_f`.

    Returns
    -------
    RangeTest
        p is the share of re-drawn assignments in which any pair of groups is at least as far
        apart, in pooled standard errors, as the picked pair. NaN statistic and p = 1 where all
        values are the same.

    Raises
    ------
    ValueError
        As for `permutation_f`.

    Notes
    -----
    The maximum studentised difference over all pairs is the reference (Westfall & Young 1993,
    section 2.6; Tukey-Kramer's statistic with its distribution re-drawn). It dominates the
    picked pair in every re-draw, so the test is valid and somewhat conservative. The pooled
    variance, unlike Welch's, is defined for groups of size one.
    """
    return redrawn_comparison(values, labels, redraw=redraw, permutations=permutations, seed=seed)[
        1
    ]


def redrawn_comparison(
    values: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    redraw: Redraw | None = None,
    permutations: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> tuple[RandomisationTest, RangeTest]:
    """`permutation_f` and `largest_minus_smallest` on the same re-drawn assignments.

    Parameters
    ----------
    values, labels, redraw, permutations, seed
        As for `permutation_f`.

    Returns
    -------
    RandomisationTest, RangeTest
        What the two return with the same seed, for the price of one.

    Raises
    ------
    ValueError
        As for `permutation_f`.
    """
    sample = as_sample(values, "values", 3)
    names, codes = _observed(labels, sample.size)
    check_count(permutations, "permutations")
    sums, sizes = _group_sums(sample, codes[None], names.size)
    means = sums[0] / sizes[0]
    top, bottom = int(means.argmax()), int(means.argmin())
    largest, smallest = names[[top, bottom]].tolist()
    if np.ptp(sample) == 0.0:
        return (
            RandomisationTest(NAN, 1.0, permutations, False, 0.0),
            RangeTest(largest, smallest, 0.0, NAN, 1.0, permutations, 0.0),
        )
    centred = (sample - sample.mean()) / np.ptp(sample)
    sums, sizes = _group_sums(centred, codes[None], names.size)
    f = float(_f_statistics(sums, sizes, centred)[0])
    apart = float(_pair_statistics(sums, sizes, centred)[0, top, bottom])
    larger = farther = 0
    for drawn, k in _assignments(names, codes, redraw, permutations, np.random.default_rng(seed)):
        sums, sizes = _group_sums(centred, drawn, k)
        larger += int((_f_statistics(sums, sizes, centred) >= f * (1.0 - _TIE)).sum())
        widest = _pair_statistics(sums, sizes, centred).max(axis=(1, 2))
        farther += int((widest >= apart * (1.0 - _TIE)).sum())
    p_f, error_f = _monte_carlo(larger, permutations)
    p_range, error_range = _monte_carlo(farther, permutations)
    difference = float(means[top] - means[bottom])
    return (
        RandomisationTest(f, p_f, permutations, False, error_f),
        RangeTest(largest, smallest, difference, apart, p_range, permutations, error_range),
    )


def _observed(labels: npt.ArrayLike, n: int) -> tuple[Labels, IntArray]:
    array: Labels = np.asarray(labels)
    if array.shape != (n,):
        raise ValueError(f"labels has shape {array.shape}; pass one label per value, ({n},).")
    names, codes = np.unique(array, return_inverse=True)
    if not 2 <= names.size < n:
        raise ValueError(
            f"labels forms {names.size} group(s) of {n} values; at least 2 groups, not all of "
            "size one, are needed."
        )
    return names, codes.astype(np.int64)


def _assignments(
    names: Labels, codes: IntArray, redraw: Redraw | None, total: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, int]]:
    """Re-drawn group codes (size, n) in chunks, with the number of possible groups."""
    n = codes.size
    step = max(1, _CELLS // max(n, names.size**2))
    for start in range(0, total, step):
        size = min(step, total - start)
        if redraw is None:
            yield rng.permuted(np.broadcast_to(codes, (size, n)), axis=1), names.size
            continue
        drawn = np.asarray(redraw(rng, size))
        if drawn.shape != (size, n):
            raise ValueError(f"redraw returned shape {drawn.shape}; return labels ({size}, {n}).")
        yield _numbered(drawn)


def _numbered(drawn: Labels) -> tuple[IntArray, int]:
    """Labels as numbers from 0 in sorted order, and how many there are."""
    whole = drawn.dtype.kind in "iu"
    low, high = (int(drawn.min()), int(drawn.max())) if whole else (0, drawn.size)
    if high - low >= drawn.size:
        present, inverse = np.unique(drawn, return_inverse=True)
        return inverse.reshape(drawn.shape).astype(np.int64), present.size
    # Whole numbers of a small range are counted: sorting a million costs ten times as much.
    shifted = drawn.astype(np.int64) - low
    present = np.bincount(shifted.ravel(), minlength=high - low + 1) > 0
    return (np.cumsum(present) - 1)[shifted], int(present.sum())


def _group_sums(centred: FloatArray, codes: IntArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Sums and sizes of the k groups in each assignment, (size, k)."""
    size = codes.shape[0]
    flat = (codes + np.arange(size)[:, None] * k).ravel()
    weights = np.broadcast_to(centred, codes.shape).ravel()
    sums = np.bincount(flat, weights=weights, minlength=size * k).reshape(size, k)
    sizes = np.bincount(flat, minlength=size * k).reshape(size, k).astype(np.float64)
    return sums.astype(np.float64), sizes


def _within(sums: FloatArray, sizes: FloatArray, centred: FloatArray) -> tuple[FloatArray, ...]:
    """Between sum of squares, within mean square and groups present, each (size,)."""
    total = float(centred @ centred)
    # An empty group has a sum of 0 and adds nothing, whatever it is divided by.
    between = (sums**2 / np.maximum(sizes, 1.0)).sum(axis=1)
    groups = (sizes > 0).sum(axis=1).astype(np.float64)
    inside = np.where(total - between > 1e-12 * total, total - between, 0.0)
    return between, inside / np.maximum(centred.size - groups, 1.0), groups


def _f_statistics(sums: FloatArray, sizes: FloatArray, centred: FloatArray) -> FloatArray:
    between, within, groups = _within(sums, sizes, centred)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = between / (groups - 1.0) / within
    return np.where(groups > 1, ratio, 0.0)


def _pair_statistics(sums: FloatArray, sizes: FloatArray, centred: FloatArray) -> FloatArray:
    """Absolute pooled t of every pair, (size, k, k); 0 where a group is empty."""
    _, within, _ = _within(sums, sizes, centred)
    with np.errstate(divide="ignore", invalid="ignore"):
        means, inverse = sums / sizes, 1.0 / sizes
        apart = np.abs(means[:, :, None] - means[:, None, :])
        error = np.sqrt(within[:, None, None] * (inverse[:, :, None] + inverse[:, None, :]))
        statistics = apart / error
    # Empty groups give NaN, as does a group against itself where nothing varies within.
    return np.where(np.isnan(statistics), 0.0, statistics)


def _monte_carlo(extreme: int, total: int) -> tuple[float, float]:
    p_value = (extreme + 1) / (total + 1)
    return p_value, float(np.sqrt(p_value * (1.0 - p_value) / total))
