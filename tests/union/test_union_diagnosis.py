"""The design diagnosis: gains are recovered, zero is not found, biased judges are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.design.diagnosis import DIAGNOSIS, HOLM
from dissensus.stats.power import power_t
from dissensus.tables.artefact import write
from dissensus.union.inference.coaching import CLUSTERED, DIFFERENCE, RANDOMISATION
from dissensus.union.inference.diagnosis import (
    ANY,
    UNBIASED,
    cast_votes,
    diagnose,
    draw_debates,
    simulated_differences,
)

SIMULATIONS = 200


def diagnosed(
    motions: int = 2,
    epochs: int = 3,
    runs: int = 5,
    arms: Sequence[str] = ("coached", "control"),
    simulations: int = SIMULATIONS,
    gains: Sequence[float] = (0.3,),
    seed: int = 1,
    cores: int = 1,
) -> pd.DataFrame:
    settings: dict[str, Any] = {
        "epochs": epochs,
        "runs": runs,
        "arms": list(arms),
        "judges": ["one", "two", "three"],
        "inference.confidence": 0.95,
        "diagnosis": {"simulations": simulations, "gains": list(gains)},
    }
    rows = {f"m{number}": {"students": ["a", "b"]} for number in range(motions)}
    return pd.DataFrame(diagnose(rows, settings, seed, cores))


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return diagnosed().set_index(["world", "true", "estimator"])


def above(share: float) -> float:
    """What a share exceeds in 1 of 10,000 runs."""
    return share + 4 * float(np.sqrt(share * (1 - share) / SIMULATIONS))


def test_rows_conform(frame: pd.DataFrame, tmp_path: Path) -> None:
    rows = frame.reset_index()
    write(tmp_path / "design_diagnosis.parquet", DIAGNOSIS, rows, {})
    assert len(rows) == 2 * 2 * 4 + 4 + 3 * 2 * 2
    assert np.isfinite(rows["width"].dropna()).all()


def test_a_planted_gain_is_recovered_and_zero_is_not_found(frame: pd.DataFrame) -> None:
    for gain in (0.0, 0.3):
        for name in (RANDOMISATION, DIFFERENCE):
            row = frame.loc["memos_alike", gain, name]
            assert abs(row["bias"]) < 4 * row["bias_se"]
        covered = frame.loc["memos_alike", gain, RANDOMISATION]["coverage"]
        assert covered > 0.95 - (above(0.05) - 0.05)
        assert frame.loc["memos_alike", gain, CLUSTERED]["coverage"] > 0.85
    for name in (RANDOMISATION, RANDOMISATION + HOLM, DIFFERENCE):
        assert frame.loc["memos_alike", 0.0, name]["rejection"] < above(0.05)
    assert frame.loc["memos_alike", 0.3, RANDOMISATION]["rejection"] > 0.7
    assert (
        frame.loc["memos_alike", 0.3, DIFFERENCE]["sd"]
        < (frame.loc["memos_alike", 0.3, RANDOMISATION]["sd"])
    )


def test_power_of_the_formula_is_that_of_the_design(frame: pd.DataFrame) -> None:
    row = frame.loc["memos_alike", 0.3, RANDOMISATION]
    assert row["rejection"] == pytest.approx(power_t(0.3, row["sd"], 18), abs=0.1)


def test_judges_are_named_where_biased_and_not_where_not(frame: pd.DataFrame) -> None:
    for name in ("position", "verbosity", "side", ANY):
        assert frame.loc[UNBIASED, 0.0, name]["rejection"] < above(0.05)
    for bias in ("position", "verbosity", "side"):
        assert frame.loc[f"{bias}_bias", 1.0, bias + HOLM]["rejection"] > 0.95
        mild = frame.loc[f"{bias}_bias", 0.3, bias]["rejection"]
        assert mild > frame.loc[f"{bias}_bias", 0.3, bias + HOLM]["rejection"] > 0.2


def test_a_gain_is_planted_as_it_says() -> None:
    rng = np.random.default_rng(1)
    level = rng.uniform(-1, 1, (1, 1, 4000, 1))
    claims = rng.random((1, 1, 4000, 2, 16))
    for gain in (0.0, 0.2, 0.9):
        found = simulated_differences(level, claims, np.full((1, 1, 1), gain), gain)
        assert found.mean() == pytest.approx(gain, abs=0.01)


def test_planted_judges_vote_as_they_should() -> None:
    rng = np.random.default_rng(2)
    debates = draw_debates(500, rng)
    for_a, _ = cast_votes(debates, 3, "position", 1.0, rng)
    assert for_a.all()
    for_a, _ = cast_votes(debates, 3, "verbosity", 1.0, rng)
    assert (for_a[..., 0] == (debates.words > 0)[:, None]).all()
    assert (for_a[..., 1] == (debates.words < 0)[:, None]).all()
    _, for_label = cast_votes(debates, 3, "side", 1.0, rng)
    assert for_label.all()
    for_a, for_label = cast_votes(debates, 3, "", 0.0, rng)
    better = debates.quality > 2
    assert for_a[better, :, 0].mean() > 0.85 > 0.15 > for_a[better, :, 1].mean()
    assert for_label[better, :, 1].mean() < 0.15


def test_cores_and_gains_change_nothing_and_the_seed_does() -> None:
    small = {"motions": 1, "epochs": 2, "runs": 3, "simulations": 6}
    one = diagnosed(**small)
    pd.testing.assert_frame_equal(one, diagnosed(**small, cores=2))
    more = diagnosed(**small, gains=(0.1, 0.3))
    kept = more[more["true"] != 0.1].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, one)
    assert not diagnosed(**small, seed=2).equals(one)


@pytest.mark.parametrize("design", [{"epochs": 1}, {"arms": ("control",)}])
def test_what_cannot_be_diagnosed_is_missing(design: dict[str, Any]) -> None:
    rows = diagnosed(motions=1, runs=2, simulations=3, **design)
    coaching = rows[rows["world"].str.startswith("memos")]
    assert (coaching["simulations"] == 0).all() and coaching["rejection"].isna().all()
    assert (rows.loc[rows["world"] == UNBIASED, "simulations"] > 0).any()


def test_one_run_of_one_motion_is_no_error() -> None:
    rows = diagnosed(motions=1, epochs=2, runs=1, simulations=3).set_index(
        ["world", "true", "estimator"]
    )
    assert rows.loc["memos_alike", 0.3, RANDOMISATION]["rejection"] == 0.0
    assert rows.loc["memos_alike", 0.3, CLUSTERED]["simulations"] == 0
