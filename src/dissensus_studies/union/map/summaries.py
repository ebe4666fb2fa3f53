"""What becomes of a cluster's claims, who makes them, and how often their side wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dissensus.design.contrasts import Row, adjust_family
from dissensus.design.manifest import stream

from ..inference.shares import Resamples, shares
from ..inference.wins import lifts
from ..tables import FATES, SIDES
from .clusters import NONE
from .tables import WINS_OF_CLUSTERS

#: Arm -> what stands after the names of its columns.
_ARMS = {"coached": "", "control": "_control"}
#: What names a draw: both arms of a run.
_DRAW = ["motion_id", "epoch", "run"]


def summarise(
    claims: pd.DataFrame,
    verdicts: pd.DataFrame,
    inference: Mapping[str, Any],
    seed: int,
) -> list[Row]:
    """The numbers of each cluster of a motion.

    Parameters
    ----------
    claims : columns of ``claims.parquet`` and ``cluster``, of one motion.
    verdicts : columns of ``verdicts.parquet``, of that motion.
    inference : settings ``confidence`` and ``resamples``.
    seed : of the permutations.

    Returns
    -------
    Rows of :data:`.map.tables.CLUSTERS` by number, without terms and example.
    P-values are adjusted over the clusters of the motion.

    Notes
    -----
    Intervals resample draws, see :func:`.inference.shares.shares`.
    """
    members = claims[claims["cluster"] != NONE]
    if members.empty:
        return []
    motion = str(members["motion_id"].iloc[0])
    draws = verdicts[_DRAW].astype(str).agg(" ".join, axis=1)
    judged = verdicts.assign(draw_id=draws)
    lifted = lifts(members, judged, ("cluster",), inference, (seed, motion, "cluster"))
    wins = {row["cluster"]: row for row in lifted}
    rng = stream("union", "clusters", seed, motion)
    drawn = Resamples.of(claims, "session_id", "run", inference["resamples"], rng)
    fates = shares(
        members["session_id"],
        members["cluster"],
        members["fate"],
        FATES,
        drawn,
        inference["confidence"],
    )
    rows = []
    for number, of_cluster in members.groupby("cluster"):
        won = wins.get(number, {"n": 0, "n_clusters": 0, "note": "No debate has a verdict."})
        rows.append(
            {"motion_id": motion, "cluster": int(str(number))}
            | _counts(of_cluster)
            | _fates({fate: fates[number, fate] for fate in FATES})
            | _epochs(of_cluster, claims)
            | {mine: won.get(name) for name, mine in WINS_OF_CLUSTERS.items()}
            | {"note": won["note"]}
        )
    adjust_family(rows)
    return rows


def _counts(claims: pd.DataFrame) -> Row:
    speakers = claims["speaker"].value_counts()
    return {
        "claims": len(claims),
        "distinct": int(claims["text"].nunique()),
        "debates": int(claims["session_id"].nunique()),
        "proposition": float((claims["side"] == SIDES[0]).mean()),
        "speakers": sorted(speakers.index, key=lambda name: (-speakers[name], name)),
    }


def _fates(fate_rates: Mapping[str, Row]) -> Row:
    row: Row = {}
    for fate, rates in fate_rates.items():
        limits = {f"{fate}_low": rates["ci_low"], f"{fate}_high": rates["ci_high"]}
        row |= {fate: rates["estimate"], **limits}
    return row


def _epochs(of_cluster: pd.DataFrame, claims: pd.DataFrame) -> Row:
    """The part that a cluster has of all students' claims of the motion, by arm."""
    ends = {"first_epoch": claims["epoch"].min(), "last_epoch": claims["epoch"].max()}
    row: Row = {}
    for arm, ending in _ARMS.items():
        for name, epoch in ends.items():
            every, part = (
                int((rows["student"] & (rows["epoch"] == epoch) & (rows["arm"] == arm)).sum())
                for rows in (claims, of_cluster)
            )
            row[name + ending] = part / every if every else None
    return row
