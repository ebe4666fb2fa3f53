"""Statistics over sessions by two ways at once: a mean's known error, and where nothing is."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import special

from dissensus.design.over_sessions import AUC, Brier, Statistic
from dissensus.design.resampled import OverSessions, Sampled
from dissensus.stats.bootstrap import cluster_robust_mean, two_way_robust_mean
from dissensus.stats.checks import IntArray
from marking import thorough_but

WEIGHTS = {"b": 1.0, "a": -1.0}


def sessions(
    statistic: Statistic, items: int, models: int, skills: float, seed: int, ease: float = 0.5
) -> tuple[OverSessions, IntArray]:
    """A session of each item with each model; arm b helps each model more or less, by chance."""
    rng = np.random.default_rng(seed)
    item, model = np.divmod(np.arange(items * models), models)
    bad = (item % 2).astype(float)
    of_item, of_model = rng.normal(0, ease, items), rng.normal(0, skills, models)
    told = {"a": np.ones(models), "b": 1.0 + of_model}
    scores = {
        arm: told[arm][model] * bad + of_item[item] + rng.normal(size=len(item)) for arm in told
    }
    wide = {"y": special.expit(pd.DataFrame(scores)), "bad": pd.DataFrame({"a": bad, "b": bad})}
    return OverSessions(statistic, wide, item, item), model


def test_a_statistic_that_is_a_mean_has_the_error_of_that_mean_by_both_ways() -> None:
    of, models = sessions(Brier("y", "bad"), 24, 4, 1.5, 1)
    found = of.both_ways(WEIGHTS, models, 4000, 1)
    squares = (of.by_arm["y"] - of.by_arm["bad"]) ** 2
    differences = (squares["b"] - squares["a"]).to_numpy()
    known = two_way_robust_mean(differences, of.clusters, models)
    assert found.estimate == pytest.approx(known.estimate)
    # Resamples leave some 2%.
    assert found.se == pytest.approx(known.se, rel=0.05)
    assert known.se > 2 * cluster_robust_mean(differences, of.clusters).se
    assert (found.clusters, found.n) == (known.n_clusters, 96)
    made = found.at(0.95)
    assert made.ci_high - made.ci_low == pytest.approx(known.ci_high - known.ci_low, rel=0.05)


def test_levels_that_are_nested_in_clusters_add_nothing() -> None:
    of, _ = sessions(Brier("y", "bad"), 24, 4, 1.0, 2)
    nested = of.both_ways(WEIGHTS, np.arange(96), 500, 3)
    one_way = [
        replace(of, clusters=way).sampled(WEIGHTS, 500, 3) for way in (of.clusters, np.arange(96))
    ]
    larger = max(each.se**2 * each.clusters / (each.clusters - 1) for each in one_way)
    assert nested.se == pytest.approx(math.sqrt(larger))
    assert nested.clusters == 24


@pytest.mark.parametrize("studies", thorough_but((40, 500), 40))
@pytest.mark.parametrize("models", [3, 6])
def test_an_auc_that_models_change_either_way_is_not_found_over_both(
    models: int, studies: int
) -> None:
    """Over items alone, what these few models happen to do passes for an effect of the arm."""
    alone = both = 0
    for seed in range(studies):
        of, levels = sessions(AUC("y", "bad"), 20, models, 0.8, seed)
        both += of.both_ways(WEIGHTS, levels, 200, seed).at(0.95).p_value <= 0.05
        alone += of.sampled(WEIGHTS, 200, seed).at(0.95).p_value <= 0.05
    assert both <= 0.05 * studies + 3 * math.sqrt(0.05 * 0.95 * studies)
    assert alone > max(both, 0.08 * studies)


def test_a_difference_of_groups_is_that_of_each_group_alone() -> None:
    of, models = sessions(AUC("y", "bad"), 60, 2, 0.0, 4)
    first, second = models == 0, models == 1
    apart = [of.sampled(WEIGHTS, 2, 5, ((1.0, rows),)).estimate for rows in (first, second)]
    found = of.sampled(WEIGHTS, 2000, 5, ((1.0, second), (-1.0, first)))
    assert found.estimate == pytest.approx(apart[1] - apart[0])
    assert (found.n, found.clusters) == (120, 30)
    # Groups that are the same draws differ by nothing, which has no error either.
    nothing = of.sampled(WEIGHTS, 200, 5, ((1.0, first), (-1.0, first)))
    assert nothing.estimate == 0.0 and math.isnan(nothing.at(0.95).p_value)
    assert of.sampled(WEIGHTS, 200, 5, ((1.0, first), (-1.0, first & second))).n == 0


def test_no_spread_is_no_evidence() -> None:
    assert math.isnan(Sampled(0.5, 10, 5, se=1e-17).at(0.95).p_value)
    assert Sampled(0.5, 10, 5, se=0.1).at(0.95).p_value < 0.05
