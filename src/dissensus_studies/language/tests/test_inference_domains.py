"""Domains: estimates, all pairs, and omnibus tests by re-drawing the manifest's first stage."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dissensus.stats.location import paired_t

from ..inference import domain_tests
from ..inference.domains import (
    DOMAIN_CONTRASTS,
    DOMAINS,
    contrast_domains,
    draw_outcomes,
    estimate_domains,
)
from .inference_frames import INFERENCE, Study, checked, make_study

OUTCOMES = ["hi_z", "s_lex"]


@pytest.fixture(scope="module")
def study() -> Study:
    return make_study(60, lost=["d003-en"])


def shifted(study: Study, column: str, domain: int, by: float, language: str = "") -> pd.DataFrame:
    """The metrics with one domain moved, in one language or in all."""
    metrics = study.metrics.copy()
    moved = (metrics["domain_id"] == domain) & metrics["language"].str.startswith(language)
    metrics.loc[moved, column] += by
    return metrics


def test_a_draw_counts_if_complete_in_every_language(study: Study) -> None:
    draws = draw_outcomes(study.metrics, "s_lex")
    assert len(draws) == 59
    assert np.allclose(draws["both"], (draws["en"] + draws["zh"]) / 2)


def test_domain_means(study: Study, tmp_path: Path) -> None:
    rows = estimate_domains(study.metrics, study.pool, OUTCOMES, INFERENCE, 1)
    frame = checked(rows, DOMAINS, tmp_path)
    draws = draw_outcomes(study.metrics, "s_lex")
    row = frame[
        (frame["outcome"] == "s_lex")
        & (frame["language"] == "zh")
        & (frame["domain_id"] == 2)
        & (frame["method"] == "student_t")
    ].iloc[0]
    expected = paired_t(draws.loc[draws["domain_id"] == 2, "zh"])
    assert row["estimate"] == pytest.approx(expected.estimate)
    assert (row["ci_low"], row["n"]) == (pytest.approx(expected.ci_low), expected.n)
    assert row["domain"] == "Domain 2"
    assert set(frame["language"]) == {"both", "en", "zh"}
    assert "Idle" not in set(frame["domain"])


def test_all_pairs(study: Study, tmp_path: Path) -> None:
    rows = contrast_domains(study.metrics, study.pool, OUTCOMES, INFERENCE)
    frame = checked(rows, DOMAIN_CONTRASTS, tmp_path)
    assert len(frame) == 2 * 6
    draws = draw_outcomes(study.metrics, "hi_z")
    one, two = (draws.loc[draws["domain_id"] == d, "both"] for d in (1, 2))
    row = frame.iloc[0]
    means = draws.groupby("domain_id")["both"].mean()
    own = frame[frame["outcome"] == "hi_z"]
    expected = means[own["first_id"]].to_numpy() - means[own["second_id"]].to_numpy()
    assert own["estimate"].to_numpy() == pytest.approx(expected)
    assert row["p_value"] == pytest.approx(stats.ttest_ind(one, two, equal_var=False).pvalue)
    assert (frame["p_value"] <= frame["p_bh"]).all() and (frame["p_bh"] <= frame["p_by"]).all()
    assert frame["p_tukey"].notna().all()


def test_a_single_draw_in_a_domain_keeps_its_pairs(study: Study, tmp_path: Path) -> None:
    metrics = study.metrics
    alone = metrics.loc[metrics["domain_id"] == 1, "draw_id"].unique()[1:]
    rows = contrast_domains(
        metrics[~metrics["draw_id"].isin(alone)], study.pool, ["hi_z"], INFERENCE
    )
    frame = checked(rows, DOMAIN_CONTRASTS, tmp_path)
    single = frame["first_id"] == 1
    assert single.sum() == 3 and frame.loc[single, "estimate"].notna().all()
    assert frame.loc[single, ["p_value", "p_bh", "p_tukey"]].isna().all(axis=None)
    assert frame.loc[~single, ["p_value", "p_bh", "p_tukey"]].notna().all(axis=None)


def omnibus(metrics: pd.DataFrame, study: Study, folder: Path) -> pd.DataFrame:
    rows = domain_tests.test_domains(metrics, study.pool, "en", ["s_lex"], INFERENCE, 1)
    return checked(rows, domain_tests.DOMAIN_TESTS, folder).set_index("method")


def test_no_domain_effect_is_not_found(study: Study, tmp_path: Path) -> None:
    frame = omnibus(study.metrics, study, tmp_path)
    assert set(frame.index) == set(domain_tests.TESTS)
    assert (frame["p_value"] > 0.01).all()
    assert frame.loc["interaction_f", "language"] == "zh-en"
    assert (frame.loc["permutation_f", "df_between"], frame.loc["anova", "df_within"]) == (3, 55)
    assert frame.loc["permutation_f", "statistic"] == pytest.approx(frame.loc["anova", "statistic"])


def test_a_domain_effect_is_found_and_named(study: Study, tmp_path: Path) -> None:
    frame = omnibus(shifted(study, "s_lex", 3, 0.2), study, tmp_path)
    interactions = ["interaction_f", "interaction_f_motion"]
    assert (frame.drop(interactions)["p_value"] < 0.02).all()
    assert (frame.loc[interactions, "p_value"] > 0.01).all()
    assert frame.loc["largest_minus_smallest", "largest"] == "Domain 3"


def test_a_language_effect_in_one_domain_is_an_interaction(study: Study, tmp_path: Path) -> None:
    frame = omnibus(shifted(study, "s_lex", 3, 0.2, "zh"), study, tmp_path)
    assert frame.loc["interaction_f", "p_value"] < 0.01


def test_redraws_follow_the_manifest() -> None:
    redraws = domain_tests._Redraws(np.array([1, 2, 7]), 10)
    drawn = redraws.by_draw(5)(np.random.default_rng(0), 4_000)
    assert drawn.shape == (4_000, 5)
    shares = [(drawn == domain).mean() for domain in (1, 2, 7)]
    assert np.allclose(shares, 1 / 3, atol=0.02)


def test_all_draws_of_a_motion_change_their_domain_together() -> None:
    labels, motions = np.array([1, 1, 1, 2, 7]), np.array(["a", "b", "a", "c", "d"])
    redraws = domain_tests._Redraws(np.array([1, 2, 7]), 10)
    drawn = redraws.by_motion(labels, motions)(np.random.default_rng(0), 4_000)
    assert (drawn[:, 0] == drawn[:, 2]).all()
    by_motion = np.sort(drawn[:, [0, 1, 3, 4]], axis=1)
    assert (by_motion == [1, 1, 2, 7]).all()
    assert (drawn[:, 0] == 1).mean() == pytest.approx(0.5, abs=0.03)


def test_motions_that_differ_are_no_domains_that_differ() -> None:
    """Motions are drawn five times each and share an effect; domains have none."""
    rng = np.random.default_rng(8)
    motions = np.repeat(np.arange(40), 5)
    labels = np.repeat(np.arange(4), 50)
    names = {number: str(number) for number in range(4)}
    redraws = domain_tests._Redraws(np.arange(4), 199)
    rejected = dict.fromkeys(("", "_motion"), 0)
    for seed in range(120):
        values = rng.normal(0, 0.5, 40)[motions] + rng.normal(0, 0.5, 200)
        tested = domain_tests._Tested(values, labels, motions, names)
        rows = {row["method"]: row for row in tested.redrawn("permutation_f", redraws, seed)}
        for ending in rejected:
            rejected[ending] += rows[f"permutation_f{ending}"]["p_value"] <= 0.05
            assert rows[f"largest_minus_smallest{ending}"]["largest"] in names.values()
    assert rejected["_motion"] <= 12 < 30 <= rejected[""]
