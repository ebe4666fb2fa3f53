"""Measures of judges, against simulations and others' numbers."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from dissensus import measures


def test_judges_who_rate_as_one_are_one_and_independent_ones_are_all() -> None:
    rng = np.random.default_rng(1)
    rating = rng.normal(size=4000)
    assert measures.effective_number(np.column_stack([rating] * 5)) == pytest.approx(1.0)
    apart = rng.normal(size=(4000, 5))
    assert measures.effective_number(apart) == pytest.approx(5.0, rel=0.1)


def test_it_is_the_ratio_of_variances_of_means() -> None:
    """Kish's number is that by which the variance of one judge exceeds that of their mean."""
    rng = np.random.default_rng(2)
    common, k = rng.normal(size=(200_000, 1)), 6
    errors = 0.6 * common + 0.8 * rng.normal(size=(200_000, k))
    expected = errors.var() / errors.mean(axis=1).var()
    assert measures.effective_number(errors) == pytest.approx(expected, rel=0.01)
    assert expected == pytest.approx(6 / (1 + 5 * 0.36), rel=0.02)


def test_ratings_that_are_missing_or_never_vary_count_in_no_pair() -> None:
    table = np.array([[1, 1, 3.0], [2, 2, 3], [3, 3, 3], [np.nan, 4, 3]])
    assert measures.effective_number(table) == pytest.approx(3 / (1 + 2 * 1.0))
    assert np.isnan(measures.effective_number(np.ones((3, 2))))
    # Two who always offset each other leave nothing to divide by.
    assert np.isnan(measures.effective_number([[0, 1], [1, 0]]))


def test_equal_weights_are_worth_their_number() -> None:
    assert measures.effective_sample([2, 2, 2]) == pytest.approx(3.0)
    assert measures.effective_sample([1, 0, 0]) == pytest.approx(1.0)
    assert measures.effective_sample([3, 1]) == pytest.approx(16 / 10)
    for wrong in ([], [0, 0], [-1, 2], [np.nan]):
        with pytest.raises(ValueError, match="weights must be numbers"):
            measures.effective_sample(wrong)


def test_krippendorffs_worked_example() -> None:
    """Krippendorff 2011, section C: four observers, twelve units, nominal data: .743."""
    nothing = None
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nothing, nothing, nothing],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nothing, 3],
        [nothing, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nothing],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nothing],
    ]
    got = measures.agreement(list(zip(*observers, strict=True)))
    assert got["alpha"] == pytest.approx(0.743, abs=5e-4)


def test_two_judges_agree_as_others_compute_it() -> None:
    rng = np.random.default_rng(3)
    one = rng.integers(0, 3, 60)
    other = np.where(rng.random(60) < 0.7, one, rng.integers(0, 3, 60))
    got = measures.agreement(np.column_stack([one, other]).tolist())
    share = float(np.mean(one == other))
    shares = np.bincount(np.concatenate([one, other]), minlength=3) / 120
    chance = float((shares * (1 - shares)).sum() / 2)
    assert got["share"] == pytest.approx(share)
    assert got["ac1"] == pytest.approx((share - chance) / (1 - chance))
    alpha = krippendorff.alpha(np.array([one, other]), level_of_measurement="nominal")
    assert got["alpha"] == pytest.approx(alpha)


def test_agreement_where_there_is_nothing_to_agree_on() -> None:
    assert np.isnan(list(measures.agreement([["A"], [None, "B"]]).values())).all()
    got = measures.agreement([["A", "A"], ["A", "A"]])
    assert got["share"] == got["ac1"] == 1.0 and np.isnan(got["alpha"])


def test_a_table_of_one_judge_is_refused() -> None:
    with pytest.raises(ValueError, match=r"ratings has the shape \(3, 1\)"):
        measures.effective_number(np.ones((3, 1)))
