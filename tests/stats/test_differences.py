"""The gain between two groups of pairs: every pattern counted by hand, size, coverage, spread."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from dissensus.stats.differences import flipped_gain, spread_of_gain
from dissensus.stats.signflip import sign_flip_test


def by_hand(later, first, gain=0.0):
    """P-value of a gain by going through all patterns."""
    moved = np.asarray(later) - gain
    n = len(moved)
    observed = abs(moved.mean() - (np.mean(first) if len(first) else 0.0))
    reached = 0
    for signs in product((1, -1), repeat=n + len(first)):
        value = np.mean(np.array(signs[:n]) * moved)
        value -= np.mean(np.array(signs[n:]) * first) if len(first) else 0.0
        reached += abs(value) >= observed - 1e-12
    return reached / 2 ** (n + len(first))


@pytest.mark.parametrize("sizes", [(4, 4), (5, 3), (6, 0), (3, 1), (1, 5)])
def test_test_and_interval_are_those_of_all_patterns(sizes):
    rng = np.random.default_rng(sum(sizes))
    later, first = rng.normal(0.6, 1.0, sizes[0]), rng.normal(0.0, 1.0, sizes[1])
    found, test = flipped_gain(later, first, confidence=0.8, flips=1000)
    assert test.exact and test.simulation_error == 0.0
    assert found.estimate == pytest.approx(later.mean() - (first.mean() if sizes[1] else 0.0))
    assert found.p_value == pytest.approx(by_hand(later, first))
    for limit, outwards in ((found.ci_low, -1e-6), (found.ci_high, 1e-6)):
        if np.isfinite(limit):
            assert by_hand(later, first, limit) > 0.2
            assert by_hand(later, first, limit + outwards) <= 0.2
        else:
            assert by_hand(later, first, 1e6 * outwards) > 0.2


def test_without_a_second_group_it_is_the_sign_flip_test():
    sample = np.random.default_rng(1).normal(0.3, 1.0, 9)
    found, _ = flipped_gain(sample, flips=512)
    assert found.p_value == sign_flip_test(sample).p_value


def test_five_pairs_alone_cannot_reach_five_percent_but_two_groups_can():
    alone, _ = flipped_gain(np.arange(1.0, 6.0))
    assert alone.p_value == 2 / 32
    assert (alone.ci_low, alone.ci_high) == (-np.inf, np.inf)
    both, _ = flipped_gain(np.arange(1.0, 6.0), -np.arange(1.0, 6.0))
    assert both.p_value == 2 / 1024 and both.ci_low > 0


def test_drawn_patterns_agree_with_all_of_them_and_with_themselves():
    rng = np.random.default_rng(2)
    later, first = rng.normal(0.8, 1.0, 7), rng.normal(0.0, 1.0, 7)
    exact, _ = flipped_gain(later, first, flips=2**14)
    drawn, test = flipped_gain(later, first, flips=16_000, seed=1)
    assert not test.exact
    assert drawn.p_value == pytest.approx(exact.p_value, abs=5 * test.simulation_error)
    limits = (drawn.ci_low, drawn.ci_high)
    assert limits == pytest.approx((exact.ci_low, exact.ci_high), abs=0.1)
    # The interval of each level reaches zero where the p-value says so.
    for confidence in (drawn.p_value - 0.01, drawn.p_value + 0.01):
        inside, _ = flipped_gain(later, first, confidence=1 - confidence, flips=16_000, seed=1)
        assert (inside.ci_low <= 0) == (drawn.p_value > confidence)


def test_size_coverage_and_power_of_five_runs():
    rng = np.random.default_rng(3)
    low, high, p_values = [], [], []
    for _ in range(1000):
        later, first = rng.uniform(-1, 1, 5) + 0.7, rng.uniform(-1, 1, 5)
        p_values.append(flipped_gain(later - 0.7, first, flips=1024)[0].p_value)
        found, _ = flipped_gain(later, first, flips=1024)
        low.append(found.ci_low)
        high.append(found.ci_high)
    assert 0.03 < np.mean(np.array(p_values) < 0.05) < 0.07
    assert 0.93 < np.mean((np.array(low) <= 0.7) & (np.array(high) >= 0.7)) < 0.98


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
    again = [flipped_gain(sample, flips=200, seed=seed)[0] for seed in (1, 1, 2)]
    assert again[0] == again[1] != again[2]
    nothing, _ = flipped_gain(np.zeros(4), np.zeros(4))
    assert (nothing.estimate, nothing.p_value) == (0.0, 1.0)
    with pytest.raises(ValueError, match="later"):
        flipped_gain([])
