"""Sets of things that cannot be told apart: what pairwise tests leave together.

"Not told apart" is not transitive: A may be like B, and B like C, while A and C differ. So the sets
may overlap. They are the largest in which no two are told apart, found by inserting and absorbing
(Piepho 2004, Journal of Computational and Graphical Statistics 13:456-466).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from string import ascii_lowercase

import numpy as np
import numpy.typing as npt
from scipy import stats

from dissensus.stats.multiplicity import adjust

Pair = tuple[str, str]


def tied_sets(names: Sequence[str], apart: Iterable[Pair]) -> list[tuple[str, ...]]:
    """The largest sets of which no two are told apart, in the order of their first members.

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


def _p_value(
    values: npt.NDArray[np.float64], se: npt.NDArray[np.float64], df: npt.NDArray[np.float64]
) -> float:
    variance = se**2
    total = float(variance.sum())
    gap = abs(float(values[0] - values[1]))
    if total == 0.0:
        return float(gap == 0.0)
    welch = total**2 / float((variance**2 / df).sum())
    return float(2 * stats.t.sf(gap / total**0.5, welch))
