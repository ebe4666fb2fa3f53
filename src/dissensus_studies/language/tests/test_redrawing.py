"""Tests that draw the assignment again against enumeration, scipy and calibration."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ..stats import redrawing
from ..stats.redrawing import redrawn_comparison

enough = settings(max_examples=50)


def permuted(values, labels, times, seed=0):
    """Both tests against the observed labels in random order."""
    labels = np.asarray(labels)

    def redraw(rng, size):
        return rng.permuted(np.broadcast_to(labels, (size, labels.size)), axis=1)

    return redrawn_comparison(values, labels, redraw, permutations=times, seed=seed)


def uniform(k, n):
    return lambda rng, size: rng.integers(0, k, size=(size, n))


def f_of(values, labels):
    parts = [values[labels == name] for name in np.unique(labels)]
    return stats.f_oneway(*parts).statistic


def test_f_agrees_with_enumeration():
    values = np.array([0.3, 1.1, 0.2, 2.0, 1.9, 2.8, 0.9])
    labels = np.array([0, 0, 0, 1, 1, 2, 2])
    observed = f_of(values, labels)
    every = [f_of(values, np.array(p)) for p in set(permutations(labels.tolist()))]
    exact = np.mean(np.array(every) >= observed * (1 - 1e-9))
    result, _ = permuted(values, labels, 20_000)
    assert result.statistic == pytest.approx(observed)
    assert abs(result.p_value - exact) < 4.5 * result.simulation_error


def test_f_approaches_the_f_test():
    rng = np.random.default_rng(3)
    values, labels = rng.normal(size=99), np.repeat(np.arange(9), 11)
    reference = stats.f_oneway(*values.reshape(9, 11))
    result, _ = permuted(values, labels, 20_000)
    assert result.statistic == pytest.approx(reference.statistic)
    assert result.p_value == pytest.approx(reference.pvalue, abs=0.03)


@pytest.mark.thorough
@enough
@given(
    st.lists(st.integers(-9, 9), min_size=6, max_size=15).filter(lambda v: len(set(v)) > 1),
    st.integers(1, 9),
    st.integers(-9, 9),
    st.integers(1, 40),
)
def test_scale_names_and_chunks_change_nothing(values, scale, shift, cells):
    labels = np.arange(len(values)) % 3
    test, picked = permuted(values, labels, 200)
    moved = [v * scale + shift for v in values]
    test_moved, picked_moved = permuted(moved, np.array([-4, 7, 900])[labels], 200)
    assert test_moved.p_value == pytest.approx(test.p_value)
    assert test_moved.statistic == pytest.approx(test.statistic)
    assert picked_moved.test.p_value == pytest.approx(picked.test.p_value)
    assert picked_moved.test.statistic == pytest.approx(picked.test.statistic)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redrawing, "_CELLS", cells)
        assert permuted(values, labels, 200) == (test, picked)


def test_empty_and_single_groups_by_hand():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    assignments = np.array([[0, 0, 0, 0], [0, 0, 0, 3], [0, 0, 3, 3], [7, 7, 7, 5], [0, 1, 2, 3]])
    result, _ = redrawn_comparison(
        values,
        np.array([0, 0, 3, 3]),
        lambda rng, size: assignments[np.arange(size) % 5],
        permutations=5,
    )
    # F is 0, 10.7, 6.1 (observed), 10.7 and infinite (no variance left within).
    assert result.statistic == pytest.approx(f_of(values, np.array([0, 0, 3, 3])))
    assert f_of(values, assignments[1]) > result.statistic
    assert result.p_value == pytest.approx((4 + 1) / (5 + 1))


def test_the_picked_pair_by_hand():
    values = np.array([1.0, 2.0, 4.0, 8.0, 3.0, 3.5])
    _, picked = permuted(values, [5, 5, 2, 2, 9, 9], 99)
    pooled = (0.5 + 8 + 0.125) / 3
    assert (picked.largest, picked.smallest) == (2, 5)
    assert picked.difference == pytest.approx(4.5)
    assert picked.test.statistic == pytest.approx(4.5 / np.sqrt(pooled * (1 / 2 + 1 / 2)))


def test_the_picked_pair_of_equal_groups_is_tukeys_test():
    rng = np.random.default_rng(5)
    values = rng.normal(size=60) + np.repeat([0, 0.2, 0.3, 0.6], 15)
    _, picked = permuted(values, np.repeat(np.arange(4), 15), 20_000)
    reference = stats.studentized_range.sf(picked.test.statistic * np.sqrt(2), 4, 56)
    assert 0.02 < reference < 0.9
    assert picked.test.p_value == pytest.approx(reference, abs=0.02)


def test_picking_the_pair_is_paid_for():
    rng, redraw = np.random.default_rng(6), uniform(6, 30)
    adjusted, naive = [], []
    for _ in range(150):
        values, labels = rng.normal(size=30), redraw(rng, 1)[0]
        _, picked = redrawn_comparison(values, labels, redraw, permutations=199, seed=rng)
        adjusted.append(picked.test.p_value)
        naive.append(2 * stats.t.sf(picked.test.statistic, 24))
    assert np.mean(np.array(adjusted) <= 0.1) <= 0.17
    assert np.mean(np.array(naive) <= 0.1) >= 0.3


def test_omnibus_level_under_the_mechanism():
    rng, redraw = np.random.default_rng(7), uniform(5, 20)
    p_values = []
    for _ in range(300):
        values, labels = rng.exponential(size=20), redraw(rng, 1)[0]
        test, _ = redrawn_comparison(values, labels, redraw, permutations=99, seed=rng)
        p_values.append(test.p_value)
    assert np.mean(np.array(p_values) <= 0.1) == pytest.approx(0.1, abs=0.06)


def test_they_are_deterministic_and_survive_constant_values():
    rng = np.random.default_rng(8)
    values, labels = rng.normal(size=30), rng.integers(0, 3, 30)
    assert permuted(values, labels, 300) == permuted(values, labels, 300)
    assert permuted(values, labels, 300) != permuted(values, labels, 300, seed=1)
    test, picked = permuted(np.full(30, 0.1), labels, 300)
    assert (test.p_value, picked.test.p_value, picked.difference) == (1.0, 1.0, 0.0)
    assert np.isnan([test.statistic, picked.test.statistic]).all()


@pytest.mark.parametrize(
    ("values", "labels", "width", "message"),
    [
        ([1.0, 2.0, 3.0], [0, 0, 0], 3, "1 group"),
        ([1.0, 2.0, 3.0], [0, 1, 2], 3, "3 group"),
        ([1.0, 2.0, np.nan], [0, 1, 1], 3, "is nan"),
        ([1.0, 2.0, 3.0], [0, 1], 3, "one label per value"),
        ([1.0, 2.0, 3.0], [0, 1, 1], 2, "redraw returned shape"),
    ],
)
def test_unusable_input(values, labels, width, message):
    with pytest.raises(ValueError, match=message):
        redrawn_comparison(values, np.array(labels), uniform(2, width))
