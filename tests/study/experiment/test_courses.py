"""Outcomes by round, from texts to courses, contrasts by round and the area between courses."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.design.contrasts import HEADLINE, METHODS, RANDOMISATION, Options
from dissensus.errors import ResourceError
from dissensus.stats.multiplicity import adjust
from dissensus.study.experiment import Experiment, Outcome
from dissensus.study.experiment.by_round import numbers_by_round
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import compare
from dissensus.study.experiment.courses import CONTRASTS_BY_ROUND, compare_by_round, trapezium
from marking import thorough_but
from played_study import played, study_of

OUTCOMES = {"y": Outcome("The last number."), "course": Outcome("Each number.", by="round")}
OPTIONS = Options(0.95, 500, 1)


def numbers(self: Any, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, Any]:
    return {
        "y": turns["value"].iloc[-1],
        "course": turns.assign(round=turns["turn"] - 1)[["round", "value"]],
    }


def study(**more: Any) -> type[Experiment]:
    return study_of(**{"outcomes": OUTCOMES, "measure": numbers, **more})


def spoken(
    rng: np.random.Generator, items: int, planted: Any, ends: float = 0.0, **more: Any
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Sessions of three rounds, in which arm b says more by what is planted in each.

    Some of them end after the second round, whatever they said.
    """
    levels = rng.normal(0, 2, items)

    def says(row: Any) -> list[float]:
        noise = rng.normal(0, 0.5) + rng.normal(0, 0.5, 3)
        added = np.array(planted) * (row["arm"] == "b")
        said = [float(n) for n in levels[int(row["item_id"][1:])] + noise + added]
        return said[: 2 if rng.random() < ends else 3]

    return played(study(**more), items, says)


def compared(
    by_round: pd.DataFrame, options: Options = OPTIONS, **more: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    cls = study(**more)
    return compare_by_round(by_round, cls.round_outcomes(), Compared.of(cls), options)


def test_courses_and_contrasts_are_those_of_scipy_at_each_round() -> None:
    _, by_round = spoken(np.random.default_rng(1), 20, (0, 0.4, 0.8), ends=0.4)
    rows, _ = compared(by_round)
    assert all(set(row) == set(CONTRASTS_BY_ROUND.columns) for row in rows)
    for round_ in (0, 1, 2):
        of = by_round[by_round["round"] == round_]
        wide = of.pivot(index="draw_id", columns="arm", values="value")
        found = {
            (row["arm"], row["reference"], row["method"]): row
            for row in rows
            if row["round"] == round_
        }
        pairs = wide.dropna()
        test = stats.ttest_rel(pairs["b"], pairs["a"])
        row = found["b", "a", HEADLINE]
        assert row["p_value"] == pytest.approx(test.pvalue) and row["n"] == len(pairs)
        for arm in "ab":
            mean = found[arm, "", HEADLINE]
            values = wide[arm].dropna()
            assert mean["estimate"] == pytest.approx(values.mean()) and mean["n"] == len(values)
            assert mean["p_value"] is None
    # Who ended early is missing, and not carried forward.
    assert found["b", "a", HEADLINE]["n"] < found["a", "", HEADLINE]["n"] < 20


def test_the_family_of_an_outcome_by_round_is_its_rounds_and_contrasts() -> None:
    _, by_round = spoken(np.random.default_rng(2), 20, (0, 0.4, 0.8), arms=("a", "b", "c"))
    rows, _ = compared(by_round, arms=("a", "b", "c"))
    for method in METHODS:
        family = [row for row in rows if row["method"] == method and row["reference"]]
        holm = adjust([row["p_value"] for row in family], "holm")
        assert len(family) == 6
        assert [row["p_adjusted"] for row in family] == pytest.approx(list(holm))


def test_the_area_is_the_mean_of_the_areas_of_pairs_that_have_all_rounds() -> None:
    metrics, by_round = spoken(np.random.default_rng(3), 20, (0, 0.4, 0.8))
    _, areas = compared(by_round)
    wide = by_round.pivot(index="draw_id", columns=["arm", "round"], values="value")
    of_pairs = np.trapezoid((wide["b"] - wide["a"]).to_numpy(), dx=1, axis=1) / 2
    test = stats.ttest_1samp(of_pairs, 0.0)
    by_method = {row["method"]: row for row in areas}
    assert by_method[HEADLINE]["p_value"] == pytest.approx(test.pvalue)
    assert by_method[HEADLINE]["ci_low"] == pytest.approx(test.confidence_interval().low)
    assert by_method[RANDOMISATION]["estimate"] == pytest.approx(of_pairs.mean())
    # It stands in the contrasts, among all that are not primary.
    design = Compared.of(study())
    every = compare(metrics, design, OPTIONS, areas)
    (row,) = [r for r in every if r["outcome"] == "course" and r["method"] == HEADLINE]
    assert row["p_adjusted"] == pytest.approx(row["p_value"]) and not row["headline"]


def test_where_sessions_end_early_the_area_is_that_between_the_courses() -> None:
    _, by_round = spoken(np.random.default_rng(4), 20, (0, 0.4, 0.8), ends=0.4)
    rows, areas = compared(by_round)
    gaps = [r["estimate"] for r in rows if r["reference"] and r["method"] == HEADLINE]
    for row in areas:
        assert row["estimate"] == pytest.approx(gaps[0] / 4 + gaps[1] / 2 + gaps[2] / 4)
    assert areas[0]["n"] == 20


def test_a_round_of_one_arm_alone_has_a_mean_and_no_part_in_the_area() -> None:
    _, by_round = spoken(np.random.default_rng(5), 10, (0, 0, 0))
    short = by_round[(by_round["arm"] == "b") | (by_round["round"] < 2)]
    rows, areas = compared(short)
    last = {r["arm"]: r for r in rows if r["round"] == 2 and not r["reference"]}
    assert (last["a"]["n"], last["b"]["n"]) == (0, 10)
    gaps = [r["estimate"] for r in rows if r["reference"] and r["method"] == HEADLINE]
    assert gaps[2] is None and areas[0]["estimate"] == pytest.approx((gaps[0] + gaps[1]) / 2)
    vote = by_round[(by_round["arm"] == "b") | (by_round["round"] < 1)]
    assert compared(vote)[1] == [] and compared(by_round[:0]) == ([], [])


@pytest.mark.parametrize("studies", thorough_but((6, 100), 6))
def test_from_texts_the_planted_course_is_found_and_none_where_there_is_none(studies: int) -> None:
    planted, rng = (0.0, 0.5, 1.5), np.random.default_rng(6)
    rows, areas = compared(spoken(rng, 60, planted, ends=0.3)[1])
    effects = [r for r in rows if r["reference"] and r["method"] == HEADLINE]
    for row, truth in zip([*effects, areas[0]], [*planted, 0.625], strict=True):
        assert abs(row["estimate"] - truth) < 3 * row["se"] < 0.7
    found: dict[Any, int] = {}
    for seed in range(studies):
        options = Options(0.95, 300, seed)
        rows, areas = compared(spoken(rng, 12, (0, 0, 0), ends=0.3)[1], options)
        for row in [*rows, *areas]:
            if row["reference"]:
                key = row["method"], row.get("round", "area")
                found[key] = found.get(key, 0) + ((row["p_value"] or 1.0) <= 0.05)
        families = {m: [r["p_adjusted"] for r in rows if r["method"] == m] for m in METHODS}
        for method, family in families.items():
            known = [p for p in family if p is not None]
            found[method, "any"] = found.get((method, "any"), 0) + (min(known) <= 0.05)
    # Three standard errors of the number of studies from what is stated.
    assert len(found) == 10
    assert max(found.values()) <= 0.05 * studies + 3 * math.sqrt(0.05 * 0.95 * studies)


def test_weights_of_a_trapezium() -> None:
    assert list(trapezium(np.array([0, 1, 2]))) == [0.25, 0.5, 0.25]
    assert list(trapezium(np.array([0, 1, 4]))) == [0.125, 0.5, 0.375]


def test_numbers_of_agents_count_by_their_mean() -> None:
    outcomes = {**OUTCOMES, "course": Outcome("Each.", by=("round", "agent"))}

    def by_agent(self: Any, turns: pd.DataFrame, item: SimpleNamespace) -> dict[str, Any]:
        said = turns["value"].tolist()
        given = {(0, "A1"): said[0], (0, "A2"): said[1], (1, "A1"): said[2], (1, "A2"): None}
        return {"y": said[-1], "course": given}

    more = {"outcomes": outcomes, "measure": by_agent}
    _, by_round = spoken(np.random.default_rng(7), 5, (0, 0, 0), **more)
    assert list(by_round["agent"][:3]) == ["A1", "A2", "A1"]
    rows, _ = compared(by_round, **more)
    means = [r for r in rows if r["arm"] == "a" and not r["reference"]]
    of_a = by_round[by_round["arm"] == "a"]
    assert [r["estimate"] for r in means] == pytest.approx(
        [of_a[of_a["round"] == 0]["value"].mean(), of_a[of_a["round"] == 1]["value"].mean()]
    )
    assert [r["n"] for r in means] == [5, 5]


BY_ROUND, BY_BOTH = Outcome("x", by="round"), Outcome("x", by=("round", "agent"))


@pytest.mark.parametrize(
    ("given", "outcome", "numbers"),
    [
        ({2: 1.0, 0: 3}, BY_ROUND, {(0, ""): 3.0, (2, ""): 1.0}),
        ({0: None, 1: float("nan"), 2: 0.5}, BY_ROUND, {(2, ""): 0.5}),
        (pd.DataFrame({"round": [0.0, 1.0], "value": [1, 2]}), BY_ROUND, {(0, ""): 1, (1, ""): 2}),
        ({(0, "A"): True}, BY_BOTH, {(0, "A"): 1.0}),
        (None, BY_ROUND, {}),
        ({}, BY_BOTH, {}),
        # Texts that are numbers, in the order of the numbers.
        (
            pd.DataFrame({"round": ["10", "9", "1"], "value": [3, 2, 1]}),
            BY_ROUND,
            {(1, ""): 1.0, (9, ""): 2.0, (10, ""): 3.0},
        ),
    ],
)
def test_what_a_measure_may_give_by_round(
    given: Any, outcome: Outcome, numbers: dict[tuple[int, str], float]
) -> None:
    found = numbers_by_round(given, outcome)
    assert found == numbers and list(found) == list(numbers)


@pytest.mark.parametrize(
    ("given", "outcome", "sentence"),
    [
        (
            0.5,
            BY_ROUND,
            "as 0.5; it is float; it is by round and must be a mapping of whole rounds",
        ),
        ({"one": 1.0}, BY_ROUND, "must be a mapping of whole rounds"),
        ({0.5: 1.0}, BY_ROUND, "the round 0.5 is no whole number; it is by round and must be"),
        (
            pd.DataFrame({"round": ["round 1", "round 2"], "value": [1, 2]}),
            BY_ROUND,
            "the round 'round 1' is no whole number; it is by round and must be a mapping",
        ),
        ({0: "much"}, BY_ROUND, "must be a mapping of whole rounds"),
        ({(0, "A"): 1.0}, BY_ROUND, "must be a mapping of whole rounds"),
        ({0: 1.0}, BY_BOTH, "it is by round and agent and must be a mapping of (round, agent)"),
        ({(0, 1): 1.0}, BY_BOTH, "must be a mapping of (round, agent)"),
        (pd.DataFrame({"round": [0, 0], "value": [1, 2]}), BY_ROUND, "(0,) comes twice; it is by"),
        (pd.DataFrame({"turn": [0], "value": [1]}), BY_ROUND, "or a frame with round and value"),
        ({0: math.inf}, BY_ROUND, "gives course as inf; it must be finite"),
        ({0: 1.5}, Outcome("x", by="round", is_share=True), "as 1.5; a share must be from 0 to 1"),
    ],
)
def test_what_a_measure_may_not_give_by_round_is_a_sentence(
    given: Any, outcome: Outcome, sentence: str
) -> None:
    cls = study(
        outcomes={**OUTCOMES, "course": outcome},
        measure=lambda self, turns, item: {"y": 1.0, "course": given},
    )
    with pytest.raises(ResourceError) as caught:
        played(cls, 2, lambda row: [1.0])
    assert sentence in str(caught.value) and ", line " in str(caught.value)
