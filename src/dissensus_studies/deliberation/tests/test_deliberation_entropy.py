"""Entropy, divergence and their fall, against scipy and by hand."""

from __future__ import annotations

from itertools import permutations, product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.spatial.distance import jensenshannon

from ..measures.entropy import (
    Collapse,
    alert,
    collapse,
    miller_madow,
    retention,
)
from ..measures.state import entropy_of, evidence_overlap, in_order, js_of

BELIEFS = arrays(
    float, st.tuples(st.integers(1, 5), st.integers(2, 5)), elements=st.floats(0, 1)
).map(lambda rows: (rows + 1e-6) / (rows + 1e-6).sum(axis=1, keepdims=True))


@given(BELIEFS)
def test_entropy_is_scipys_of_the_mean(p):
    assert entropy_of(p) == pytest.approx(stats.entropy(p.mean(axis=0), base=2), abs=1e-9)


@given(BELIEFS)
def test_divergence_is_what_mixing_adds_to_entropy(p):
    expected = stats.entropy(p.mean(axis=0), base=2) - np.mean(stats.entropy(p, base=2, axis=1))
    assert js_of(p) == pytest.approx(expected, abs=1e-9)
    assert -1e-12 <= js_of(p) <= np.log2(len(p)) + 1e-9
    assert js_of(p[::-1]) == pytest.approx(js_of(p), abs=1e-12)


def test_divergence_of_two_is_scipys():
    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    assert js_of(p) == pytest.approx(jensenshannon(p[0], p[1], base=2) ** 2)
    assert js_of(np.eye(4)) == pytest.approx(2.0)


def certain(counts: tuple[int, ...]) -> np.ndarray:
    return np.repeat(np.eye(len(counts)), counts, axis=0)


@pytest.mark.parametrize("counts", [(5, 0, 0), (3, 2, 0), (1, 1, 1), (2, 2, 1)])
def test_the_correction_of_certain_agents_is_miller_madows(counts):
    options, n = np.count_nonzero(counts), sum(counts)
    assert miller_madow(certain(counts)) == pytest.approx((options - 1) / (2 * n * np.log(2)))


def test_agents_who_say_the_same_need_no_correction():
    assert miller_madow([[0.4, 0.6], [0.4, 0.6]]) == 0


def test_five_agents_read_1_39_bits_where_there_are_2_01():
    # Stances of five agents drawn from these shares: the exact mean over all outcomes.
    shares = (0.40, 0.30, 0.15, 0.10, 0.05)
    assert stats.entropy(shares, base=2) == pytest.approx(2.01, abs=0.005)
    plugin = corrected = 0.0
    for counts in product(range(6), repeat=5):
        if sum(counts) == 5:
            chance = factorial(5) / prod(map(factorial, counts))
            chance *= prod(share**count for share, count in zip(shares, counts, strict=True))
            plugin += chance * entropy_of(certain(counts))
            corrected += chance * (entropy_of(certain(counts)) + miller_madow(certain(counts)))
    assert plugin == pytest.approx(1.39, abs=0.005)
    assert plugin < corrected < 2.01


def test_retention_and_alerts():
    assert retention([0.5, 0.4, None, 0.1]) == pytest.approx([1.0, 0.8, None, 0.2])
    assert retention([0.0, 0.4]) == [None, None]
    assert retention([None, 0.4]) == [None, None]
    assert [alert(kept, [0.8, 0.65]) for kept in (None, 0.8, 0.79, 0.65, 0.2)] == [
        *("", "", "0.8", "0.8", "0.65"),
    ]


def test_collapse_is_the_first_round_at_a_fifth_of_the_first():
    overlaps = [0.5, 0.4, 0.6, 0.3]
    assert collapse([2.0, 1.0, 0.4, 0.1], overlaps, 0.2) == Collapse(3, premature=False)
    assert collapse([2.0, 0.4, 0.4, 0.1], overlaps, 0.2) == Collapse(2, premature=True)
    assert collapse([2.0, None, 0.5, 0.41], overlaps, 0.2) == Collapse()
    assert collapse([2.0, 0.1], [None, 0.4], 0.2) == Collapse(2, None)
    assert collapse([0.0, 0.0], overlaps[:2], 0.2) == Collapse()
    assert collapse([None, 0.0], overlaps[:2], 0.2) == Collapse()


def test_the_same_similarities_are_the_same_overlap():
    """Or else rounding would now and then tell the controller that the overlap fell."""
    cited = [{"a", "b", "c"}, {"a"}, {"a", "b"}, {"b", "d", "e"}, {"e", "a"}]
    assert len({evidence_overlap(order) for order in permutations(cited)}) == 1


def test_evidence_overlap_is_the_mean_jaccard_of_pairs():
    # 1/3 of {a, b, c}, 0 and 0: the pair that cites nothing is left out.
    assert evidence_overlap([{"a", "b"}, {"b", "c"}, set()]) == pytest.approx((1 / 3 + 0 + 0) / 3)
    assert evidence_overlap([{"a"}, set(), set()]) == 0
    assert evidence_overlap({"A1": ["a"], "A2": ["a"]}) == 1
    assert evidence_overlap([set(), set()]) is None
    assert evidence_overlap([{"a"}]) is None


def test_probabilities_in_the_topics_order():
    assert in_order({"Q": 1, "P": 3, "other": 9}, ["P", "Q", "R"]) == [0.75, 0.25, 0.0]
    assert in_order({}, ["P"]) == []
    assert in_order({"P": 0}, ["P"]) == []
