"""The sign-flip test against brute force, scipy's permutation test and known p-values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dissensus.stats.signflip import sign_flip_test

enough = settings(max_examples=50)

whole = st.lists(st.integers(-5, 5), min_size=2, max_size=9)


def brute_force(differences, clusters=None, statistic=np.mean):
    """Share of all sign patterns at least as extreme, by plain enumeration."""
    d = np.asarray(differences, float)
    names = np.arange(d.size) if clusters is None else np.asarray(clusters)
    labels = np.unique(names)
    observed, reached = abs(statistic(d)), 0
    for signs in product([-1.0, 1.0], repeat=labels.size):
        flipped = d * np.array(signs)[np.searchsorted(labels, names)]
        reached += abs(statistic(flipped)) >= observed - 1e-9
    return reached / 2**labels.size


@enough
@given(whole)
def test_exact_equals_enumeration(differences):
    result = sign_flip_test(differences)
    assert result.exact
    assert result.simulation_error == 0.0
    assert result.p_value == pytest.approx(brute_force(differences))
    assert result.statistic == pytest.approx(np.mean(differences))


@enough
@given(whole, st.data())
def test_exact_clusters_equal_enumeration(differences, data):
    labels = data.draw(
        st.lists(
            st.sampled_from("abc"), min_size=len(differences), max_size=len(differences)
        ).filter(lambda drawn: len(set(drawn)) > 1)
    )
    result = sign_flip_test(differences, clusters=labels)
    assert result.p_value == pytest.approx(brute_force(differences, labels))


def cluster_t(names):
    names = np.asarray(names)
    labels = np.unique(names)

    def statistic(d):
        residual = np.array([(d[names == g] - d.mean()).sum() for g in labels])
        count = labels.size
        return d.mean() / np.sqrt((residual**2).sum() * count / (count - 1) / d.size**2)

    return statistic


def test_studentised_clusters_equal_enumeration_and_differ_from_the_mean():
    d = np.random.default_rng(5).normal(0.6, 1, 20)
    clusters = np.repeat(np.arange(8), [1, 6, 2, 1, 5, 1, 3, 1])
    statistic = cluster_t(clusters)
    result = sign_flip_test(d, clusters=clusters, studentised=True)
    assert result.statistic == pytest.approx(statistic(d))
    assert result.p_value == pytest.approx(brute_force(d, clusters, statistic))
    assert result.p_value != sign_flip_test(d, clusters=clusters).p_value


def test_monte_carlo_studentised_clusters_agree_with_exact():
    d = np.random.default_rng(6).normal(0.4, 1, 24)
    clusters = np.repeat(np.arange(12), [1, 3] * 6)
    exact = sign_flip_test(d, clusters=clusters, studentised=True)
    drawn = sign_flip_test(
        d, clusters=clusters, studentised=True, exact_up_to=0, flips=40_000, seed=1
    )
    assert abs(drawn.p_value - exact.p_value) < 4.5 * drawn.simulation_error


def test_agrees_with_scipy_permutation_test():
    d = np.random.default_rng(2).normal(0.3, 1, 12)
    reference = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert sign_flip_test(d).p_value == pytest.approx(reference.pvalue)


@enough
@given(whole, st.booleans())
def test_p_value_ignores_a_global_sign(differences, studentised):
    ahead = sign_flip_test(differences, studentised=studentised)
    behind = sign_flip_test([-d for d in differences], studentised=studentised)
    assert ahead.p_value == behind.p_value
    assert ahead.statistic == -behind.statistic


@enough
@given(st.lists(st.floats(-1e3, 1e3).map(lambda x: round(x, 3)), min_size=2, max_size=8))
def test_p_value_ignores_units_and_zeros(differences):
    p_value = sign_flip_test(differences).p_value
    assert sign_flip_test([d * 1e-7 for d in differences]).p_value == p_value
    assert sign_flip_test([*differences, 0.0, 0.0]).p_value == p_value
    assert sign_flip_test(differences, studentised=True).p_value == p_value


@pytest.mark.parametrize("seed", range(5))
def test_monte_carlo_agrees_with_exact(seed):
    d = np.random.default_rng(seed).normal(0.4, 1, 17)
    exact = sign_flip_test(d)
    drawn = sign_flip_test(d, exact_up_to=10, flips=50_000, seed=seed)
    assert exact.exact
    assert exact.flips == 2**17
    assert not drawn.exact
    assert drawn.flips == 50_000
    assert drawn.simulation_error == pytest.approx(
        np.sqrt(drawn.p_value * (1 - drawn.p_value) / 50_000)
    )
    assert abs(drawn.p_value - exact.p_value) < 4.5 * drawn.simulation_error


def test_monte_carlo_p_is_never_zero_and_counts_the_observed_draw():
    result = sign_flip_test(np.ones(60), flips=999)
    assert result.p_value == pytest.approx(1 / 1000)


def test_large_sample_approaches_the_normal_test():
    d = np.random.default_rng(11).normal(0.05, 1, 1_000)
    z = d.sum() / np.sqrt((d**2).sum())
    result = sign_flip_test(d, flips=100_000)
    assert result.p_value == pytest.approx(2 * stats.norm.sf(abs(z)), abs=0.006)


def test_is_deterministic_given_a_seed_or_generator():
    d = np.random.default_rng(3).normal(size=40)
    first = sign_flip_test(d, flips=20_000, seed=4)
    assert first == sign_flip_test(d, flips=20_000, seed=4)
    assert first == sign_flip_test(d, flips=20_000, seed=np.random.default_rng(4))
    assert first != sign_flip_test(d, flips=20_000, seed=5)


def test_degenerate_differences():
    assert sign_flip_test([0.0, 0.0, 0.0]).p_value == 1.0
    assert sign_flip_test([0.0, 0.0], studentised=True).statistic == 0.0
    assert sign_flip_test([2.0, 2.0, 2.0], studentised=True).statistic == np.inf
    assert sign_flip_test([2.0, 2.0, 2.0], studentised=True).p_value == 0.25


def test_cancelling_clusters_leave_nothing_to_flip():
    result = sign_flip_test([0.1, 0.2, -0.3, 0.3, -0.1, -0.2], clusters=[0, 0, 0, 1, 1, 1])
    assert result.p_value == 1.0


def test_level_under_the_null():
    rng = np.random.default_rng(0)
    p_values = [sign_flip_test(rng.standard_t(3, 10)).p_value for _ in range(400)]
    assert np.mean(np.array(p_values) <= 0.1) == pytest.approx(0.1, abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"differences": [1.0]}, "at least 2"),
        ({"differences": []}, "at least 2"),
        ({"differences": [1.0, np.nan]}, r"differences\[1\] is nan"),
        ({"differences": [[1.0, 2.0]]}, "one-dimensional"),
        ({"differences": [1.0, 2.0], "flips": 0}, "flips is 0"),
        ({"differences": [1.0, 2.0], "exact_up_to": 31}, "exact_up_to is 31"),
        ({"differences": [1.0, 2.0], "clusters": [1, 1]}, "1 distinct label"),
        ({"differences": [1.0, 2.0], "clusters": [1]}, "one label per value"),
        ({"differences": [1.0, 2.0], "clusters": [1.0, np.nan]}, "holds NaN"),
    ],
)
def test_unusable_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        sign_flip_test(**arguments)
