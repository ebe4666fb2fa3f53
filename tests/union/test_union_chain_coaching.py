"""A planted gain of coaching is recovered from texts on, and none is found where there is none."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from dissensus.stats.differences import flipped_gain
from dissensus.union.inference.coaching import estimate_coaching
from union.union_planted import INFERENCE, Ensemble, run, settings

pytestmark = pytest.mark.slow

#: Evidence always stands, all else always falls, and every claim that can be is answered at once:
#: a student's claim survives just where it names a source.
SPEAKER: dict[str, Any] = {
    **{"claims": 2.5, "answers": 8.0, "recency": 5.0, "own_claim": 0.0},
    "hardness": {"evidence_backed": 60.0, "principled": -60.0, "assertion": -60.0},
}
QUICK: dict[str, Any] = {"words": 150, "points": False, "definitions": False, "audited": False}
COACHED = 1.1
#: Runs of each epoch and arm.
RUNS = 60


def share_with_sources(strength: float) -> float:
    """Weights exp(s), exp(.3 s) and exp(-s) of a source, a reason and neither."""
    weights = [math.exp(factor * strength) for factor in (1.0, 0.3, -1.0)]
    return weights[0] / sum(weights)


GAIN = share_with_sources(COACHED) - share_with_sources(0.0)


@cache
def ensemble(coached: float, runs: int, seed: int) -> Ensemble:
    drawn = settings(epochs=2, runs=runs, arms=("coached", "control"), **QUICK)
    return run(drawn, seed=seed, speaker={**SPEAKER, "coached": coached})


def headline(made: Ensemble, outcome: str = "student_survival") -> dict[str, Any]:
    rows = estimate_coaching(made.frames["verdicts"], made.drawn, INFERENCE, [GAIN], 1)
    return next(
        row
        for row in rows
        if (row["outcome"], row["contrast"], row["method"])
        == (outcome, "difference_in_differences", "paired_randomisation")
    )


def test_a_planted_gain_is_recovered_by_the_difference_in_differences() -> None:
    made = ensemble(COACHED, RUNS, 0)
    row = headline(made)
    assert row["headline"] and row["epoch"] == 2 and row["n"] == 2 * RUNS
    assert row["ci_low"] < GAIN < row["ci_high"]
    assert row["ci_low"] > 0.05 and row["p_adjusted"] < 0.01
    assert row["ci_high"] - row["ci_low"] < 0.4
    # Every cell of the design is what is planted, to four standard errors of its claims.
    claims = made.frames["claims"]
    own = claims[claims["student"]].assign(stands=lambda one: one["fate"] == "survives")
    for (epoch, arm), cell in own.groupby(["epoch", "arm"]):
        share = share_with_sources(COACHED if (epoch, arm) == (2, "coached") else 0.0)
        # One claim in forty is not answered at all, and stands.
        share += 0.01
        error = 4 * math.sqrt(share * (1 - share) / len(cell))
        assert abs(cell["stands"].mean() - share) < error, (epoch, arm)


def test_claims_that_stand_win_votes() -> None:
    row = headline(ensemble(COACHED, RUNS, 0), "student_votes")
    assert row["ci_low"] > 0.0


def test_a_planted_zero_is_not_found() -> None:
    for outcome in ("student_survival", "student_votes"):
        row = headline(ensemble(0.0, RUNS, 1), outcome)
        assert row["ci_low"] < 0.0 < row["ci_high"]
        assert row["p_value"] > 0.05


def test_the_others_are_not_coached() -> None:
    """Experts are neither coached nor in the outcome."""
    claims = ensemble(COACHED, RUNS, 0).frames["claims"]
    experts = claims[~claims["student"] & (claims["epoch"] == 2)]
    share = share_with_sources(0.0)
    for _, own in experts.groupby("arm"):
        error = 4 * math.sqrt(share * (1 - share) / len(own))
        assert abs((own["kind"] == "evidence_backed").mean() - share) < error


def test_a_zero_is_found_at_the_stated_rate() -> None:
    """The epoch's pairs in studies of 5 + 5 draws that are dealt anew from 120 simulated pairs.

    Without an effect the two debates of a draw may change places, and draws their epochs. 1,200
    studies of size .05 have a standard error of .0063.
    """
    made = ensemble(0.0, RUNS, 1)
    manifest = made.drawn.set_index("session_id")
    frame = made.frames["verdicts"].join(manifest[["draw_id"]], "session_id")
    wide = frame.pivot(index="draw_id", columns="arm", values="student_survival").dropna()
    pairs = (wide["coached"] - wide["control"]).to_numpy(dtype=float)
    assert len(pairs) > 110
    # The pairs are those that the estimate takes.
    row = headline(made)
    later = np.array([name.startswith("lottery-e2") for name in wide.index])
    assert row["estimate"] == pytest.approx(pairs[later].mean() - pairs[~later].mean())
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(1200):
        dealt = rng.choice(pairs, 10, replace=False) * rng.choice([-1.0, 1.0], 10)
        estimate, _ = flipped_gain(
            dealt[:5],
            dealt[5:],
            strata=(("lottery",) * 5, ("lottery",) * 5),
            confidence=0.95,
            flips=199,
            seed=rng,
            interval=False,
        )
        found += estimate.p_value <= 0.05
    assert 0.03 <= found / 1200 <= 0.07
