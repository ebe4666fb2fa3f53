"""Outcomes over all sessions of an arm, from texts to rows: what is planted, and nothing."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats
from sklearn.metrics import roc_auc_score

from dissensus.design.contrasts import HEADLINE, RANDOMISATION, Options
from dissensus.errors import ResourceError, SettingError
from dissensus.report.findings import derived
from dissensus.stats.multiplicity import adjust
from dissensus.study.experiment import (
    AUC,
    Brier,
    CalibrationError,
    CatchRate,
    Experiment,
    MajorityVote,
    Outcome,
    flag,
    text,
    whole,
)
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from dissensus.study.experiment.registered import registered_analysis
from marking import thorough_but
from panel_study import declared
from played_study import played, study_of

OPTIONS = Options(0.95, 500, 1)
OUTCOMES = {
    "auc": Outcome("How suspicion tells bad.", "AUC", statistic=AUC("y", "bad"), null=0.5),
    "caught": Outcome("Caught.", statistic=CatchRate("y", "bad", at=0.1)),
    "y": Outcome("Suspicion."),
}
ITEM = {"topic": text("t"), "bad": flag("Whether it is bad."), "answer": whole("True answer.")}


def study(**more: Any) -> type[Experiment]:
    return study_of(**{"outcomes": OUTCOMES, "item": ITEM, **more})


def suspected(
    cls: type[Experiment],
    items: int,
    rng: np.random.Generator,
    told: dict[str, float],
    repeats: int = 1,
    spread: float = 0.0,
) -> pd.DataFrame:
    """Metrics of sessions that are told by so much, in units of noise, which items are bad."""
    pool = {
        f"i{n}": {"item_id": f"i{n}", "topic": "t", "bad": n % 2 == 1, "answer": n % 3}
        for n in range(items)
    }
    levels = rng.normal(0, spread, items)

    def says(row: Any) -> list[float]:
        number = int(row["item_id"][1:])
        return [float(told[row["arm"]] * (number % 2) + levels[number] + rng.normal())]

    return played(cls, pool, says, repeats)[0]


def found_in(rows: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    assert all(set(row) == set(CONTRASTS.columns) for row in rows)
    keyed = {(r["outcome"], r["arm"], r["reference"], r["method"]): r for r in rows}
    assert len(keyed) == len(rows)
    return keyed


def test_from_texts_the_auc_and_the_catch_rate_that_are_planted_are_found() -> None:
    cls = study()
    metrics = suspected(cls, 400, np.random.default_rng(1), {"a": 0.5, "b": 1.5}, 2)
    assert metrics["bad"].dtype == bool and set(cls.metrics_schema.columns) == set(metrics)
    found = found_in(compare(metrics, Compared.of(cls), OPTIONS))
    for arm, told in (("a", 0.5), ("b", 1.5)):
        of = metrics[metrics["arm"] == arm]
        row = found["auc", arm, "", HEADLINE]
        assert row["estimate"] == pytest.approx(roc_auc_score(of["bad"], of["y"]))
        assert (row["n"], row["n_clusters"]) == (800, 200)
        # Two normal scores: Phi(d / sqrt 2), and Phi(d - z) at a share of false alarms.
        assert row["ci_low"] < stats.norm.cdf(told / math.sqrt(2)) < row["ci_high"]
        assert row["p_value"] < 0.001
        caught = found["caught", arm, "", HEADLINE]
        assert caught["ci_low"] < stats.norm.cdf(told - stats.norm.isf(0.1)) < caught["ci_high"]
        assert caught["p_value"] is None and caught["ci_high"] - caught["ci_low"] < 0.25
    row = found["auc", "b", "a", HEADLINE]
    planted = stats.norm.cdf(1.5 / math.sqrt(2)) - stats.norm.cdf(0.5 / math.sqrt(2))
    assert abs(row["estimate"] - planted) < 3 * row["se"] < 0.1 and row["headline"]
    assert row["ci_low"] < planted < row["ci_high"] and row["n"] == 800
    assert found["auc", "b", "a", RANDOMISATION]["p_value"] < 0.01
    said = derived([each for each in found.values() if each["headline"]], {"auc": "AUC"}).headlines
    assert said[0].startswith("AUC, b − a: +0.") and len(said) == 1


def test_a_swap_of_whole_clusters_is_that_of_scikit_learn_over_all_patterns() -> None:
    cls = study(cluster="topic")
    metrics = suspected(cls, 12, np.random.default_rng(2), {"a": 0.0, "b": 2.0})
    # Three items a cluster.
    metrics["topic"] = "t" + (metrics["item_id"].str[1:].astype(int) // 2).astype(str)
    row = found_in(compare(metrics, Compared.of(cls), OPTIONS))["auc", "b", "a", RANDOMISATION]
    wide = metrics.pivot(index=["topic", "item_id", "bad"], columns="arm", values="y").reset_index()
    topics = sorted(set(wide["topic"]))

    def difference(goes: tuple[bool, ...]) -> float:
        swap = wide["topic"].map(dict(zip(topics, goes, strict=True)))
        first, other = wide["b"].where(~swap, wide["a"]), wide["a"].where(~swap, wide["b"])
        return float(roc_auc_score(wide["bad"], first) - roc_auc_score(wide["bad"], other))

    observed = difference((False,) * len(topics))
    every = [abs(difference(goes)) for goes in product([False, True], repeat=len(topics))]
    assert row["estimate"] == pytest.approx(observed)
    assert row["p_value"] == pytest.approx(np.mean(np.array(every) >= abs(observed) - 1e-9))
    assert row["simulation_error"] == 0.0 and row["n_clusters"] == 6


def test_statistics_are_in_the_families_of_means_and_the_first_is_the_headline() -> None:
    cls = study(arms=("a", "b", "c"))
    metrics = suspected(cls, 60, np.random.default_rng(3), {"a": 0.2, "b": 1.0, "c": 1.1}, 2)
    rows = compare(metrics, Compared.of(cls), OPTIONS)
    main = [row for row in rows if row["headline"]]
    assert [(r["outcome"], r["contrast"]) for r in main] == [("auc", "b-a"), ("auc", "c-a")]
    for method in (HEADLINE, RANDOMISATION):
        tested = [r for r in rows if r["method"] == method and r["p_value"] is not None]
        first = [r for r in tested if r["outcome"] == "auc" and r["reference"]]
        others = [r for r in tested if r not in first]
        assert len(first) == 2 and len(others) == (7 if method == HEADLINE else 4)
        for family in (first, others):
            holm = adjust([row["p_value"] for row in family], "holm")
            assert [row["p_adjusted"] for row in family] == pytest.approx(list(holm))
    for row in main:
        assert row["family_low"] < row["ci_low"] and row["ci_high"] < row["family_high"]
    assert [row["alike"] for row in main] == [["c-a"], ["b-a"]]
    # A session is lost: its draw counts in no contrast of its arm.
    metrics.loc[metrics["session_id"] == "d003-b", ["y", "complete"]] = [np.nan, False]
    found = found_in(compare(metrics, Compared.of(cls), OPTIONS))
    assert found["auc", "b", "a", HEADLINE]["n"] == 119 == found["auc", "b", "", HEADLINE]["n"]
    assert found["auc", "c", "a", HEADLINE]["n"] == 120


def test_the_floor_of_a_statistic_is_that_of_the_reference_run_again() -> None:
    cls = study()
    told = {"a": 1.0, "b": 1.0, "a_again": 1.0}
    metrics = suspected(cls, 40, np.random.default_rng(4), told)
    again = metrics[metrics["arm"] == "b"].assign(
        arm="a_again", session_id=lambda frame: frame["session_id"] + "2"
    )
    rows = compare(pd.concat([metrics, again]), Compared.of(cls, again=True), OPTIONS)
    found = found_in(rows)
    floor, arm = found["auc", "a_again", "a", HEADLINE], found["auc", "b", "a", HEADLINE]
    assert floor["estimate"] == pytest.approx(arm["estimate"])
    assert floor["p_adjusted"] is None and not floor["headline"] and arm["headline"]


@pytest.mark.parametrize("studies", thorough_but((8, 300), 8))
@pytest.mark.parametrize("told", [0.0, 1.2])
def test_arms_that_are_alike_are_not_told_apart_and_intervals_hold_the_truth(
    told: float, studies: int
) -> None:
    cls, rng = study(), np.random.default_rng(5)
    rejected: dict[Any, int] = {}
    held = 0
    for seed in range(studies):
        # Items differ, so that sessions of one are alike: 30 clusters of two draws.
        metrics = suspected(cls, 30, rng, {"a": told, "b": told}, 2, spread=1.0)
        lost = rng.random(len(metrics)) < 0.1
        metrics.loc[lost, "y"], metrics.loc[lost, "complete"] = np.nan, False
        found = found_in(compare(metrics, Compared.of(cls), Options(0.95, 300, seed)))
        for key, row in found.items():
            if key[0] != "y" and key[2]:
                rejected[key] = rejected.get(key, 0) + (row["p_value"] <= 0.05)
        row = found["auc", "b", "", HEADLINE]
        # The noise and the items' levels have a variance of 1 each, in both kinds of items.
        held += row["ci_low"] <= stats.norm.cdf(told / 2.0) <= row["ci_high"]
    room = 3 * math.sqrt(0.05 * 0.95 * studies)
    assert len(rejected) == 4
    assert max(rejected.values()) <= 0.05 * studies + room
    assert held >= 0.95 * studies - room


def sure(cls: type[Experiment], items: int, bold: dict[str, float], seed: int) -> pd.DataFrame:
    """Sessions that say how likely it is that an item is bad, with log odds times a boldness."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1.5, items)
    is_bad = rng.random(items) < special.expit(odds)
    pool = {
        f"i{n}": {"item_id": f"i{n}", "topic": "t", "bad": bool(is_bad[n]), "answer": 0}
        for n in range(items)
    }
    return played(
        cls,
        pool,
        lambda row: [float(special.expit(bold[row["arm"]] * odds[int(row["item_id"][1:])]))],
    )[0]


def test_from_texts_a_bold_arm_is_worse_calibrated_and_a_calibrated_one_is_not_blamed() -> None:
    outcomes = {
        "y": Outcome("Probability.", is_share=True),
        "brier": Outcome("Brier.", statistic=Brier("y", "bad")),
        "ece": Outcome("Calibration.", statistic=CalibrationError("y", "bad", bins=8)),
    }
    cls = study(outcomes=outcomes)
    metrics = sure(cls, 600, {"a": 1.0, "b": 4.0}, 6)
    found = found_in(compare(metrics, Compared.of(cls), OPTIONS))
    # What chance adds to the calibrated arm is in its estimate, and not in its interval.
    calibrated = found["ece", "a", "", HEADLINE]
    assert calibrated["estimate"] > 0.0 and calibrated["ci_low"] < 0.02
    # The expected gap of the bold one, over as many cases as anyone likes.
    odds = np.random.default_rng(0).normal(0, 1.5, 400_000)
    said, true = special.expit(4 * odds), special.expit(odds)
    bins = np.minimum((said * 8).astype(int), 7)
    gap = sum(abs((said - true)[bins == each].sum()) for each in range(8)) / len(odds)
    row = found["ece", "b", "", HEADLINE]
    assert row["ci_low"] < gap < row["ci_high"] and row["ci_low"] > calibrated["ci_high"]
    assert found["ece", "b", "a", HEADLINE]["p_value"] < 0.001
    brier = float(((said - true) ** 2 + true * (1 - true)).mean())
    row = found["brier", "b", "", HEADLINE]
    assert row["ci_low"] < brier < row["ci_high"] and row["ci_high"] - row["ci_low"] < 0.1


def test_from_texts_a_vote_is_as_right_as_the_binomial_says() -> None:
    outcomes = {
        "y": Outcome("Answer."),
        "vote": Outcome("Vote.", statistic=MajorityVote("y", "answer")),
    }
    cls, rng = study(outcomes=outcomes), np.random.default_rng(7)
    pool = {
        f"i{n}": {"item_id": f"i{n}", "topic": "t", "bad": False, "answer": n % 3}
        for n in range(400)
    }
    skill = {"a": 0.4, "b": 0.7}

    def says(row: Any) -> list[float]:
        truth = int(row["item_id"][1:]) % 3
        return [float(truth if rng.random() < skill[row["arm"]] else truth + 10)]

    metrics, _ = played(cls, pool, says, 5)
    found = found_in(compare(metrics, Compared.of(cls), OPTIONS))
    for arm, right in skill.items():
        row, planted = found["vote", arm, "", HEADLINE], stats.binom.sf(2, 5, right)
        assert row["ci_low"] < planted < row["ci_high"] and row["n"] == 2000
        assert row["n_clusters"] == 400 and row["ci_high"] - row["ci_low"] < 0.12
    assert found["vote", "b", "a", HEADLINE]["p_value"] < 0.001


def test_the_plan_says_what_is_estimated_over_sessions_and_how() -> None:
    cls = study()
    made = registered_analysis(cls(cls.Settings.model_validate({"model": "m"})))
    (line,) = [each for each in made.estimands if each.startswith("auc")]
    assert "the area under the ROC curve of y for bad, over all sessions of each arm" in line
    assert "b and a" in line
    assert any("bootstrap of clusters by item_id" in each for each in made.tests)
    assert made.primary.startswith("AUC, in each arm against a")


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Outcome("x", statistic="AUC"), "whose statistic is 'AUC'; its form is AUC("),  # type: ignore[arg-type]
        (Outcome("x", statistic=AUC("z", "bad")), "computed from 'z'; it may be an outcome"),
        (Outcome("x", statistic=AUC("y", "topic")), "computed from 'topic'; it may be"),
        (Outcome("x", statistic=AUC("answer", "bad")), "columns of items alone"),
        (Outcome("x", statistic=Brier("y", "bad")), "takes 'y' for a probability; declare it so"),
        (
            Outcome("x", statistic=MajorityVote("y", "y")),
            "takes 'y' for the true answer of an item",
        ),
        (Outcome("x", statistic=CatchRate("y", "bad", at=5)), "at is 5; it must be a share"),
        (
            Outcome("x", statistic=CalibrationError("y", "bad", bins=0)),
            "bins is 0; it must be a whole number",
        ),
        (Outcome("x", by="round", statistic=AUC("y", "bad")), "cannot be by 'round'; take out by"),
    ],
)
def test_a_statistic_that_cannot_be_computed_is_a_sentence(outcome: Any, sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        declared(item=ITEM, outcomes={"y": Outcome("Number."), "x": outcome})
    assert sentence in str(caught.value)


def test_a_truth_that_is_none_and_a_vote_of_one_are_sentences() -> None:
    cls = study(outcomes={"y": Outcome("y"), "auc": Outcome("x", statistic=AUC("y", "answer"))})
    with pytest.raises(ResourceError, match="is 2; it is what auc takes for true"):
        suspected(cls, 3, np.random.default_rng(8), {"a": 0.0, "b": 0.0})
    vote = study(
        outcomes={"y": Outcome("y"), "v": Outcome("x", statistic=MajorityVote("y", "answer"))}
    )
    with pytest.raises(SettingError, match="repeats holds 1, and v is a vote of the sessions"):
        vote(vote.Settings.model_validate({"model": "m"})).check_settings()
    once = study()
    assert "one number of all sessions" in once(once.Settings(model="m")).never_stops
