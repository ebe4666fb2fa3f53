"""What a model changes in the others: the same draws held again, its turns shown to nobody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dissensus.design.contrasts import adjust_family, defined, robust_mean
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, number

from ..measures.distances import total_variation

LEFT_OUT = Schema(
    name="left_out",
    row="model of the panel that was left out in some draws",
    columns={
        **common("model"),
        "moved": number("How far the others end from where they end with it.", "0 to 1"),
        "noise": number(
            "The same of two arms alike; missing where no arm is like the reference.", "0 to 1"
        ),
        **common("estimate?", "se?", "ci_low?", "ci_high?", "p_value?", "p_adjusted?", "p_bh?"),
        **common("n", "n_clusters"),
    },
    key=("model",),
)

Row = Mapping[str, Any]
#: Last beliefs of a session: agent -> distribution.
Beliefs = dict[str, list[float]]


@makes(left_out=LEFT_OUT)
def leave_one_out(
    stances: list[dict[str, Any]],
    manifest: list[dict[str, Any]],
    *,
    reference: str,
    arms: Mapping[str, Mapping[str, Any]],
    confidence: float,
) -> list[dict[str, Any]]:
    """How far every model moves the others.

    Parameters
    ----------
    stances, manifest : the artefacts of those names.
    reference : the arm in which nobody is left out.
    arms : name -> settings; ``without`` names the seat that an arm leaves out. An arm with the
        settings of the reference tells how far two sessions of a draw are apart for nothing.
    confidence : level of the intervals.

    Returns
    -------
    Rows of :data:`LEFT_OUT`, none where no arm leaves out a seat. ``moved`` is the mean total
    variation between the last distributions of all other agents with and without the model, over
    the draws in which it sat in a seat that was left out. ``estimate`` is that less the noise of
    the same agents in the same draws, or ``moved`` itself without a like arm; CR2 standard errors
    by topic, p adjusted over the models.
    """
    seats = {arm: settings["without"] for arm, settings in arms.items() if settings["without"]}
    same = [arm for arm in arms if arm != reference and arms[arm] == arms[reference]]
    ends = _ends(stances)
    sessions = {(row["arm"], row["draw_id"]): row for row in manifest}
    moved: dict[str, list[tuple[float, float, str]]] = {}
    for (arm, draw), row in sessions.items():
        if arm not in seats:
            continue
        seat = seats[arm]
        moved_by = _apart(ends, sessions, (reference, arm), draw, seat)
        noise = _apart(ends, sessions, (reference, same[0]), draw, seat) if same else 0.0
        if not np.isnan(moved_by) and not np.isnan(noise):
            model = row["cast"][int(seat.removeprefix("A")) - 1]
            moved.setdefault(model, []).append((moved_by, noise, row["topic_id"]))
    rows = [_row(model, entries, bool(same), confidence) for model, entries in moved.items()]
    adjust_family(rows)
    return sorted(rows, key=lambda row: str(row["model"]))


def _ends(stances: list[dict[str, Any]]) -> dict[str, Beliefs]:
    """Session -> where its agents ended; those that stated nothing are left out."""
    last: dict[str, int] = {}
    for row in stances:
        last[row["session_id"]] = max(last.get(row["session_id"], 0), row["round"])
    beliefs: dict[str, Beliefs] = {}
    for row in stances:
        if row["round"] == last[row["session_id"]] and len(row["probabilities"]):
            beliefs.setdefault(row["session_id"], {})[row["agent"]] = list(row["probabilities"])
    return beliefs


def _apart(
    ends: Mapping[str, Beliefs],
    sessions: Mapping[tuple[str, str], Row],
    pair: tuple[str, str],
    draw: str,
    seat: str,
) -> float:
    """Mean total variation of all agents but one between two arms of a draw; NaN for none."""
    beliefs, other = (ends.get(sessions[arm, draw]["session_id"], {}) for arm in pair)
    shared = [agent for agent in beliefs if agent in other and agent != seat]
    apart = [total_variation(beliefs[agent], other[agent]) for agent in shared]
    return float(np.mean(apart)) if apart else np.nan


def _row(
    model: str, entries: list[tuple[float, float, str]], has_noise: bool, confidence: float
) -> dict[str, Any]:
    moved, noise = (np.array([entry[i] for entry in entries]) for i in (0, 1))
    topics = np.array([entry[2] for entry in entries])
    mean = robust_mean(moved - noise, topics, confidence)
    return {
        "model": model,
        "moved": float(moved.mean()),
        "noise": float(noise.mean()) if has_noise else None,
        **{
            name: defined(getattr(mean, name))
            for name in ("estimate", "se", "ci_low", "ci_high", "p_value")
        },
        "n": mean.n,
        "n_clusters": mean.n_clusters,
    }
