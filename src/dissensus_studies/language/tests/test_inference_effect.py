"""The language effect: the paper's golden numbers, agreement between methods, bounds, families."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.design.contrasts import contrast_row
from dissensus.design.stopping import ANYTIME
from dissensus.stats.multiplicity import adjust
from dissensus.stats.results import Estimate
from scripted import ROOT

from ..inference.effect import LANGUAGE_EFFECT
from ..inference.estimators import (
    BOUNDS,
    CORE,
    METHODS,
    NET,
    NET_SIGN_FLIP,
    OFFSET,
    REFITTED,
)
from ..inference.floor import write_floor
from ..inference.saturation import SATURATION, measure_saturation
from ..stats.stratified import order_stratified
from .inference_frames import (
    ANCHORS,
    INFERENCE,
    Study,
    checked,
    effect_of,
    make_study,
)

GOLDEN = ROOT / "tests/golden/language_saturated.csv"


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study(60, effect=0.05, lost=["d007-zh", "d009-en", "d011-zh"])


@pytest.fixture(scope="module")
def rows(study: Study) -> list[dict[str, Any]]:
    return effect_of(study.metrics, INFERENCE, 1)


@pytest.fixture(scope="module")
def effect(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    return checked(rows, LANGUAGE_EFFECT, tmp_path_factory.mktemp("effect"))


def only(frame: pd.DataFrame, **where: object) -> pd.Series:
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def golden_metrics() -> pd.DataFrame:
    wide = pd.read_csv(GOLDEN)
    frames = [
        pd.DataFrame(
            {
                "session_id": wide["draw_id"] + f"-{language}",
                "draw_id": wide["draw_id"],
                "language": language,
                "domain_id": 1,
                "motion_id": wide["draw_id"],
                "language_order": "en>zh",
                "position": position,
                "complete": True,
                "hi_normal_cdf": wide[f"hi_{language}"],
            }
        )
        for position, language in enumerate(("en", "zh"), start=1)
    ]
    return pd.concat(frames, ignore_index=True)


def test_paper_golden_set(tmp_path: Path) -> None:
    settings = INFERENCE.model_copy(update={"resamples": 10_000})
    rows = effect_of(golden_metrics(), settings, 1)
    frame = checked(rows, LANGUAGE_EFFECT, tmp_path)
    for method in ("student_t", "bootstrap_draw_percentile", "bootstrap_draw_bca"):
        row = only(frame, method=method)
        assert row["estimate"] == pytest.approx(0.499, abs=5e-4)
        # The printed limits are to three digits, of which a bootstrap may miss the last.
        tolerance = 6e-4 if method == "student_t" else 1.6e-3
        assert row["ci_low"] == pytest.approx(0.442, abs=tolerance)
        assert row["ci_high"] == pytest.approx(0.556, abs=tolerance)
    assert only(frame, method="sign_flip")["p_value"] < 0.01
    assert not frame["headline"].any()  # the primary outcome is not in this set


def test_paper_golden_set_warns_of_saturation(tmp_path: Path) -> None:
    rows = measure_saturation(golden_metrics(), ANCHORS, INFERENCE)
    frame = checked(rows, SATURATION, tmp_path)
    assert only(frame, language="zh")["share_at_high"] == 1.0
    assert only(frame, language="zh")["warning"]
    assert set(frame["outcome"]) == {"hi_normal_cdf"}


def test_every_method_for_the_main_outcomes_and_the_core_for_the_rest(effect: pd.DataFrame) -> None:
    by_outcome = effect.groupby("outcome")["method"].agg(set)
    every = set(METHODS) - {NET, OFFSET, NET_SIGN_FLIP, ANYTIME}  # nothing was rendered
    assert by_outcome["hi_normal_cdf"] == every
    assert by_outcome["hi_z"] == every - {"manski_bounds"}
    assert all(
        by_outcome[name] == {*CORE, REFITTED}
        for name in by_outcome.index.drop(["hi_z", "hi_normal_cdf"])
    )
    assert {"s_lex", "s_sem_cross_side", "lex_z", "sem_z", "hi_ecdf"} <= set(by_outcome.index)
    assert set(effect["contrast"]) == {"zh-en"}


def test_one_headline(effect: pd.DataFrame) -> None:
    row = only(effect, headline=True)
    assert (row["outcome"], row["method"]) == ("hi_z", REFITTED)
    assert row["p_adjusted"] == row["p_value"]  # one contrast: a family of one


def test_only_complete_draws_are_paired(effect: pd.DataFrame, study: Study) -> None:
    row = only(effect, outcome="s_lex", method="student_t")
    wide = study.metrics.pivot(index="draw_id", columns="language", values="s_lex")
    delta = (wide["zh"] - wide["en"]).dropna()
    assert row["n"] == 57 == len(delta)
    assert row["estimate"] == pytest.approx(delta.mean())


def test_a_session_that_failed_has_no_outcome_whatever_its_row_holds(study: Study) -> None:
    metrics = study.metrics.copy()
    metrics.loc[~metrics["complete"], "hi_z"] = 1e6
    rows = effect_of(metrics, INFERENCE, 1)
    assert all(abs(row["estimate"]) < 100 for row in rows if row["outcome"] == "hi_z")


def test_mean_methods_agree_on_the_mean(effect: pd.DataFrame) -> None:
    main = effect[effect["outcome"] == "hi_z"].set_index("method")
    means = [m for m in METHODS if m.startswith(("bootstrap", "sign_flip"))]
    means += ["cluster_robust", "student_t", "order_stratified", "lee_bounds"]
    assert np.allclose(main.loc[means, "estimate"], main.loc["student_t", "estimate"])
    clusters = main.loc["cluster_robust", "n_clusters"]
    assert clusters == main.loc["sign_flip", "n_clusters"] < main.loc["student_t", "n_clusters"]


def test_order_comes_from_the_positions(effect: pd.DataFrame, study: Study) -> None:
    zh = study.metrics[study.metrics["language"] == "zh"].set_index("draw_id")
    wide = study.metrics.pivot(index="draw_id", columns="language", values="hi_z").dropna()
    first = zh.loc[wide.index, "language_order"].str.startswith("zh").to_numpy()
    expected = order_stratified((wide["zh"] - wide["en"]).to_numpy(), first)
    row = only(effect, outcome="hi_z", method="period_effect")
    assert row["estimate"] == pytest.approx(expected.period_effect.estimate)


def test_bounds_hold_the_estimate_and_manski_the_wider(effect: pd.DataFrame) -> None:
    rows = effect[effect["outcome"] == "hi_normal_cdf"].set_index("method").loc[list(BOUNDS)]
    assert (rows["n"] == 60).all()  # lost draws too
    lee, manski = rows.loc["lee_bounds"], rows.loc["manski_bounds"]
    assert manski["ci_low"] < lee["ci_low"] <= lee["ci_high"] < manski["ci_high"]
    interval = rows.loc["lee_interval"]
    assert interval["ci_low"] < lee["ci_low"] <= lee["ci_high"] < interval["ci_high"]


def test_simulated_p_values_carry_their_error(effect: pd.DataFrame) -> None:
    simulated = effect["method"].str.startswith("sign_flip")
    assert effect.loc[simulated, "simulation_error"].notna().all()
    assert effect.loc[~simulated, "simulation_error"].isna().all()


def test_components_are_adjusted_together(effect: pd.DataFrame) -> None:
    family = effect[effect["outcome"].isin(["lex_z", "sem_z"]) & (effect["method"] == REFITTED)]
    assert np.allclose(family["p_adjusted"], adjust(family["p_value"], "holm"))
    assert np.allclose(family["p_bh"], adjust(family["p_value"], "bh"))
    headline = effect["headline"]
    assert effect.loc[~headline].drop(family.index)["p_adjusted"].isna().all()


def test_headlines_of_several_contrasts_are_adjusted_together(tmp_path: Path) -> None:
    study = make_study(30, languages=("en", "zh", "fr"))
    rows = effect_of(study.metrics, INFERENCE, 1)
    frame = checked(rows, LANGUAGE_EFFECT, tmp_path)
    headlines = frame[frame["headline"]]
    assert list(headlines["contrast"]) == ["fr-en", "zh-en"]
    assert np.allclose(headlines["p_adjusted"], adjust(headlines["p_value"], "holm"))


def test_same_seed_same_rows(study: Study, rows: list[dict[str, Any]]) -> None:
    one = pd.DataFrame(rows)
    two, other = (pd.DataFrame(effect_of(study.metrics, INFERENCE, seed)) for seed in (1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert not one["ci_low"].equals(other["ci_low"])


def test_planted_effect_is_found_and_none_is_not(rows: list[dict[str, Any]]) -> None:
    null = effect_of(make_study(60, effect=0.0, seed=5).metrics, INFERENCE, 1)
    for made, low, high in ((rows, 0.0, 6e-3), (null, 0.01, 1.0)):
        p_value = next(row["p_value"] for row in made if row["headline"])
        assert low <= p_value <= high


@pytest.mark.parametrize(
    ("values", "low", "warns"),
    [([0.0] * 1 + [0.5] * 19, 0.05, False), ([0.0] * 2 + [0.5] * 18, 0.1, True)],
)
def test_saturation_warns_strictly_above_the_setting(
    values: list[float], low: float, warns: bool
) -> None:
    metrics = pd.DataFrame({"language": "en", "hi_ecdf": values, "hi_z": values})
    (row,) = measure_saturation(metrics, ["z", "ecdf"], INFERENCE)
    assert (row["share_at_low"], row["warning"], row["n"]) == (low, warns, 20)


def test_saturation_is_of_each_language_by_itself() -> None:
    shares = {"en": [0.0, 0.5], "fr": [0.5, 0.5], "zh": [1.0, 1.0]}
    rows = [(name, value) for name, values in shares.items() for value in values]
    metrics = pd.DataFrame(rows, columns=["language", "hi_ecdf"])
    found = [
        (row["share_at_low"], row["share_at_high"], row["n"])
        for row in measure_saturation(metrics, ["ecdf"], INFERENCE)
    ]
    assert found == [(0.5, 0.0, 2), (0.0, 0.0, 2), (0.0, 1.0, 2)]


def test_saturation_counts_what_is_near_a_bound_and_leaves_out_the_missing() -> None:
    metrics = pd.DataFrame({"language": "en", "hi_normal_cdf": [0.991, 0.985, 0.009, np.nan]})
    (row,) = measure_saturation(metrics, ["normal_cdf"], INFERENCE)
    assert (row["share_at_low"], row["share_at_high"], row["n"]) == (1 / 3, 1 / 3, 3)


def test_a_language_is_tested_with_the_floor_draw_by_draw() -> None:
    """By hand: the net difference of a draw less the reference's own, a motion a draw."""
    study = make_study(
        12, languages=("en", "zh", "en_again"), effect=0.2, domains=4, motions=3, offset=0.3
    )
    own = study.metrics["motion_id"] + study.metrics["draw_id"]
    metrics = study.metrics.assign(motion_id=own)
    rows = {row["arm"]: row for row in effect_of(metrics, INFERENCE, 1, study.renderings)
            if row["headline"]}  # fmt: skip
    texts = pd.concat([metrics, study.renderings]).set_index("session_id")["hi_z"]

    def net(arm: str) -> np.ndarray:
        draws = sorted(set(metrics["draw_id"]))
        spoken, plain, into, back = (
            texts[[f"{draw}-{name}" for draw in draws]].to_numpy(float)
            for name in (arm, "en", f"en-as-{arm}", f"{arm}-as-en")
        )
        return (spoken - into + back - plain) / 2

    expected = stats.ttest_1samp(net("zh") - net("en_again"), 0.0).pvalue
    assert rows["zh"]["floor_p"] == pytest.approx(expected) and expected < 0.05
    assert rows["zh"]["floor_n"] == 12
    assert rows["en_again"]["floor_p"] is None


@pytest.mark.parametrize("offset", [None, 0.3])
def test_no_floor_is_tested_without_its_texts(offset: float | None) -> None:
    """Without renderings there is no net effect; without the second run there is no floor."""
    languages = ("en", "zh", "en_again") if offset is None else ("en", "zh")
    study = make_study(12, languages=languages, offset=offset)
    rows = effect_of(study.metrics, INFERENCE, 1, study.renderings)
    assert {row["floor_p"] for row in rows} == {None}


@pytest.mark.thorough
def test_a_language_that_changes_nothing_is_rarely_beyond_the_floor() -> None:
    """Of 200 studies in which no language changes anything, at most the level and its error."""
    beyond = 0
    for seed in range(200):
        study = make_study(
            24, languages=("en", "zh", "en_again"), effect=0.0, offset=0.3, seed=seed
        )
        rows = [
            contrast_row("hi_z", arm, "en", NET, Estimate(0.0), True) for arm in ("zh", "en_again")
        ]
        write_floor(rows, study.metrics, study.renderings, "en", 0.95)
        beyond += rows[0]["floor_p"] < 0.05
    assert beyond <= stats.binom.ppf(0.999, 200, 0.05)
