"""How a debate goes round by round: means by arm, with intervals over draws."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dissensus.design.contrasts import Options
from dissensus.design.declared import Means
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, count, text

from .contrasts import arms_of
from .unanswered import UNANSWERED, unanswered

#: The columns of the rounds that are followed.
FOLLOWED = ("entropy", "retention", "contentiousness", "quality")

TRAJECTORIES = Schema(
    name="trajectories",
    row="arm, measure and round",
    columns={
        "arm": text("Arm of the study."),
        **common("round"),
        "measure": text("Column of rounds: entropy, retention, contentiousness or quality."),
        **common("estimate?", "ci_low?", "ci_high?", "n"),
        "assigned": count("Sessions of the arm that the design has."),
    },
    key=("arm", "measure", "round"),
)


@makes(trajectories=TRAJECTORIES, unanswered=UNANSWERED)
def follow_debates(
    rounds: pd.DataFrame,
    manifest: pd.DataFrame,
    outcomes: pd.DataFrame,
    claims: pd.DataFrame,
    engagements: pd.DataFrame,
    stances: pd.DataFrame,
    reference: str,
    compared: list[str],
    confidence: float,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What becomes of disagreement round by round, and of claims, in the sessions that were run."""
    arms = [reference, *(arm for arm in compared if arm != reference)]
    run = manifest[manifest["session_id"].isin(outcomes["session_id"])]
    trajectories = follow(rounds, run, reference, confidence)
    return trajectories, unanswered(claims, engagements, stances, arms, confidence)


def follow(
    rounds: pd.DataFrame, manifest: pd.DataFrame, reference: str, confidence: float
) -> pd.DataFrame:
    """Mean of each measure by arm and round.

    Parameters
    ----------
    rounds : a row a session and round, columns of ``rounds.parquet``.
    manifest : for the sessions that were assigned.
    reference : the arm that comes first.
    confidence : level of the intervals.

    Returns
    -------
    A frame with arm, round, measure, estimate, ci_low, ci_high, n and assigned. A draw has one
    session in an arm, so that the interval is Student's t over draws; it is missing for a single
    session. ``n`` sessions have the measure in that round, of ``assigned`` of the design:
    a lost session has no rounds, and where the measure is undefined in a session (no parsed
    stance, nobody disagreed at first, no judge) the mean is over the others. Nothing is imputed.
    """
    assigned = manifest["arm"].value_counts()
    means = Means(FOLLOWED, arms_of(manifest, reference), "draw_id")
    # What has a row of a round is of a session that ended.
    ended, options = rounds.assign(complete=True), Options(confidence, 0, 0)
    by_round = [
        means.rows(ended[ended["round"] == number], options)
        for number in range(1, int(manifest["rounds"].max()) + 1)
    ]
    rows = [
        {
            **{name: row[name] for name in ("arm", "estimate", "ci_low", "ci_high", "n")},
            "round": number,
            "measure": row["outcome"],
            "assigned": int(assigned.get(row["arm"], 0)),
        }
        for of_arm_and_measure in zip(*by_round, strict=True)
        for number, row in enumerate(of_arm_and_measure, start=1)
    ]
    frame = pd.DataFrame(rows)[[*TRAJECTORIES.columns]]
    numbers = ["estimate", "ci_low", "ci_high"]
    frame[numbers] = frame[numbers].astype(np.float64)
    return frame
