"""The design diagnosis: unbiased, honest intervals, families of tests that keep their level."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.design.contrasts import HEADLINE, RANDOMISATION, Options, compare
from dissensus.design.diagnosis import DIAGNOSIS, HOLM
from dissensus.design.pairs import Pairs
from dissensus.plan.diagnosed import STORED
from dissensus.stats.multiplicity import adjust
from dissensus.study.configuration import load
from dissensus.study.given import diagnosed_settings
from dissensus.study.registry import study_folder
from dissensus.tables.artefact import write
from scripted import default_configuration

from ..inference.diagnosis import (
    Plan,
    SimulatedArm,
    as_run,
    deal_topics,
    diagnose,
    differences,
)
from ..inference.library import simulate_library
from ..settings import ArmSettings
from .deliberation_sessions import PROMPTS, simulated, study_values, topic_rows

SIMULATIONS = 300
ARMS = ("emergent", "a", "b", "c")


def dumped(topologies: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Arm -> its settings as plain data."""
    return {
        arm: ArmSettings.model_validate({"topology": one}).model_dump()
        for arm, one in topologies.items()
    }


def diagnosed(
    draws: int, topics: int, arms: Sequence[str], simulations: int, effects: list[float], seed: int
) -> list[dict[str, Any]]:
    values = study_values(rounds=2, arms=dumped(dict.fromkeys(arms, "full")))
    settings = {
        **values,
        "draws": draws,
        "compared": arms,
        "diagnosis": values["diagnosis"] | {"simulations": simulations, "effects": effects},
        "inference.confidence": 0.95,
    }
    rows = {row["topic_id"]: row for row in topic_rows()[:topics]}
    return diagnose(rows, settings, seed)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return diagnosed(20, 12, ARMS, SIMULATIONS, [0.0, 1.0], 3)


@pytest.fixture(scope="module")
def frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows).set_index(["world", "estimator", "true"])


def within(share: float, level: float) -> bool:
    """Whether a share is what a binomial of the level gives in all but 1 of 10,000 runs."""
    return abs(share - level) < 4 * np.sqrt(level * (1 - level) / SIMULATIONS)


def test_rows_conform(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    write(tmp_path / "design_diagnosis.parquet", DIAGNOSIS, rows, {})
    assert len(rows) == (3 + 3) * 4
    assert all(row["simulations"] == SIMULATIONS for row in rows[: 3 * 4])


def test_headline_is_unbiased_and_covers(frame: pd.DataFrame) -> None:
    for effect in (0.0, 1.0):
        row = frame.loc[("topics_differ", HEADLINE, effect)]
        assert abs(row["bias"]) < 4 * row["sd"] / np.sqrt(SIMULATIONS)
        assert within(row["coverage"], 0.95)
        share = row["coverage"]
        assert row["coverage_se"] == pytest.approx(np.sqrt(share * (1 - share) / SIMULATIONS))
    assert within(frame.loc[("topics_differ", HEADLINE, 0.0), "rejection"], 0.05)


def test_families_keep_their_level_and_find_what_is_there(frame: pd.DataFrame) -> None:
    for method in (HEADLINE, RANDOMISATION):
        null = frame.loc[("sharp_null", method + HOLM, 0.0), "rejection"]
        assert null < 0.05 + 4 * np.sqrt(0.05 * 0.95 / SIMULATIONS)
        # The error of three tests at 5% without adjustment would be near three times as large.
        assert frame.loc[("sharp_null", method, 0.0), "rejection"] <= 0.1
        found = frame.loc[("topics_differ", method + HOLM, 1.0), "rejection"]
        assert 0.5 < found <= frame.loc[("topics_differ", method, 1.0), "rejection"]


def test_tests_have_no_coverage(frame: pd.DataFrame) -> None:
    assert frame.xs(RANDOMISATION, level="estimator")["coverage"].isna().all()


def test_differences_have_unit_variance_share_topics_and_the_reference() -> None:
    plan = Plan(40_000, 10_000, 2)
    rng = np.random.default_rng(1)
    dealt = deal_topics(plan, rng)
    found = differences(plan, dealt, 0.3, rng)
    assert found.var(axis=1) == pytest.approx([1.0, 1.0], abs=0.05)
    assert np.corrcoef(found)[0, 1] == pytest.approx(0.5, abs=0.03)
    first, second = (found[0][np.argsort(dealt, kind="stable")][k::4] for k in (0, 1))
    assert np.corrcoef(first, second)[0, 1] == pytest.approx(0.3, abs=0.05)


def test_topics_are_dealt_evenly() -> None:
    dealt = deal_topics(Plan(19, 8, 1), np.random.default_rng(1))
    counts = np.bincount(dealt, minlength=8)
    assert (counts.min(), counts.max(), counts.sum()) == (2, 3, 19)


def test_effects_share_the_studies_and_the_seed_decides() -> None:
    def of(effects: list[float], seed: int) -> pd.DataFrame:
        return pd.DataFrame(diagnosed(6, 4, ARMS, 4, effects, seed))

    both, alone = of([0.2, 0.5], 1), of([0.5], 1)
    kept = both[both["true"] != 0.2].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, alone)
    assert not of([0.5], 2).equals(alone)


def test_what_cannot_be_diagnosed_is_missing() -> None:
    # A single topic has no standard error and no test by topic; a single arm no contrast at all.
    topic = pd.DataFrame(diagnosed(6, 1, ARMS, 3, [0.0], 1)[: 2 * 4])
    assert (topic["simulations"] == 0).all()
    arm = pd.DataFrame(diagnosed(6, 4, ("emergent",), 3, [0.0], 1))
    assert (arm["simulations"] == 0).all() and arm["rejection"].isna().all()


def test_what_the_stage_is_told_of_a_study_that_never_stops_is_enough() -> None:
    settings = load(default_configuration())
    told = diagnosed_settings(settings.study("deliberation"))
    few = {"simulations": 2, "sessions": 2, "effects": [0.0]}
    topics = {row["topic_id"]: row for row in topic_rows()[:4]}
    made = diagnose(topics, {**told, "diagnosis": {**told["diagnosis"], **few}}, 1)
    assert {row["world"] for row in made} > {"sharp_null", as_run("full")}


def as_configured(sessions: int) -> dict[str, Any]:
    """The debaters of the default run, in three of its arms."""
    block = default_configuration()["deliberation"]
    changes = {"simulations": 100, "effects": [0.0], "sessions": sessions}
    topologies = {"emergent": "emergent", "again": "emergent", "full": "full"}
    return {
        **{**block, "arms": dumped(topologies), "diagnosis": block["diagnosis"] | changes},
        **{**PROMPTS, "inference.confidence": 0.95},
        "compared": ["emergent", "again", "full"],
        "protocol": {**block["protocol"], "session_deadline_s": None},
    }


def test_the_truth_of_an_arm_is_the_mean_over_topics_with_its_error() -> None:
    arm = SimulatedArm("x", np.array([[1.0, 3.0, np.nan], [2.0, 2.0, 5.0]]), same=False)
    # Means 2 and 3; variances of these 2 / 2 and 3 / 3.
    assert arm.true == pytest.approx(2.5)
    assert arm.true_se == pytest.approx(np.sqrt(1 + 1) / 2)


def test_hints_reach_the_debates_of_the_library() -> None:
    """Debaters without noise differ from arm to arm by the note alone."""
    known = [row for row in topic_rows() if row["truth"]][:2]
    arms = {name: ArmSettings(hints=name == "hinted").model_dump() for name in ("plain", "hinted")}
    people = [simulated(epsilon=0.0, hint_trust=0.9)] * 3
    values = study_values(arms=arms, rounds=3)
    values["diagnosis"] |= {"debaters": people, "sessions": 2}
    plain, hinted = simulate_library(known, values, 1)
    assert plain == pytest.approx(1.0, abs=0.01)
    assert (hinted < 0.6).all()


@pytest.mark.thorough
def test_the_runs_own_arms_have_a_truth_and_a_second_name_has_none() -> None:
    """Where silence is acceptance, disagreement is kept by those who must answer everyone."""
    settings = as_configured(sessions=2)
    rows = diagnose({row["topic_id"]: row for row in topic_rows()}, settings, 5)
    found = {(row["world"], row["estimator"]): row for row in rows}
    again, full = (found[as_run(arm), HEADLINE] for arm in ("again", "full"))
    assert (again["true"], again["true_se"]) == (0.0, 0.0)
    assert abs(again["bias"]) < 4 * again["bias_se"]
    assert found[as_run("again"), HEADLINE + HOLM]["rejection"] < 0.15
    assert full["true"] > 5 * full["true_se"] > 0.0
    assert abs(full["bias"]) < 4 * full["bias_se"]
    assert found[as_run("full"), HEADLINE + HOLM]["rejection"] > 0.9


@pytest.mark.thorough
def test_with_another_seed_a_run_finds_the_planted_and_not_the_null() -> None:
    """A run of the default size in memory, from texts to the estimates of two arms."""
    topics = topic_rows()
    (reference,), (again,), (full,) = np.split(
        simulate_library(topics, as_configured(sessions=1), seed=20260101)[..., 0], 3
    )
    labels = np.array([topic["topic_id"] for topic in topics])
    options = Options(confidence=0.95, flips=999, seed=1)
    null, found = (compare(Pairs(arm, reference, labels), options) for arm in (again, full))
    p_values = adjust([null[HEADLINE].p_value, found[HEADLINE].p_value], "holm")
    assert p_values[0] > 0.05 > p_values[1]
    # What the stored diagnosis says is planted.
    rows = csv.DictReader(
        (study_folder("deliberation") / STORED).open(encoding="utf-8", newline="")
    )
    (true,) = (
        float(row["true"])
        for row in rows
        if (row["world"], row["estimator"]) == (as_run("full"), HEADLINE)
    )
    assert found[HEADLINE].ci_low < true < found[HEADLINE].ci_high
