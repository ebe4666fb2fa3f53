"""Shares of cases that come in clusters, such as claims in debates or debates in draws.

The cases of a cluster stand and fall together, so that intervals resample whole clusters: draws,
with a debate in every arm, those of a motion and epoch among themselves. The design fixes how many
debates there are of each motion, epoch and arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from dissensus.design.contrasts import Row, defined
from dissensus.stats.balance import clopper_pearson
from dissensus.stats.checks import FloatArray
from dissensus.stats.ratios import percentile_intervals, ratios_of_sums
from dissensus.stats.results import NAN
from dissensus.stats.shares import on_logits

from ..tables import EXACT, LOGIT

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Resamples:
    """Clusters by name, and how often each resample draws each, shape (resamples, clusters).

    ``draws`` has the draw of each cluster: clusters of one draw come up together. ``strata``
    has that within which its draws are resampled.
    """

    clusters: list[str]
    draws: list[str]
    strata: list[int]
    weights: FloatArray

    @classmethod
    def of(
        cls,
        cases: pd.DataFrame,
        cluster: str,
        draw: str,
        resamples: int,
        rng: np.random.Generator,
    ) -> Resamples:
        """Resample the draws of some cases, those of a motion and epoch among themselves.

        Clusters of one draw come up together. Of n draws n - 1 are drawn, each for n / (n - 1): a
        plain resample of a handful varies too little (Rao & Wu 1988, *Journal of the American
        Statistical Association* 83). Where a
        motion has an epoch with a single draw, its epochs are taken together.

        Parameters
        ----------
        cases : ``motion_id``, ``epoch`` and the columns `cluster` and `draw`.
        cluster : column of what stands and falls together.
        draw : column that tells the draws of a motion and epoch apart.
        """
        clusters = cases[[*dict.fromkeys(("motion_id", "epoch", draw, cluster))]].drop_duplicates()
        names: list[str] = []
        of_draws: list[str] = []
        strata: list[int] = []
        weights = [np.zeros((resamples, 0))]
        for _, of_motion in clusters.groupby("motion_id", sort=True):
            by_epoch = [epoch for _, epoch in of_motion.groupby("epoch", sort=True)]
            is_fixed = min(epoch[draw].nunique() for epoch in by_epoch) > 1
            for stratum in by_epoch if is_fixed else [of_motion]:
                draws = stratum.groupby(["epoch", draw], sort=True).ngroup().to_numpy()
                names += list(stratum[cluster])
                places = zip(stratum["motion_id"], stratum["epoch"], stratum[draw], strict=True)
                of_draws += ["/".join(map(str, place)) for place in places]
                strata += [len(weights)] * len(stratum)
                weights.append(_rescaled(int(draws.max()) + 1, resamples, rng)[:, draws])
        return cls(names, of_draws, strata, np.hstack(weights))


def _rescaled(draws: int, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Weights of one stratum's draws, shape (resamples, draws); a single one has 1."""
    if draws < 2:
        return np.ones((resamples, draws))
    drawn = rng.integers(0, draws, size=(resamples, draws - 1))
    counted = np.zeros((resamples, draws))
    np.add.at(counted, (np.arange(resamples)[:, None], drawn), draws / (draws - 1.0))
    return counted


def shares(
    clusters: pd.Series,
    groups: pd.Series,
    outcomes: pd.Series,
    kinds: Sequence[str],
    drawn: Resamples,
    confidence: float,
) -> dict[tuple[Any, str], Row]:
    """The share of each kind of outcome in each group of cases, with its interval.

    Parameters
    ----------
    clusters, groups, outcomes : of each case, by one index.
    kinds : the outcomes that there may be.
    drawn : resamples of the clusters.
    confidence : level of the intervals.

    Returns
    -------
    (group, kind) -> ``estimate``, ``ci_low``, ``ci_high``, ``method``, ``n`` (cases),
    ``n_clusters`` (clusters with a case of the group), ``count`` (cases of the kind), ``note``.

    Notes
    -----
    Student's intervals on the logit scale (:func:`dissensus.stats.shares.on_logits`), with the
    standard error of a ratio of sums over resampled clusters (:mod:`dissensus.stats.ratios`), and
    as many degrees of freedom as draws with a case less their strata: percentiles of the resamples
    are too narrow for few draws. Where all cases of a group have one outcome, resamples do not
    differ; the interval is then that of Clopper and Pearson with the draws as trials, which is
    wide enough however much the debates of a draw are alike. A single cluster or draw has none.
    """
    counts = pd.crosstab(clusters, [groups.rename("group"), outcomes])
    counts = counts.reindex(index=drawn.clusters, fill_value=0)
    columns = pd.MultiIndex.from_product([list(dict.fromkeys(groups)), kinds])
    table = counts.reindex(columns=columns, fill_value=0).to_numpy(dtype=float)
    shaped = table.reshape(len(drawn.clusters), -1, len(kinds))
    sizes = np.repeat(shaped.sum(axis=2), len(kinds), axis=1)
    of_draw = pd.factorize(np.array(drawn.draws, dtype=str))[0]
    ratios = percentile_intervals(ratios_of_sums(table, sizes, drawn.weights), confidence)
    rows = {}
    for place, (group, kind) in enumerate(columns):
        has_case = sizes[:, place] > 0
        rows[group, kind] = {"estimate": defined(ratios.estimate[place])} | _interval(
            float(ratios.se[place]),
            (int(table[:, place].sum()), int(sizes[:, place].sum())),
            int(has_case.sum()),
            (len(set(of_draw[has_case])), len({*np.array(drawn.strata, int)[has_case]})),
            confidence,
        )
    return rows


def _interval(
    error: float,
    counts: tuple[int, int],
    clusters: int,
    drawn: tuple[int, int],
    confidence: float,
) -> Row:
    """The rest of a row, from the bootstrap's standard error and the cases of a kind and of all.

    ``drawn``: draws that have a case, and strata.
    """
    count, n = counts
    method, note, (draws, strata) = LOGIT, "", drawn
    low = high = NAN
    if clusters < 2:
        note = "A single {cluster} has no interval."
    elif draws < 2:
        note = "A single draw has no interval."
    elif count in (0, n):
        low, high = clopper_pearson(draws if count else 0, draws, confidence)
        method = EXACT
    elif not error > _ROUNDING:
        note = "No interval: resampled {cluster}s do not differ."
    else:
        half = float(special.stdtrit(max(draws - strata, 1), (1.0 + confidence) / 2.0)) * error
        low, high = on_logits(count / n, half)
    named = {"ci_low": defined(low), "ci_high": defined(high), "method": method, "n": n}
    return {**named, "n_clusters": clusters, "count": count, "note": note}
