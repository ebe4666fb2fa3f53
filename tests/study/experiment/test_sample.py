"""Models as a sample: estimates over items and models at once, from texts to rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special
from sklearn.metrics import roc_auc_score

from dissensus.design.contrasts import HEADLINE, TWO_WAY, Options
from dissensus.errors import SettingError
from dissensus.report import factors as shown
from dissensus.report.view import Artefacts, View
from dissensus.stats.bootstrap import cluster_robust_mean
from dissensus.stats.multiplicity import adjust
from dissensus.study.experiment import AUC, Experiment, Factor, Outcome, flag, text, whole
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from dissensus.study.experiment.registered import registered_analysis
from dissensus.study.experiment.shown import shown_settings
from dissensus.tables.artefact import write
from marking import thorough_but
from panel_study import declared
from played_study import played, study_of

OPTIONS = Options(0.95, 200, 1)
ITEM = {"topic": text("t"), "bad": flag("Whether it is bad."), "answer": whole("True answer.")}


def study(models: int, **more: Any) -> type[Experiment]:
    names = tuple(f"m{number}" for number in range(models))
    return study_of(**{"factors": {"which": Factor(names, "crossed")}, "sample": "which", **more})


def spoken(
    cls: type[Experiment], items: int, rng: np.random.Generator, effect: float, differ: float
) -> pd.DataFrame:
    """Metrics in which arm b says more by an effect that differs between models."""
    levels = cls.declared_factors()["which"].values
    of_model = dict(zip(levels, rng.normal(effect, differ, len(levels)), strict=True))
    of_item = rng.normal(0, 0.3, items)

    def says(row: Any) -> list[float]:
        added = of_model[row["which"]] + of_item[int(row["item_id"][1:])]
        return [float(added * (row["arm"] == "b") + rng.normal(0, 0.7))]

    return played(cls, items, says)[0]


def two_way(rows: list[dict[str, Any]]) -> dict[str, Any]:
    (row,) = [row for row in rows if row["method"] == TWO_WAY]
    assert set(row) == set(CONTRASTS.columns)
    return row


def test_from_texts_both_ways_are_in_the_standard_error() -> None:
    cls = study(5)
    metrics = spoken(cls, 20, np.random.default_rng(1), 2.0, 0.8)
    rows = compare(metrics, Compared.of(cls), OPTIONS)
    row = two_way(rows)
    wide = metrics.pivot(index=["item_id", "which"], columns="arm", values="y")
    table = (wide["b"] - wide["a"]).unstack("which")
    # With one number a cell, each variance is that of the means of a way.
    variances = [
        table.mean(axis=1).var() / 20,
        table.mean(axis=0).var() / 5,
        table.to_numpy().var(ddof=1) / 100,
    ]
    assert row["estimate"] == pytest.approx(table.to_numpy().mean())
    expected = max(variances[0] + variances[1] - variances[2], *variances[:2])
    assert row["se"] == pytest.approx(math.sqrt(expected))
    assert (row["n"], row["n_clusters"], row["headline"]) == (100, 5, False)
    assert row["ci_low"] < 2.0 < row["ci_high"]
    (alone,) = [r for r in rows if r["headline"]]
    assert alone["method"] == HEADLINE and alone["estimate"] == pytest.approx(row["estimate"])
    assert row["ci_high"] - row["ci_low"] > 2 * (alone["ci_high"] - alone["ci_low"])


@pytest.mark.parametrize("studies", thorough_but((12, 400), 12))
@pytest.mark.parametrize("models", [3, 6])
def test_an_effect_of_models_that_is_none_on_average_is_not_found(
    models: int, studies: int
) -> None:
    """Models differ in what the arm changes; over items alone these would pass for an effect."""
    cls, rng = study(models), np.random.default_rng(2)
    found = {TWO_WAY: 0, HEADLINE: 0}
    for seed in range(studies):
        metrics = spoken(cls, 12, rng, 0.0, 1.0)
        rows = compare(metrics, Compared.of(cls), Options(0.95, 10, seed))
        for row in rows:
            if row["reference"] and not row["factor"] and row["method"] in found:
                found[row["method"]] += row["p_value"] <= 0.05
    room = 3 * math.sqrt(0.05 * 0.95 * studies)
    assert found[TWO_WAY] <= 0.05 * studies + room
    assert found[HEADLINE] > 0.3 * studies


def test_the_family_is_that_of_its_method() -> None:
    said = {"y": Outcome("Number."), "z": Outcome("Its square.")}
    cls = study(
        3,
        arms=("a", "b", "c"),
        outcomes=said,
        measure=lambda self, turns, item: {
            "y": turns["value"].iloc[-1],
            "z": turns["value"].iloc[-1] ** 2,
        },
    )
    metrics = spoken(cls, 15, np.random.default_rng(3), 1.0, 0.1)
    rows = [r for r in compare(metrics, Compared.of(cls), OPTIONS) if r["method"] == TWO_WAY]
    for outcome in said:
        family = [row for row in rows if row["outcome"] == outcome]
        holm = adjust([row["p_value"] for row in family], "holm")
        assert len(family) == 2
        assert [row["p_adjusted"] for row in family] == pytest.approx(list(holm))


def test_a_study_of_one_arm_tests_its_mean_over_both() -> None:
    cls = study(4, arms=("b",), outcomes={"y": Outcome("Number.", null=1.0)})
    metrics = spoken(cls, 12, np.random.default_rng(4), 3.0, 0.2)
    row = two_way(compare(metrics, Compared.of(cls), OPTIONS))
    assert (row["arm"], row["reference"]) == ("b", "")
    assert row["estimate"] == pytest.approx(metrics["y"].mean())
    assert row["ci_low"] < 3.0 < row["ci_high"] and row["p_value"] < 0.01


def test_the_table_says_what_so_few_levels_can_and_cannot_say(tmp_path: Any) -> None:
    cls = study(3)
    assert "table_sample" in {table.name for table in cls.tables}
    made = cls(cls.Settings.model_validate({"model": "m"}))
    metrics = spoken(cls, 15, np.random.default_rng(5), 1.0, 0.3)
    write(
        tmp_path / "contrasts.parquet", CONTRASTS, compare(metrics, Compared.of(cls), OPTIONS), {}
    )
    view = View("x", {"confidence": 0.95, **shown_settings(made)}, simulated=True)
    table = shown.sample(Artefacts({"contrasts": tmp_path / "contrasts.parquet"}), view)
    assert [row[2] for row in table.rows] == ["item_id", "item_id and which"]
    assert "reaches 4.3 standard errors" in table.note
    assert "cannot show how much levels differ in general" in table.note
    assert any("over item_id and which at once" in each for each in registered_analysis(made).tests)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"sample": "which"}, "sample is 'which'; it must be a factor, and there are none"),
        (
            {"sample": "f", "factors": {"f": Factor(("x", "y"), "crossed")}},
            "which has 2 levels; of fewer than 3 nothing can be said of others like them",
        ),
        (
            {"sample": "f", "factors": {"f": Factor((1, 2, 3), "crossed")}},
            "whose levels are numbers with a slope; a sample has names",
        ),
    ],
)
def test_a_sample_that_is_none_is_a_sentence(wrong: Any, sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        declared(**wrong)
    assert sentence in str(caught.value)


AUCS = {"auc": Outcome("AUC.", null=0.5, statistic=AUC("y", "bad")), "y": Outcome("Suspicion.")}


def suspected(cls: type[Experiment], told: Callable[[Any, str], float], seed: int) -> pd.DataFrame:
    """Metrics of 40 items, of which every other is bad, as an arm tells with a model."""
    rng = np.random.default_rng(seed)
    pool = {
        f"i{n}": {"item_id": f"i{n}", "topic": "t", "bad": n % 2 == 1, "answer": 0}
        for n in range(40)
    }

    def says(row: Any) -> list[float]:
        bad = int(row["item_id"][1:]) % 2
        return [float(told(row["which"], row["arm"]) * bad + rng.normal())]

    return played(cls, pool, says)[0]


def test_from_texts_an_auc_is_over_items_and_models_too() -> None:
    cls = study(4, outcomes=AUCS, item=ITEM)
    metrics = suspected(cls, lambda which, arm: 0.3 + 2.0 * (arm == "b"), 8)
    rows = compare(metrics, Compared.of(cls), OPTIONS)
    (row,) = [each for each in rows if each["method"] == TWO_WAY and each["outcome"] == "auc"]
    assert set(row) == set(CONTRASTS.columns)
    (alone,) = [each for each in rows if each["headline"]]
    assert row["estimate"] == alone["estimate"]
    planted = special.ndtr(2.3 / math.sqrt(2)) - special.ndtr(0.3 / math.sqrt(2))
    assert row["ci_low"] < planted < row["ci_high"] and row["p_value"] < 0.05
    # Twenty items of each kind, and four models: three degrees of freedom.
    assert (alone["n_clusters"], row["n_clusters"], row["headline"]) == (20, 4, False)
    one = study(3, outcomes=AUCS, item=ITEM, arms=("b",))
    metrics = suspected(one, lambda which, arm: 2.0, 9)
    rows = compare(metrics, Compared.of(one), OPTIONS)
    (row,) = [each for each in rows if each["method"] == TWO_WAY]
    assert row["arm"] == "b" and row["ci_low"] < special.ndtr(2.0 / math.sqrt(2)) < row["ci_high"]
    assert row["p_value"] < 0.05


def test_from_texts_an_auc_has_rows_at_each_level_and_of_what_levels_change() -> None:
    cls = study(3, outcomes=AUCS, item=ITEM)
    told = {"m0": 0.5, "m1": 0.5, "m2": 2.5}
    metrics = suspected(cls, lambda which, arm: told[which], 10)
    rows = [r for r in compare(metrics, Compared.of(cls), OPTIONS) if r["outcome"] == "auc"]
    keyed = {(r["arm"], r["reference"], r["level"]): r for r in rows if r["factor"]}
    assert len(keyed) == 3 * 2 + 2 * 2
    for arm in cls.arms:
        for level in told:
            of = metrics[(metrics["arm"] == arm) & (metrics["which"] == level)]
            row = keyed[arm, "", level]
            assert row["estimate"] == pytest.approx(roc_auc_score(of["bad"], of["y"]))
            assert row["n"] == 40 and row["contrast"] == f"{arm}, which {level}"
    for level in ("m1", "m2"):
        by_arm = [keyed[arm, "", level]["estimate"] - keyed[arm, "", "m0"]["estimate"]
                  for arm in ("a", "b")]  # fmt: skip
        assert keyed["", "", level]["estimate"] == pytest.approx(np.mean(by_arm))
        assert keyed["b", "a", level]["estimate"] == pytest.approx(by_arm[1] - by_arm[0])
        assert keyed["", "", level]["base"] == "m0" and not keyed["", "", level]["headline"]
    planted = special.ndtr(2.5 / math.sqrt(2)) - special.ndtr(0.5 / math.sqrt(2))
    row = keyed["", "", "m2"]
    assert row["ci_low"] < planted < row["ci_high"] and row["p_value"] < 0.01
    assert keyed["", "", "m1"]["ci_low"] < 0.0 < keyed["", "", "m1"]["ci_high"]
    # A lost session takes its draw with it, and its item where levels are compared.
    lost = (metrics["item_id"] == "i3") & (metrics["which"] == "m2") & (metrics["arm"] == "a")
    metrics.loc[lost, ["y", "complete"]] = [np.nan, False]
    rows = compare(metrics, Compared.of(cls), OPTIONS)
    counted = {r["level"]: r["n"] for r in rows if r["contrast"].startswith("b-a, which")
               and r["outcome"] == "auc"}  # fmt: skip
    assert counted == {"m1": 80, "m2": 78}


def test_a_mean_over_one_way_is_that_of_its_clusters() -> None:
    """Where a way adds nothing, what is left is the other one's."""
    from dissensus.stats.bootstrap import two_way_robust_mean

    rng = np.random.default_rng(6)
    rows, columns = np.repeat(np.arange(8), 6), np.tile(np.arange(6), 8)
    values = rng.normal(0, 3, 8)[rows] + 0.01 * rng.normal(size=48)
    both, one = two_way_robust_mean(values, rows, columns), cluster_robust_mean(values, rows)
    assert both.se == pytest.approx(one.se, rel=0.05) and both.n_clusters == 6
