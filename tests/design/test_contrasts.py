"""Paired contrasts against scipy, statsmodels and numbers worked by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from dissensus.design.contrasts import (
    HEADLINE,
    METHODS,
    RANDOMISATION,
    Options,
    compare,
    compare_arms,
    contrasts_schema,
)
from dissensus.design.pairs import Columns, Labels, Pairs, pair_up
from dissensus.stats.checks import FloatArray
from dissensus.stats.signflip import sign_flip_test
from dissensus.tables.artefact import read, write


def paired(differences: FloatArray, clusters: Labels) -> Pairs:
    return Pairs(differences, np.zeros_like(differences), clusters)


def test_topics_of_two_draws_each_are_the_t_test_of_their_means() -> None:
    differences = np.array([0.1, 0.3, -0.2, 0.4, 0.25, 0.05])
    topics = np.array(["a", "a", "b", "b", "c", "c"])
    found = compare(paired(differences, topics), Options(0.9, 100, 1))[HEADLINE]
    expected = stats.ttest_1samp(differences.reshape(3, 2).mean(axis=1), 0.0)
    assert found.p_value == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval(0.9)
    assert (found.ci_low, found.ci_high) == (pytest.approx(low), pytest.approx(high))


def test_three_differences_of_one_sign_flip_to_a_quarter() -> None:
    pairs = paired(np.array([1.0, 2.0, 3.0]), np.array(["a", "b", "c"]))
    found = compare(pairs, Options(0.95, 100, 1))[RANDOMISATION]
    # Of 8 patterns, only all plus and all minus are as far out.
    assert (found.estimate, found.p_value, found.n) == (2.0, 0.25, 3)


def test_patterns_are_enumerated_up_to_the_number_of_flips() -> None:
    pairs = paired(np.arange(1.0, 11.0), np.arange(10).astype(str))
    assert compare(pairs, Options(0.95, 1024, 1))[RANDOMISATION].p_value == 2 / 1024
    # One fewer, and patterns are drawn: (b + 1)/(m + 1).
    drawn = compare(pairs, Options(0.95, 1023, 1))[RANDOMISATION].p_value * 1024
    assert drawn == pytest.approx(round(drawn))


def test_all_units_of_a_cluster_are_flipped_together() -> None:
    differences = np.array([0.3, 0.1, 0.2, -0.1, 0.4, 0.2, 0.5])
    topics = np.array(["a", "a", "a", "b", "b", "c", "c"])
    found = compare(paired(differences, topics), Options(0.95, 100, 1))[RANDOMISATION]
    # The topics' sums are .6, .3 and .7: of 8 patterns, only all plus and all minus are as far out.
    assert (found.p_value, found.n, found.n_clusters) == (0.25, 7, 3)
    alone = compare(paired(differences, np.full(7, "a")), Options(0.95, 100, 1))[RANDOMISATION]
    assert np.isnan(alone.p_value) and alone.n_clusters == 1


def test_clusters_that_differ_strongly_are_no_effect() -> None:
    """The null world of 20 clusters of 1 to 8 draws: units flipped alone reject in a fifth."""
    rng, rejected = np.random.default_rng(2), dict.fromkeys((*METHODS, "by unit"), 0)
    for seed in range(300):
        labels = np.repeat(np.arange(20), rng.integers(1, 9, 20))
        differences = rng.normal(0, 0.5, 20)[labels] + rng.normal(0, 0.5, len(labels))
        found = compare(paired(differences, labels), Options(0.95, 999, seed))
        for method in METHODS:
            rejected[method] += found[method].p_value <= 0.05
        rejected["by unit"] += sign_flip_test(differences, flips=999, seed=seed).p_value <= 0.05
    # 15 are expected, and up to 27 within 99.9%.
    assert all(4 <= rejected[method] <= 27 for method in METHODS)
    assert rejected["by unit"] > 45


@pytest.mark.parametrize("value", [0.25, 0.0, 0.1])
def test_topics_that_all_agree_are_not_significant(value: float) -> None:
    found = compare(paired(np.full(3, value), np.array(["a", "b", "b"])), Options(0.95, 100, 1))[
        HEADLINE
    ]
    assert found.estimate == pytest.approx(value) and (found.n, found.n_clusters) == (3, 2)
    assert np.isnan([found.se, found.ci_low, found.ci_high, found.p_value]).all()


def test_pairs_are_units_complete_in_both_arms_in_the_order_of_their_names() -> None:
    rows = [
        ("t1", "x", "emergent", True, 0.2),
        ("t1", "x", "full", True, 0.5),
        ("t2", "y", "emergent", True, 0.4),
        ("t2", "y", "full", False, 0.9),
        ("t3", "z", "emergent", True, None),
        ("t3", "z", "full", True, 0.7),
        ("t4", "y", "full", True, 0.1),
        ("t4", "y", "emergent", True, 0.2),
    ]
    columns = ["draw_id", "topic_id", "arm", "complete", "outcome"]
    found = pair_up(pd.DataFrame(rows, columns=columns), "outcome", "full", "emergent", Columns())
    np.testing.assert_allclose(found.differences, [0.3, np.nan, np.nan, -0.1])
    assert found.complete.tolist() == [True, False, False, True]
    assert found.clusters.tolist() == ["x", "y", "z", "y"]


def make_metrics(draws: int = 20) -> pd.DataFrame:
    """Three arms, of which one differs in the first outcome; columns have names of their own."""
    rng = np.random.default_rng(1)
    rows = [
        {"run": f"r{draw:02d}", "motion": f"m{draw % 7}", "policy": arm, "complete": True}
        | {"margin": rng.normal(arm == "swap", 0.5), "regret": rng.normal(0.2, 0.5)}
        for draw in range(draws)
        for arm in ("none", "swap", "coach")
    ]
    return pd.DataFrame(rows)


CONTRASTS = contrasts_schema("contrasts")
COLUMNS = Columns(arm="policy", unit="run", cluster="motion")
COMPARED = [("swap", "none"), ("coach", "none"), ("coach", "swap")]


def test_a_study_of_any_arms_has_its_rows_and_families(tmp_path: Path) -> None:
    metrics, outcomes = make_metrics(), ("margin", "regret")
    rows = compare_arms(metrics, COMPARED, outcomes, Options(0.95, 500, 1), COLUMNS)
    write(tmp_path / "contrasts.parquet", CONTRASTS, rows, {})
    frame = read(tmp_path / "contrasts.parquet", CONTRASTS).to_pandas()
    assert len(frame) == len(COMPARED) * len(outcomes) * len(METHODS)
    headlines = frame[frame["headline"]]
    assert headlines["contrast"].tolist() == ["swap-none", "coach-none"]
    assert set(headlines["outcome"]) == {"margin"} and set(headlines["method"]) == {HEADLINE}
    wide = metrics.pivot(index="run", columns="policy", values="margin")
    assert headlines["estimate"].iloc[0] == pytest.approx((wide["swap"] - wide["none"]).mean())
    primary = (frame["outcome"] == "margin") & (frame["reference"] == "none")
    for method in METHODS:
        for family in (primary, ~primary):
            own = frame[family & (frame["method"] == method)]
            for column, name in (("p_adjusted", "holm"), ("p_bh", "fdr_bh")):
                expected = multipletests(own["p_value"], method=name)[1]
                np.testing.assert_allclose(own[column], expected)


def test_optional_outcomes_have_rows_where_both_arms_define_them() -> None:
    metrics = make_metrics()
    metrics.loc[metrics["policy"] == "none", "regret"] = np.nan
    options = Options(0.95, 500, 1)
    rows = compare_arms(metrics, COMPARED, ("margin",), options, COLUMNS, optional=("regret",))
    named = {row["contrast"] for row in rows if row["outcome"] == "regret"}
    assert named == {"coach-swap"}


def test_nothing_depends_on_the_order_of_sessions() -> None:
    metrics, options = make_metrics(), Options(0.95, 200, 1)
    shuffled = metrics.sample(frac=1.0, random_state=1)
    one, other = (
        compare_arms(frame, COMPARED, ("margin",), options, COLUMNS)
        for frame in (metrics, shuffled)
    )
    assert one == other
