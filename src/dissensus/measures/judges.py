"""Measures of judges: how far they agree, and how many independent ones they are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dissensus.stats.agreement import nominal_alpha
from dissensus.stats.results import NAN


def effective_number(ratings: npt.ArrayLike) -> float:
    """How many independent judges some judges are worth who tend to err alike.

    k / (1 + (k - 1) r), with r the mean correlation of two judges. Of judges who rate as one it is
    1, of independent ones k, and more where they offset each other.

    Parameters
    ----------
    ratings : items x judges; errors where the truth is known, so that its variation is no
        agreement. NaN for a rating that is missing.

    Returns
    -------
    NaN where no two judges have varied over the same items, or where 1 + (k - 1) r is 0 or less.

    Raises
    ------
    ValueError : it is no table of at least two judges.

    References
    ----------
    Kish 1965, Survey Sampling, section 5.4: the design effect of clusters, here of an item.
    """
    table = _table(ratings)
    judges = table.shape[1]
    correlations = []
    for judge in range(judges):
        for other in range(judge + 1, judges):
            both = table[:, [judge, other]]
            both = both[~np.isnan(both).any(axis=1)]
            if len(both) > 1 and (both.std(axis=0) > 0).all():
                correlations.append(float(np.corrcoef(both.T)[0, 1]))
    if not correlations:
        return NAN
    spread = 1 + (judges - 1) * float(np.mean(correlations))
    return judges / spread if spread > 1e-9 else NAN


def effective_sample(weights: npt.ArrayLike) -> float:
    """How many equal votes or cases weighted ones are worth: (sum w)^2 / sum w^2.

    Parameters
    ----------
    weights : at least 0, one of them more.

    Raises
    ------
    ValueError : there is another weight, or none above 0.

    References
    ----------
    Kish 1965, Survey Sampling, section 11.7.
    """
    given = np.asarray(weights, dtype=float).ravel()
    if not (given >= 0).all() or not given.sum() > 0:
        raise ValueError("weights must be numbers of at least 0, of which one is more")
    return float(given.sum() ** 2 / (given**2).sum())


def agreement(votes: Sequence[Sequence[Any]]) -> dict[str, float]:
    """How far judges agree in what they name, beyond what chance makes.

    Parameters
    ----------
    votes : of every item, what each judge names; None where a judge names nothing. Items with
        fewer than two votes count nowhere.

    Returns
    -------
    ``share``, of pairs of judges who name the same; ``alpha``, Krippendorff's for names; ``ac1``,
    Gwet's. NaN without an item that two judge, and alpha also where all name one thing.

    References
    ----------
    Krippendorff 2011, Computing Krippendorff's alpha-reliability; Gwet 2008, British Journal of
    Mathematical and Statistical Psychology 61(1).
    """
    named = [[vote for vote in item if vote is not None] for item in votes]
    items = [item for item in named if len(item) > 1]
    names = list(dict.fromkeys(vote for item in items for vote in item))
    if not items:
        return dict.fromkeys(("share", "alpha", "ac1"), NAN)
    counts = np.array([[item.count(name) for name in names] for item in items])
    voters = counts.sum(axis=1)
    pairs = (counts * (counts - 1)).sum(axis=1) / (voters * (voters - 1))
    shares = (counts / voters[:, None]).mean(axis=0)
    # Of one name, chance names it always, and nobody can be told from it.
    gwet = float((shares * (1 - shares)).sum() / (len(names) - 1)) if len(names) > 1 else 0.0
    share = float(pairs.mean())
    return {
        "share": share,
        "alpha": nominal_alpha(counts, resamples=1).value,
        "ac1": (share - gwet) / (1 - gwet),
    }


def _table(ratings: npt.ArrayLike) -> npt.NDArray[np.float64]:
    table = np.asarray(ratings, dtype=float)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(
            f"ratings has the shape {table.shape}; it must be items x judges, of 2 or more judges"
        )
    return table
