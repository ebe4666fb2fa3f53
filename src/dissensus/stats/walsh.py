"""Order statistics of Walsh averages without computing all of them, and the signed-rank null.

The n(n + 1)/2 Walsh averages (d_i + d_j)/2, i <= j, number 12.5 million at n = 5,000. What is
wanted of them is one to four order statistics, so the value axis is bisected by counting, as in
Monahan (1984, ACM TOMS 10:265-270), until few candidates are left to sort.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray

_CANDIDATES = 200_000
_BISECTIONS = 200


def walsh_order_statistic(ordered: FloatArray, rank: int) -> float:
    """The Walsh average of 1-based `rank` in ascending order.

    Parameters
    ----------
    ordered : shape (n,); the sample in ascending order.
    rank : from 1 to n(n + 1)/2.

    Notes
    -----
    For each i the partners j >= i whose average is at most v are a run of indices found by
    binary search, so a count costs O(n log n), and at most 200,000 averages are in memory.
    """
    rows = np.arange(ordered.size)
    # below[i] .. above[i] is the run of partners still in the window (low, high].
    below, above = rows.copy(), np.full(ordered.size, ordered.size)
    low, high = float(ordered[0]), float(ordered[-1])
    for _ in range(_BISECTIONS):
        if int((above - below).sum()) <= _CANDIDATES:
            break
        middle = low + (high - low) / 2.0
        if not low < middle < high:
            # Neighbouring floats: every candidate left is one value, give or take an ulp.
            return high if rank > int((below - rows).sum()) else low
        cut = np.maximum(np.searchsorted(ordered, 2.0 * middle - ordered, side="right"), rows)
        if int((cut - rows).sum()) >= rank:
            high, above = middle, cut
        else:
            low, below = middle, cut
    lengths = above - below
    first = np.repeat(rows, lengths)
    run_start = np.repeat(np.cumsum(lengths) - lengths, lengths)
    second = np.arange(first.size) - run_start + np.repeat(below, lengths)
    candidates = (ordered[first] + ordered[second]) / 2.0
    wanted = rank - int((below - rows).sum()) - 1
    return float(np.partition(candidates, wanted)[wanted])


def signed_rank_cdf(n: int) -> npt.NDArray[np.float64]:
    """P(W+ <= w) for w = 0..n(n + 1)/2 under the null, no ties: the exact distribution.

    Adds rank after rank, each with sign plus or minus at probability one half (Hollander, Wolfe
    & Chicken 2014, section 3.1). Costs O(n^3); meant for n up to a few hundred.
    """
    mass = np.zeros(n * (n + 1) // 2 + 1)
    mass[0] = 1.0
    for rank in range(1, n + 1):
        shifted = np.zeros_like(mass)
        shifted[rank:] = mass[:-rank]
        mass = 0.5 * (mass + shifted)
    return np.cumsum(mass)
