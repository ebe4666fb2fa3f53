"""A planted gain of coaching is recovered from texts on, and none is found where there is none."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from dissensus.stats.differences import flipped_gain
from marking import thorough_but
from scripted import default_configuration

from ..inference.coaching import OUTCOMES, estimate_coaching
from .union_planted import INFERENCE, Ensemble, run, settings
from .union_sessions import MOTION

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
RUNS = 40


def share_with_sources(strength: float) -> float:
    """Weights exp(s), exp(.3 s) and exp(-s) of a source, a reason and neither."""
    weights = [math.exp(factor * strength) for factor in (1.0, 0.3, -1.0)]
    return weights[0] / sum(weights)


GAIN = share_with_sources(COACHED) - share_with_sources(0.0)


@cache
def ensemble(coached: float, runs: int, seed: int) -> Ensemble:
    drawn = settings(epochs=2, runs=runs, arms=("coached", "control"), **QUICK)
    return run(drawn, seed=seed, speaker={**SPEAKER, "coached": coached})


def headlines(made: Ensemble) -> dict[str, dict[str, Any]]:
    """Outcome -> its headline."""
    rows = estimate_coaching(made.frames["verdicts"], made.drawn, INFERENCE, [GAIN], 1)
    return {
        row["outcome"]: row
        for row in rows
        if (row["contrast"], row["method"]) == ("difference", "paired_randomisation")
        and row["epoch"] == 0
    }


@cache
def of_ensemble(coached: float, seed: int, runs: int = RUNS) -> dict[str, dict[str, Any]]:
    return headlines(ensemble(coached, runs, seed))


@pytest.mark.parametrize("runs", thorough_but((12, RUNS), 12))
def test_a_planted_gain_is_recovered(runs: int) -> None:
    made = ensemble(COACHED, runs, 0)
    row = of_ensemble(COACHED, 0, runs)["student_survival"]
    assert row["headline"] and row["n"] == runs
    assert row["ci_low"] < GAIN < row["ci_high"]
    assert row["ci_low"] > 0.05 and row["p_adjusted"] < 0.05
    assert row["ci_high"] - row["ci_low"] < 0.4 * math.sqrt(RUNS / runs)
    assert runs < RUNS or row["p_adjusted"] < 0.01
    # Every cell of the design is what is planted, to four standard errors of its claims.
    claims = made.frames["claims"]
    own = claims[claims["student"]].assign(stands=lambda one: one["fate"] == "survives")
    for (epoch, arm), cell in own.groupby(["epoch", "arm"]):
        share = share_with_sources(COACHED if (epoch, arm) == (2, "coached") else 0.0)
        # One claim in forty is not answered at all, and stands.
        share += 0.01
        error = 4 * math.sqrt(share * (1 - share) / len(cell))
        assert abs(cell["stands"].mean() - share) < error, (epoch, arm)


@pytest.mark.thorough
def test_claims_that_stand_win_votes() -> None:
    """In two studies together: one of this size alone may miss it."""
    rows = [of_ensemble(COACHED, seed)["student_votes"] for seed in (0, 1)]
    errors = [(row["ci_high"] - row["ci_low"]) / (2 * 1.96) for row in rows]
    together = math.hypot(*errors) / len(rows)
    assert sum(row["estimate"] for row in rows) / len(rows) > 1.96 * together


@pytest.mark.thorough
def test_a_planted_zero_is_not_found() -> None:
    for outcome in OUTCOMES:
        row = of_ensemble(0.0, 1)[outcome]
        assert row["ci_low"] < 0.0 < row["ci_high"]
        assert row["p_value"] > 0.05


def test_the_others_are_not_coached() -> None:
    """Experts are neither coached nor in the outcome."""
    claims = ensemble(COACHED, 12, 0).frames["claims"]
    experts = claims[~claims["student"] & (claims["epoch"] == 2)]
    share = share_with_sources(0.0)
    for _, own in experts.groupby("arm"):
        error = 4 * math.sqrt(share * (1 - share) / len(own))
        assert abs((own["kind"] == "evidence_backed").mean() - share) < error


@pytest.mark.thorough
def test_a_zero_is_found_at_the_stated_rate() -> None:
    """Studies of 15 draws, dealt anew from 80 simulated pairs.

    Without an effect the two debates of a draw may change places. 1,200 studies of size .05 have a
    standard error of .0063.
    """
    made = ensemble(0.0, RUNS, 1)
    manifest = made.drawn.set_index("session_id")
    frame = made.frames["verdicts"].join(manifest[["draw_id"]], "session_id")
    wide = frame.pivot(index="draw_id", columns="arm", values="student_survival").dropna()
    pairs = (wide["coached"] - wide["control"]).to_numpy(dtype=float)
    assert len(pairs) > 1.8 * RUNS
    # The pairs are those that the estimate takes.
    later = np.array([name.startswith("lottery-e2") for name in wide.index])
    assert of_ensemble(0.0, 1)["student_survival"]["estimate"] == pytest.approx(pairs[later].mean())
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(1200):
        dealt = rng.choice(pairs, 15, replace=False) * rng.choice([-1.0, 1.0], 15)
        estimate, _ = flipped_gain(dealt, flips=199, seed=rng, interval=False)
        found += estimate.p_value <= 0.05
    assert 0.03 <= found / 1200 <= 0.07


#: As the default run has them; the test that it does is below.
SHIPPED = {
    "strengths": {
        **{"Dr Mara Lindqvist": 0.4, "Dr Kwabena Osei-Boateng": 0.3},
        "Tobias Achterberg": -0.3,
    },
    "sides": {"opposition": 0.2},
    "hardness": {"evidence_backed": 1.6, "principled": 0.8},
    "guard": 2.5,
    "off_length_rate": 0.03,
}
READ = {"missed": 0.05, "wrong_kind": 0.05, "wrong_answer": 0.05, "bad_ranks_rate": 0.05}
JUDGED = {"sharpness": 0.1, "unreadable_rate": 0.01}
SEEDS = range(6)


def shipped(coached: float, seed: int) -> list[dict[str, Any]]:
    """The headline of each outcome, in a run of the default's design on two motions."""
    drawn = settings(epochs=4, runs=5, arms=("coached", "control"), **QUICK)
    motions = [MOTION, {**MOTION, "motion_id": "night"}]
    speaker = {**SHIPPED, "coached": coached}
    made = run(drawn, seed=seed, motions=motions, speaker=speaker, annotator=READ, judge=JUDGED)
    found = headlines(made)
    return [found[name] for name in OUTCOMES]


def test_the_simulated_people_are_those_of_the_default_run() -> None:
    models = default_configuration()["models"]
    for name, known in (("speaker", SHIPPED), ("annotator", READ), ("judge-a", JUDGED)):
        assert known.items() <= models[f"union-{name}"]["speech"].items()


@pytest.mark.thorough
def test_over_seeds_the_shipped_gain_is_found_and_zero_is_not() -> None:
    """Whole runs, from words to p-values: survival, votes and demolitions of each seed.

    Survival finds a gain of the shipped size in some three runs of four: in half of six it is to be
    found. At a size of .05, four or more of 18 are found without a gain in 1 of 90 sets of
    independent tests; the tests of a run are of the same debates. The size itself is tested above.
    """
    found = {
        gain: np.array([[row["p_value"] < 0.05 for row in shipped(gain, seed)] for seed in SEEDS])
        for gain in (0.0, 1.2)
    }
    assert found[0.0].sum() <= 3
    assert found[1.2][:, 0].sum() >= 3 and found[1.2].any(axis=1).sum() >= 4


@pytest.mark.thorough
def test_a_large_gain_is_found_by_every_outcome() -> None:
    for row in shipped(4.0, 1):
        assert row["ci_low"] > 0.0 and row["p_adjusted"] < 0.05, row["outcome"]
