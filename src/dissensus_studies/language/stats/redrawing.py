"""Group comparisons by drawing the random assignment again.

Both tests keep the outcomes, as under the sharp null, and ask how often a fresh draw of the labels
from the actual mechanism does what the observed draw did (Fisher 1935; Rosenbaum 2002, section
2.4). A mechanism that draws each label independently may leave groups empty or of size one; both
statistics are defined there.

The F test has k - 1 and n - k df over the k groups that are present. A draw with a single group
has F = 0, one without variance within groups an infinite F.

The picked pair, of the largest and the smallest mean, is compared with the largest difference of
any pair in each draw, in pooled standard errors (Westfall & Young 1993, section 2.6; the statistic
of Tukey and Kramer). That is never below the same pair's, so the test is valid and somewhat
conservative. The pooled variance, unlike Welch's, is defined for groups of size one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray, IntArray, as_sample, check_count
from dissensus.stats.results import NAN, RandomisationTest, monte_carlo

#: From a generator and a size to that many fresh assignments: labels of shape (size, n), whole
#: numbers of a small range.
Redraw = Callable[[np.random.Generator, int], IntArray]

_CELLS = 200_000  # labels drawn at a time: few enough for the cache
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class RangeTest:
    """The largest against the smallest group mean, allowing for their having been picked.

    Attributes
    ----------
    largest, smallest : labels of the groups with the largest and the smallest mean.
    difference : largest mean minus smallest, in the unit of the values.
    test : its statistic is the difference over its standard error with the pooled variance.
    """

    largest: int
    smallest: int
    difference: float
    test: RandomisationTest


def redrawn_comparison(
    values: npt.ArrayLike,
    labels: IntArray,
    redraw: Redraw,
    *,
    permutations: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> tuple[RandomisationTest, RangeTest]:
    """Two tests of equal group means: the F test, and the picked pair of groups.

    Parameters
    ----------
    values : shape (n,); outcomes.
    labels : shape (n,); observed groups, at least 2 of them.
    redraw : the assignment mechanism; it may use labels that were never observed.
    permutations : assignments m that are drawn.
    seed : source of the assignments.

    Returns
    -------
    Both with a NaN statistic and p = 1 where all values are the same.

    Raises
    ------
    ValueError : unusable values or labels, one observed group or only groups of size one, or a
        redraw of the wrong shape.
    """
    sample = as_sample(values, "values", 3)
    names, codes = _observed(labels, sample.size)
    check_count(permutations, "permutations")
    sums, sizes = _group_sums(sample, codes[None], names.size)
    means = sums[0] / sizes[0]
    top, bottom = int(means.argmax()), int(means.argmin())
    pair = int(names[top]), int(names[bottom])
    if np.ptp(sample) == 0.0:
        nothing = RandomisationTest(NAN, 1.0, permutations, False, 0.0)
        return nothing, RangeTest(*pair, 0.0, nothing)
    centred = (sample - sample.mean()) / np.ptp(sample)
    sums, sizes = _group_sums(centred, codes[None], names.size)
    f = float(_f_statistics(sums, sizes, centred)[0])
    apart = float(_pair_statistics(sums, sizes, centred)[0, top, bottom])
    larger = farther = 0
    step = max(1, _CELLS // max(sample.size, names.size**2))
    for drawn, k in _assignments(redraw, sample.size, permutations, step, seed):
        sums, sizes = _group_sums(centred, drawn, k)
        larger += int((_f_statistics(sums, sizes, centred) >= f * (1.0 - _TIE)).sum())
        widest = _pair_statistics(sums, sizes, centred).max(axis=(1, 2))
        farther += int((widest >= apart * (1.0 - _TIE)).sum())
    difference = float(means[top] - means[bottom])
    gap = RangeTest(*pair, difference, monte_carlo(apart, farther, permutations))
    return monte_carlo(f, larger, permutations), gap


def _observed(labels: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """The labels that occur, and of each value the position of its label among them."""
    array = np.asarray(labels)
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
    redraw: Redraw, n: int, total: int, step: int, seed: int | np.random.Generator
) -> Iterator[tuple[IntArray, int]]:
    """Fresh group codes from 0, (size, n) at a time, with the number of groups among them."""
    rng = np.random.default_rng(seed)
    for start in range(0, total, step):
        size = min(step, total - start)
        drawn = redraw(rng, size)
        if drawn.shape != (size, n):
            raise ValueError(f"redraw returned shape {drawn.shape}; return labels ({size}, {n}).")
        # Counting the labels costs a tenth of sorting a million of them.
        shifted = drawn - drawn.min()
        present = np.bincount(shifted.ravel()) > 0
        yield (np.cumsum(present) - 1)[shifted], int(present.sum())


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
