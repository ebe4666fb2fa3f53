"""Contrasts against scipy, statsmodels and numbers worked by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from dissensus.design.contrasts import HEADLINE, RANDOMISATION
from dissensus.tables.artefact import read, write

from ..inference.contrasts import (
    CONTRASTS,
    HINTS,
    PRIMARY,
    SECONDARY,
    SILENCE,
    comparisons,
    contrast_arms,
)
from ..inference.trajectories import follow
from .deliberation_frames import make_run


def contrasts(metrics: pd.DataFrame, manifest: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(contrast_arms(metrics, manifest, "emergent", 0.95, 500, 1))


def one(frame: pd.DataFrame, **where: str) -> pd.Series[Any]:
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_a_topic_a_draw_is_the_paired_t_test() -> None:
    run = make_run(12, ("emergent", "full"))
    metrics = run.metrics.assign(topic_id=run.metrics["draw_id"])
    row = one(contrasts(metrics, run.manifest), outcome=PRIMARY, arm="full", method=HEADLINE)
    # One session of the twelve draws was lost.
    wide = metrics[metrics["complete"]].pivot(index="draw_id", columns="arm", values=PRIMARY)
    wide = wide.dropna()
    expected = stats.ttest_rel(wide["full"], wide["emergent"])
    low, high = expected.confidence_interval(0.95)
    assert row["estimate"] == pytest.approx((wide["full"] - wide["emergent"]).mean())
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert (row["ci_low"], row["ci_high"]) == (pytest.approx(low), pytest.approx(high))
    assert (row["n"], row["n_clusters"], row["headline"]) == (11, 11, True)


@pytest.mark.parametrize("method", [HEADLINE, RANDOMISATION])
def test_holm_is_statsmodels_over_the_declared_families(method: str) -> None:
    own = make_run().contrasts.query("method == @method")
    primary = (own["outcome"] == PRIMARY) & (own["reference"] == "emergent")
    assert own["headline"].sum() == (primary.sum() if method == HEADLINE else 0)
    families = {
        "primary": primary,
        "secondary": ~primary & (own["outcome"] != SILENCE),
        "silence": (own["outcome"] == SILENCE) & (own["arm"] != "all"),
    }
    assert families["primary"].sum() == 11
    # Against the reference 11 arms; rca beside hinted adds all outcomes and two of hints.
    others = len(SECONDARY)
    assert families["secondary"].sum() == others * 11 + others + 1 + len(HINTS)
    for chosen in families.values():
        rows = own[chosen & own["p_value"].notna()]
        if len(rows):
            expected = multipletests(rows["p_value"], method="holm")[1]
            np.testing.assert_allclose(rows["p_adjusted"].astype(float), expected)
    assert own.loc[own["p_value"].isna(), "p_adjusted"].isna().all()


def test_hints_with_a_judge_are_compared_with_hints_alone() -> None:
    run = make_run()
    pairs = comparisons(run.metrics, run.manifest, "emergent")
    assert pairs[-1] == ("rca", "hinted")
    assert [pair for pair in pairs if pair[1] != "emergent"] == [("rca", "hinted")]
    row = one(run.contrasts, outcome="hint_accepted", arm="rca", method=HEADLINE)
    assert row["reference"] == "hinted" and not row["headline"]
    # Valid hints in the odd draws; the last session, of the twelfth draw, is lost.
    assert row["n"] == 6


def test_without_a_judge_hints_have_no_reference_of_their_own() -> None:
    run = make_run(4, ("emergent", "hinted", "full"), 3, 3)
    found = comparisons(run.metrics, run.manifest, "emergent")
    assert found == [("full", "emergent"), ("hinted", "emergent")]


def test_silence_is_the_mean_of_sessions_and_of_draws() -> None:
    run = make_run()
    held = run.metrics[run.metrics["complete"]]
    expected = stats.ttest_1samp(held.loc[held["arm"] == "pid", SILENCE], 0.0)
    row = one(run.contrasts, outcome=SILENCE, arm="pid")
    assert (row["reference"], row["method"]) == ("", HEADLINE)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    whole = run.metrics[~run.metrics["arm"].eq("rca")]
    pooled = one(contrasts(whole, run.manifest), outcome=SILENCE, arm="all")
    # Draws of eleven sessions each: clusters of one size.
    draws = whole.groupby("draw_id")[SILENCE].mean()
    assert pooled["p_value"] == pytest.approx(stats.ttest_1samp(draws, 0.0).pvalue)
    assert (pooled["n"], pooled["n_clusters"]) == (12 * 11, 12)


def test_an_arm_that_holds_no_debate_has_no_row() -> None:
    run = make_run(5, ("emergent", "full", "pid"), 4, 3)
    held = ["emergent", "full"]
    rows = contrast_arms(run.metrics, run.manifest, "emergent", 0.95, 500, 1, held)
    assert {row["arm"] for row in rows if row["reference"]} == {"full"}
    assert "pid" not in {row["arm"] for row in rows}


def test_a_lost_arm_keeps_its_rows(tmp_path: Path) -> None:
    run = make_run(5, ("emergent", "full", "pid"), 4, 3)
    metrics = run.metrics.assign(complete=run.metrics["complete"] & (run.metrics["arm"] != "full"))
    found = contrasts(metrics, run.manifest)
    row = one(found, outcome=PRIMARY, arm="full", method=HEADLINE)
    assert row["n"] == 0 and pd.isna(row["estimate"]) and pd.isna(row["p_adjusted"])
    rows = contrast_arms(metrics, run.manifest, "emergent", 0.95, 500, 1)
    write(tmp_path / "contrasts.parquet", CONTRASTS, rows, {})
    table = read(tmp_path / "contrasts.parquet", CONTRASTS)
    assert table.num_rows == len(found)
    assert not any(np.isnan(value) for value in table["p_value"].to_pylist() if value is not None)


def test_one_draw_has_estimates_without_errors() -> None:
    run = make_run(1, ("emergent", "full"), 3, 2)
    rows = run.contrasts[run.contrasts["outcome"] == PRIMARY]
    values = run.metrics.set_index("arm")[PRIMARY]
    assert (rows["estimate"] == values["full"] - values["emergent"]).all()
    assert rows[["se", "ci_low", "p_value", "p_adjusted"]].isna().all(axis=None)


def test_one_topic_has_neither_an_interval_nor_a_test() -> None:
    run = make_run(4, ("emergent", "full"), 3, 3)
    found = contrasts(run.metrics.assign(topic_id="the only one"), run.manifest)
    row = one(found, outcome=PRIMARY, arm="full", method=HEADLINE)
    assert np.isfinite(row["estimate"]) and pd.isna(row["se"]) and row["n_clusters"] == 1
    assert pd.isna(one(found, outcome=PRIMARY, arm="full", method=RANDOMISATION)["p_value"])


@settings(max_examples=2)
@given(st.randoms(use_true_random=False))
def test_the_order_of_sessions_does_not_matter(random: Any) -> None:
    run = make_run(5, ("emergent", "full", "hinted", "rca"), 4, 3)
    order = list(range(len(run.metrics)))
    random.shuffle(order)
    shuffled = contrasts(run.metrics.iloc[order], run.manifest.iloc[order])
    pd.testing.assert_frame_equal(shuffled, contrasts(run.metrics, run.manifest))


def test_outcomes_are_columns_of_the_metrics() -> None:
    assert {PRIMARY, *SECONDARY, *HINTS, SILENCE} <= set(make_run().metrics.columns)


def test_trajectories_are_student_intervals_over_draws() -> None:
    run = make_run()
    found = follow(run.rounds, run.manifest, "emergent", 0.95)
    # Every arm and measure in every round, the last too.
    assert found.groupby(["arm", "measure"])["round"].apply(list).map(tuple).unique().tolist() == [
        (1, 2, 3, 4, 5)
    ]
    row = one(found[found["round"] == 3], arm="rca", measure="entropy")
    values = run.rounds.query("arm == 'rca' and round == 3")["entropy"]
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert row["estimate"] == pytest.approx(values.mean())
    assert (row["ci_low"], row["ci_high"]) == (pytest.approx(low), pytest.approx(high))
    # One session of the twelve was lost, and is not made up for.
    assert (row["n"], row["assigned"]) == (11, 12) or run.metrics["complete"].all()
    unjudged = found[(found["arm"] == "full") & (found["measure"] == "quality")]
    assert (unjudged["n"] == 0).all() and unjudged["estimate"].isna().all()
