"""One row a session and round: entropy, divergence, density, quality and control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..controls.loop import Loop, Record
from .debate import MeasuredDebate, share
from .entropy import alert, miller_madow, retention
from .graph import claim_engagement, density, status_share
from .state import entropy_of, evidence_overlap, js_of

#: Share of the greatest divergence possible from which a round is divergent.
DIVERGENT = 0.1
#: Mean CRIT score from which a round is sound: half of the scale.
SOUND = 0.5


def measure_rounds(
    debate: MeasuredDebate,
    arm: Mapping[str, Any],
    control: Mapping[str, Any],
    measures: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """A session's rounds in order.

    Parameters
    ----------
    debate : the session.
    arm : its arm's settings, of which ``schedule`` is read.
    control : gains, target, start, leak, slope guard.
    measures : alerts and which claims are material.

    Returns
    -------
    list of rows of the artefact ``rounds``, without the columns that name the session
        Contentiousness, error, control and freezing come from running the loop again on the
        transcript; see :func:`.controls.loop.Loop`.
    """
    rounds = range(1, debate.rounds + 1)
    spreads = [_spread(debate, round_) for round_ in rounds]
    overlaps = [evidence_overlap(debate.cited(round_)) for round_ in rounds]
    kept = retention([spread["js"] for spread in spreads])
    records = _records(debate, arm, control, [spread["js"] for spread in spreads], overlaps)
    return [
        {
            "round": round_,
            **spread,
            "retention": retained,
            "alert": alert(retained, measures["alerts"]),
            "density": density(debate, round_),
            "claim_engagement": claim_engagement(debate, [round_], measures["material"]),
            "compliance": status_share(debate, "resolved", round_),
            "evidence_overlap": overlap,
            "quality": debate.quality.get(round_),
            "quality_signed": debate.quality_signed.get(round_),
            "contentiousness": record.beta,
            "error": record.error,
            "control": record.control,
            "frozen": record.frozen,
            "quadrant": quadrant(debate, spread["js"], debate.quality.get(round_)),
        }
        for round_, spread, retained, overlap, record in zip(
            rounds, spreads, kept, overlaps, records, strict=True
        )
    ]


def quadrant(debate: MeasuredDebate, js: float | None, quality: float | None) -> str:
    """Where a round lies between divergence and quality; "" where either is unknown.

    ``stuck`` (little divergence, little quality), ``chaotic`` (much, little), ``converged``
    (little, much) or ``healthy`` (much, much). Divergence is much from a tenth of the greatest that
    so many agents and options can have, log2 min(N, K); quality from a mean CRIT score of .5.
    """
    most = float(np.log2(min(len(debate.agents), len(debate.options))))
    if js is None or quality is None or most <= 0:
        return ""
    apart, sound = js >= DIVERGENT * most, quality >= SOUND
    if sound:
        return "healthy" if apart else "converged"
    return "chaotic" if apart else "stuck"


def agreement(debate: MeasuredDebate, round_: int) -> float | None:
    """Share of the agents with a known stance that have the most frequent one."""
    stances = list(debate.stances(round_).values())
    return share(max(map(stances.count, stances), default=0), len(stances))


def _spread(debate: MeasuredDebate, round_: int) -> dict[str, float | None]:
    """Entropy and divergence of a round; None where fewer than two distributions are known."""
    distributions = debate.distributions(round_)
    if len(distributions) < 2:
        return {"entropy": None, "entropy_mm": None, "js": None}
    plugin = entropy_of(distributions)
    return {
        "entropy": plugin,
        "entropy_mm": plugin + miller_madow(distributions),
        "js": js_of(distributions),
    }


def _records(
    debate: MeasuredDebate,
    arm: Mapping[str, Any],
    control: Mapping[str, Any],
    js: list[float | None],
    overlaps: list[float | None],
) -> list[Record]:
    loop = Loop.of(arm["schedule"], control, debate.rounds)
    for index in range(debate.rounds):
        loop.observe(index + 1, debate.quality.get(index + 1), js[index], overlaps[index])
    return list(loop.records.values())
