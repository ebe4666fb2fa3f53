"""Mid-p tests and score intervals against hand calculation, scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dissensus.stats.shares import mid_p_interval, mid_p_sign_test, wilson


def test_mid_p_of_a_few_by_hand():
    # Of 5, none: 1/32 counts half, twice. Of 5, one: 1/32 whole and 5/32 half, twice.
    assert mid_p_sign_test([0, 1, 5, 4], 5) == pytest.approx([1 / 32, 7 / 32, 1 / 32, 7 / 32])
    assert mid_p_sign_test([3, 0], [6, 0]) == pytest.approx([1.0, 1.0])


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_mid_p_is_the_exact_p_less_half_of_what_was_seen(counts):
    k, n = counts
    exact = stats.binomtest(k, n).pvalue
    expected = exact - stats.binom.pmf(k, n, 0.5) if 2 * k != n else 1.0
    assert float(mid_p_sign_test(k, n)) == pytest.approx(expected, abs=1e-12)


def test_mid_p_keeps_its_level_better_than_the_exact_test():
    n = np.random.default_rng(1).binomial(40, 0.4, 4000)
    k = np.random.default_rng(2).binomial(n, 0.5)
    size = (mid_p_sign_test(k, n) < 0.05).mean()
    assert 0.035 < size < 0.06
    least = np.minimum(k, n - k)
    assert (2 * stats.binom.cdf(least, n, 0.5) < 0.05).mean() < size


@given(
    st.integers(1, 120).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.sampled_from([0.9, 0.95]),
)
def test_mid_p_interval_has_what_the_test_does_not_reject(counts, confidence):
    k, n = counts
    low, high = mid_p_interval(k, n, confidence)
    outer = stats.binomtest(k, n).proportion_ci(confidence)
    assert outer.low <= low <= k / n <= high <= outer.high
    tail = (1 - confidence) / 2
    if k > 0:
        above = stats.binom.sf(k, n, low) + stats.binom.pmf(k, n, low) / 2
        assert above == pytest.approx(tail, abs=1e-8)
    if k < n:
        below = stats.binom.cdf(k, n, high) - stats.binom.pmf(k, n, high) / 2
        assert below == pytest.approx(tail, abs=1e-8)
    inside = low < 0.5 < high
    assert inside == (float(mid_p_sign_test(k, n)) > 1 - confidence)


def test_wilson_equals_statsmodels():
    from statsmodels.stats.proportion import proportion_confint

    for k, n in ((0, 4), (1, 4), (7, 20), (20, 20)):
        expected = proportion_confint(k, n, 0.1, method="wilson")
        assert wilson(k, n, 0.9) == pytest.approx(expected, abs=1e-12)


def test_counts_out_of_range_are_refused():
    for wrong in (lambda: mid_p_sign_test(3, 2), lambda: wilson(-1, 2), lambda: wilson(0, 0)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError):
        mid_p_interval(0, 0)
