"""The design diagnosis: unbiased estimators, honest intervals, a sign-flip test of right size."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dissensus.design.contrasts import HEADLINE
from dissensus.design.diagnosis import DIAGNOSIS
from dissensus.language.design.manifest import Drawing
from dissensus.language.inference.diagnosis import (
    DIAGNOSED,
    Assignment,
    _differences,
    assign,
    diagnose,
)
from language.inference_frames import checked, make_pool

SIMULATIONS = 250


def diagnosed(
    pool: pd.DataFrame, draws: int, simulations: int, effects: list[float], share: float, seed: int
) -> list[dict[str, Any]]:
    settings = {
        "draws": draws,
        "block_size": 25,
        "language_names": ("en", "zh"),
        "panel": ("a", "b", "c", "d"),
        "diagnosis": {"simulations": simulations, "effects": effects, "motion_share": share},
        "inference.confidence": 0.95,
    }
    return diagnose({row["motion_id"]: row for row in pool.to_dict("records")}, settings, seed)


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    pool = make_pool(domains=8, motions=5)
    rows = diagnosed(pool, 60, SIMULATIONS, [0.0, 0.5], 0.3, 7)
    made = checked(rows, DIAGNOSIS, tmp_path_factory.mktemp("diagnosis"))
    return made.set_index(["world", "true", "estimator"])


def within(share: float, level: float) -> bool:
    """Whether a share is what a binomial of the level gives in all but 1 of 10,000 runs."""
    return abs(share - level) < 4 * np.sqrt(level * (1 - level) / SIMULATIONS)


def test_every_population_effect_and_estimator_has_its_row(frame: pd.DataFrame) -> None:
    assert len(frame) == 3 * len(DIAGNOSED)
    assert (frame["simulations"] == SIMULATIONS).all()


def test_headline_is_unbiased_and_covers(frame: pd.DataFrame) -> None:
    for effect in (0.0, 0.5):
        row = frame.loc[("motions_differ", effect, HEADLINE)]
        assert abs(row["bias"]) < 4 * row["sd"] / np.sqrt(SIMULATIONS)
        assert within(row["coverage"], 0.95)
        assert row["rmse"] >= abs(row["bias"])
    assert within(frame.loc[("motions_differ", 0.0, HEADLINE), "rejection"], 0.05)


def test_sign_flip_has_its_size_under_the_sharp_null(frame: pd.DataFrame) -> None:
    row = frame.loc[("sharp_null", 0.0, "sign_flip")]
    assert within(row["rejection"], 0.05)
    assert np.isnan(row["coverage"])


def test_power_grows_with_the_effect_and_signs_come_out_right(frame: pd.DataFrame) -> None:
    at = frame.xs(HEADLINE, level="estimator").loc["motions_differ"]
    assert at.loc[0.5, "rejection"] > 0.6 > 0.2 > at.loc[0.0, "rejection"]
    assert at.loc[0.5, "type_s"] == 0 and np.isnan(at.loc[0.0, "type_s"])


def test_differences_have_unit_variance_and_motions_their_share() -> None:
    pool = make_pool(domains=8, motions=5).to_dict("records")
    assigned = assign(pool, Drawing(3, 20_000, 25, ("en", "zh"), ("a", "b", "c", "d")))
    assert (assigned.n_domains, assigned.n_motions) == (8, 40)
    # One motion a draw, so that the sampled motions' own variance shows.
    alone = Assignment(8, 20_000, assigned.domains, np.arange(20_000), assigned.first)
    for share in (0.3, 1.0, None):
        differences = _differences(alone, share, np.random.default_rng(1))
        assert differences.mean() == pytest.approx(0, abs=0.05)
        assert differences.var() == pytest.approx(1, abs=0.05)


def test_same_seed_same_diagnosis_whatever_the_effects() -> None:
    pool = make_pool()
    one, two = (diagnosed(pool, 12, 3, effects, 0.3, 1) for effects in ([0.2], [0.1, 0.2]))
    kept = [row for row in two if row["true"] != 0.1]
    pd.testing.assert_frame_equal(pd.DataFrame(one), pd.DataFrame(kept))


def test_a_study_of_two_draws_is_diagnosed_as_far_as_it_goes(tmp_path: Path) -> None:
    rows = diagnosed(make_pool(domains=1, motions=1), 2, 4, [0.0], 1.0, 1)
    frame = checked(rows, DIAGNOSIS, tmp_path)
    by_motion = frame["estimator"] == HEADLINE
    assert (frame.loc[by_motion, "simulations"] == 0).all()
