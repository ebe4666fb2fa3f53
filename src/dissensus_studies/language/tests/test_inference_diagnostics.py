"""Randomisation, attrition and compliance as they came out."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ..inference.diagnostics import (
    DIAGNOSTICS,
    _partial_permutations,
    diagnose_design,
)
from .inference_frames import INFERENCE, Study, checked, make_study

PANEL = ("a", "b", "c", "d")


def diagnosed(study: Study, folder: Path, panel: tuple[str, ...] = PANEL) -> pd.DataFrame:
    rows = diagnose_design(study.manifest, study.outcomes, study.pool, panel, "en", INFERENCE, 1)
    return checked(rows, DIAGNOSTICS, folder).set_index(["check", "group", "statistic"])


def test_domains_orders_and_casting(tmp_path: Path) -> None:
    study = make_study(80, lost=["d001-en"])
    frame = diagnosed(study, tmp_path)
    draws = study.manifest.drop_duplicates("draw_id")
    counts = draws["domain_id"].value_counts()
    for domain, count in counts.items():
        assert frame.loc[("domain_assignment", str(domain), "draws"), "value"] == count
    chi = frame.loc[("domain_assignment", "all", "chi_square")]
    assert chi["value"] == pytest.approx(stats.chisquare(counts).statistic)
    k = int((draws["language_order"] == "en>zh").sum())
    share = frame.loc[("language_order", "en", "share_first")]
    assert share["value"] == k / 80
    assert share["p_value"] == pytest.approx(stats.binomtest(k, 80).pvalue)
    cell = frame.loc[("model_by_role", "P2: c", "draws"), "value"]
    assert cell == (draws["P2"] == "c").sum()
    q = frame.loc[("model_by_role", "all", "q")]
    squares = frame.loc[("model_by_role", "all", "sum_squares"), "value"]
    assert (q["df"], q["value"]) == (9, pytest.approx(3 / 80 * squares))


@pytest.mark.parametrize(("draws", "rough"), [(19, True), (20, False)])
def test_fewer_than_five_expected_in_each_domain_are_said(
    draws: int, rough: bool, tmp_path: Path
) -> None:
    frame = diagnosed(make_study(draws, domains=4), tmp_path)
    note = frame.loc[("domain_assignment", "all", "chi_square"), "note"]
    assert ("p is rough" in note) is rough


def test_paper_order_counts(tmp_path: Path) -> None:
    study = make_study(100)
    manifest = study.manifest.copy()
    order = np.repeat(np.where(np.arange(100) < 62, "en>zh", "zh>en"), 2)
    changed = replace(study, manifest=manifest.assign(language_order=order))
    share = diagnosed(changed, tmp_path).loc[("language_order", "en", "share_first")]
    assert (share["value"], round(share["p_value"], 4)) == (0.62, 0.0210)


def test_paper_compliance_upper_limit(tmp_path: Path) -> None:
    study = make_study(99)
    study.outcomes["compliant"] = True
    frame = diagnosed(study, tmp_path)
    row = frame.loc[("compliance", "zh", "share_compliant")]
    assert 1 - row["ci_low"] == pytest.approx(0.0366, abs=5e-5)
    assert frame.loc[("compliance_equivalence", "zh-en", "difference"), "p_value"] < 0.05
    assert frame.loc[("compliance_equivalence", "zh-en", "mcnemar"), "p_value"] == 1


def test_attempts_attrition_and_equivalence(tmp_path: Path) -> None:
    study = make_study(50, lost=["d001-en", "d002-zh", "d003-zh"])
    frame = diagnosed(study, tmp_path)
    attempts = study.outcomes["attempts"].value_counts()
    assert frame.loc[("attempts", "all: 1", "sessions"), "value"] == attempts[1]
    assert frame.loc[("attempts", "all: 3", "cumulative_share"), "value"] == 1
    assert frame.loc[("attrition", "zh", "share_lost"), "value"] == 2 / 50
    assert frame.loc[("attrition", "all", "share_of_draws_lost"), "value"] == 3 / 50
    mcnemar = frame.loc[("attrition", "zh-en", "mcnemar")]
    assert (mcnemar["value"], mcnemar["n"]) == (3, 50)
    assert frame.loc[("compliance", "en", "share_compliant"), "n"] == 49
    assert frame.loc[("compliance_equivalence", "zh-en", "difference"), "n"] == 47


def test_three_languages_have_every_order(tmp_path: Path) -> None:
    study = make_study(30, languages=("en", "zh", "fr"))
    frame = diagnosed(study, tmp_path).loc["language_order"]
    assert len(frame.xs("draws", level="statistic")) == 6
    assert frame.xs("draws", level="statistic")["value"].sum() == 30
    assert frame.loc[("all", "chi_square"), "df"] == 5


def test_a_longer_panel_is_held_against_partial_permutations(tmp_path: Path) -> None:
    panel = (*PANEL, "e", "f")
    study = make_study(40, panel=panel)
    row = diagnosed(study, tmp_path, panel).loc[("model_by_role", "all", "sum_squares")]
    assert 0.01 < row["p_value"] <= 1
    fixed = study.manifest.assign(P1="a", P2="b", O1="c", O2="d")
    changed = replace(study, manifest=fixed)
    stuck = diagnosed(changed, tmp_path, panel).loc[("model_by_role", "all", "sum_squares")]
    assert stuck["p_value"] < 0.01


@pytest.mark.parametrize("seed", range(5))
def test_one_cast_of_five_has_four_places_taken_however_it_is_drawn(seed: int) -> None:
    sums = _partial_permutations(5, 1, 60, np.random.default_rng(seed))
    assert sums == pytest.approx(4 * (1 - 1 / 5) ** 2 + 16 * (1 / 5) ** 2)


def test_partial_permutations_of_a_full_panel_have_the_moments_of_anderson() -> None:
    sums = _partial_permutations(4, 50, 4_000, np.random.default_rng(0))
    # Q = 3/S * sum of squares is near chi-square with 9 df, whose mean is exact here.
    assert np.mean(3 / 50 * sums) == pytest.approx(9, abs=0.25)
