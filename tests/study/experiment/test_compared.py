"""Contrasts of an experiment by name and weight, and studies of one arm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.design.contrasts import HEADLINE, RANDOMISATION, Options
from dissensus.design.weights import Contrast
from dissensus.report.findings import derived
from dissensus.study.experiment import Factor, Outcome
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import compare
from played_study import played, study_of

ARMS = ("alone", "debate", "jury")
CONTRASTS = {
    "groups": {"debate": 0.5, "jury": 0.5, "alone": -1},
    "speech": ("debate", "jury"),
}
OPTIONS = Options(0.95, 500, 1)
#: What the arms say besides noise.
PLANTED = {"alone": 0.0, "debate": 1.5, "jury": 0.5}


def spoken(study: Any, items: int, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    levels = rng.normal(0, 2, items)

    def says(row: Any) -> list[float]:
        level = levels[int(row["item_id"][1:])]
        return [float(level + PLANTED[row["arm"]] + rng.normal(0, 0.5))]

    return played(study, items, says)[0]


def test_declared_contrasts_are_the_family_and_find_what_is_planted() -> None:
    outcomes = {"y": Outcome("Number."), "z": Outcome("Its square.")}
    study = study_of(
        arms=ARMS,
        contrasts=CONTRASTS,
        outcomes=outcomes,
        measure=lambda self, turns, item: {
            "y": turns["value"].iloc[-1],
            "z": turns["value"].iloc[-1] ** 2,
        },
    )
    metrics = spoken(study, 25)
    rows = compare(metrics, Compared.of(study), OPTIONS)
    wide = metrics.pivot(index="draw_id", columns="arm", values="y")
    by_hand = {
        "groups": (wide["debate"] + wide["jury"]) / 2 - wide["alone"],
        "speech": wide["debate"] - wide["jury"],
    }
    found = {(r["contrast"], r["outcome"], r["method"]): r for r in rows if r["reference"]}
    for name, values in by_hand.items():
        row, test = found[name, "y", HEADLINE], stats.ttest_1samp(values, 0.0)
        assert row["estimate"] == pytest.approx(float(values.mean())) and row["headline"]
        assert row["p_value"] == pytest.approx(test.pvalue)
        assert abs(row["estimate"] - 1.0) < 3 * row["se"] < 0.6
    assert found["groups", "y", HEADLINE]["arm"] == "0.5 debate + 0.5 jury"
    assert found["groups", "y", HEADLINE]["reference"] == "alone"
    ps = sorted(found[name, "y", HEADLINE]["p_value"] for name in by_hand)
    adjusted = sorted(found[name, "y", HEADLINE]["p_adjusted"] for name in by_hand)
    assert adjusted == pytest.approx([2 * ps[0], max(2 * ps[0], ps[1])])
    # Signs may be flipped where the two sides could as well be swapped.
    assert ("speech", "y", RANDOMISATION) in found
    assert ("groups", "y", RANDOMISATION) not in found
    said = derived([row for row in rows if row["headline"]]).headlines
    assert said[0].startswith("y, 0.5 debate + 0.5 jury − alone: +")


def test_a_pair_that_lacks_one_of_its_arms_counts_in_no_contrast_of_it() -> None:
    study = study_of(arms=ARMS, contrasts=CONTRASTS)
    metrics = spoken(study, 10)
    metrics.loc[metrics["session_id"] == "d003-jury", ["y", "complete"]] = [np.nan, False]
    rows = compare(metrics, Compared.of(study), OPTIONS)
    assert {r["contrast"]: r["n"] for r in rows if r["headline"]} == {"groups": 9, "speech": 9}


def test_sides_are_swappable_where_they_have_the_same_weights() -> None:
    assert Contrast.of("a", "b").is_swappable
    assert Contrast("x", {"a": 1, "b": -1, "c": -1, "d": 1}).is_swappable
    assert not Contrast("x", {"a": 2, "b": -1, "c": -1}).is_swappable
    assert Contrast("x", {"a": 1, "b": -1, "c": -1, "d": 1}).reference == "(b + c)"


def test_one_arm_is_a_study_of_means_against_their_nulls() -> None:
    outcomes = {"y": Outcome("Number.", null=1.0), "z": Outcome("No null.")}
    study = study_of(
        arms=("debate",),
        outcomes=outcomes,
        measure=lambda self, turns, item: dict.fromkeys(outcomes, turns["value"].iloc[-1]),
    )
    metrics = spoken(study, 20)
    rows = compare(metrics, Compared.of(study), OPTIONS)
    assert [(r["contrast"], r["outcome"], r["headline"]) for r in rows] == [
        ("debate", "y", True),
        ("debate", "z", False),
    ]
    test = stats.ttest_1samp(metrics["y"], 1.0)
    assert rows[0]["p_value"] == pytest.approx(test.pvalue) and rows[1]["p_value"] is None
    findings = derived([rows[0]], {"y": "Score"})
    assert findings.headlines[0].startswith(f"Score, debate: {rows[0]['estimate']:.3f} [")
    assert findings.card is not None
    assert not findings.card.bars[0].printed.startswith("+")
    without = derived([{**rows[1], "headline": True}]).headlines[0]
    assert "p =" not in without and without.endswith(", n = 20.")


def test_means_against_a_null_are_in_the_family_of_what_is_not_primary() -> None:
    outcomes = {"y": Outcome("Number.", null=0.4), "z": Outcome("The same.", null=0.2)}
    study = study_of(
        arms=ARMS,
        outcomes=outcomes,
        measure=lambda self, turns, item: dict.fromkeys(outcomes, turns["value"].iloc[-1]),
    )
    rows = compare(spoken(study, 25), Compared.of(study, again=True), OPTIONS)
    tested = [row for row in rows if row["method"] == HEADLINE and row["p_value"] is not None]
    means = [row for row in tested if not row["reference"]]
    assert len(means) == 6 and all(row["p_adjusted"] is not None for row in means)
    family = sorted(
        (row["p_value"], row["p_adjusted"])
        for row in tested
        if not row["headline"] and "alone_again" not in row["arm"]
    )
    # Six means, and two contrasts of the outcome that is not primary: Holm's steps by hand.
    holm = np.maximum.accumulate([p * (8 - at) for at, (p, _) in enumerate(family)])
    assert [adjusted for _, adjusted in family] == pytest.approx(np.minimum(holm, 1.0))
    primary = sorted(row["p_value"] for row in tested if row["headline"])
    assert min(r["p_adjusted"] for r in tested if r["headline"]) == pytest.approx(2 * primary[0])


@pytest.mark.parametrize(
    ("more", "primary", "estimands"),
    [
        ({}, "y, in each arm against a.", 1),
        ({"contrasts": {"more": ("b", "a")}}, "y, in more.", 1),
        ({"arms": ("a",)}, "y, its mean in a.", 1),
        (
            {"arms": ("a",), "factors": {"dose": Factor((1, 2)), "side": ("x", "y")}},
            "y, by the slope on dose, the levels of side.",
            3,
        ),
        (
            {"outcomes": {"y": "Number.", "c": Outcome("By round.", by="round")}},
            "y, in each arm against a.",
            2,
        ),
    ],
)
def test_what_is_registered_says_the_design(
    more: dict[str, Any], primary: str, estimands: int
) -> None:
    study = study_of(**more)
    made = study(study.Settings.model_validate({"model": "m"}))
    registered = made.registered({}, 1)
    assert registered.primary == primary and len(registered.estimands) == estimands
    where = "one arm (a)" if more.get("arms") else "2 arms (a, b), in random order"
    assert f"All items are debated in {where}" in registered.design
    assert bool(more.get("factors")) == ("The factor dose (1, 2) is drawn" in registered.design)
