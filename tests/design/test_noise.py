"""Contrasts tested with the noise floor in one test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.design.contrasts import HEADLINE, Options, contrast_row
from dissensus.design.noise import beyond_floor
from dissensus.design.pairs import Columns
from dissensus.design.weights import Contrast
from dissensus.stats.results import Estimate

OPTIONS, COLUMNS = Options(0.95, 2, 1), Columns(cluster="draw_id")
NAN_ESTIMATE = Estimate(float("nan"))
FLOOR = Contrast.of("a_again", "a")


def metrics_of(arms: dict[str, Any]) -> pd.DataFrame:
    """A row a session, from the outcomes of each arm by draw."""
    frames = [
        pd.DataFrame({"draw_id": range(len(values)), "arm": arm, "complete": True, "y": values})
        for arm, values in arms.items()
    ]
    return pd.concat(frames, ignore_index=True)


def floored(arms: dict[str, Any], *compared: Contrast) -> dict[str, Any]:
    headline = (NAN_ESTIMATE, True)
    rows = [contrast_row("y", c.arm, c.reference, HEADLINE, *headline) for c in compared]
    rows = [{**row, "contrast": c.name} for row, c in zip(rows, compared, strict=True)]
    beyond_floor(rows, metrics_of(arms), compared, FLOOR, OPTIONS, COLUMNS)
    return {row["contrast"]: row for row in rows}


def test_it_is_the_contrast_with_the_second_run_in_the_place_of_the_first() -> None:
    rng = np.random.default_rng(1)
    arms = {name: rng.normal(size=20) for name in ("a", "a_again", "b", "c")}
    arms["b"] += 1.0
    arms["c"] += 2.0
    arms["c"][3] = np.nan
    rows = floored(arms, Contrast.of("b", "a"), Contrast.of("c", "a"))
    there = np.isfinite(arms["c"])
    one = stats.ttest_rel(arms["b"], arms["a_again"]).pvalue
    other = stats.ttest_rel(arms["c"][there], arms["a_again"][there]).pvalue
    assert other < one
    assert rows["c-a"]["floor_p"] == pytest.approx(2 * other)
    assert rows["b-a"]["floor_p"] == pytest.approx(one)
    assert (rows["b-a"]["floor_n"], rows["c-a"]["floor_n"]) == (20, 19)


def test_one_nearer_to_zero_than_the_floor_is_not_beyond_it() -> None:
    rng = np.random.default_rng(2)
    level = rng.normal(size=20)
    near = {name: level + rng.normal(0, 0.01, 20) for name in ("a", "a_again", "b")}
    near["a_again"] += 1.0
    row = floored(near, Contrast.of("b", "a"))["b-a"]
    assert row["floor_p"] == 1.0


def test_other_references_and_other_outcomes_have_no_floor() -> None:
    rng = np.random.default_rng(3)
    arms = {name: rng.normal(size=10) for name in ("a", "a_again", "b", "c")}
    rows = floored(arms, Contrast.of("b", "c"), Contrast.of("b", "a"))
    assert (rows["b-c"]["floor_p"], rows["b-c"]["floor_n"]) == (None, 0)
    assert rows["b-a"]["floor_p"] is not None
    alike = {name: np.ones(10) for name in arms}
    assert floored(alike, Contrast.of("b", "a"))["b-a"]["floor_p"] is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "weights",
    [{"b": 1.0, "a": -1.0}, {"b": 1.0, "c": 1.0, "d": 1.0, "a": -3.0}, {"a": 1.0, "b": -1.0}],
)
def test_alike_arms_are_beyond_it_no_more_often_than_the_level_says(
    weights: dict[str, float],
) -> None:
    """The null, of weights that make a contrast 2.4 times as wide as the floor too."""
    rng, times = np.random.default_rng(4), 400
    contrast, found = Contrast("x", weights), 0
    for _ in range(times):
        arms = {name: rng.normal(size=12) for name in ("a", "a_again", "b", "c", "d")}
        found += floored(arms, contrast)["x"]["floor_p"] < 0.05
    assert found / times < 0.05 + 3 * (0.05 * 0.95 / times) ** 0.5


@pytest.mark.thorough
def test_what_a_study_finds_is_seldom_called_noise() -> None:
    """An effect of power .98: the test of one normal mean with noncentrality 1.96 + 2.05."""
    rng, times, n, found, first = np.random.default_rng(5), 400, 60, 0, 0
    effect = (1.96 + 2.05) * (2 / n) ** 0.5
    for _ in range(times):
        arms = {name: rng.normal(size=n) for name in ("a", "a_again", "b")}
        arms["b"] += effect
        row = floored(arms, Contrast.of("b", "a"))["b-a"]
        found += row["floor_p"] < 0.05
        first += stats.ttest_rel(arms["b"], arms["a"]).pvalue < 0.05
    assert first / times == pytest.approx(0.98, abs=0.03)
    # Of the headline's power only the rare first run that lies far out itself is lost.
    assert found / times > 0.97 - 3 * (0.97 * 0.03 / times) ** 0.5


@pytest.mark.thorough
def test_several_arms_have_the_level_together() -> None:
    rng, times, any_found = np.random.default_rng(6), 300, 0
    compared = [Contrast.of(name, "a") for name in "bcdefg"]
    for _ in range(times):
        arms = {name: rng.normal(size=12) for name in ("a", "a_again", *"bcdefg")}
        any_found += any(row["floor_p"] < 0.05 for row in floored(arms, *compared).values())
    assert any_found / times < 0.05 + 3 * (0.05 * 0.95 / times) ** 0.5
