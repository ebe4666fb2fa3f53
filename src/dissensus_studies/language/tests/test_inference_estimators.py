"""The methods on plain samples: which unit each of them redraws or flips."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ..inference.estimators import BY_DRAW, METHODS, Options, estimate
from ..inference.pairs import Sample, compared_languages, pair_up

#: Twelve motions of four draws that came out alike: as much is known as of twelve draws.
MOTIONS = np.repeat(np.arange(12), 4).astype(str)
VALUES = np.repeat(np.random.default_rng(3).normal(0.5, 1.0, 12), 4)
SAMPLE = Sample(VALUES, MOTIONS, np.tile([True, False], 24))
OPTIONS = Options(confidence=0.95, resamples=400, flips=2000, seed=1)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_bootstraps_over_draws_are_too_sure_where_motions_repeat(kind: str) -> None:
    draws, motions = (
        estimate(f"bootstrap_{unit}_{kind}", SAMPLE, OPTIONS) for unit in ("draw", "motion")
    )
    assert (draws.n_clusters, motions.n_clusters) == (48, 12)
    # Twice as wide, for a quarter of the units.
    ratio = (motions.ci_high - motions.ci_low) / (draws.ci_high - draws.ci_low)
    assert 1.5 < ratio < 2.7


def test_other_methods_over_motions_count_motions() -> None:
    for method in ("bootstrap_motion_studentised", "bootstrap_two_way", "cluster_robust"):
        assert estimate(method, SAMPLE, OPTIONS).n_clusters == 12
    uneven = Sample(VALUES, np.repeat(np.arange(8), [2, 3, 4, 5, 6, 7, 9, 12]), SAMPLE.first)
    plain, studentised = (
        estimate(f"sign_flip{kind}", uneven, OPTIONS).p_value for kind in ("", "_studentised")
    )
    assert plain != studentised


#: Methods that have a p-value of no effect, those that say to be by draw apart.
BY_MOTION = [
    *("cluster_robust", "sign_flip", "sign_flip_studentised", "wilcoxon", "sign_test"),
    *("hodges_lehmann", "bootstrap_motion_studentised", "bootstrap_two_way", "order_stratified"),
    *("order_unweighted", "period_effect", "probability_of_superiority"),
]


@pytest.fixture(scope="module")
def rejections() -> pd.Series:
    """How often methods reject no effect: 20 motions of 1 to 8 draws that share an effect."""
    rng = np.random.default_rng(11)
    options = Options(confidence=0.95, resamples=199, flips=199, seed=1)
    counts = pd.Series(0, index=[*BY_MOTION, "student_t", "bootstrap_draw_bca"])
    for _ in range(200):
        motions = np.repeat(np.arange(20), rng.integers(1, 9, 20)).astype(str)
        values = rng.normal(0, 0.5, 20)[motions.astype(int)] + rng.normal(0, 0.5, len(motions))
        sample = Sample(values, motions, rng.random(len(motions)) < 0.5)
        for method in counts.index:
            counts[method] += estimate(method, sample, options).p_value <= 0.05
    return counts


@pytest.mark.thorough
@pytest.mark.parametrize("method", BY_MOTION)
def test_no_effect_is_found_where_motions_differ_strongly(
    method: str, rejections: pd.Series
) -> None:
    """Of 200, 10 are expected and 3 to 19 within 99.5%."""
    assert rejections[method] <= 19


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["student_t", "bootstrap_draw_bca"])
def test_methods_by_draw_say_that_they_take_draws_for_independent(
    method: str, rejections: pd.Series
) -> None:
    assert rejections[method] > 25
    assert METHODS[method].endswith(f"{BY_DRAW}.")


def test_each_language_but_the_reference_is_compared_with_it() -> None:
    sessions = pd.DataFrame({"language": ["fr", "en", "zh", "fr", "en", "zh"]})
    assert compared_languages(sessions, "en") == ["fr", "zh"]
    assert compared_languages(sessions, "zh") == ["fr", "en"]


def test_pairs_know_which_language_came_first() -> None:
    rows = [
        (draw, language, position, value)
        for draw, order, values in (
            ("d1", ("zh", "en"), (3.0, 1.0)),
            ("d2", ("en", "zh"), (2.0, 5.0)),
        )
        for position, (language, value) in enumerate(zip(order, values, strict=True), start=1)
    ]
    sessions = pd.DataFrame(rows, columns=["draw_id", "language", "position", "hi_z"])
    sessions = sessions.assign(motion_id=["m", "m", "n", "n"], domain_id=1, complete=True)
    pairs = pair_up(sessions, "hi_z", "zh", "en")
    assert pairs.differences.tolist() == [2.0, 3.0]
    assert pairs.first.tolist() == [True, False]
