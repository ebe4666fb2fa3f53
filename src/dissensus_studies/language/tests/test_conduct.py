"""Conduct, drift and carry-over: nothing found where nothing is, and what is planted found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import linregress, t, ttest_ind

from ..inference.conduct import COUNTS, diagnose_conduct
from ..inference.diagnostics import DIAGNOSTICS
from .inference_frames import INFERENCE, Study, checked, make_study


def turns_of(study: Study, rate: dict[str, float], seed: int = 1) -> pd.DataFrame:
    """Eight turns a session, repaired at the rate of their language."""
    rng = np.random.default_rng(seed)
    done = study.metrics[study.metrics["complete"]]
    rows = done.loc[done.index.repeat(8), ["session_id", "language"]].reset_index(drop=True)
    broken = rng.random(len(rows)) < rows["language"].map(rate)
    return rows.assign(repairs=broken.astype(int), compliant=True)


def found(study: Study, turns: pd.DataFrame, folder: Path) -> pd.DataFrame:
    rows = diagnose_conduct(study.metrics, turns, "hi_z", "en", INFERENCE, 1)
    return checked(rows, DIAGNOSTICS, folder).set_index(["check", "statistic"])


def test_a_language_that_breaks_more_rules_is_found_and_an_equal_one_is_not(tmp_path: Path) -> None:
    study = make_study(80, effect=0.0)
    more = found(study, turns_of(study, {"en": 0.1, "zh": 0.3}), tmp_path)
    row = more.loc[("conduct", "first_attempt_violations")]
    assert row["value"] == pytest.approx(8 * 0.2, abs=0.5)
    assert row["p_value"] < 0.01 and row["ci_low"] > 0
    same = found(study, turns_of(study, {"en": 0.2, "zh": 0.2}), tmp_path)
    assert same.loc[("conduct", "first_attempt_violations"), "p_value"] > 0.01
    assert set(same.loc["conduct"].index) == set(COUNTS)


def test_counts_by_hand(tmp_path: Path) -> None:
    study = make_study(6, lost=["d002-zh"])
    turns = turns_of(study, {"en": 0.0, "zh": 0.0})
    turns.loc[turns["session_id"] == "d001-zh", "repairs"] = [2, 1, 0, 0, 0, 0, 0, 0]
    turns.loc[turns["session_id"] == "d003-en", "compliant"] = [False] + [True] * 7
    row = found(study, turns, tmp_path).loc[("conduct", "first_attempt_violations")]
    # Two turns more in one draw, one fewer in another, nothing in three; the lost one is no pair.
    assert (row["value"], row["n"]) == (pytest.approx((2 - 1) / 5), 5)
    reruns = found(study, turns, tmp_path).loc[("conduct", "reruns")]
    wide = study.metrics.pivot(index="draw_id", columns="language", values="attempts")
    assert (reruns["value"], reruns["n"]) == (pytest.approx((wide["zh"] - wide["en"]).mean()), 6)


def test_drift_is_the_slope_by_block(tmp_path: Path) -> None:
    study = make_study(100, effect=0.0)
    metrics = study.metrics
    metrics["hi_z"] += np.where(metrics["language"] == "zh", 0.6, 0.0) * metrics["block"]
    rows = found(study, turns_of(study, {"en": 0.1, "zh": 0.1}), tmp_path)
    wide = metrics.pivot(index="draw_id", columns="language", values="hi_z")
    blocks = metrics.drop_duplicates("draw_id").set_index("draw_id")["block"].loc[wide.index]
    expected = linregress(blocks, wide["zh"] - wide["en"])
    row = rows.loc[("drift", "effect_per_block")]
    assert row["value"] == pytest.approx(expected.slope)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert row["p_value"] < 0.01
    half = t.ppf(0.975, len(wide) - 2) * expected.stderr
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(
        (row["value"] - half, row["value"] + half)
    )


def test_carry_over_compares_the_orders(tmp_path: Path) -> None:
    study = make_study(100, effect=0.0)
    metrics = study.metrics
    after = metrics["language_order"].str.startswith("zh")
    metrics.loc[after & (metrics["language"] == "en"), "hi_z"] += 3.0
    row = found(study, turns_of(study, {"en": 0.1, "zh": 0.1}), tmp_path).loc[
        ("carry_over", "order_difference")
    ]
    means = metrics.groupby("draw_id")["hi_z"].mean()
    first = after.groupby(metrics["draw_id"]).first()
    expected = ttest_ind(means[first], means[~first], equal_var=False)
    assert row["value"] == pytest.approx(means[first].mean() - means[~first].mean())
    assert row["p_value"] == pytest.approx(expected.pvalue) and row["p_value"] < 0.01


@pytest.mark.parametrize("draws", [1, 2, 3])
def test_small_runs_have_rows_without_numbers(draws: int, tmp_path: Path) -> None:
    study = make_study(draws)
    rows = found(study, turns_of(study, {"en": 0.5, "zh": 0.5}), tmp_path)
    assert len(rows) == len(COUNTS) + 3
