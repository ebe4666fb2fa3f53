"""Agreement coefficients against the golden table, the packages and textbook formulas."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.stats import agreement as ag

enough = settings(max_examples=50)
TABLE = np.array([[13, 0, 0], [0, 20, 7], [0, 4, 56]])
coders = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=2, max_size=30)


def codes(table):
    rows, columns = np.indices(table.shape)
    return np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel())


A, B = codes(TABLE)


def test_golden_table():
    kappa = ag.cohen_kappa(A, B)
    assert ag.percent_agreement(A, B) == pytest.approx(0.89)
    assert kappa.estimate == pytest.approx(0.796409, abs=5e-7)
    assert kappa.se == pytest.approx(0.058911, abs=5e-7)
    assert kappa.ci_high - kappa.ci_low == pytest.approx(2 * 1.959964 * kappa.se)
    assert ag.scott_pi(A, B) == pytest.approx(0.796240, abs=5e-7)
    assert ag.krippendorff_alpha(A, B) == pytest.approx(0.797258, abs=5e-7)
    assert ag.gwet_ac1(A, B, 3) == pytest.approx(0.849331, abs=5e-7)


def test_ac1_depends_on_empty_categories_and_nothing_else_does():
    wide = list(range(11))
    shares = (TABLE.sum(axis=0) + TABLE.sum(axis=1)) / 200
    chance = (shares * (1 - shares)).sum() / 10
    assert ag.gwet_ac1(A, B, 11) == pytest.approx((0.89 - chance) / (1 - chance))
    for function in (ag.percent_agreement, ag.scott_pi, ag.krippendorff_alpha):
        assert function(A, B, wide) == pytest.approx(function(A, B))
    assert ag.cohen_kappa(A, B, wide) == ag.cohen_kappa(A, B)


def test_confusion_matrix_follows_the_order_of_the_categories():
    assert (ag.confusion_matrix(A, B) == TABLE).all()
    order = [2, 0, 9, 1]
    expected = np.zeros((4, 4), int)
    expected[np.ix_([1, 3, 0], [1, 3, 0])] = TABLE
    assert (ag.confusion_matrix(A, B, order) == expected).all()


def test_specific_agreement_by_hand():
    result = ag.per_category_agreement(A, B, [0, 1, 2, 3])
    assert result[:3] == pytest.approx([1.0, 40 / 51, 112 / 123])
    assert np.isnan(result[3])


@enough
@given(coders)
def test_closed_forms_equal_the_packages(pairs):
    a, b = np.array(pairs).T
    if np.unique(np.concatenate([a, b])).size < 2:
        return
    result = ag.bootstrap_agreement(a, b, [1, 2, 3, 4, 5], resamples=2)
    assert result["cohen_kappa"].value == pytest.approx(ag.cohen_kappa(a, b).estimate)
    alpha = krippendorff.alpha(
        reliability_data=np.vstack([a, b]).astype(float), level_of_measurement="nominal"
    )
    assert result["krippendorff_alpha"].value == pytest.approx(alpha)
    assert result["gwet_ac1"].value == pytest.approx(ag.gwet_ac1(a, b, 5))
    assert result["scott_pi"].value == pytest.approx(ag.scott_pi(a, b))


@enough
@given(coders)
def test_agreement_ignores_who_is_first_and_how_categories_are_named(pairs):
    a, b = np.array(pairs).T
    for function in (ag.percent_agreement, ag.scott_pi, lambda x, y: ag.gwet_ac1(x, y, 4)):
        assert function(a, b) == pytest.approx(function(b, a), nan_ok=True)
        assert function(a, b) == pytest.approx(function(10 - a, 10 - b), nan_ok=True)


def test_perfect_agreement():
    a = [0, 1, 2, 1]
    assert ag.percent_agreement(a, a) == 1.0
    assert ag.cohen_kappa(a, a).estimate == pytest.approx(1.0)
    assert ag.krippendorff_alpha(a, a) == pytest.approx(1.0)
    assert ag.gwet_ac1(a, a, 3) == pytest.approx(1.0)


def test_a_single_category_leaves_chance_correction_undefined():
    a = [2, 2, 2]
    assert np.isnan(ag.cohen_kappa(a, a, [1, 2]).estimate)
    assert np.isnan(ag.scott_pi(a, a))
    assert np.isnan(ag.krippendorff_alpha(a, a))
    assert ag.gwet_ac1(a, a, 2) == 1.0
    result = ag.bootstrap_agreement(a, a, [1, 2], resamples=50)
    assert result["cohen_kappa"].degenerate == 50
    assert np.isnan(result["cohen_kappa"].ci_low)
    assert result["percent_agreement"].ci_low == 1.0


def test_bootstrap_intervals_match_theory():
    result = ag.bootstrap_agreement(A, B, [0, 1, 2], resamples=20_000)
    kappa = ag.cohen_kappa(A, B)
    width = result["cohen_kappa"].ci_high - result["cohen_kappa"].ci_low
    assert width == pytest.approx(2 * 1.96 * kappa.se, rel=0.05)
    observed = result["percent_agreement"]
    assert (observed.ci_low, observed.ci_high) == pytest.approx((0.82, 0.95), abs=0.011)
    assert all(one.ci_low < one.value < one.ci_high for one in result.values())
    assert all((one.n, one.degenerate) == (100, 0) for one in result.values())


def test_bootstrap_equals_resampling_units():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3, 20), rng.integers(0, 3, 20)
    a[:12] = b[:12]
    units = rng.integers(0, 20, size=(1_500, 20))
    brute = [ag.scott_pi(a[rows], b[rows]) for rows in units]
    result = ag.bootstrap_agreement(a, b, [0, 1, 2], resamples=20_000)["scott_pi"]
    expected = np.nanquantile(brute, [0.025, 0.975])
    assert (result.ci_low, result.ci_high) == pytest.approx(expected, abs=0.06)


def test_degenerate_resamples_are_counted():
    a, b = [0] * 9 + [1], [0] * 10
    result = ag.bootstrap_agreement(a, b, [0, 1], resamples=5_000)["cohen_kappa"]
    assert result.degenerate / 5_000 == pytest.approx(0.9**10, abs=0.03)


def test_bootstrap_is_deterministic():
    first = ag.bootstrap_agreement(A, B, [0, 1, 2], 500, 3)
    assert first == ag.bootstrap_agreement(A, B, [0, 1, 2], 500, np.random.default_rng(3))
    assert first != ag.bootstrap_agreement(A, B, [0, 1, 2], 500, 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ag.confusion_matrix([1, 2], [1]), "2 and 1 codes"),
        (lambda: ag.confusion_matrix([], []), "at least one"),
        (lambda: ag.confusion_matrix([1.0, np.nan], [1, 2]), "float64"),
        (lambda: ag.confusion_matrix([1, 2], [1, 7], [1, 2]), "Code 7"),
        (lambda: ag.confusion_matrix([1, 2], [1, 2], [1, 2, 2]), "lists a code twice"),
        (lambda: ag.gwet_ac1([1, 2, 3], [1, 2, 3], 2), "q is 2 and 3"),
        (lambda: ag.gwet_ac1([1, 1], [1, 1], 1), "q is 1"),
        (lambda: ag.bootstrap_agreement([1], [1], [1]), "whole codebook"),
        (lambda: ag.bootstrap_agreement([1], [1], [1, 2], 0), "resamples is 0"),
    ],
)
def test_unusable_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
