"""Shares of claims by fate: counts by hand, intervals by debate, cases that allow none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from dissensus.design.contrasts import Row
from dissensus.stats.bootstrap import cluster_bootstrap
from dissensus.tables.artefact import read, write

from ..inference.survival import ALL, SURVIVAL, estimate_survival
from ..tables import EXACT, FATES, LOGIT
from .union_ensembles import make_ensemble

INFERENCE = {"confidence": 0.95, "resamples": 2000}


def estimated(claims: pd.DataFrame, seed: int = 1) -> list[Row]:
    return estimate_survival(claims, INFERENCE, seed)


def find(rows: list[Row], by: str, group: str, fate: str = "survives", arm: str = ALL) -> Row:
    wanted = {"by": by, "group": group, "fate": fate, "arm": arm}
    return next(row for row in rows if wanted.items() <= row.items())


def test_shares_are_counts_and_add_to_one() -> None:
    claims = make_ensemble(epochs=2, runs=3).claims
    rows = estimated(claims)
    for by, group in (("kind", "assertion"), ("speaker", "Ada"), ("side", "opposition")):
        own = claims[claims[by] == group]
        for fate in FATES:
            row = find(rows, by, group, fate)
            assert row["claims"] == (own["fate"] == fate).sum()
            assert row["estimate"] == pytest.approx((own["fate"] == fate).mean())
            assert (row["n"], row["n_clusters"]) == (len(own), 12)
        shares = [find(rows, by, group, fate)["estimate"] for fate in FATES]
        assert sum(shares) == pytest.approx(1.0)
    yes = claims[claims["specific"]]
    assert find(rows, "specific", "yes")["n"] == len(yes)
    coached = claims[(claims["epoch"] == 2) & (claims["arm"] == "coached")]
    row = find(rows, "epoch", "2", arm="coached")
    assert row["estimate"] == pytest.approx((coached["fate"] == "survives").mean())
    assert {row["group"] for row in rows if row["by"] == "speech"} == set("123456")


def test_intervals_are_students_on_the_logit_scale_over_draws() -> None:
    claims = make_ensemble(epochs=4, runs=5).claims
    row = find(estimated(claims), "all", ALL)
    survives = (claims["fate"] == "survives").to_numpy(dtype=float)
    draws = claims["epoch"].astype(str) + "/" + claims["run"].astype(str)
    error = cluster_bootstrap(survives, draws, resamples=20_000).se * np.sqrt(20 / 19)
    share = survives.mean()
    # Twenty draws in four epochs.
    half = stats.t.ppf(0.975, 16) * error / (share * (1 - share))
    expected = special.expit(special.logit(share) + np.array([-half, half]))
    assert [row["ci_low"], row["ci_high"]] == pytest.approx(expected, abs=0.008)
    assert row["method"] == LOGIT
    # Draws differ, so that claims counted one by one would look surer than they are.
    naive = stats.binomtest(int(survives.sum()), len(survives)).proportion_ci()
    assert row["ci_high"] - row["ci_low"] > naive.high - naive.low


def test_debates_of_a_motion_are_drawn_among_themselves() -> None:
    # One motion where all survives and one where nothing does: only sizes could vary, and do not.
    claims = make_ensemble(motions=2, epochs=1).claims
    claims["fate"] = np.where(claims["motion_id"] == "m1", "survives", "demolished")
    row = next(row for row in estimated(claims) if row["motion_id"] == ALL and row["by"] == "all")
    assert row["estimate"] == 0.5
    assert row["ci_low"] is None and "do not differ" in row["note"]


def test_debates_of_an_epoch_are_drawn_among_themselves() -> None:
    # In the first epoch all survives, in the second half: which epoch comes up more is no chance.
    claims = make_ensemble(epochs=2, runs=20, arms=("control",)).claims
    rng = np.random.default_rng(3)
    of_debate = {name: rng.random() < 0.5 for name in sorted(set(claims["session_id"]))}
    survives = (claims["epoch"] == 1) | claims["session_id"].map(of_debate)
    claims["fate"] = np.where(survives, "survives", "demolished")
    pooled = find(estimated(claims), "all", ALL)
    second = find(estimated(claims), "epoch", "2")
    # Half of the claims, and all of the spread, are of the second epoch.
    half, whole = (
        np.ptp(special.logit([row["ci_low"], row["ci_high"]]))
        * (row["estimate"] * (1 - row["estimate"]))
        for row in (pooled, second)
    )
    times = stats.t.ppf(0.975, 38) / stats.t.ppf(0.975, 19)
    assert half == pytest.approx(whole / 2 * times, rel=0.1)
    students = 2 * stats.t.ppf(0.975, 19) * np.sqrt(0.25 / 19)
    assert whole == pytest.approx(students, rel=0.15)


@pytest.mark.thorough
def test_debates_of_an_arm_are_as_many_in_every_resample() -> None:
    # What one arm's share is does not depend on how often the other's debates come up.
    claims = make_ensemble(motions=2, epochs=2, runs=5).claims
    is_second = (claims["arm"] == "coached") & (claims["epoch"] == 2)
    claims["fate"] = np.where(claims["motion_id"] == "m1", "survives", "demolished")
    rows = [row for row in estimated(claims) if row["motion_id"] == ALL]
    row = find(rows, "epoch", "2", arm="coached")
    assert row["estimate"] == pytest.approx((claims[is_second]["motion_id"] == "m1").mean())
    assert row["ci_low"] is None and "do not differ" in row["note"]
    assert row["n_clusters"] == 10


def test_where_all_survive_the_interval_is_exact() -> None:
    claims = make_ensemble(epochs=1).claims.assign(fate="survives")
    rows = estimated(claims)
    row = find(rows, "kind", "principled")
    assert (row["estimate"], row["ci_high"], row["method"]) == (1.0, 1.0, EXACT)
    assert row["ci_low"] == pytest.approx(0.025 ** (1 / 5))
    none = find(rows, "kind", "principled", "demolished")
    assert (none["ci_low"], none["claims"]) == (0.0, 0)


@pytest.mark.thorough
def test_coverage_of_the_share_that_survives() -> None:
    inside = []
    for seed in range(150):
        made = make_ensemble(epochs=2, arms=("control",), blind=[], labelled=[], seed=seed)
        row = find(estimate_survival(made.claims, INFERENCE | {"resamples": 400}, 1), "all", ALL)
        inside.append(row["ci_low"] <= 0.5 <= row["ci_high"])
    # Ten debates; three standard errors of 150 ensembles are .053.
    assert np.mean(inside) > 0.95 - 0.053


def test_one_debate_and_none_give_no_interval() -> None:
    made = make_ensemble(epochs=1, runs=1, arms=("control",))
    for row in estimated(made.claims):
        assert row["ci_low"] is None and row["note"]
    assert estimated(made.claims.iloc[:0]) == []


def test_rows_are_written_and_read_and_the_seed_decides(tmp_path: Path) -> None:
    claims = make_ensemble(motions=2, epochs=2, runs=3).claims
    rows = estimated(claims)
    write(tmp_path / "survival.parquet", SURVIVAL, rows, {})
    frame = read(tmp_path / "survival.parquet", SURVIVAL).to_pandas()
    assert set(frame["motion_id"]) == {"m1", "m2", ALL}
    assert estimated(claims) == rows != estimated(claims, 2)
