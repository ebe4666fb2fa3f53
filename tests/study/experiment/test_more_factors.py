"""Factors of some arms, levels without a slope, interactions, and levels by round."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from dissensus.design.contrasts import HEADLINE, METHODS, Options
from dissensus.errors import SettingError
from dissensus.stats.multiplicity import adjust
from dissensus.study.experiment import Factor, Fork, Outcome
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from dissensus.study.experiment.courses import CONTRASTS_BY_ROUND, compare_by_round
from dissensus.study.experiment.factor_effects import Dealt
from dissensus.study.experiment.registered import registered_analysis
from marking import thorough_but
from panel_study import declared
from played_study import played, study_of

OPTIONS = Options(0.95, 500, 1)
WHICH = Factor(("small", "large"), "crossed", arms=("same",))
ARMS = ("mixed", "same", "alone")


def rows_of(metrics: pd.DataFrame, study: Any, options: Options = OPTIONS) -> dict[Any, Any]:
    rows = compare(metrics, Compared.of(study), options)
    assert all(set(row) == set(CONTRASTS.columns) for row in rows)
    names = ("arm", "reference", "factor", "level", "method")
    return {tuple(row[name] for name in names): row for row in rows}


def test_a_factor_of_one_arm_is_in_its_means_and_in_no_other_arm() -> None:
    study = study_of(arms=ARMS, factors={"which": WHICH})
    rng = np.random.default_rng(1)
    metrics, _ = played(
        study,
        30,
        lambda row: [2.0 * (row["arm"] == "same") * (row["which"] == "large") + rng.normal()],
    )
    found = rows_of(metrics, study)
    of_factor = [key for key in found if key[2]]
    assert {key[0] for key in of_factor} == {"same", ""}
    same = metrics[metrics["arm"] == "same"].pivot(index="item_id", columns="which", values="y")
    effect = found["", "", "which", "large", HEADLINE]
    assert effect["estimate"] == pytest.approx((same["large"] - same["small"]).mean())
    assert abs(effect["estimate"] - 2.0) < 3 * effect["se"] < 1.0
    assert found["same", "", "which", "large", HEADLINE]["estimate"] == pytest.approx(
        same["large"].mean()
    )


def test_arms_without_a_factor_do_not_depend_on_it_and_cannot_ask_for_it() -> None:
    study = study_of(arms=ARMS, factors={"which": WHICH, "order": ("ab", "ba")})
    assert study.factors_of("mixed") == ("order",)
    assert study.factors_of("same") == ("which", "order")
    made = study(study.Settings.model_validate({"model": "m"}))
    (kind,) = made.kinds
    row = {"draw_id": "d1", "item_id": "i", "seed": 1, "which": "large", "order": "ab"}
    mixed, same = (kind.spec({**row, "arm": arm}, {}) for arm in ("mixed", "same"))
    assert set(mixed.levels) == {"arm", "order"}
    assert same.levels["which"] == "large"
    assert "of no matter but in same" in study.manifest_schema.columns["which"].meaning
    (line,) = [e for e in registered_analysis(made).estimands if e.startswith("What which")]
    assert "in the mean of same and in contrasts of these alone" in line


def test_numbers_that_are_names_have_no_slope() -> None:
    study = study_of(factors={"prompt": Factor((1, 2, 3), "crossed", slope=False)})
    rng = np.random.default_rng(2)
    metrics, _ = played(study, 10, lambda row: [float(row["prompt"]) + rng.normal()])
    found = rows_of(metrics, study)
    assert metrics["prompt"].dtype.kind == "i"
    levels = {key[3] for key in found if key[2]}
    assert levels == {"1", "2", "3"}
    one_arm = study_of(arms=("a",), factors={"prompt": Factor((1, 2, 3), slope=False)})
    metrics, _ = played(one_arm, 20, lambda row: [rng.normal()])
    main = [r for r in compare(metrics, Compared.of(one_arm), OPTIONS) if r["headline"]]
    assert [row["level"] for row in main] == ["2", "3"]


def two_factors(how: Any = "crossed", **more: Any) -> Any:
    factors = {"dose": Factor((1, 3, 6), how), "order": Factor(("ab", "ba"), "crossed")}
    return study_of(factors=factors, interactions=(("dose", "order"),), **more)


def dosed(study: Any, items: int, planted: float, seed: int, repeats: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    levels, slopes = rng.normal(0, 2, items), rng.normal(0, 0.2, items)

    def says(row: Any) -> list[float]:
        item, is_ba = int(row["item_id"][1:]), row["order"] == "ba"
        value = levels[item] + 0.5 * row["dose"] + is_ba * (1.0 + planted * row["dose"])
        return [float(value + is_ba * row["dose"] * slopes[item] + rng.normal(0, 0.5))]

    return played(study, items, says, repeats)[0]


def test_an_interaction_is_the_coefficient_of_a_product_within_items() -> None:
    study = two_factors()
    metrics = dosed(study, 20, 0.6, 3)
    # A lost session takes its draw with it.
    metrics.loc[metrics["session_id"] == "d005-b", ["y", "complete"]] = [np.nan, False]
    row = rows_of(metrics, study)["", "", "dose × order", "slope × ba", HEADLINE]
    wide = metrics.pivot(index=["item_id", "dose", "order"], columns="arm", values="y")
    frame = wide.mean(axis=1, skipna=False).rename("y").dropna().reset_index()
    frame["ba"] = (frame["order"] == "ba") * 1.0
    fit = smf.ols("y ~ dose * ba + C(item_id)", frame).fit()
    assert row["estimate"] == pytest.approx(fit.params["dose:ba"])
    assert (row["n"], row["n_clusters"], row["base"]) == (119, 20, "ab")
    assert abs(row["estimate"] - 0.6) < 3 * row["se"] < 0.4
    assert row["p_value"] < 0.001 and not row["headline"] and row["p_adjusted"] is not None


def three_factors(planted: float, seed: int, items: int = 16) -> tuple[Any, pd.DataFrame]:
    """Each two change 1 in each other, and all three change what is planted."""
    study = study_of(
        factors={
            "dose": Factor((1, 3, 6), "crossed"),
            **{name: Factor(("x", "y"), "crossed") for name in ("who", "order")},
        },
        interactions=(("dose", "who", "order"),),
    )
    rng = np.random.default_rng(seed)
    slopes = rng.normal(0, 0.3, items)

    def says(row: Any) -> list[float]:
        who, order, dose = (row["who"] == "y"), (row["order"] == "y"), row["dose"]
        pairs = 1.0 * who * order + who * dose + order * dose
        changed = planted + slopes[int(row["item_id"][1:])]
        return [float(pairs + changed * who * order * dose + rng.normal(0, 0.5))]

    return study, played(study, items, says)[0]


def test_three_factors_change_in_each_other_what_a_regression_of_all_products_says() -> None:
    study, metrics = three_factors(0.8, 11)
    row = rows_of(metrics, study)["", "", "dose × who × order", "slope × y × y", HEADLINE]
    frame = metrics.groupby(["item_id", "dose", "who", "order"])["y"].mean().reset_index()
    frame[["w", "o"]] = (frame[["who", "order"]] == "y") * 1.0
    fit = smf.ols("y ~ dose * w * o + C(item_id)", frame).fit()
    assert row["estimate"] == pytest.approx(fit.params["dose:w:o"])
    assert abs(row["estimate"] - 0.8) < 3 * row["se"] < 0.8 and row["p_value"] < 0.001
    assert (row["base"], row["n"], row["n_clusters"]) == ("x × x", 192, 16)
    made = study(study.Settings.model_validate({"model": "m"}))
    (line,) = [e for e in registered_analysis(made).estimands if "dose and who and order" in e]
    assert "less the same at another level" in line


@pytest.mark.parametrize("studies", thorough_but((6, 400), 6))
def test_three_factors_that_only_act_by_twos_are_not_found(studies: int) -> None:
    found = 0
    for seed in range(studies):
        study, metrics = three_factors(0.0, seed, 12)
        rows = compare(metrics, Compared.of(study), Options(0.95, 10, seed))
        (row,) = [row for row in rows if row["factor"] == "dose × who × order"]
        found += row["p_value"] <= 0.05
    assert found <= 0.05 * studies + 3 * math.sqrt(0.05 * 0.95 * studies)


def test_two_levels_each_are_a_difference_of_differences() -> None:
    factors = {"who": Factor(("x", "y"), "crossed"), "order": Factor(("ab", "ba"), "crossed")}
    study = study_of(factors=factors, interactions=(("who", "order"),))
    rng = np.random.default_rng(4)
    metrics, _ = played(study, 12, lambda row: [rng.normal()])
    row = rows_of(metrics, study)["", "", "who × order", "y × ba", HEADLINE]
    cells = metrics.groupby(["item_id", "who", "order"])["y"].mean().unstack(["who", "order"])
    by_item = cells["y", "ba"] - cells["y", "ab"] - cells["x", "ba"] + cells["x", "ab"]
    assert row["estimate"] == pytest.approx(by_item.mean())
    # With one difference of differences an item, its standard error is that of their mean.
    assert row["se"] == pytest.approx(by_item.sem())
    assert row["base"] == "x × ab"


@pytest.mark.parametrize("how", ["crossed", "drawn"])
@pytest.mark.parametrize("studies", thorough_but((8, 400), 8))
def test_an_interaction_that_is_none_is_not_found(how: Any, studies: int) -> None:
    """Items differ in how much the two change in each other, evenly about nothing."""
    study, found = two_factors(how), 0
    for seed in range(studies):
        metrics = dosed(study, 14, 0.0, seed, repeats=1 if how == "crossed" else 3)
        rows = compare(metrics, Compared.of(study), Options(0.95, 10, seed))
        (row,) = [row for row in rows if row["factor"] == "dose × order"]
        found += row["p_value"] <= 0.05
    assert found <= 0.05 * studies + 3 * math.sqrt(0.05 * 0.95 * studies)


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("studies", thorough_but((40, 2000), 40))
def test_what_a_drawn_level_changes_in_a_contrast_has_its_level(studies: int, repeats: int) -> None:
    """Shares of two arms, of 20 items: each number is 0 or 1, and items differ."""
    study = study_of(factors={"order": ("ab", "ba")})
    design, names = Compared.of(study), {"repeats": repeats, "block_size": 25}
    pool = {f"i{number}": {} for number in range(20)}
    rng, found, tested = np.random.default_rng(8), 0, 0
    for seed in range(studies):
        metrics = pd.DataFrame(study.draw_manifest(pool, names, seed)).assign(complete=True)
        chances = rng.uniform(0.1, 0.9, len(pool))[metrics["item_id"].str[1:].astype(int)]
        metrics["y"] = (rng.random(len(metrics)) < chances).astype(float)
        draws = metrics.pivot(index="draw_id", columns="arm", values="y")
        of = metrics.drop_duplicates("draw_id").set_index("draw_id").loc[draws.index]
        dealt = Dealt.of(of.reset_index(), "order", design.factors, "item_id")
        (effect,) = dealt.effects((draws["b"] - draws["a"]).to_numpy(), OPTIONS)
        tested += np.isfinite(effect.estimate.p_value)
        found += effect.estimate.p_value <= 0.05
    room = 3 * math.sqrt(0.05 * 0.95 * studies)
    assert tested > 0.99 * studies
    assert 0.05 * tested - room <= found <= 0.05 * tested + room


OUTCOMES = {"y": Outcome("The last number."), "course": Outcome("Each number.", by="round")}


def test_levels_by_round_are_those_of_each_round_and_a_family_of_their_own() -> None:
    study = study_of(
        outcomes=OUTCOMES,
        factors={"order": Factor(("ab", "ba"), "crossed")},
        measure=lambda self, turns, item: {
            "y": turns["value"].iloc[-1],
            "course": turns.assign(round=turns["turn"] - 1)[["round", "value"]],
        },
    )
    rng = np.random.default_rng(5)
    _, by_round = played(
        study,
        25,
        lambda row: [float(n * 1.5 * (row["order"] == "ba") + rng.normal()) for n in range(3)],
    )
    design = Compared.of(study)
    rows, _ = compare_by_round(by_round, study.round_outcomes(), design, OPTIONS)
    assert all(set(row) == set(CONTRASTS_BY_ROUND.columns) for row in rows)
    keys = [tuple(row[name] for name in CONTRASTS_BY_ROUND.key) for row in rows]
    assert len(set(keys)) == len(keys)
    effects = [row for row in rows if row["base"]]
    for round_ in range(3):
        of = by_round[by_round["round"] == round_]
        cells = of.groupby(["item_id", "order"])["value"].mean().unstack()
        (row,) = [r for r in effects if r["round"] == round_ and r["method"] == HEADLINE]
        assert row["estimate"] == pytest.approx((cells["ba"] - cells["ab"]).mean())
        assert abs(row["estimate"] - 1.5 * round_) < 3 * row["se"] < 1.0
        for arm in "ab":
            (mean,) = [
                r for r in rows
                if (r["arm"], r["level"], r["base"], r["round"]) == (arm, "ba", "", round_)
            ]  # fmt: skip
            at = of[(of["arm"] == arm) & (of["order"] == "ba")]["value"]
            assert mean["estimate"] == pytest.approx(at.mean()) and mean["n"] == 25
    for method in METHODS:
        family = [row for row in effects if row["method"] == method]
        holm = adjust([row["p_value"] for row in family], "holm")
        assert [row["p_adjusted"] for row in family] == pytest.approx(list(holm))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"factors": {"f": Factor(("x", "y"), arms=("c",))}}, "'f' with the arms ('c',); they may"),
        ({"factors": {"f": Factor(("x", "y"), arms="a")}}, "'f' with the arms 'a'; they may be"),
        (
            {
                "factors": {"f": Factor(("x", "y"), arms=("b",))},
                "forks": {"b": Fork("a", turn=1)},
                "replacement": lambda self, session, turn: "t",
            },
            "the fork 'b' begins as 'a' did",
        ),
        ({"interactions": (("f", "g"),)}, "('f', 'g'); its form is"),
        ({"factors": {"f": ("x", "y")}, "interactions": ("f",)}, "has 'f'; its form is"),
        (
            {
                "factors": dict.fromkeys("fghi", (1, 2)),
                "interactions": (("f", "g", "h", "i"),),
            },
            "of two factors each, or of three",
        ),
        (
            {"factors": {"f": (1, 2), "g": (1, 2)}, "interactions": (("f", "g", "f"),)},
            "('f', 'g', 'f'); its form is",
        ),
        (
            {"factors": {"f": (1, 2), "g": (1, 2)}, "interactions": (("f", "g"), ("g", "f"))},
            "has ('g', 'f') twice",
        ),
        (
            {
                "factors": {"f": Factor((1, 2), arms=("a",)), "g": Factor((1, 2), arms=("b",))},
                "interactions": (("f", "g"),),
            },
            "of which no arm has both",
        ),
    ],
)
def test_factors_and_interactions_that_cannot_be_are_sentences(wrong: Any, sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        declared(**wrong)
    assert sentence in str(caught.value)
