"""What becomes of claims: shares that survive, are contested, are demolished, by type of claim.

Claims of a debate stand and fall together, so that intervals resample whole debates, each motion's
among themselves. A claim of the last speech cannot be answered any more, and survives: kinds and
speakers that come late look robust, which the rows by speech show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import Row, defined
from dissensus.design.manifest import stream
from dissensus.stats.balance import clopper_pearson
from dissensus.stats.checks import FloatArray
from dissensus.stats.ratios import cluster_weights, percentile_intervals, ratios_of_sums
from dissensus.stats.results import NAN
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, text
from dissensus.union.tables import FATES

#: What stands in the columns ``motion_id`` and ``arm`` for all of them together.
ALL = "all"

#: What claims are grouped by; an epoch in each arm too.
GROUPED_BY = ("all", "kind", "specific", "side", "speaker", "student", "speech", "epoch")

BOOTSTRAP, EXACT = "cluster_bootstrap", "exact"

_ROUNDING = 1e-12

SURVIVAL = Schema(
    name="survival",
    row="motion, arm, type of claim and fate",
    columns={
        "motion_id": text("Name of the motion; all where motions stand together."),
        "arm": text("Arm of the debates; all where arms stand together."),
        "by": text("What claims are grouped by: kind, specific, side, speaker and so on, or all."),
        "group": text("The kind, side, speaker and so on; yes or no where it is a flag."),
        "fate": text("survives, contested or demolished."),
        **common("estimate?", "ci_low?", "ci_high?"),
        "method": text("Of the interval: cluster_bootstrap; exact where all debates agree."),
        **common("n", "n_clusters"),
        "claims": count("Claims of this fate among them."),
        "note": text("Why numbers are missing; empty where none is."),
    },
    key=("motion_id", "arm", "by", "group", "fate"),
)


def estimate_survival(claims: pd.DataFrame, inference: Mapping[str, Any], seed: int) -> list[Row]:
    """Shares of claims by fate, for every type of claim.

    Parameters
    ----------
    claims : columns of ``claims.parquet``.
    inference : settings ``confidence`` and ``resamples``.
    seed : of the bootstrap.

    Returns
    -------
    Rows of :data:`SURVIVAL`, for each motion and, where there are several, for all. ``n`` counts
    claims, ``n_clusters`` the debates that have any of the group.

    Notes
    -----
    Percentile intervals of a ratio of sums over resampled debates
    (:mod:`dissensus.stats.ratios`). Where all claims of a group have one fate, resamples do not
    differ; the interval is then that of Clopper and Pearson with the debates as trials, which is
    wide enough however much claims of a debate are alike. A single debate has no interval.
    """
    motions = sorted(set(claims["motion_id"]))
    rows = []
    for motion in (*motions, *([ALL] if len(motions) > 1 else [])):
        own = claims if motion == ALL else claims[claims["motion_id"] == motion]
        weights = _resampled(own, inference["resamples"], (seed, motion))
        for arm, by, keys in _groupings(own):
            here = own if arm == ALL else own[own["arm"] == arm]
            labels = keys.loc[here.index]
            found = _shares(here, labels, weights, inference["confidence"])
            rows += [{"motion_id": motion, "arm": arm, "by": by, **row} for row in found]
    return rows


def _groupings(claims: pd.DataFrame) -> Iterator[tuple[str, str, pd.Series]]:
    """Arm, what claims are grouped by, and the group of each claim."""
    arms = sorted(set(claims["arm"]))
    for by in GROUPED_BY:
        if by == "all":
            keys = pd.Series(ALL, index=claims.index)
        elif claims[by].dtype == bool:
            keys = claims[by].map({True: "yes", False: "no"})
        else:
            keys = claims[by].astype(str)
        yield ALL, by, keys
        if by in ("all", "epoch"):
            yield from ((arm, by, keys) for arm in arms)


def _resampled(
    claims: pd.DataFrame, resamples: int, key: tuple[Any, ...]
) -> tuple[list[str], FloatArray]:
    """Debates, and how often each resample draws each, the debates of a motion among themselves."""
    debates = claims[["motion_id", "session_id"]].drop_duplicates()
    rng = stream("union", "survival", *key)
    names: list[str] = []
    weights = [np.zeros((resamples, 0))]
    for _, own in debates.groupby("motion_id", sort=True):
        names += sorted(own["session_id"])
        weights.append(cluster_weights(len(own), resamples, rng))
    return names, np.hstack(weights)


def _shares(
    claims: pd.DataFrame,
    groups: pd.Series,
    weights: tuple[list[str], FloatArray],
    confidence: float,
) -> list[Row]:
    """A row for each group and fate."""
    debates, drawn = weights
    counts = pd.crosstab(claims["session_id"], [groups.rename("group"), claims["fate"]])
    counts = counts.reindex(index=debates, fill_value=0)
    names = sorted(set(groups), key=lambda name: (len(name), name) if name.isdigit() else (0, name))
    columns = pd.MultiIndex.from_product([names, FATES])
    table = counts.reindex(columns=columns, fill_value=0).to_numpy(dtype=float)
    shaped = table.reshape(len(debates), len(names), len(FATES))
    sizes = np.repeat(shaped.sum(axis=2), len(FATES), axis=1)
    found = percentile_intervals(ratios_of_sums(table, sizes, drawn), confidence)
    return [
        {"group": group, "fate": fate, "estimate": defined(found.estimate[place])}
        | _interval(
            (float(found.low[place]), float(found.high[place])),
            (int(table[:, place].sum()), int(sizes[:, place].sum())),
            int((sizes[:, place] > 0).sum()),
            confidence,
        )
        for place, (group, fate) in enumerate(columns)
    ]


def _interval(
    limits: tuple[float, float], counts: tuple[int, int], debates: int, confidence: float
) -> Row:
    """The rest of a row, from the bootstrap's limits and the claims of a fate and of all."""
    claims, n = counts
    method, note = BOOTSTRAP, ""
    low, high = limits
    if debates < 2:
        low, high, note = NAN, NAN, "A single debate has no interval."
    elif claims in (0, n):
        low, high = clopper_pearson(debates if claims else 0, debates, confidence)
        method = EXACT
    elif not high - low > _ROUNDING:
        low, high, note = NAN, NAN, "No interval: resampled debates do not differ."
    named = {"ci_low": defined(low), "ci_high": defined(high), "method": method, "n": n}
    return {**named, "n_clusters": debates, "claims": claims, "note": note}
