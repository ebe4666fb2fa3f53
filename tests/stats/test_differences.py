"""The gain between two groups of pairs: every pattern counted by hand, size, coverage, spread."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from dissensus.stats.differences import flipped_gain, spread_of_gain
from dissensus.stats.power import power_t
from dissensus.stats.signflip import sign_flip_test


def absolute_t(later, first):
    """Student's t with the pooled variance; without variance, infinite or zero."""
    groups = [np.asarray(one) for one in (later, first) if len(one)]
    gain = abs(groups[0].mean() - (groups[1].mean() if len(groups) > 1 else 0.0))
    squares = sum(((one - one.mean()) ** 2).sum() for one in groups)
    if squares < 1e-14:
        return np.inf if gain > 1e-12 else 0.0
    return gain / np.sqrt(squares)  # up to a factor that no pattern changes


def by_hand(later, first, gain=0.0):
    """P-value of a gain by going through all signs and places."""
    values, n = np.concatenate([np.asarray(later) - gain, first]), len(later)
    observed = absolute_t(values[:n], values[n:])
    reached = total = 0
    for chosen in combinations(range(len(values)), n):
        others = [place for place in range(len(values)) if place not in chosen]
        for signs in product((1, -1), repeat=len(values)):
            turned = values * signs
            reached += absolute_t(turned[list(chosen)], turned[others]) >= observed * (1 - 1e-9)
            total += 1
    return reached / total


def test_without_a_second_group_all_signs_are_gone_through():
    later = np.random.default_rng(1).normal(0.6, 1.0, 6)
    found, test = flipped_gain(later, confidence=0.8, flips=1000)
    assert test.exact and test.simulation_error == 0.0
    assert found.estimate == later.mean()
    assert found.p_value == by_hand(later, [])
    for limit, outwards in ((found.ci_low, -1e-6), (found.ci_high, 1e-6)):
        assert by_hand(later, [], limit - outwards) > 0.2
        assert by_hand(later, [], limit + outwards) <= 0.2


@pytest.mark.parametrize("sizes", [(3, 3), (4, 2), (2, 4)])
def test_of_two_groups_signs_and_places_change(sizes):
    rng = np.random.default_rng(sum(sizes))
    later, first = rng.normal(1.0, 1.0, sizes[0]), rng.normal(0.0, 1.0, sizes[1])
    found, test = flipped_gain(later, first, confidence=0.8, flips=20_000)
    assert not test.exact
    assert found.estimate == pytest.approx(later.mean() - first.mean())
    error = 5 * test.simulation_error
    assert found.p_value == pytest.approx(by_hand(later, first), abs=error)
    for limit in (found.ci_low, found.ci_high):
        assert by_hand(later, first, limit) == pytest.approx(0.2, abs=0.02)


def test_pairs_keep_to_their_strata():
    # Two strata far apart: with places kept within them, the gain of each is seen.
    later, first = np.array([10.0, 10.2, -9.0, -8.9]), np.array([9.0, 9.1, -10.0, -9.9])
    strata = (["a", "a", "b", "b"], ["a", "a", "b", "b"])
    found, _ = flipped_gain(later, first, strata=strata, flips=4000)
    free, _ = flipped_gain(later, first, flips=4000)
    assert found.estimate == free.estimate
    assert found.p_value != free.p_value
    alone, _ = flipped_gain(later, first, strata=(list("abcd"), list("efgh")), flips=4000)
    signs = [
        absolute_t(np.array(s[:4]) * later, np.array(s[4:]) * first)
        for s in product((1, -1), repeat=8)
    ]
    expected = np.mean(np.array(signs) >= absolute_t(later, first) * (1 - 1e-9))
    assert alone.p_value == pytest.approx(expected, abs=0.04)
    with pytest.raises(ValueError, match="strata"):
        flipped_gain(later, first, strata=(["a"], ["a"]))


def test_without_a_second_group_it_is_the_sign_flip_test():
    sample = np.random.default_rng(1).normal(0.3, 1.0, 9)
    found, _ = flipped_gain(sample, flips=512)
    assert found.p_value == sign_flip_test(sample).p_value


def test_five_pairs_alone_cannot_reach_five_percent_but_two_groups_can():
    alone, _ = flipped_gain(np.arange(1.0, 6.0))
    assert alone.p_value == 2 / 32
    assert (alone.ci_low, alone.ci_high) == (-np.inf, np.inf)
    both, _ = flipped_gain(np.arange(1.0, 6.0), -np.arange(1.0, 6.0))
    assert both.p_value < 0.02 and both.ci_low > 0


def test_the_interval_reaches_zero_where_the_p_value_says_so():
    rng = np.random.default_rng(2)
    later, first = rng.normal(0.8, 1.0, 7), rng.normal(0.0, 1.0, 7)
    p_value = flipped_gain(later, first, flips=4000, seed=1)[0].p_value
    for alpha in (p_value * 0.9, p_value * 1.1):
        inside, _ = flipped_gain(later, first, confidence=1 - alpha, flips=4000, seed=1)
        assert (inside.ci_low <= 0) == (p_value > alpha)


@pytest.mark.thorough
def test_size_coverage_and_power_of_five_runs():
    rng = np.random.default_rng(3)
    p_values, gained, covered = [], [], []
    for number in range(1000):
        later, first = rng.normal(0.0, 1.0, 5), rng.normal(0.0, 1.0, 5)
        options = {"flips": 999, "interval": number < 300}
        p_values.append(flipped_gain(later, first, **options)[0].p_value)
        found, _ = flipped_gain(later + 2.0, first, **options)
        gained.append(found.p_value)
        if options["interval"]:
            covered.append(found.ci_low <= 2.0 <= found.ci_high)
    assert 0.03 < np.mean(np.array(p_values) < 0.05) < 0.07
    # Not far from the t test with eight degrees of freedom.
    power = power_t(2.0, np.sqrt(2 / 5), 8)
    assert power - 0.1 < np.mean(np.array(gained) < 0.05) < power + 0.03
    assert 0.91 < np.mean(covered) < 0.98


def test_spread_is_that_of_the_pooled_t_test():
    rng = np.random.default_rng(4)
    later, first = rng.normal(1.0, 1.0, 6), rng.normal(0.0, 1.0, 4)
    se, df = spread_of_gain(later, first)
    test = stats.ttest_ind(later, first)
    assert df == test.df == 8
    assert (later.mean() - first.mean()) / se == pytest.approx(test.statistic)
    assert spread_of_gain(later) == pytest.approx((stats.sem(later), 5))
    assert np.isnan(spread_of_gain([1.0])[0])
    assert np.isnan(spread_of_gain([1.0], [2.0])[0])


def test_the_seed_decides_and_equal_pairs_do_no_harm():
    sample = np.linspace(-1, 2, 30)
    again = [asdict(flipped_gain(sample, flips=200, seed=seed)[0]) for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]
    nothing, _ = flipped_gain(np.zeros(4), np.zeros(4))
    assert (nothing.estimate, nothing.p_value) == (0.0, 1.0)
    with pytest.raises(ValueError, match="later"):
        flipped_gain([])
