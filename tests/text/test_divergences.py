"""Divergences against the specification's golden numbers, scipy, and slow ways to count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from dissensus.text import divergences
from dissensus.text.divergences import grouped_measures, lexical_similarity
from dissensus.text.entropies import entropy, generalised_jsd

enough = settings(max_examples=60)

TRIANGLE = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]

units_of_tokens = st.lists(
    st.lists(st.integers(0, 9), min_size=1, max_size=25), min_size=2, max_size=5
)


def count_matrix(units):
    """How often each unit uses each token id, counted one by one."""
    types = sorted({token for unit in units for token in unit})
    return np.array([[list(unit).count(token) for token in types] for unit in units])


def lexical_measures(units, *, depth, repetitions, rng):
    """The measures of units that are one piece each."""
    alone = [range(len(units))]
    return grouped_measures(units, alone, depths=[depth], repetitions=repetitions, rng=rng)[0]


def zipf_units(rng, length, k=8, types=5000):
    p = 1.0 / np.arange(1, types + 1)
    return [rng.choice(types, size=length, p=p / p.sum()) for _ in range(k)]


def test_entropy():
    assert entropy([[1.0, 0.0], [0.5, 0.5]]) == pytest.approx([0.0, math.log(2)])
    assert entropy([0.5, 0.3, 0.2]) == pytest.approx(1.029653, abs=1e-6)
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(6), size=(2, 3))
    assert entropy(p) == pytest.approx(stats.entropy(p, axis=-1))


def test_golden_divergences():
    assert generalised_jsd(np.eye(3)) == pytest.approx(1.098612, abs=1e-6)
    assert generalised_jsd([[1, 0], [0.5, 0.5]]) == pytest.approx(0.215762, abs=1e-6)
    assert generalised_jsd(TRIANGLE) == pytest.approx(0.405465, abs=1e-6)


def test_golden_similarities():
    assert lexical_similarity(np.eye(3)) == 0.0
    assert 1.0 - lexical_similarity(TRIANGLE) == pytest.approx(0.369070, abs=1e-6)
    assert lexical_similarity([[3, 1], [6, 2], [9, 3]]) == 1.0


@enough
@given(st.integers(0, 2**32 - 1), st.integers(2, 40))
def test_two_distributions_equal_scipy(seed, v):
    p = np.random.default_rng(seed).dirichlet(np.full(v, 0.3), size=2)
    assert generalised_jsd(p) == pytest.approx(jensenshannon(*p) ** 2, abs=1e-12)


@enough
@given(units_of_tokens)
def test_similarity_is_bounded_and_blind_to_order(units):
    counts = count_matrix(units)
    value = lexical_similarity(counts)
    assert 0.0 <= value <= 1.0
    assert lexical_similarity(counts[::-1, ::-1]) == pytest.approx(value)
    assert lexical_similarity(counts * 3) == pytest.approx(value)


def test_undefined_similarities():
    assert math.isnan(lexical_similarity([[1, 2]]))
    assert math.isnan(lexical_similarity([[1, 2], [0, 0]]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: generalised_jsd([[0.5, 0.6], [0.5, 0.5]]),
        lambda: generalised_jsd([0.5, 0.5]),
        lambda: lexical_similarity([[1, -1], [1, 1]]),
        lambda: lexical_measures([[1], [2]], depth=0, repetitions=1, rng=np.random.default_rng()),
        lambda: lexical_measures([[1], [2]], depth=1, repetitions=0, rng=np.random.default_rng()),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(ValueError):
        call()


def sliced(row, sizes):
    return np.split(row, np.cumsum(sizes)[:-1])


@enough
@given(units_of_tokens, st.integers(1, 60), st.integers(1, 9))
def test_the_fast_similarities_equal_the_plain_one(units, cells, repetitions):
    # Any number of repetitions in one go, down to one.
    tokens, sizes, types = divergences._indexed(units)
    rng = np.random.default_rng(repetitions)
    drawn = rng.permuted(np.tile(tokens, (repetitions, 1)), axis=1)
    # Types are renumbered, so that what occurs once is put together: the shuffle is the same.
    codes, width = divergences._renumbered(tokens, types)
    shuffled = np.random.default_rng(repetitions).permuted(np.tile(codes, (repetitions, 1)), axis=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(divergences, "_CELLS", cells)
        fast = divergences._similarities(shuffled, sizes, sizes, width)
    slow = [lexical_similarity(count_matrix(sliced(row, sizes))) for row in drawn]
    assert fast == pytest.approx(slow, abs=1e-12)


@enough
@given(units_of_tokens, st.integers(1, 30), st.integers(1, 60))
def test_the_fast_rarefaction_equals_the_plain_one(units, depth, cells):
    tokens, sizes, types = divergences._indexed(units)
    keys = np.random.default_rng(depth).random((4, tokens.size))
    kept, cut = divergences._rarefied(keys, sizes, depth), np.minimum(sizes, depth)
    codes, width = divergences._renumbered(tokens, types)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(divergences, "_CELLS", cells)
        fast = divergences._similarities(np.tile(codes, (4, 1)), sizes, cut, width, kept)
    for row, chosen, drawn in zip(fast, kept, keys, strict=True):
        left = [np.argsort(unit)[:depth] for unit in sliced(drawn, sizes)]
        assert [set(np.flatnonzero(c)) for c in sliced(chosen, sizes)] == [set(u) for u in left]
        cut_units = [np.asarray(u)[c] for u, c in zip(units, sliced(chosen, sizes), strict=True)]
        assert row == pytest.approx(lexical_similarity(count_matrix(cut_units)), abs=1e-12)


@enough
@given(st.lists(st.integers(0, 2), min_size=4, max_size=8), st.integers(0, 2**32 - 1))
def test_groupings_measure_the_units_that_they_join(labels, seed):
    rng = np.random.default_rng(seed)
    labels = [sorted(set(labels)).index(label) for label in labels]
    pieces = [rng.integers(0, 12, size=rng.integers(1, 9)) for _ in labels]
    own = range(len(labels))
    alone, joined = grouped_measures(
        pieces, [own, labels], depths=[3, 4], repetitions=3, rng=np.random.default_rng(1)
    )
    units = [
        np.concatenate([p for p, label in zip(pieces, labels, strict=True) if label == unit])
        for unit in range(max(labels) + 1)
    ]
    rng = np.random.default_rng(1)
    assert alone == lexical_measures(pieces, depth=3, repetitions=3, rng=rng)
    assert joined.plain == pytest.approx(lexical_similarity(count_matrix(units)), nan_ok=True)
    assert (joined.tokens, joined.types) == (alone.tokens, alone.types)


def test_groupings_share_draws_and_keep_their_means():
    # Four pieces of two units: the expectations are those of the units measured by themselves.
    pieces = [[1, 1, 2], [3, 1], [2, 2, 4, 1], [5]]
    units = [[1, 1, 2, 2, 2, 4, 1], [3, 1, 5]]
    rng = np.random.default_rng(8)
    apart = lexical_measures(units, depth=2, repetitions=20_000, rng=rng)
    joined = grouped_measures(
        pieces, [range(4), [0, 1, 0, 1]], depths=[1, 2], repetitions=20_000, rng=rng
    )[1]
    assert joined.plain == apart.plain
    assert joined.null == pytest.approx(apart.null, abs=0.005)
    assert joined.matched == pytest.approx(apart.matched, abs=0.01)


def test_measures_of_a_session():
    units = [[1, 1, 2, 3], [1, 2, 2], [4, 4, 4, 1, 2]]
    measured = lexical_measures(units, depth=2, repetitions=50, rng=np.random.default_rng(3))
    counts = count_matrix(units)
    assert measured.plain == lexical_similarity(counts)
    assert measured.excess == measured.plain - measured.null
    assert (measured.tokens, measured.types) == (12, 4)
    again = lexical_measures(units, depth=2, repetitions=50, rng=np.random.default_rng(3))
    assert measured == again


def test_mean_over_draws_equals_the_mean_over_all_outcomes():
    # Units {1,2} and {3}: a shuffle of 3 tokens leaves each of them alone equally often, always
    # disjoint. Units {1,1,2} and {1} cut to one token: alike with probability 2/3.
    rng = np.random.default_rng(5)
    assert lexical_measures([[1, 2], [3]], depth=1, repetitions=20, rng=rng).null == pytest.approx(
        lexical_similarity([[1, 1, 0], [0, 0, 1]])
    )
    cut = lexical_measures([[1, 1, 2], [1]], depth=1, repetitions=20_000, rng=rng)
    assert cut.matched == pytest.approx(2 / 3, abs=0.015)
    # Shuffled over lengths 3 and 1, the last is a 2 once in four.
    alone_one, alone_two = [[2, 1], [1, 0]], [[3, 0], [0, 1]]
    expected = 0.75 * lexical_similarity(alone_one) + 0.25 * lexical_similarity(alone_two)
    assert cut.null == pytest.approx(expected, abs=0.01)


def test_a_depth_past_every_unit_changes_nothing():
    units = zipf_units(np.random.default_rng(2), 30, k=4)
    deep = lexical_measures(units, depth=30, repetitions=3, rng=np.random.default_rng(1))
    deeper = lexical_measures(units, depth=10_000, repetitions=3, rng=np.random.default_rng(1))
    shallow = lexical_measures(units, depth=5, repetitions=3, rng=np.random.default_rng(1))
    assert deep.matched == pytest.approx(deep.plain)
    assert deep == deeper
    assert deep.null == shallow.null


@pytest.mark.parametrize("units", [[], [[1, 2]], [[1], []], [[], []]])
def test_too_little_to_compare(units):
    rng = np.random.default_rng(1)
    measured = lexical_measures(units, depth=5, repetitions=2, rng=rng)
    floats = ("plain", "matched", "null", "excess")
    assert all(math.isnan(getattr(measured, name)) for name in floats)
    assert measured.tokens == sum(map(len, units))


def test_one_word_over_and_over_is_alike():
    rng = np.random.default_rng(1)
    measured = lexical_measures([[7, 7], [7]], depth=1, repetitions=2, rng=rng)
    assert (measured.plain, measured.matched, measured.null) == (1.0, 1.0, 1.0)


def test_length_raises_plain_similarity_but_not_the_matched_one():
    rng = np.random.default_rng(11)
    measured = {
        length: [
            lexical_measures(zipf_units(rng, length), depth=100, repetitions=10, rng=rng)
            for _ in range(40)
        ]
        for length in (100, 200)
    }
    plain = {n: np.mean([m.plain for m in values]) for n, values in measured.items()}
    matched = {n: np.mean([m.matched for m in values]) for n, values in measured.items()}
    excess = [m.excess for values in measured.values() for m in values]
    # The numbers of the specification.
    assert plain[100] == pytest.approx(0.441, abs=0.008)
    assert plain[200] == pytest.approx(0.517, abs=0.008)
    assert matched[200] == pytest.approx(matched[100], abs=0.01)
    # Units of one source are as alike as their shuffled tokens.
    assert np.mean(excess) == pytest.approx(0.0, abs=0.005)


def test_units_with_words_of_their_own_fall_below_the_null():
    rng = np.random.default_rng(4)
    units = [unit + 1000 * i for i, unit in enumerate(zipf_units(rng, 60, types=50))]
    assert lexical_measures(units, depth=50, repetitions=5, rng=rng).excess < -0.3
