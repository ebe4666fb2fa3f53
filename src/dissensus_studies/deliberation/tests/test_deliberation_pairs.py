"""Distances between two agents against scipy, and mutual information against its null."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from ..measures.debate import Standing
from ..measures.distances import (
    SPREAD,
    jsd,
    kl,
    normalised_mutual_information,
    permutation_p,
    total_variation,
    wasserstein,
)
from ..measures.pairs import CompleteSession, Permuting, measure_pairs
from .deliberation_debates import OPTIONS, debate

# Rounded, since scipy divides by what is too small to be told from zero.
_SHARE = st.floats(0, 1).map(lambda share: round(share, 9))
SHARES = st.lists(_SHARE, min_size=4, max_size=4).filter(lambda row: sum(row) > 0.01)
STANCES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20)


@given(SHARES, SHARES)
def test_distances_are_scipys(first, second):
    p, q = np.array(first) / sum(first), np.array(second) / sum(second)
    spread = [(1 - SPREAD) * row + SPREAD / 4 for row in (p, q)]
    assert kl(p, q) == pytest.approx(stats.entropy(*spread, base=2), abs=1e-9)
    assert jsd(p, q) == pytest.approx(jensenshannon(p, q, base=2) ** 2, abs=1e-7)
    assert jsd(p, q) <= 1 + 1e-12
    places = np.arange(4) / 3
    assert wasserstein(p, q) == pytest.approx(
        stats.wasserstein_distance(places, places, p, q), abs=1e-9
    )
    assert total_variation(p, q) == pytest.approx(np.maximum(p - q, 0).sum(), abs=1e-9)


def test_distances_at_their_ends():
    p, q = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    assert (jsd(p, q), wasserstein(p, q), total_variation(p, q)) == (1, 1, 1)
    assert wasserstein(p, (0.0, 1.0, 0.0)) == 0.5
    assert total_variation(p, (0.0, 1.0, 0.0)) == 1
    assert (kl(p, p), jsd(p, p), wasserstein(p, p), total_variation(p, p)) == (0, 0, 0, 0)
    assert wasserstein((1.0,), (1.0,)) == 0
    assert np.isfinite(kl(p, q))


def plain_information(pairs: list[tuple[int, int]]) -> float | None:
    """2 I / (H(a) + H(b)) from counts."""
    n = len(pairs)
    joint, a, b = Counter(pairs), Counter(x for x, _ in pairs), Counter(y for _, y in pairs)
    heads = [stats.entropy(list(counts.values())) for counts in (a, b)]
    if not sum(heads):
        return None
    shared = sum(count / n * np.log(count * n / (a[x] * b[y])) for (x, y), count in joint.items())
    return float(2 * shared / sum(heads))


@given(STANCES)
def test_mutual_information_is_what_its_definition_says(pairs):
    a, b = np.array(pairs).T
    found = normalised_mutual_information(a, b)
    expected = plain_information(pairs)
    assert (found is None) == (expected is None)
    if found is not None:
        assert found == pytest.approx(expected, abs=1e-9)
        assert found == pytest.approx(normalised_mutual_information(b, a), abs=1e-12)
        assert normalised_mutual_information(a, a) in (None, pytest.approx(1))


def test_the_permutation_p_comes_near_all_permutations():
    a, b = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]
    observed = plain_information(list(zip(a, b, strict=True)))
    every = [plain_information(list(zip(a, dealt, strict=True))) for dealt in permutations(b)]
    exact = np.mean([value >= observed - 1e-9 for value in every])
    found = permutation_p(np.array(a), np.array(b), "abcdef", 4000, 1)
    assert found == pytest.approx(exact, abs=0.02)
    assert found == permutation_p(np.array(a), np.array(b), "abcdef", 4000, 1)


def test_stances_that_go_together_least_are_no_surprise_in_whatever_code():
    for names in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        a = np.repeat(names, 3)
        assert permutation_p(a, np.tile(names, 3), "abcdefghi", 200, 1) == 1
        assert permutation_p(a, a, "abcdefghi", 200, 1) < 0.05


def test_an_agent_who_never_changes_has_no_null():
    assert permutation_p(np.zeros(5, int), np.zeros(5, int), "abcde", 99, 1) is None
    assert permutation_p(np.array([0, 1, 0]), np.zeros(3, int), "abc", 99, 1) == 1


def test_whole_topics_change_places_with_topics_of_as_many_sessions():
    a = np.array([0, 0, 1, 1, 2, 2, 0])
    # The seventh session's topic has no other of one session to change places with.
    found = permutation_p(a, a, "aabbccd", 6000, 1)
    every = [[*np.repeat(order, 2), 0] for order in permutations((0, 1, 2))]
    informed = [plain_information(list(zip(a, b, strict=True))) for b in every]
    exact = np.mean([value >= max(informed) - 1e-9 for value in informed])
    assert found == pytest.approx(exact, abs=0.02) and 0 < exact < 1
    assert permutation_p(a, a, "aabbbcc", 99, 1) is not None
    assert permutation_p(a, a, "aaaaaaa", 99, 1) is None


def test_models_that_answer_topics_by_themselves_do_not_go_together():
    """Both keep to a topic, and choose apart: sessions that change places find too much."""
    rng, found = np.random.default_rng(3), np.zeros(2)
    for seed in range(200):
        topics = np.repeat(list("abcdefghij"), 4)
        a, b = (np.repeat(rng.integers(0, 2, 10), 4) for _ in range(2))
        for place, labels in enumerate((topics, np.arange(40).astype(str))):
            p_value = permutation_p(a, b, labels, 199, seed)
            found[place] += p_value is not None and p_value <= 0.05
    assert found[0] <= 19 < found[1]


def session(
    stances: list[str], ordered: bool, cast: list[str], arm: str = "emergent"
) -> CompleteSession:
    topic: dict[str, Any] = {"options": list(OPTIONS), "ordered": ordered}
    named = {"arm": arm, "cast": cast, "topic_id": "t1"}
    return CompleteSession(named, topic, debate(stances))


def test_pairs_are_of_models_wherever_they_sit():
    rows = measure_pairs(
        [
            session(["PQ", "PP"], True, ["x", "y"]),
            session(["PS", "SQ"], True, ["y", "x"]),
            session(["RQ", "R-"], False, ["x", "y"]),
            session(["RQ", "RQ"], False, ["x", "y"], arm="full"),
        ],
        Permuting(99, 1),
    )
    keys = [tuple(row[name] for name in ("arm", "round", "agent_a", "agent_b")) for row in rows]
    assert keys == [
        (arm, when, "x", "y") for arm in ("emergent", "full") for when in ("first", "last")
    ]
    first, last = rows[0], rows[1]
    # Ordered: P to Q is a third of the way, S to P all of it; nominal: R and Q.
    assert first["wasserstein"] == pytest.approx((1 / 3 + 1) / 2)
    assert (first["tv"], first["jsd"], first["n"]) == (1, 1, 3)
    # In the last round x holds P and then Q where y holds P and then S: each tells the other.
    assert (last["nmi"], last["n"]) == (pytest.approx(1), 2)
    assert last["wasserstein"] == pytest.approx((0 + 2 / 3) / 2)
    assert last["tv"] is None
    assert last["jsd"] == pytest.approx(0.5)


@dataclass(frozen=True)
class Holding:
    """A debate of two agents, as far as pairs read it, in which each keeps its distribution."""

    beliefs: dict[str, tuple[float, ...]]
    agents: tuple[str, ...] = ("A1", "A2")
    rounds: int = 1
    options: tuple[str, ...] = OPTIONS

    def standing(self, round_: int, agent: str) -> Standing:
        return Standing("P", self.beliefs[agent])


def test_the_divergence_is_of_the_first_model_from_the_second() -> None:
    sharp, flat = (0.97, 0.01, 0.01, 0.01), (0.25, 0.25, 0.25, 0.25)
    debate_: Any = Holding({"A1": flat, "A2": sharp})
    held = CompleteSession(
        {"arm": "emergent", "cast": ["y", "x"], "topic_id": "t1"}, {"ordered": False}, debate_
    )
    row = measure_pairs([held], Permuting(9, 1))[0]
    # Model x sits second: of x, who is sure, from y, who is not, with 1% of belief spread evenly.
    p, q = (0.99 * np.array(one) + 0.01 / 4 for one in (sharp, flat))
    assert row["kl"] == pytest.approx(stats.entropy(p, q, base=2))
    assert row["kl"] != pytest.approx(stats.entropy(q, p, base=2), rel=0.05)
