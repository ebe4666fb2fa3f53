"""Balance checks against the paper's Tables 3 to 5, exact enumeration and direct maximisation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from dissensus.stats import balance as bal

enough = settings(max_examples=50)
ROLES = [[24, 24, 23, 29], [27, 24, 23, 26], [24, 23, 29, 24], [25, 29, 25, 21]]


def test_table_3_domains():
    result = bal.uniformity([12, 14, 16, 9, 8, 8, 12, 10, 11])
    assert (result.df, result.n) == (8, 100)
    assert result.statistic == pytest.approx(5.30)
    assert result.p_value == pytest.approx(0.7251, abs=5e-5)


def test_table_4_orders():
    result = bal.order_balance(62, 100)
    assert result.p_value == pytest.approx(0.0210, abs=5e-5)
    assert result.estimate == 0.62
    assert result.ci_low == pytest.approx(stats.beta.ppf(0.025, 62, 39))
    assert result.ci_high == pytest.approx(stats.beta.ppf(0.975, 63, 38))


def test_table_5_roles():
    result = bal.permutation_balance(ROLES)
    assert (result.sum_squares, result.df, result.n) == (86, 9, 100)
    assert result.statistic == pytest.approx(2.58)
    assert result.p_value == pytest.approx(0.979, abs=5e-4)
    pearson = stats.chi2_contingency(ROLES, correction=False).statistic
    assert pearson == pytest.approx(result.statistic * 4 / 3)


def test_permutation_balance_has_its_null_distribution():
    rng = np.random.default_rng(1)
    draws = rng.permuted(np.broadcast_to(np.arange(4), (400, 60, 4)), axis=2)
    counts = [[[(d[:, j] == i).sum() for j in range(4)] for i in range(4)] for d in draws]
    q = np.array([bal.permutation_balance(c).statistic for c in counts])
    assert q.mean() == pytest.approx(9, abs=0.8)
    assert (q > stats.chi2.ppf(0.9, 9)).mean() == pytest.approx(0.1, abs=0.05)


def test_clopper_pearson_of_no_failure_in_99():
    assert bal.clopper_pearson(0, 99) == pytest.approx((0.0, 1 - 0.025 ** (1 / 99)))
    assert bal.clopper_pearson(0, 99)[1] == pytest.approx(0.0366, abs=5e-5)


@enough
@given(st.integers(1, 40), st.data())
def test_clopper_pearson_limits_put_the_count_in_the_tails(n, data):
    k = data.draw(st.integers(0, n))
    low, high = bal.clopper_pearson(k, n, 0.9)
    assert k > 0 or low == 0.0
    assert k < n or high == 1.0
    if k > 0:
        assert stats.binom.sf(k - 1, n, low) == pytest.approx(0.05)
    if k < n:
        assert stats.binom.cdf(k, n, high) == pytest.approx(0.05)


def pairs(both, only_a, only_b, neither):
    a = [1] * both + [1] * only_a + [0] * only_b + [0] * neither
    b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
    return a, b


def restricted_score(at, only_a, only_b, n):
    """The score statistic with the nuisance share maximised numerically."""

    def loss(q):
        return -(only_a * np.log(q + at) + only_b * np.log(q) + rest * np.log(1 - 2 * q - at))

    rest = n - only_a - only_b
    least, most = max(0.0, -at), (1 - at) / 2
    q = optimize.minimize_scalar(
        loss, bounds=(least, most), method="bounded", options={"xatol": 1e-12}
    ).x
    return (only_a - only_b - n * at) / np.sqrt(n * (2 * q + at * (1 - at)))


@pytest.mark.parametrize(("only_a", "only_b", "n"), [(9, 3, 50), (1, 6, 44), (5, 5, 30)])
def test_tango_equals_direct_maximisation(only_a, only_b, n):
    a, b = pairs(n - only_a - only_b - 4, only_a, only_b, 4)
    result = bal.paired_proportion_equivalence(a, b, 0.2)
    z = stats.norm.ppf(0.95)
    assert restricted_score(result.ci_low, only_a, only_b, n) == pytest.approx(z, abs=1e-4)
    assert restricted_score(result.ci_high, only_a, only_b, n) == pytest.approx(-z, abs=1e-4)
    expected = max(
        stats.norm.sf(restricted_score(-0.2, only_a, only_b, n)),
        stats.norm.cdf(restricted_score(0.2, only_a, only_b, n)),
    )
    assert result.p_equivalence == pytest.approx(expected, abs=1e-5)
    assert result.p_mcnemar == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue)
    assert (result.only_a, result.only_b, result.n) == (only_a, only_b, n)


def test_equal_compliance_throughout():
    result = bal.paired_proportion_equivalence([1] * 99, [1] * 99, 0.05)
    z2 = stats.norm.ppf(0.95) ** 2
    assert (result.difference, result.p_mcnemar) == (0.0, 1.0)
    assert result.ci_high == pytest.approx(z2 / (99 + z2))
    assert result.ci_low == pytest.approx(-result.ci_high)
    assert result.p_equivalence < 0.05
    assert bal.paired_proportion_equivalence([1] * 20, [1] * 20, 0.05).p_equivalence > 0.05


def test_opposite_outcomes_throughout():
    result = bal.paired_proportion_equivalence([1] * 10, [0] * 10, 0.1)
    assert (result.difference, result.ci_high) == (1.0, 1.0)
    assert result.p_equivalence > 0.99


@enough
@given(
    st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(2, 9), st.floats(0.01, 0.9)
)
def test_equivalence_interval_and_p_value_agree(both, only_a, only_b, neither, margin):
    a, b = pairs(both, only_a, only_b, neither)
    result = bal.paired_proportion_equivalence(a, b, margin)
    inside = -margin < result.ci_low and result.ci_high < margin
    if abs(result.p_equivalence - 0.05) > 1e-6:
        assert (result.p_equivalence < 0.05) == inside
    swapped = bal.paired_proportion_equivalence(b, a, margin)
    assert (swapped.ci_low, swapped.ci_high) == pytest.approx((-result.ci_high, -result.ci_low))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bal.order_balance(3, 2), "k = 3 of n = 2"),
        (lambda: bal.clopper_pearson(0, 0), "n = 0"),
        (lambda: bal.uniformity([5]), "at least 2"),
        (lambda: bal.uniformity([5, -1]), "whole numbers"),
        (lambda: bal.uniformity([0, 0]), "all 0"),
        (lambda: bal.permutation_balance([[1, 2], [3, 4]]), "unequal margins"),
        (lambda: bal.permutation_balance([1, 2]), "square table"),
        (lambda: bal.paired_proportion_equivalence([1, 0], [1, 0], 0.0), r"margin is 0\.0"),
        (lambda: bal.paired_proportion_equivalence([1, 0], [1], 0.1), "holds 1|hold 2 and 1"),
        (lambda: bal.paired_proportion_equivalence([1, 2], [1, 0], 0.1), "holds 2"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_of_three_orders_is_held_against_a_third():
    found = bal.order_balance(20, 60, expected=1 / 3)
    assert found.p_value == pytest.approx(1.0)
    assert bal.order_balance(20, 60).p_value == pytest.approx(stats.binomtest(20, 60, 0.5).pvalue)
    assert bal.order_balance(20, 60).p_value < 0.02
