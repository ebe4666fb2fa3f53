"""What becomes of claims: shares that survive, are contested, are demolished, by type of claim.

Claims of a debate stand and fall together, so that intervals resample whole draws, with a debate in
every arm, those of a motion and epoch among themselves. A claim of the last speech cannot be
answered any more, and survives: kinds and speakers that come late look robust, which the rows by
speech show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from dissensus.design.contrasts import Row
from dissensus.design.manifest import stream
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, text

from ..tables import ALL, FATES
from .shares import Resamples, shares

#: What claims are grouped by; an epoch in each arm too.
GROUPED_BY = ("all", "kind", "specific", "side", "speaker", "student", "speech", "epoch")

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
        "method": text("Of the interval: logit_t; exact, over draws, where all debates agree."),
        **common("n", "n_clusters"),
        "claims": count("Claims of this fate among them."),
        "note": text("Why numbers are missing; empty where none is."),
    },
    key=("motion_id", "arm", "by", "group", "fate"),
)


@makes(survival=SURVIVAL)
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
    Intervals resample draws, see :func:`.inference.shares.shares`.
    """
    motions = sorted(set(claims["motion_id"]))
    rows = []
    for motion in (*motions, *([ALL] if len(motions) > 1 else [])):
        of_motion = claims if motion == ALL else claims[claims["motion_id"] == motion]
        rng = stream("union", "survival", seed, motion)
        drawn = Resamples.of(of_motion, "session_id", "run", inference["resamples"], rng)
        for arm, by, keys in _groupings(of_motion):
            here = of_motion if arm == ALL else of_motion[of_motion["arm"] == arm]
            labels = keys.loc[here.index]
            rows_of = _shares(here, labels, drawn, inference["confidence"])
            rows += [{"motion_id": motion, "arm": arm, "by": by, **row} for row in rows_of]
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


def _shares(
    claims: pd.DataFrame, groups: pd.Series, drawn: Resamples, confidence: float
) -> list[Row]:
    """A row for each group and fate."""
    share_of = shares(claims["session_id"], groups, claims["fate"], FATES, drawn, confidence)
    names = sorted(set(groups), key=lambda name: (len(name), name) if name.isdigit() else (0, name))
    rows = []
    for group in names:
        for fate in FATES:
            row = share_of[group, fate]
            row |= {"claims": row.pop("count"), "note": row["note"].format(cluster="debate")}
            rows.append({"group": group, "fate": fate, **row})
    return rows
