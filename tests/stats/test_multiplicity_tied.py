"""Sets of what cannot be told apart: published letters, definitions by force, and planted means."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dissensus.stats.multiplicity import adjust, letters, tied_sets, told_apart

NAMES = ["A", "B", "C", "D", "E", "F"]
PAIRS = [*combinations(NAMES, 2)]


def test_the_letters_that_others_published() -> None:
    """TukeyHSD's help in R: tensions L and M, and L and H, differ at .034 and .001, M and H not.

    And multcompView's help: of A, B and C only B and C differ.
    """
    sets = tied_sets(["H", "M", "L"], [("L", "M"), ("L", "H")])
    assert sets == [("H", "M"), ("L",)]
    assert letters(["H", "M", "L"], sets) == {"H": "a", "M": "a", "L": "b"}
    sets = tied_sets(["A", "B", "C"], [("B", "C")])
    assert letters(["A", "B", "C"], sets) == {"A": "ab", "B": "a", "C": "b"}


@given(st.sets(st.sampled_from(PAIRS)))
def test_sets_are_the_largest_without_a_pair_that_is_told_apart(
    apart: set[tuple[str, str]],
) -> None:
    """By force, over all subsets."""
    subsets = chain.from_iterable(combinations(NAMES, n) for n in range(1, len(NAMES) + 1))
    alike = [set(each) for each in subsets if not apart & {*combinations(each, 2)}]
    largest = [each for each in alike if not any(each < other for other in alike)]
    found = tied_sets(NAMES, apart)
    assert sorted(map(sorted, found)) == sorted(map(sorted, largest))
    marks = letters(NAMES, found)
    for one, other in PAIRS:
        assert (not {*marks[one]} & {*marks[other]}) == ((one, other) in apart)


def test_the_order_of_pairs_does_not_matter_and_many_sets_have_marks() -> None:
    names = [f"m{n}" for n in range(30)]
    sets = tied_sets(names, combinations(names, 2))
    assert sets == [(name,) for name in names]
    marks = letters(names, sets)
    assert len({*marks.values()}) == 30 and marks["m26"] == ".aa"
    assert tied_sets(names, [*combinations(names, 2)][::-1]) == sets
    assert tied_sets([], []) == [] and tied_sets(["A"], []) == [("A",)]


@pytest.mark.parametrize("apart", [[("A", "A")], [("A", "Z")]])
def test_what_is_no_pair_is_refused(apart: list[tuple[str, str]]) -> None:
    with pytest.raises(ValueError, match="no pair of the names"):
        tied_sets(["A", "B"], apart)
    with pytest.raises(ValueError, match="the same"):
        tied_sets(["A", "A"], [])


def test_pairs_are_welchs_tests_under_holm() -> None:
    """Against scipy's tests of the samples themselves."""
    rng = np.random.default_rng(3)
    samples = [rng.normal(mean, sd, n) for mean, sd, n in ((0, 1, 20), (0.9, 2, 35), (2, 1, 12))]
    p = [stats.ttest_ind(a, b, equal_var=False).pvalue for a, b in combinations(samples, 2)]
    names = ["x", "y", "z"]
    found = told_apart(
        names,
        [each.mean() for each in samples],
        [each.std(ddof=1) / len(each) ** 0.5 for each in samples],
        [len(each) - 1 for each in samples],
    )
    expected = [
        pair for pair, q in zip(combinations(names, 2), adjust(p, "holm"), strict=True) if q < 0.05
    ]
    assert found == expected and 0 < len(found) < 3


@pytest.mark.thorough
def test_none_are_told_apart_by_chance_more_often_than_said() -> None:
    rng = np.random.default_rng(5)
    errors, df = np.ones(6), np.full(6, 30.0)
    drawn = rng.normal(size=(2000, 6)) * (1.0 / np.sqrt(rng.chisquare(30, (2000, 6)) / 30))
    wrong = np.mean([bool(told_apart(NAMES, values, errors, df)) for values in drawn])
    assert wrong < 0.065


def test_estimates_without_error_differ_or_do_not() -> None:
    assert told_apart(["a", "b", "c"], [1.0, 1.0, 2.0], [0, 0, 0], [1, 1, 1]) == [
        ("a", "c"),
        ("b", "c"),
    ]
