"""Coaching: numbers by hand, a planted gain recovered, a planted zero not, and edge cases."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from dissensus.design.contrasts import Row
from dissensus.stats.multiplicity import adjust
from dissensus.tables.artefact import read, write
from marking import thorough_but

from ..inference.coaching import COACHING, OUTCOMES, estimate_coaching
from ..tables import (
    CLUSTERED,
    COACHED_EPOCHS,
    DIFFERENCE,
    IN_DIFFERENCES,
    MEAN,
    RANDOMISATION,
)
from .union_ensembles import Ensemble, make_ensemble

INFERENCE = {"confidence": 0.95, "resamples": 2000}
GAINS = [0.1, 0.25]


def made_with(**settings: Any) -> Ensemble:
    return make_ensemble(**{"blind": [], "labelled": [], **settings})


def estimated(made: Ensemble, seed: int = 1) -> list[Row]:
    return estimate_coaching(made.verdicts, made.manifest, INFERENCE, GAINS, seed)


def find(
    rows: list[Row],
    epoch: int = COACHED_EPOCHS,
    contrast: str = DIFFERENCE,
    outcome: str = "student_survival",
    **more: Any,
) -> Row:
    wanted = {"epoch": epoch, "contrast": contrast, "outcome": outcome, **more}
    return next(row for row in rows if wanted.items() <= row.items())


def differences(made: Ensemble, *epochs: int) -> pd.Series:
    own = made.verdicts[made.verdicts["epoch"].isin(epochs)]
    wide = own.pivot(index=["motion_id", "epoch", "run"], columns="arm", values="student_survival")
    return wide["coached"] - wide["control"]


def is_missing(row: Row) -> bool:
    numbers = ("estimate", "ci_low", "ci_high", "p_value", "p_adjusted", "mde_80", "power_0.1")
    return all(row[name] is None for name in numbers) and bool(row["note"])


@pytest.fixture(scope="module")
def gained() -> Ensemble:
    return made_with(gain=0.3)


def test_estimates_by_hand(gained: Ensemble) -> None:
    rows = estimated(gained)
    later, first = differences(gained, 4), differences(gained, 1)
    pooled = differences(gained, 2, 3, 4)
    row = find(rows, method=RANDOMISATION)
    assert row["estimate"] == pytest.approx(pooled.mean())
    assert (row["n"], row["assigned"], row["chains"]) == (15, 15, 1)
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(pooled, 0.0).pvalue, abs=0.003)
    row = find(rows, 4, IN_DIFFERENCES)
    assert row["estimate"] == pytest.approx(later.mean() - first.mean())
    assert (row["n"], row["assigned"], row["chains"]) == (10, 10, 1)
    # Student's t of the draws' differences is near: two epochs, five draws each.
    assert row["p_value"] == pytest.approx(stats.ttest_ind(later, first).pvalue, abs=0.03)
    plain = find(rows, 4, DIFFERENCE)
    assert plain["estimate"] == pytest.approx(later.mean())
    assert plain["p_value"] >= 2 / 32 and "no p-value below 0.0625" in plain["note"]
    mean = find(rows, 3, MEAN, arm="coached")
    own = gained.verdicts.query("arm == 'coached' and epoch == 3")["student_survival"]
    assert mean["estimate"] == pytest.approx(own.mean())
    # Of the logit, by the delta method: its slope at a share m is 1 / (m (1 - m)).
    half = stats.t.ppf(0.975, len(own) - 1) * stats.sem(own) / (own.mean() * (1 - own.mean()))
    limits = special.expit(special.logit(own.mean()) + np.array([-half, half]))
    assert (mean["ci_low"], mean["ci_high"]) == pytest.approx(tuple(limits))
    assert mean["p_value"] is None


def test_a_planted_gain_is_found_and_recovered(gained: Ensemble) -> None:
    rows = estimated(gained)
    for row in (find(rows, method=RANDOMISATION), find(rows, 4, IN_DIFFERENCES)):
        assert row["ci_low"] is not None and row["ci_high"] is not None
        assert row["ci_low"] <= 0.3 <= row["ci_high"]
    assert find(rows, method=RANDOMISATION)["p_value"] < 0.01
    whole = made_with(motions=2, runs=20, epochs=2, gain=0.2)
    row = find(estimated(whole), method=RANDOMISATION)
    assert row["estimate"] == pytest.approx(0.2, abs=0.06) and row["p_value"] < 0.001


@pytest.mark.parametrize("studies", thorough_but((10, 80), 10))
def test_a_planted_zero_is_not_found(studies: int) -> None:
    p_values, covered = [], []
    for seed in range(studies):
        made = made_with(epochs=2, seed=seed)
        row = find(
            estimate_coaching(
                made.verdicts, made.manifest, INFERENCE | {"resamples": 1024}, GAINS, 1
            ),
            2,
            IN_DIFFERENCES,
        )
        p_values.append(row["p_value"])
        low = -np.inf if row["ci_low"] is None else row["ci_low"]
        high = np.inf if row["ci_high"] is None else row["ci_high"]
        covered.append(low <= 1e-9 and high >= -1e-9)
    # Five in a hundred are found, to three standard errors.
    room = 3 * np.sqrt(0.05 * 0.95 * studies)
    found = np.array(p_values) <= 0.05
    assert found.sum() < 0.05 * studies + room
    assert found.any() or studies < 80
    assert (np.array(p_values) > 0.05).tolist() == covered


def test_p_values_are_adjusted_over_outcomes_and_over_later_epochs() -> None:
    rows = estimated(make_ensemble(gain=0.1))
    pooled = [find(rows, outcome=name, method=RANDOMISATION) for name in OUTCOMES]
    for family in ([find(rows, epoch) for epoch in (2, 3, 4)], pooled):
        expected = adjust([row["p_value"] for row in family], "holm")
        assert [row["p_adjusted"] for row in family] == pytest.approx(expected.tolist())
    assert find(rows, 1)["p_adjusted"] is None
    headlines = [row for row in rows if row["headline"]]
    assert headlines == [find(rows, method=RANDOMISATION)]


def test_power_is_that_of_a_pooled_t_test(gained: Ensemble) -> None:
    from statsmodels.stats.power import TTestIndPower, TTestPower

    row = find(estimated(gained), 4, IN_DIFFERENCES)
    pooled = np.sqrt((differences(gained, 4).var() + differences(gained, 1).var()) / 2)
    for gain in GAINS:
        expected = TTestIndPower().power(gain / pooled, 5, 0.05)
        assert row[f"power_{gain}"] == pytest.approx(expected, abs=1e-6)
    assert TTestIndPower().power(row["mde_80"] / pooled, 5, 0.05) == pytest.approx(0.8)
    row, sd = find(estimated(gained), method=RANDOMISATION), differences(gained, 2, 3, 4).std()
    assert TTestPower().power(row["mde_80"] / sd, 15, 0.05) == pytest.approx(0.8)
    assert find(estimated(gained), 2, MEAN, arm="control")["mde_80"] is None


def test_several_motions_are_clusters_and_one_says_that_it_is_one(gained: Ensemble) -> None:
    alone = find(estimated(gained), method=CLUSTERED)
    assert alone["estimate"] is not None and alone["ci_low"] is None
    assert alone["n_clusters"] == 1 and "One motion is one cluster" in alone["note"]
    two = find(estimated(made_with(motions=2, gain=0.3)), method=CLUSTERED)
    assert two["estimate"] is not None and two["n_clusters"] == 2
    assert all(two[name] is None for name in ("ci_low", "ci_high", "p_value", "mde_80"))
    assert "Two motions are too few" in two["note"]
    told = find(estimated(gained), method=RANDOMISATION)
    assert "of this motion under this chain of memos" in told["note"]
    many = made_with(motions=4, epochs=2, runs=3, gain=0.3)
    row = find(estimated(many), method=CLUSTERED)
    gains = differences(many, 2).groupby("motion_id").mean()
    test = stats.ttest_1samp(gains, 0.0)
    assert row["p_value"] == pytest.approx(test.pvalue)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(test.confidence_interval()))
    assert (row["n_clusters"], row["chains"], row["n"]) == (4, 4, 12)


def test_a_lost_debate_takes_its_draw_out_of_contrasts(gained: Ensemble) -> None:
    kept = gained.verdicts[gained.verdicts["session_id"] != "m1-e4-r02-control"]
    rows = estimate_coaching(kept, gained.manifest, INFERENCE, GAINS, 1)
    row = find(rows, method=RANDOMISATION)
    expected = differences(gained, 2, 3, 4).drop(("m1", 4, 2)).mean()
    assert row["estimate"] == pytest.approx(expected)
    assert (row["n"], row["assigned"]) == (14, 15)
    assert (find(rows, 4, MEAN, arm="control")["n"], row["n_clusters"]) == (4, 14)


def test_rows_are_written_and_read_and_the_seed_decides(gained: Ensemble, tmp_path: Path) -> None:
    whole = made_with(motions=2, epochs=2, gain=0.1)
    rows = estimated(whole)
    write(tmp_path / "coaching.parquet", COACHING, rows, {})
    frame = read(tmp_path / "coaching.parquet", COACHING).to_pandas()
    assert {"power_0.1", "power_0.25"} <= set(frame)
    assert frame["headline"].sum() == 1
    # Twenty draws have more patterns than are drawn.
    assert estimated(whole) == rows != estimated(whole, 2)
    assert find(rows, 2, IN_DIFFERENCES)["simulation_error"] > 0


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"epochs": 1}, "one epoch"),
        ({"arms": ("coached",)}, "no control arm"),
        ({"arms": ("control",)}, "no coached arm"),
    ],
)
def test_designs_that_compare_nothing_say_so(
    settings: dict[str, Any], why: str, tmp_path: Path
) -> None:
    rows = estimated(made_with(**settings))
    contrasted = [row for row in rows if row["epoch"] == COACHED_EPOCHS]
    contrasted += [row for row in rows if row["contrast"] == IN_DIFFERENCES]
    assert contrasted and all(is_missing(row) and why in row["note"] for row in contrasted)
    assert sum(row["headline"] for row in rows) == 1
    write(tmp_path / "coaching.parquet", COACHING, rows, {})


def test_one_run_has_an_estimate_and_no_interval() -> None:
    row = find(estimated(made_with(epochs=2, runs=1)), method=RANDOMISATION)
    assert row["estimate"] is not None
    assert (row["ci_low"], row["ci_high"], row["mde_80"]) == (None, None, None)
    assert row["p_value"] == 1.0 and "no p-value below 1" in row["note"]


def test_students_on_both_sides_and_lost_outcomes() -> None:
    made = made_with(epochs=2)
    rows = estimated(made)  # no blind votes: the students' share of votes is missing
    for row in rows:
        if row["outcome"] == "student_votes":
            assert is_missing(row) and "both sides" in row["note"]
    made.verdicts[[*OUTCOMES]] = np.nan
    assert all(is_missing(row) for row in estimated(made))
    made.verdicts = made.verdicts.iloc[:0]
    assert all(is_missing(row) for row in estimated(made))


def test_six_motions_are_flipped_whole() -> None:
    made = make_ensemble(6, 2, 2, blind=[], labelled=[])
    rows = estimated(made)
    gains = differences(made, 2).groupby("motion_id").mean()
    row = find(rows, method=RANDOMISATION)
    assert row["estimate"] == pytest.approx(gains.mean())
    assert (row["n"], row["n_clusters"], row["assigned"]) == (12, 6, 12)
    ways = np.array(list(product((-1.0, 1.0), repeat=6))) @ gains.to_numpy() / 6
    exact = (np.abs(ways) >= abs(gains.mean()) - 1e-12).mean()
    assert row["p_value"] == pytest.approx(exact) and "from 6 of them" in row["note"]
    five = find(estimated(make_ensemble(5, 2, 2, blind=[], labelled=[])), method=RANDOMISATION)
    assert five["n_clusters"] == 10 and "further runs of these 5 motions" in five["note"]


@pytest.mark.thorough
def test_memos_that_help_in_some_motions_and_harm_in_others_are_no_gain() -> None:
    rng = np.random.default_rng(4)
    made = make_ensemble(12, 2, 1, blind=[], labelled=[])
    verdicts = made.verdicts.sort_values("session_id", ignore_index=True)
    is_coached = ((verdicts["arm"] == "coached") & (verdicts["epoch"] == 2)).to_numpy()
    codes = pd.factorize(verdicts["motion_id"])[0]
    rejected = {RANDOMISATION: 0, CLUSTERED: 0}
    for seed in range(40):
        noise = rng.normal(0.5, 0.02, len(verdicts)) + is_coached * rng.normal(0, 0.1, 12)[codes]
        known = verdicts.assign(student_survival=noise)
        inference = {**INFERENCE, "resamples": 199}
        rows = estimate_coaching(known, made.manifest, inference, GAINS, seed)
        for method in rejected:
            rejected[method] += find(rows, method=method)["p_value"] <= 0.05
    assert max(rejected.values()) <= 7  # 2 are expected


def test_a_mean_share_of_all_has_exact_limits() -> None:
    made = make_ensemble(1, 1, 9, blind=[], labelled=[])
    made.verdicts["student_survival"] = 1.0
    row = find(estimated(made), 1, MEAN, arm="control")
    assert (row["ci_low"], row["ci_high"]) == (pytest.approx(0.025 ** (1 / 9)), 1.0)
    assert row["method"] == "exact"


def test_outcomes_that_do_not_vary_give_no_certainty() -> None:
    made = made_with(epochs=2)
    made.verdicts["student_survival"] = 0.5
    row = find(estimated(made), method=RANDOMISATION)
    assert (row["estimate"], row["p_value"], row["mde_80"]) == (0.0, 1.0, None)
    assert find(estimated(made), 1, MEAN, arm="control")["ci_low"] is None
