"""The specification curve and its joint tests; power."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dissensus.language.inference.effect import estimate_language_effect
from dissensus.language.inference.power import POWER, STANDARDISED, ladder, power_rows, power_table
from dissensus.language.inference.specification import (
    SPECIFICATION_CURVE,
    SPECIFICATION_TESTS,
    specification_curve,
    specifications,
)
from language.inference_frames import INFERENCE, MEASURES, Study, checked, make_study


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study(40, lost=["d004-zh"], tokenizers=("tekken", "words"))


@pytest.fixture(scope="module")
def traced(
    study: Study, tmp_path_factory: pytest.TempPathFactory
) -> tuple[pd.DataFrame, pd.DataFrame]:
    curve, tests = specification_curve(
        study.components, study.metrics, "en", MEASURES, INFERENCE, 1
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
    effect = estimate_language_effect(study.metrics, "en", INFERENCE, "z", "normal_cdf", 1)
    headline = next(row for row in effect if row["headline"])
    assert len(main) == 1
    for name in ("estimate", "ci_low", "ci_high", "p_value"):
        assert main[name].iloc[0] == pytest.approx(headline[name])
    assert (tests["n_specifications"] == len(curve)).all()
    assert (tests["p_value"] < 0.05).all()


def test_joint_tests_find_nothing_where_nothing_is() -> None:
    study = make_study(40, effect=0.0, seed=3)
    _, tests = specification_curve(study.components, study.metrics, "en", MEASURES, INFERENCE, 1)
    assert all(row["p_value"] > 0.01 for row in tests)


def test_anchors_that_cannot_be_fitted_leave_nan_and_no_test(tmp_path: Path) -> None:
    study = make_study(10, spread=0.0)
    curve, tests = specification_curve(
        study.components, study.metrics, "en", MEASURES, INFERENCE, 1
    )
    frame = checked(curve, SPECIFICATION_CURVE, tmp_path)
    assert frame["estimate_d"].isna().all()
    assert [row["n_specifications"] for row in tests] == [0, 0, 0]
    assert np.isnan([row["p_value"] for row in tests]).all()


def test_golden_minimum_detectable_effect(tmp_path: Path) -> None:
    rows = power_rows("paper", 0.2858, [99], [0.0, 0.3], 0.95)
    frame = checked(rows, POWER, tmp_path)
    assert frame["mde"].round(3).tolist() == [0.081, 0.081]
    assert frame["power"][0] == pytest.approx(0.05)


def test_power_for_planned_and_observed_draws(study: Study, tmp_path: Path) -> None:
    rows = power_table(study.metrics, "en", "hi_z", 40, [0.2], 0.95)
    frame = checked(rows, POWER, tmp_path)
    assert set(frame["basis"]) == {STANDARDISED, "zh-en by draw", "zh-en by motion"}
    assert {39, 40} <= set(frame.loc[frame["basis"] == "zh-en by draw", "n_draws"])
    for _, group in frame.groupby("basis"):
        assert group.sort_values("n_draws")["mde"].is_monotonic_decreasing
    wide = study.metrics.pivot(index="draw_id", columns="language", values="hi_z")
    sd = (wide["zh"] - wide["en"]).std()
    assert np.allclose(frame.loc[frame["basis"] == "zh-en by draw", "sd"], sd)


def test_power_before_there_are_metrics() -> None:
    rows = power_table(None, "en", "hi_z", 60, [0.0, 0.5], 0.95)
    assert {row["basis"] for row in rows} == {STANDARDISED}
    assert 60 in {row["n_draws"] for row in rows}


def test_the_ladder_reaches_the_planned_number_of_draws() -> None:
    assert ladder(2) == ladder(100) == ladder(799) == [25, 50, 100, 200, 400]
    assert ladder(800)[-1] == 800
    assert ladder(10_000)[-2:] == [3200, 6400]
