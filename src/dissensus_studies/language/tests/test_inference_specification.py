"""The specification curve and its joint tests; power."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dissensus.stats.bootstrap import cluster_robust_mean

from ..inference.power import (
    POWER,
    STANDARDISED,
    ladder,
    power_table,
    simulate_studies,
)
from ..inference.specification import (
    SPECIFICATION_CURVE,
    SPECIFICATION_TESTS,
    specification_curve,
    specifications,
)
from .inference_frames import (
    INFERENCE,
    MEASURES,
    NO_RENDERINGS,
    Study,
    checked,
    effect_of,
    make_pool,
    make_study,
)


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study(40, lost=["d004-zh"], tokenizers=("tekken", "words"))


@pytest.fixture(scope="module")
def traced(
    study: Study, tmp_path_factory: pytest.TempPathFactory
) -> tuple[pd.DataFrame, pd.DataFrame]:
    curve, tests = specification_curve(
        study.components, study.metrics, NO_RENDERINGS, "en", MEASURES, INFERENCE, 1
    )
    folder = tmp_path_factory.mktemp("curve")
    return checked(curve, SPECIFICATION_CURVE, folder), checked(tests, SPECIFICATION_TESTS, folder)


def test_choices_without_effect_are_not_multiplied_out() -> None:
    every = list(specifications(["t", "u"], ["e"], ["z", "ecdf"]))
    # 18 lexical ways and 2 semantic ones: three mixed weights, lexical alone, semantic alone.
    assert len(every) == len(set(every)) == 2 * (3 * 18 * 2 + 18 + 2)
    assert all(s.pairs is None for s in every if s.weight_lexical == 1)
    assert all(s.tokenizer is None for s in every if s.weight_lexical == 0)


def test_curve_is_ranked_and_holds_the_headline(
    traced: tuple[pd.DataFrame, pd.DataFrame], study: Study
) -> None:
    curve, tests = traced
    assert len(curve) == 6 * (3 * 18 * 2 + 18 + 2)
    assert list(curve["specification"]) == list(range(1, len(curve) + 1))
    assert curve["estimate_d"].is_monotonic_increasing
    assert (curve["n"] == 39).all()
    main = curve[curve["main"]]
    pairs = study.metrics[study.metrics["complete"]].pivot(index="draw_id", columns="language")
    differences = (pairs["hi_z"]["zh"] - pairs["hi_z"]["en"]).dropna()
    expected = differences.mean() / differences.std(ddof=1)
    assert main["estimate_d"].iloc[0] == pytest.approx(expected)
    effect = effect_of(study.metrics, INFERENCE, 1)
    headline = next(row for row in effect if row["headline"])
    assert len(main) == 1
    assert main["estimate"].iloc[0] == pytest.approx(headline["estimate"])
    assert (tests["n_specifications"] == len(curve)).all()
    assert (tests["p_value"] < 0.05).all()


def test_joint_tests_find_nothing_where_nothing_is() -> None:
    study = make_study(40, effect=0.0, seed=3)
    _, tests = specification_curve(
        study.components, study.metrics, NO_RENDERINGS, "en", MEASURES, INFERENCE, 1
    )
    assert all(row["p_value"] > 0.01 for row in tests)


def test_anchors_that_cannot_be_fitted_leave_nan_and_no_test(tmp_path: Path) -> None:
    study = make_study(10, spread=0.0)
    curve, tests = specification_curve(
        study.components, study.metrics, NO_RENDERINGS, "en", MEASURES, INFERENCE, 1
    )
    frame = checked(curve, SPECIFICATION_CURVE, tmp_path)
    assert frame["estimate_d"].isna().all()
    assert [row["n_specifications"] for row in tests] == [0, 0, 0]
    assert np.isnan([row["p_value"] for row in tests]).all()


def test_power_is_the_golden_one_where_draws_are_independent() -> None:
    """The paper's SD and pairs, each on a motion of its own: .081 by the paired t test."""
    pool = make_pool(domains=1, motions=4_000)
    studies = simulate_studies(pool, 99, 0.0, 0.95, 1)
    assert 0.2858 * studies.detectable == pytest.approx(0.081, abs=4e-3)
    assert studies.power(0.0) == pytest.approx(0.05, abs=0.04)
    assert studies.power(0.3) == pytest.approx(0.842, abs=0.08)


def test_power_is_that_of_the_headlines_test_on_draws_that_repeat_motions() -> None:
    """The studies of the table, again one by one through the estimator itself."""
    pool, rng = make_pool(domains=8, motions=5), np.random.default_rng(3)
    found = []
    for _ in range(600):
        motions = rng.integers(8, size=100) * 5 + rng.integers(5, size=100)
        between = rng.standard_normal(40)[motions]
        values = 0.3 + np.sqrt(0.3) * between + np.sqrt(0.7) * rng.standard_normal(100)
        found.append(cluster_robust_mean(values, motions).p_value < 0.05)
    power = simulate_studies(pool, 100, 0.3, 0.95, 1).power(0.3)
    assert power == pytest.approx(np.mean(found), abs=0.07)
    assert power < 0.75  # a t test by draw would promise .84


def test_power_for_planned_and_observed_draws(study: Study, tmp_path: Path) -> None:
    effect = pd.DataFrame(effect_of(study.metrics))
    rows = power_table(study.pool, effect, 40, [0.2], 0.3, 0.95, 1)
    frame = checked(rows, POWER, tmp_path)
    assert set(frame["basis"]) == {STANDARDISED, "zh-en"}
    assert {39, 40} <= set(frame.loc[frame["basis"] == "zh-en", "n_draws"])
    for _, group in frame.groupby("basis"):
        detectable = group.sort_values("n_draws")["mde"].to_numpy()
        # Sizes that hardly differ may differ by simulation.
        assert (detectable[1:] < 1.05 * detectable[:-1]).all() and detectable[-1] < detectable[0]
    se = effect.loc[effect["headline"], "se"].iloc[0]
    own = simulate_studies(study.pool, 39, 0.3, 0.95, 1).errors.mean()
    assert np.allclose(frame.loc[frame["basis"] == "zh-en", "sd"] * own, se)


def test_power_before_there_are_sessions() -> None:
    rows = power_table(make_pool(), None, 60, [0.0, 0.5], 0.3, 0.95, 1)
    assert {row["basis"] for row in rows} == {STANDARDISED}
    assert 60 in {row["n_draws"] for row in rows}


def test_the_ladder_reaches_the_planned_number_of_draws() -> None:
    assert ladder(2) == ladder(100) == ladder(799) == [25, 50, 100, 200, 400]
    assert ladder(800)[-1] == 800
    assert ladder(10_000)[-2:] == [3200, 6400]
