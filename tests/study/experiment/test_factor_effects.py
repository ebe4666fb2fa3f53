"""What levels of factors change, from texts to the estimate, and against computations of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from dissensus.design.contrasts import HEADLINE, RANDOMISATION, Options
from dissensus.stats.multiplicity import adjust
from dissensus.study.experiment import Factor, Outcome
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from marking import thorough_but
from played_study import played, study_of

OPTIONS = Options(0.95, 500, 1)
#: What is planted besides noise: arms, doses, and more of a dose in arm b.
PLANTED = {"b": 2.0, "dose": 0.3, "b and dose": -0.25, "ba": 0.7}


def spoken(
    study: Any, items: int, rng: np.random.Generator, repeats: int = 1, planted: Any = PLANTED
) -> pd.DataFrame:
    """The metrics of sessions that say what is planted, with a level of each item and of noise."""
    levels = rng.normal(0, 3, items)

    def says(row: Any) -> list[float]:
        value = levels[int(row["item_id"][1:])] + rng.normal(0, 0.5)
        is_b = row["arm"] == "b"
        value += is_b * planted["b"] + (row.get("order") == "ba") * planted["ba"]
        value += row.get("dose", 0) * (planted["dose"] + is_b * planted["b and dose"])
        return [float(value)]

    return played(study, items, says, repeats)[0]


def rows_of(metrics: pd.DataFrame, study: Any, options: Options = OPTIONS) -> dict[Any, Any]:
    rows = compare(metrics, Compared.of(study), options)
    assert all(set(row) == set(CONTRASTS.columns) for row in rows)
    names = ("arm", "reference", "factor", "level", "method")
    keyed = {tuple(row[name] for name in names): row for row in rows}
    assert len(keyed) == len(rows)
    return keyed


def per_item(metrics: pd.DataFrame, arm: str, of: str, level: Any) -> np.ndarray:
    rows = metrics[(metrics["arm"] == arm) & (metrics[of] == level)]
    return rows.groupby("item_id")["y"].mean().to_numpy()


@pytest.mark.parametrize(("how", "repeats"), [("crossed", 1), ("crossed", 2), ("balanced", 4)])
def test_within_items_a_level_is_a_paired_t_test_of_item_means(how: Any, repeats: int) -> None:
    study = study_of(factors={"order": Factor(("ab", "ba"), how)})
    metrics = spoken(study, 15, np.random.default_rng(1), repeats)
    found = rows_of(metrics, study)
    a, b = (
        per_item(metrics, arm, "order", "ba") - per_item(metrics, arm, "order", "ab")
        for arm in "ab"
    )
    for row, values in (
        (found["", "", "order", "ba", HEADLINE], (a + b) / 2),
        (found["b", "a", "order", "ba", HEADLINE], b - a),
    ):
        test = stats.ttest_1samp(values, 0.0)
        assert row["estimate"] == pytest.approx(float(values.mean()))
        assert row["p_value"] == pytest.approx(test.pvalue, rel=1e-7)
        assert row["ci_high"] == pytest.approx(test.confidence_interval().high)
        assert (row["n"], row["n_clusters"], row["base"]) == (
            30 * repeats // (2 if how == "balanced" else 1),
            15,
            "ab",
        )
        flipped = found[row["arm"], row["reference"], "order", "ba", RANDOMISATION]
        assert flipped["estimate"] == pytest.approx(row["estimate"]) and flipped["n"] == row["n"]
    for arm, level in (("a", "ab"), ("b", "ba")):
        of = metrics[(metrics["arm"] == arm) & (metrics["order"] == level)]["y"]
        assert found[arm, "", "order", level, HEADLINE]["estimate"] == pytest.approx(of.mean())


def test_between_draws_a_level_is_a_difference_of_means_with_hc2() -> None:
    study = study_of(factors={"order": ("ab", "ba")})
    metrics = spoken(study, 40, np.random.default_rng(2))
    found = rows_of(metrics, study)
    wide = metrics.pivot(index=["draw_id", "order"], columns="arm", values="y").reset_index()
    for row, values in (
        (found["", "", "order", "ba", HEADLINE], (wide["a"] + wide["b"]) / 2),
        (found["b", "a", "order", "ba", HEADLINE], wide["b"] - wide["a"]),
    ):
        fit = smf.ols("y ~ x", pd.DataFrame({"y": values, "x": (wide["order"] == "ba") * 1.0})).fit(
            cov_type="HC2"
        )
        assert row["estimate"] == pytest.approx(fit.params["x"])
        assert row["se"] == pytest.approx(fit.bse["x"]) and row["n"] == 40
    # Draws that have one level each are not paired, so that signs say nothing.
    assert not any(key[2] and key[4] == RANDOMISATION for key in found)


def test_a_slope_is_that_of_least_squares_within_items() -> None:
    study = study_of(factors={"dose": Factor((1, 3, 6), "crossed")})
    metrics = spoken(study, 12, np.random.default_rng(3))
    # A session that is lost takes its draw with it.
    metrics.loc[metrics["session_id"] == "d005-b", ["y", "complete"]] = [np.nan, False]
    found = rows_of(metrics, study)
    wide = metrics.pivot(index=["item_id", "dose"], columns="arm", values="y").dropna()
    frame = wide.reset_index().assign(diff=lambda f: f["b"] - f["a"])
    fit = smf.ols("diff ~ dose + C(item_id)", frame).fit()
    row = found["b", "a", "dose", "slope", HEADLINE]
    assert row["estimate"] == pytest.approx(fit.params["dose"])
    assert (row["n"], row["n_clusters"], row["contrast"]) == (35, 12, "b-a, dose slope")
    # The draw of one dose does not count where two others are compared.
    assert found["b", "a", "dose", "6", HEADLINE]["n"] in (23, 24)
    assert ("b", "a", "dose", "slope", RANDOMISATION) not in found


def test_crossed_factors_are_compared_where_the_other_is_the_same() -> None:
    factors = {"dose": Factor((1, 6), "crossed"), "order": Factor(("ab", "ba"), "crossed")}
    study = study_of(factors=factors)
    metrics = spoken(study, 10, np.random.default_rng(4))
    # A large dose's session is lost in one order: its partner must not tilt the order's effect.
    lost = (metrics["item_id"] == "i3") & (metrics["dose"] == 6) & (metrics["order"] == "ba")
    metrics.loc[lost, ["y", "complete"]] = [np.nan, False]
    row = rows_of(metrics, study)["", "", "order", "ba", HEADLINE]
    cells = metrics.groupby(["item_id", "dose", "order"])["y"].mean().unstack("order")
    differences = (cells["ba"] - cells["ab"]).dropna()
    assert row["estimate"] == pytest.approx(float(differences.mean()))
    assert row["n"] == 2 * len(differences) == 38


def test_from_texts_all_that_is_planted_is_found() -> None:
    factors = {
        "dose": Factor((1, 3, 6), "crossed"),
        "order": Factor(("ab", "ba"), "balanced"),
    }
    study = study_of(factors=factors)
    metrics = spoken(study, 40, np.random.default_rng(5), repeats=2)
    found = rows_of(metrics, study)
    truth = {
        ("", "", "dose", "slope"): PLANTED["dose"] + PLANTED["b and dose"] / 2,
        ("", "", "dose", "6"): 5 * (PLANTED["dose"] + PLANTED["b and dose"] / 2),
        ("b", "a", "dose", "slope"): PLANTED["b and dose"],
        ("b", "a", "dose", "3"): 2 * PLANTED["b and dose"],
        ("", "", "order", "ba"): PLANTED["ba"],
        ("b", "a", "order", "ba"): 0.0,
        ("b", "a", "", ""): PLANTED["b"] + PLANTED["b and dose"] * 10 / 3,
    }
    for key, planted in truth.items():
        row = found[(*key, HEADLINE)]
        assert abs(row["estimate"] - planted) < 3 * row["se"] < 0.4
        assert (row["p_value"] < 0.001) == (planted != 0.0)


@pytest.mark.parametrize("studies", thorough_but((15, 150), 15))
@pytest.mark.parametrize("how", thorough_but(["drawn", "balanced", "crossed"], "balanced"))
def test_from_texts_a_level_that_changes_nothing_is_not_found(how: Any, studies: int) -> None:
    study = study_of(factors={"order": Factor(("ab", "ba"), how)})
    nothing = dict.fromkeys(PLANTED, 0.0)
    rng = np.random.default_rng(6)
    found: dict[Any, int] = {}
    for seed in range(studies):
        metrics = spoken(study, 12, rng, 1 if how == "crossed" else 2, nothing)
        # Lost sessions are no one's fault.
        lost = rng.random(len(metrics)) < 0.1
        metrics.loc[lost, "y"], metrics.loc[lost, "complete"] = np.nan, False
        for key, row in rows_of(metrics, study, Options(0.95, 300, seed)).items():
            if row["p_value"] is not None:
                found[key] = found.get(key, 0) + (row["p_value"] <= 0.05)
    # Three standard errors of the number of studies from what is stated.
    room = 3 * math.sqrt(0.05 * 0.95 * studies)
    assert len(found) == (4 if how == "drawn" else 6)
    assert max(found.values()) <= 0.05 * studies + room


def test_effects_of_factors_are_among_all_other_contrasts() -> None:
    said = {"y": Outcome("Number."), "z": Outcome("The same again.")}
    study = study_of(
        factors={"dose": Factor((1, 6), "crossed")},
        outcomes=said,
        measure=lambda self, turns, item: dict.fromkeys(said, turns["value"].iloc[-1]),
    )
    rows = all_rows(spoken(study, 10, np.random.default_rng(7)), study)
    for method in (HEADLINE, RANDOMISATION):
        tested = [
            r
            for r in rows
            if r["method"] == method and (r["reference"] or r["base"] or r["level"] == "slope")
        ]
        primary = [r for r in tested if r["outcome"] == "y" and not r["factor"]]
        others = [r for r in tested if r not in primary]
        assert len(primary) == 1 and len(others) == (9 if method == HEADLINE else 5)
        for family in (primary, others):
            holm = adjust([r["p_value"] for r in family], "holm")
            assert [r["p_adjusted"] for r in family] == pytest.approx(list(holm))
    assert [r["contrast"] for r in rows if r["headline"]] == ["b-a"]


def all_rows(metrics: pd.DataFrame, study: Any) -> list[dict[str, Any]]:
    return compare(metrics, Compared.of(study), OPTIONS)


def test_in_a_study_of_one_arm_a_slope_or_a_level_is_the_headline() -> None:
    factors = {"dose": Factor((1, 3, 6), "crossed"), "order": ("ab", "ba")}
    study = study_of(arms=("a",), factors=factors)
    rows = all_rows(spoken(study, 30, np.random.default_rng(8)), study)
    main = [row for row in rows if row["headline"]]
    assert [row["contrast"] for row in main] == ["dose slope", "order ba-ab"]
    holm = adjust([row["p_value"] for row in main], "holm")
    assert [row["p_adjusted"] for row in main] == pytest.approx(list(holm))
    assert not any(row["reference"] for row in rows)


def test_an_arm_without_the_outcome_leaves_the_effect_of_the_others() -> None:
    study = study_of(factors={"dose": Factor((1, 6), "crossed")}, arms=("a", "b", "c"))
    metrics = spoken(study, 10, np.random.default_rng(9))
    without = metrics.assign(y=metrics["y"].where(metrics["arm"] != "a"))
    found = rows_of(without, study)
    row = found["", "", "dose", "6", HEADLINE]
    of_two = metrics[metrics["arm"] != "a"].groupby(["item_id", "dose"])["y"].mean().unstack()
    assert row["estimate"] == pytest.approx(float((of_two[6] - of_two[1]).mean()))
    assert ("b", "a", "dose", "6", HEADLINE) not in found
