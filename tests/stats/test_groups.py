"""Group tests against the paper's Table 2, scipy, brute force and calibration."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dissensus.stats import groups as g
from dissensus.stats import redrawing

enough = settings(max_examples=50)

NS = np.array([8, 10, 12, 12, 9, 8, 13, 16, 11])
MEANS = np.array([0.812, 0.803, 0.786, 0.785, 0.756, 0.745, 0.736, 0.717, 0.647])
LOW = np.array([0.723, 0.708, 0.708, 0.667, 0.653, 0.654, 0.635, 0.648, 0.556])
HIGH = np.array([0.902, 0.897, 0.864, 0.903, 0.859, 0.835, 0.837, 0.785, 0.738])
SDS = (HIGH - LOW) / 2 * np.sqrt(NS) / stats.t.ppf(0.975, NS - 1)


def drawn_groups(seed=1, sizes=(6, 9, 12)):
    rng = np.random.default_rng(seed)
    return [rng.normal(0.4 * i, 1 + 0.5 * i, n) for i, n in enumerate(sizes)]


def test_table_2_anova():
    result = g.anova_from_summary(MEANS, SDS, NS)
    assert (result.df_between, result.df_within, result.n) == (8, 90, 99)
    assert result.statistic == pytest.approx(1.4343, abs=5e-5)
    assert result.p_value == pytest.approx(0.1932, abs=5e-5)


def test_table_2_welch():
    result = g.welch_anova_from_summary(MEANS, SDS, NS)
    assert result.statistic == pytest.approx(1.4636, abs=5e-5)
    assert result.df_within == pytest.approx(35.27, abs=5e-3)
    assert result.p_value == pytest.approx(0.2056, abs=5e-5)


def test_table_2_pairs():
    pair = g.welch_t_from_summary(MEANS[0], SDS[0], NS[0], MEANS[8], SDS[8], NS[8])
    assert pair.p_value == pytest.approx(0.00879, abs=1e-5)
    pairs = g.pairwise_welch_from_summary(MEANS, SDS, NS)
    assert len(pairs) == 36
    assert min(p.p_bh for p in pairs) == pytest.approx(0.2175, abs=5e-5)
    assert pairs[7].p_value == pair.p_value


def test_from_values_equals_scipy():
    samples = drawn_groups()
    for equal, function in ((True, g.anova), (False, g.welch_anova)):
        reference = stats.f_oneway(*samples, equal_var=equal)
        result = function(samples)
        assert result.statistic == pytest.approx(reference.statistic)
        assert result.p_value == pytest.approx(reference.pvalue)


def test_pairwise_welch_equals_scipy():
    samples = drawn_groups()
    for pair in g.pairwise_welch(samples, 0.9):
        reference = stats.ttest_ind(samples[pair.first], samples[pair.second], equal_var=False)
        interval = reference.confidence_interval(0.9)
        assert pair.p_value == pytest.approx(reference.pvalue)
        assert pair.df == pytest.approx(reference.df)
        assert (pair.ci_low, pair.ci_high) == pytest.approx((interval.low, interval.high))


def test_pairwise_adjustment_is_over_all_pairs():
    pairs = g.pairwise_welch(drawn_groups())
    raw = [p.p_value for p in pairs]
    expected = stats.false_discovery_control(raw)
    assert [p.p_bh for p in pairs] == pytest.approx(expected)
    assert [p.p_by for p in pairs] == pytest.approx(np.minimum(1, expected * (1 + 1 / 2 + 1 / 3)))


def test_kruskal_wallis_equals_scipy():
    samples = [[1, 2, 2, 5], [2, 6, 7], [9, 8, 1, 2]]
    reference = stats.kruskal(*samples)
    result = g.kruskal_wallis(samples)
    assert (result.statistic, result.p_value) == pytest.approx(tuple(reference))
    assert (result.df_between, result.n, result.n_groups) == (2, 11, 3)
    assert g.kruskal_wallis([[1, 1], [1]]).p_value == 1.0


def test_groups_without_variance():
    assert np.isnan(g.welch_anova([[1, 1], [1, 2]]).p_value)
    assert g.anova([[0.1, 0.1, 0.1], [0.2, 0.2]]).p_value == 0.0
    assert np.isnan(g.anova([[1, 1], [1, 1]]).p_value)
    pairs = g.pairwise_welch([[1, 1], [1, 1], [1, 2]])
    assert np.isnan(pairs[0].p_bh)
    assert 0 < pairs[1].p_bh <= 1


# Re-drawn assignments


def f_of(values, labels):
    parts = [values[labels == name] for name in np.unique(labels)]
    return stats.f_oneway(*parts).statistic


def test_permutation_f_agrees_with_enumeration():
    values = np.array([0.3, 1.1, 0.2, 2.0, 1.9, 2.8, 0.9])
    labels = np.array([0, 0, 0, 1, 1, 2, 2])
    observed = f_of(values, labels)
    every = [f_of(values, np.array(p)) for p in set(permutations(labels.tolist()))]
    exact = np.mean(np.array(every) >= observed * (1 - 1e-9))
    result = g.permutation_f(values, labels, permutations=20_000)
    assert result.statistic == pytest.approx(observed)
    assert abs(result.p_value - exact) < 4.5 * result.simulation_error


def test_permutation_f_approaches_the_f_test():
    rng = np.random.default_rng(3)
    values, labels = rng.normal(size=99), np.repeat(np.arange(9), 11)
    reference = g.anova([values[labels == k] for k in range(9)])
    result = g.permutation_f(values, labels, permutations=20_000)
    assert result.statistic == pytest.approx(reference.statistic)
    assert result.p_value == pytest.approx(reference.p_value, abs=0.03)


@enough
@given(
    st.lists(st.integers(-9, 9), min_size=6, max_size=15).filter(lambda v: len(set(v)) > 1),
    st.integers(1, 9),
    st.integers(-9, 9),
)
def test_redrawn_tests_ignore_scale_and_names(values, scale, shift):
    labels = np.arange(len(values)) % 3
    moved = [v * scale + shift for v in values]
    names = np.array(["left", "middle", "right"])[labels]
    for test in (g.permutation_f, g.largest_minus_smallest):
        first = test(values, labels, permutations=200)
        second = test(moved, names, permutations=200)
        assert first.p_value == pytest.approx(second.p_value)
        assert first.statistic == pytest.approx(second.statistic)


@enough
@given(st.lists(st.integers(-3, 3), min_size=4, max_size=12), st.integers(1, 40))
def test_both_redrawn_tests_at_once_are_the_two_of_them(values, cells):
    labels = np.arange(len(values)) % 3

    def redraw(names):
        return lambda rng, size: names[rng.integers(0, 4, size=(size, len(values)))]

    # Domains by number, far apart and by name: the same groups, counted or sorted.
    spellings = [np.arange(4), np.arange(4) * 10**12, np.array(["a", "b", "c", "d"])]
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for names in spellings:
            options = {"redraw": redraw(names), "permutations": 30, "seed": 2}
            test, picked = redrawing.redrawn_comparison(values, names[labels], **options)
            assert g.permutation_f(values, names[labels], **options) == test
            assert g.largest_minus_smallest(values, names[labels], **options) == picked
            found.append((test.p_value, picked.p_value))
            # However many assignments are drawn at a time.
            patch.setattr(redrawing, "_CELLS", cells)
    assert found[0] == found[1] == found[2]


def test_redraw_with_empty_and_single_groups_by_hand():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    assignments = np.array([[0, 0, 0, 0], [0, 0, 0, 3], [0, 0, 3, 3], [7, 7, 7, 5], [0, 1, 2, 3]])
    result = g.permutation_f(
        values,
        [0, 0, 3, 3],
        redraw=lambda rng, size: assignments[np.arange(size) % 5],
        permutations=5,
    )
    # F is 0, 10.7, 6.1 (observed), 10.7 and infinite (no variance left within).
    assert result.statistic == pytest.approx(f_of(values, np.array([0, 0, 3, 3])))
    assert f_of(values, assignments[1]) > result.statistic
    assert result.p_value == pytest.approx((4 + 1) / (5 + 1))


def test_largest_minus_smallest_by_hand():
    values = np.array([1.0, 2.0, 4.0, 8.0, 3.0, 3.5])
    labels = np.array(["b", "b", "a", "a", "c", "c"])
    result = g.largest_minus_smallest(values, labels, permutations=99)
    pooled = (0.5 + 8 + 0.125) / 3
    assert (result.largest, result.smallest) == ("a", "b")
    assert result.difference == pytest.approx(4.5)
    assert result.statistic == pytest.approx(4.5 / np.sqrt(pooled * (1 / 2 + 1 / 2)))


def test_largest_minus_smallest_with_equal_groups_is_tukeys_test():
    rng = np.random.default_rng(5)
    values = rng.normal(size=60) + np.repeat([0, 0.2, 0.3, 0.6], 15)
    labels = np.repeat(np.arange(4), 15)
    result = g.largest_minus_smallest(values, labels, permutations=20_000)
    reference = stats.studentized_range.sf(result.statistic * np.sqrt(2), 4, 56)
    assert 0.02 < reference < 0.9
    assert result.p_value == pytest.approx(reference, abs=0.02)


def test_picking_the_pair_is_paid_for():
    rng = np.random.default_rng(6)

    def redraw(rng, size):
        return rng.integers(0, 6, size=(size, 30))

    adjusted, naive = [], []
    for _ in range(150):
        values, labels = rng.normal(size=30), redraw(rng, 1)[0]
        test = g.largest_minus_smallest(values, labels, redraw=redraw, permutations=199, seed=rng)
        adjusted.append(test.p_value)
        naive.append(2 * stats.t.sf(test.statistic, 24))
    assert np.mean(np.array(adjusted) <= 0.1) <= 0.17
    assert np.mean(np.array(naive) <= 0.1) >= 0.3


def test_omnibus_level_under_the_mechanism():
    rng = np.random.default_rng(7)

    def redraw(rng, size):
        return rng.integers(0, 5, size=(size, 20))

    p_values = [
        g.permutation_f(
            rng.exponential(size=20), redraw(rng, 1)[0], redraw=redraw, permutations=99, seed=rng
        ).p_value
        for _ in range(300)
    ]
    assert np.mean(np.array(p_values) <= 0.1) == pytest.approx(0.1, abs=0.06)


def test_redrawn_tests_are_deterministic_and_survive_constant_values():
    rng = np.random.default_rng(8)
    values, labels = rng.normal(size=30), rng.integers(0, 3, 30)
    for test in (g.permutation_f, g.largest_minus_smallest):
        assert test(values, labels, permutations=300) == test(values, labels, permutations=300)
        constant = test(np.full(30, 0.1), labels, permutations=300)
        assert constant.p_value == 1.0
        assert np.isnan(constant.statistic)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: g.anova([[1.0, 2.0]]), "at least 2"),
        (lambda: g.welch_anova([[1.0, 2.0], [1.0]]), r"groups\[1\] holds 1"),
        (lambda: g.anova_from_summary([1, 2], [1, -1], [3, 3]), "negative"),
        (lambda: g.anova_from_summary([1, 2], [1, 1], [3, 1]), "ns holds 1"),
        (lambda: g.anova_from_summary([1, 2], [1, 1], [3, 3, 3]), "2, 2 and 3"),
        (lambda: g.kruskal_wallis([[1.0], []]), "at least 1"),
        (lambda: g.permutation_f([1.0, 2.0, 3.0], [0, 0, 0]), "1 group"),
        (lambda: g.permutation_f([1.0, 2.0, 3.0], [0, 1, 2]), "3 group"),
        (lambda: g.permutation_f([1.0, 2.0, np.nan], [0, 1, 1]), "is nan"),
        (lambda: g.permutation_f([1.0, 2.0, 3.0], [0, 1]), "one label per value"),
        (
            lambda: g.permutation_f(
                [1.0, 2.0, 3.0], [0, 1, 1], redraw=lambda rng, size: np.zeros((size, 2))
            ),
            "redraw returned shape",
        ),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
