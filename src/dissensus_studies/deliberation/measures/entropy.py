"""Entropy of the panel over the rounds: how much disagreement is left, and whether it collapsed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Bits below which there is nothing to lose.
_NOTHING = 1e-9


def miller_madow(probabilities: ArrayLike) -> float:
    """What the plug-in entropy of a mean stance misses on average, in bits.

    Parameters
    ----------
    probabilities : shape (N, K); a distribution over K options for each of N agents.

    Returns
    -------
    sum_k v_k / (2 N m_k ln 2), with m_k and v_k the mean and the variance of option k between
    agents. Where every agent is certain of one option this is the term of Miller (1955, in
    Quastler, Information Theory in Psychology), (m - 1) / (2 N ln 2) with m the options that anyone
    takes; where agents spread their belief there is less to correct, and none where all say the
    same. The extension to distributions is the project's.
    """
    p: NDArray[np.float64] = np.asarray(probabilities, dtype=np.float64)
    means = p.mean(axis=0)
    possible = means > 0.0
    ratios = p.var(axis=0)[possible] / means[possible]
    return float(ratios.sum()) / (2.0 * len(p) * float(np.log(2.0)))


def retention(js: Sequence[float | None]) -> list[float | None]:
    """JS divergence of each round over that of the first; None where the first has none."""
    first = js[0] if js else None
    if first is None or first <= _NOTHING:
        return [None] * len(js)
    return [None if value is None else value / first for value in js]


def alert(kept: float | None, thresholds: Sequence[float]) -> str:
    """The lowest threshold that a retention is below, as text; "" where it is below none."""
    below = [] if kept is None else [level for level in thresholds if kept < level]
    return f"{min(below):g}" if below else ""


@dataclass(frozen=True)
class Collapse:
    """When entropy collapsed, None where it did not; and whether that was premature.

    ``premature`` is None without a collapse, or where the evidence of that round cannot be compared
    with that of the round before.
    """

    round: int | None = None
    premature: bool | None = None


def collapse(
    entropies: Sequence[float | None], overlaps: Sequence[float | None], fraction: float
) -> Collapse:
    """The first round whose entropy is at most a fraction of the first round's.

    Parameters
    ----------
    entropies : H_t of each round, bits.
    overlaps : overlap of the evidence that agents cite, each round.
    fraction : of the first round's entropy; a panel that begins agreed cannot collapse.

    Returns
    -------
    Premature where the overlap of evidence had fallen from the round before: the agents agreed more
    and shared less to agree on.
    """
    first = entropies[0] if entropies else None
    if first is None or first <= _NOTHING:
        return Collapse()
    for index, value in enumerate(entropies[1:], start=1):
        if value is not None and value <= fraction * first:
            before, now = overlaps[index - 1], overlaps[index]
            both = before is not None and now is not None
            return Collapse(index + 1, now < before if both else None)  # type: ignore[operator]
    return Collapse()
