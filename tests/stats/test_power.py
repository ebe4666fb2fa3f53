"""Power against statsmodels, simulation and the paper's minimum detectable effect."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dissensus.stats.power import (
    detectable,
    minimum_detectable_effect,
    power_paired_t,
    power_t,
)

enough = settings(max_examples=50)


def test_golden_minimum_detectable_effect():
    assert minimum_detectable_effect(0.2858, 99) == pytest.approx(0.081, abs=5e-4)


def test_power_equals_statsmodels():
    from statsmodels.stats.power import TTestPower

    effects = np.array([0.05, 0.2, 0.5])  # beyond, statsmodels answers NaN at n = 99
    for n in (5, 20, 99):
        expected = [TTestPower().power(e, n, 0.05) for e in effects]
        assert power_paired_t(effects * 3.0, 3.0, n) == pytest.approx(expected, abs=1e-9)


@enough
@given(
    st.floats(0.05, 50),
    st.integers(2, 500),
    st.floats(0.2, 0.99),
    st.sampled_from([0.01, 0.05, 0.1]),
)
def test_power_at_the_minimum_detectable_effect(sd, n, power, alpha):
    effect = minimum_detectable_effect(sd, n, power, alpha)
    assert float(power_paired_t(effect, sd, n, alpha)) == pytest.approx(power, abs=1e-6)


def test_vectorised_over_effects_and_pairs():
    effects = np.array([[0.0, 0.1], [0.2, -0.2]])
    result = power_paired_t(effects, 0.5, 50, 0.1)
    assert result.shape == (2, 2)
    assert result[0, 0] == pytest.approx(0.1)
    assert result[1, 0] == result[1, 1]
    assert (np.diff(power_paired_t(0.2, 0.5, np.array([5, 20, 80, 2000]))) > 0).all()


def test_power_stays_a_share_where_the_tails_are_extreme():
    effects = np.array([0.0, 1e-9, 1.0, 10.0, 1e3])
    for n in (2, 50, 100_000):
        result = power_paired_t(effects, 1.0, n)
        assert np.isfinite(result).all()
        assert (np.diff(result) >= -1e-9).all()


def test_power_agrees_with_simulation():
    rng = np.random.default_rng(1)
    p_values = stats.ttest_1samp(rng.normal(0.4, 1, (4_000, 30)), 0, axis=1).pvalue
    expected = float(power_paired_t(0.4, 1.0, 30))
    assert (p_values < 0.05).mean() == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power_paired_t(0.1, 0.0, 10), r"sd is 0\.0"),
        (lambda: power_paired_t(0.1, 1.0, 1), "n is 1"),
        (lambda: power_paired_t(np.nan, 1.0, 10), "not finite"),
        (lambda: power_paired_t(0.1, 1.0, 10, 0.0), r"alpha is 0\.0"),
        (lambda: minimum_detectable_effect(1.0, 10, 0.05), "above alpha"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_power_of_any_t_test_has_the_paired_one_as_its_case():
    paired = float(power_paired_t(0.5, 2.0, 12))
    assert power_t(0.5, 2.0 / np.sqrt(12), 11) == pytest.approx(paired)
    assert detectable(2.0 / np.sqrt(12), 11) == pytest.approx(minimum_detectable_effect(2.0, 12))


def test_power_of_two_groups_equals_statsmodels():
    from statsmodels.stats.power import TTestIndPower

    se = np.sqrt(1 / 8 + 1 / 8)
    expected = TTestIndPower().power(0.9, 8, 0.05)
    assert power_t(0.9, se, 14) == pytest.approx(expected, abs=1e-9)
    assert power_t(detectable(se, 14, 0.8), se, 14) == pytest.approx(0.8)
    with pytest.raises(ValueError, match="sd"):
        power_t(0.5, 0.0, 4)
