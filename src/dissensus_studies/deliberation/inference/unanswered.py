"""Which claims are never taken up, and how long the others wait, by arm and by model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.design.contrasts import robust_mean
from dissensus.stats.shares import share_limits
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, share, text

#: Rounds of waiting that are distinguished; what took longer is one more.
APART = 3
#: Columns of the shares answered after 1 round, after 2, later, and not at all.
WAITS = ("after_1", "after_2", "later", "not_answered")
ARM, MODEL = "arm", "model"

UNANSWERED = Schema(
    name="unanswered",
    row="arm, or author's model, with the share of its claims that no other agent ever engages",
    columns={
        "by": text("What claims are grouped by: arm, or model (of the author)."),
        "group": text("Name of the arm or of the model."),
        **common("estimate?", "ci_low?", "ci_high?"),
        **{
            name: share(meaning)
            for name, meaning in zip(
                WAITS,
                (
                    "Share first engaged after 1 round (Kaplan-Meier).",
                    "Share first engaged after 2 rounds (Kaplan-Meier).",
                    "Share first engaged after 3 rounds or more (Kaplan-Meier).",
                    "Share not engaged within the longest wait observed (Kaplan-Meier).",
                ),
                strict=True,
            )
        },
        **common("n"),
    },
    key=("by", "group"),
)


def unanswered(
    claims: pd.DataFrame,
    engagements: pd.DataFrame,
    stances: pd.DataFrame,
    arms: Sequence[str],
    confidence: float,
) -> pd.DataFrame:
    """Rows of :data:`UNANSWERED`: the arms in their order, then the models by name.

    Parameters
    ----------
    arms : those whose agents hear each other, the reference first. Who hears nobody engages no
        claim: baselines are no part of what models leave unanswered.
    confidence : level of the intervals.
    """
    frame = fates(claims[claims["arm"].isin(arms)], engagements, stances)
    present = set(frame["arm"])
    groups = [(ARM, arm) for arm in arms if arm in present]
    groups += [(MODEL, model) for model in sorted(set(frame["model"]))]
    rows = [
        {"by": by, "group": group, **_waiting(frame[frame[by] == group], confidence)}
        for by, group in groups
    ]
    return pd.DataFrame(rows, columns=list(UNANSWERED.columns)).astype(
        dict.fromkeys(("estimate", "ci_low", "ci_high", *WAITS), float)
    )


def fates(claims: pd.DataFrame, engagements: pd.DataFrame, stances: pd.DataFrame) -> pd.DataFrame:
    """Every claim that a later round could have answered.

    Returns
    -------
    A frame with session_id, draw_id, arm, model (of the author), engaged, and waited: rounds to
    the first engagement by another agent, or else those that were left to the debate.
    """
    resolved = engagements[
        (engagements["status"] == "resolved")
        & (engagements["source"] != engagements["resolved_agent"])
    ]
    first = resolved.groupby(["session_id", "resolved_claim"])["round"].min()
    first.index.names = ["session_id", "claim_id"]
    last = stances.groupby("session_id")["round"].max().rename("last")
    models = stances.drop_duplicates(["session_id", "agent"])[["session_id", "agent", "model"]]
    frame = (
        claims.merge(last, on="session_id")
        .merge(models, on=["session_id", "agent"], how="left")
        .merge(first.rename("first").reset_index(), on=["session_id", "claim_id"], how="left")
    )
    frame = frame[frame["round"] < frame["last"]]
    engaged = frame["first"].notna()
    waited = frame["first"].where(engaged, frame["last"]) - frame["round"]
    kept = frame[["session_id", "draw_id", "arm", "model"]]
    return kept.assign(engaged=engaged, waited=waited.astype(int))


def _waiting(rows: pd.DataFrame, confidence: float) -> dict[str, Any]:
    """Share never engaged as the mean over sessions, a draw's sessions as one cluster."""
    never = 1.0 - rows.groupby(["draw_id", "session_id"])["engaged"].mean()
    draws = never.index.get_level_values("draw_id").to_numpy(dtype=str)
    mean = robust_mean(never.to_numpy(dtype=float), draws, confidence)
    low, high = share_limits(mean, confidence)
    shares = first_answers(rows["waited"].to_numpy(), rows["engaged"].to_numpy(dtype=bool))
    return {
        "estimate": mean.estimate,
        "ci_low": low,
        "ci_high": high,
        **dict(zip(WAITS, map(float, shares), strict=True)),
        "n": len(rows),
    }


def first_answers(waited: NDArray[np.int64], engaged: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Shares answered after 1, 2 and more rounds, and not within the longest wait observed.

    A claim of a late round had less time: by Kaplan and Meier (1958, JASA 53:457-481), those at
    risk after k rounds are the claims that waited as long.

    Returns
    -------
    Shape (APART + 1,); they sum to one.
    """
    left, shares = 1.0, np.zeros(APART + 1)
    for step in range(1, int(waited.max()) + 1):
        hazard = float(engaged[waited == step].sum() / (waited >= step).sum())
        shares[min(step, APART) - 1] += left * hazard
        left *= 1.0 - hazard
    shares[APART] = left
    return shares
