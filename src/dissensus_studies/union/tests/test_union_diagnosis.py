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

from ..inference.coaching import OUTCOMES
from ..inference.diagnosis import Planted, diagnose, draw_pairs, plant
from ..inference.judged_worlds import ANY, UNBIASED, cast_votes, draw_debates
from ..inference.library import Conditions, Library, simulate_library
from ..tables import CLUSTERED, IN_DIFFERENCES, RANDOMISATION
from .union_planted import planted
from .union_sessions import MOTION, PROMPTS, PROTOCOL, WORDING

SIMULATIONS = 120
QUICK = {**PROTOCOL, "words": 150, "points": False, "definitions": False, "audited": False}
#: As the default run has them.
SPEAKER = {
    "guard": 2.5,
    "hardness": {"evidence_backed": 1.6, "principled": 0.8},
    "sides": {"opposition": 0.2},
}
PEOPLE = {
    "speaker": planted("speaker", **SPEAKER),
    **{role: planted(role) for role in ("assistant", "annotator", "coach")},
    "judges": [planted("judge", sharpness=0.1)],
}


def motions_of(count: int) -> dict[str, dict[str, Any]]:
    return {f"m{number}": {**MOTION, "motion_id": f"m{number}"} for number in range(count)}


def diagnosed(
    motions: int = 2,
    epochs: int = 4,
    runs: int = 5,
    arms: Sequence[str] = ("coached", "control"),
    simulations: int = SIMULATIONS,
    coached: Sequence[float] = (0.0, 1.2, 4.0),
    pairs: int = 20,
    seed: int = 1,
    cores: int = 1,
) -> pd.DataFrame:
    settings: dict[str, Any] = {
        **{"epochs": epochs, "runs": runs, "arms": list(arms)},
        **{"judges": ["one", "two", "three"], "inference.confidence": 0.95},
        **{"protocol": QUICK, **PROMPTS},
        "diagnosis": {
            **{"simulations": simulations, "pairs": pairs, "people": PEOPLE},
            "coached": list(coached),
        },
    }
    return pd.DataFrame(diagnose(motions_of(motions), settings, seed, cores))


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return diagnosed().set_index(["world", "true", "estimator"])


def of(frame: pd.DataFrame, outcome: str, strength: float, estimator: str) -> dict[str, Any]:
    rows = frame.reset_index()
    world = rows["world"] == f"{outcome}_coached_by_{strength:g}"
    (row,) = rows[world & (rows["estimator"] == estimator)].to_dict("records")
    return {str(name): value for name, value in row.items()}


def above(share: float) -> float:
    """What a share exceeds in 1 of 10,000 runs."""
    return share + 4 * float(np.sqrt(share * (1 - share) / SIMULATIONS))


@pytest.mark.thorough
def test_rows_conform(frame: pd.DataFrame, tmp_path: Path) -> None:
    rows = frame.reset_index()
    write(tmp_path / "design_diagnosis.parquet", DIAGNOSIS, rows, {})
    assert len(rows) == len(OUTCOMES) * 3 * 2 + 4 + 3 * 2 * 2
    assert np.isfinite(rows["width"].dropna()).all()


@pytest.mark.thorough
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_planted_strengths_are_recovered_and_zero_is_not_found(
    frame: pd.DataFrame, outcome: str
) -> None:
    for strength in (0, 1.2, 4):
        for name in (RANDOMISATION, IN_DIFFERENCES):
            row = of(frame, outcome, strength, name)
            # Pairs of a small library are lost unevenly where an outcome is missing.
            assert abs(row["bias"]) < 4 * row["bias_se"] + 0.01, (strength, name)
            assert row["coverage"] > 0.95 - 1.5 * (above(0.05) - 0.05), (strength, name)
    for name in (RANDOMISATION, IN_DIFFERENCES):
        null = of(frame, outcome, 0, name)
        assert null["true"] == 0.0 and null["rejection"] < above(0.05)


@pytest.mark.thorough
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_more_strength_is_a_larger_gain_and_pooled_epochs_find_it(
    frame: pd.DataFrame, outcome: str
) -> None:
    true = [of(frame, outcome, strength, RANDOMISATION)["true"] for strength in (0, 1.2, 4)]
    assert true == sorted(true) and len(set(true)) == 3
    for strength in (1.2, 4):
        pooled, last = (of(frame, outcome, strength, x) for x in (RANDOMISATION, IN_DIFFERENCES))
        assert pooled["sd"] < last["sd"] and pooled["rejection"] >= last["rejection"]
    assert of(frame, outcome, 4, RANDOMISATION)["rejection"] > 0.7


@pytest.mark.thorough
def test_power_of_the_formula_is_that_of_the_design(frame: pd.DataFrame) -> None:
    """To three standard errors, at most, of the share of so many simulations."""
    row = of(frame, "student_votes", 1.2, RANDOMISATION)
    noise = 3 * (0.25 / SIMULATIONS) ** 0.5
    assert row["rejection"] == pytest.approx(power_t(row["true"], row["sd"], 29), abs=noise)


@pytest.mark.thorough
def test_judges_are_named_where_biased_and_not_where_not(frame: pd.DataFrame) -> None:
    for name in ("position", "verbosity", "side", ANY):
        assert frame.loc[UNBIASED, 0.0, name]["rejection"] < above(0.05)
    for bias in ("position", "verbosity", "side"):
        assert frame.loc[f"{bias}_bias", 1.0, bias + HOLM]["rejection"] > 0.95
        mild = frame.loc[f"{bias}_bias", 0.3, bias]["rejection"]
        assert mild > frame.loc[f"{bias}_bias", 0.3, bias + HOLM]["rejection"] > 0.2


def test_pairs_without_an_effect_change_places_and_others_do_not() -> None:
    differences = np.tile([[0.1, 0.2, np.nan, 0.3]], (2, 1))
    rng = np.random.default_rng(1)
    null = draw_pairs(Planted(0.0, differences, 0.0), 2000, rng)
    assert abs(null.differences.mean()) < 4 * 0.22 / np.sqrt(len(null))
    kept = draw_pairs(Planted(1.0, differences, 0.2), 2000, rng)
    assert set(kept.differences) == {0.1, 0.2, 0.3}
    assert kept.motions.count("0") == pytest.approx(1500, abs=80)


def test_what_no_debate_of_a_motion_has_is_no_world() -> None:
    values = np.full((2, 4, len(OUTCOMES)), 0.5)
    values[1, :, 1] = np.nan
    library = Library(values, {0.0: values, 1.0: values + 0.1})
    assert [one.true for one in plant(library, 0)] == pytest.approx([0.0, 0.1])
    assert plant(library, 1) == []


@pytest.mark.thorough
def test_a_library_is_of_debates_whose_students_alone_are_coached() -> None:
    """Advice that adds nothing leaves the arms alike; more of it is more."""
    conditions = Conditions(WORDING, QUICK, PEOPLE, [0.0, 3.0])
    library = simulate_library(list(motions_of(1).values()), conditions, 40, 3)
    none, much = (library.coached[strength] - library.control for strength in (0.0, 3.0))
    assert library.control.shape == (1, 40, len(OUTCOMES))
    for place in range(len(OUTCOMES)):
        own = none[..., place][np.isfinite(none[..., place])]
        assert abs(own.mean()) < 4 * own.std() / np.sqrt(len(own))
        assert np.nanmean(much[..., place]) > np.nanmean(none[..., place])
    few, again = (
        simulate_library(list(motions_of(1).values()), conditions, 4, 3) for _ in range(2)
    )
    np.testing.assert_array_equal(again.control, few.control)


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


@pytest.mark.thorough
def test_cores_and_worlds_change_nothing_and_the_seed_does() -> None:
    small = {"motions": 2, "epochs": 2, "runs": 3, "simulations": 6, "pairs": 4}
    one = diagnosed(**small, coached=[4.0])
    pd.testing.assert_frame_equal(one, diagnosed(**small, coached=[4.0], cores=2))
    more = diagnosed(**small, coached=[1.2, 4.0])
    kept = more[~more["world"].str.endswith("by_1.2")].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, one)
    assert not diagnosed(**small, coached=[4.0], seed=2).equals(one)


@pytest.mark.parametrize("design", [{"epochs": 1}, {"arms": ("control",)}])
def test_what_cannot_be_diagnosed_is_left_out(design: dict[str, Any]) -> None:
    rows = diagnosed(motions=1, runs=2, simulations=3, **design)
    assert not rows["world"].str.startswith("student").any()
    assert (rows.loc[rows["world"] == UNBIASED, "simulations"] > 0).any()


def test_a_judge_who_favours_a_slot_has_a_world_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judges = [planted("judge", slot_bias=bias) for bias in (0.0, 0.9, 0.9)]
    monkeypatch.setitem(PEOPLE, "judges", judges)
    rows = diagnosed(motions=1, epochs=1, simulations=3)
    own = rows[rows["world"].str.startswith("slot")]
    assert set(own["world"]) == {"slot_bias_of_0.9"}
    assert list(own["estimator"]) == ["position", "position" + HOLM]
    # Odds of exp(2 b) for both votes of a pair being for slot A.
    assert own["true"].tolist() == pytest.approx([np.exp(1.8) / (1 + np.exp(1.8))] * 2)


@pytest.mark.thorough
def test_motions_are_clusters_from_three_on() -> None:
    rows = diagnosed(motions=3, epochs=2, runs=2, simulations=3, coached=[4.0], pairs=3)
    assert (rows.loc[rows["estimator"] == CLUSTERED, "simulations"] > 0).any()


def test_one_run_of_one_motion_is_no_error() -> None:
    rows = diagnosed(motions=1, epochs=2, runs=1, simulations=3, coached=[4.0], pairs=3)
    assert of(rows, "student_survival", 4, RANDOMISATION)["rejection"] == 0.0
