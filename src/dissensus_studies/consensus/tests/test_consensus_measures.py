"""The nine measures on vote matrices written by hand, and against a second reading of Table 11."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..measures import alignment, match, mean_cosine, measure, weighted_vote

NAN = float("nan")


def measured(rounds: list[list[int]], most: int = 5) -> dict[str, Any]:
    votes = np.full((1, most, len(rounds[0])), -1)
    votes[0, : len(rounds)] = rounds
    return {k: v[0].item() for k, v in measure(votes, np.array([len(rounds)])).items()}


#: Votes by round -> some measures of them.
CASES: list[tuple[list[list[int]], dict[str, Any]]] = [
    # All agree at once.
    (
        [[3, 3, 3, 3]],
        {
            **{"consensus_round": 1, "consensus": True, "majority_round": 1, "switches": 0},
            **{"agreement": 1.0, "compromise": 0.0, "sycophancy": 0.0, "dogmatic": 0.0},
            **{"sycophancy_of_switches": NAN, "mode": 3, "tie": False},
        },
    ),
    # Never: 5, censored. The one who holds out is dogmatic; nobody else moved towards a mode.
    (
        [[3, 3, 3, 1]] * 5,
        {
            **{"consensus_round": 5, "consensus": False, "majority_round": 1},
            **{"agreement": 0.75, "dogmatic": 0.25, "switches": 0, "sycophancy": 0.0},
        },
    ),
    # In round 5 all the same: 5 too, and not censored. The last of four follows the mode.
    (
        [[3, 3, 3, 1]] * 4 + [[3, 3, 3, 3]],
        {
            **{"consensus_round": 5, "consensus": True, "switches": 1, "compromise": 0.125},
            **{"sycophancy_of_switches": 1.0, "sycophancy": 1 / 20, "dogmatic": 0.0},
        },
    ),
    # A tie is no mode: nobody is dogmatic, nothing is conformed to; more than half of 4 is 3.
    (
        [[1, 1, 3, 3]] * 2 + [[1, 3, 3, 3], [1, 1, 3, 3], [1, 1, 3, 3]],
        {
            **{"tie": True, "mode": -1, "agreement": 0.5, "dogmatic": 0.0, "majority_round": 3},
            # 1 -> 3 after a tie, and 3 -> 1 against the mode.
            **{"switches": 2, "sycophancy_of_switches": 0.0, "compromise": 0.0},
        },
    ),
    # Of five, three are more than half; one switch to the mode, one away from it.
    (
        [[0, 2, 2, 4, 4], [2, 2, 2, 4, 4], [2, 2, 3, 4, 4], [2, 2, 3, 4, 4], [2, 2, 3, 4, 4]],
        {
            **{"majority_round": 2, "switches": 2, "tie": True, "agreement": 0.4},
            **{"sycophancy_of_switches": 0.0, "compromise": (2 + 1) / 4 / 5},
        },
    ),
    # A vote that could not be read agrees with nobody, and is no switch.
    (
        [[3, 3, -1, 3], [3, 3, 3, 3]],
        {"consensus_round": 2, "switches": 0, "compromise": 0.0, "majority_round": 1},
    ),
    (
        [[3, 3, 3, 2], [3, 3, 3, -1], [3, 3, 3, 3], [3, 3, 3, -1], [3, 3, 3, -1]],
        {
            **{"consensus_round": 3, "agreement": 0.75, "switches": 1, "compromise": 1 / 16},
            **{"sycophancy_of_switches": 1.0, "dogmatic": 0.0},
        },
    ),
    # Nobody's vote could ever be read.
    (
        [[-1, -1]] * 5,
        {
            **{"consensus": False, "agreement": 0.0, "tie": True, "compromise": NAN},
            **{"dogmatic": 0.0, "switches": 0},
        },
    ),
]


@pytest.mark.parametrize(("rounds", "expected"), CASES)
def test_measures_of_matrices_by_hand(rounds: list[list[int]], expected: dict[str, Any]) -> None:
    found = measured(rounds)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, nan_ok=True), name


matrices = st.integers(2, 6).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=1, max_size=5)
)


def second_reading(rounds: list[list[int]]) -> dict[str, Any]:
    """Table 11 once more, vote by vote."""
    n = len(rounds[0])

    def mode(votes: list[int]) -> int | None:
        (first, count), *rest = Counter(votes).most_common()
        return None if rest and rest[0][1] == count else first

    agreed = [i for i, votes in enumerate(rounds, 1) if len(set(votes)) == 1]
    most = [i for i, v in enumerate(rounds, 1) if max(Counter(v).values()) >= n // 2 + 1]
    switches = towards = 0
    for before, after in pairwise(rounds):
        for old, new in zip(before, after, strict=True):
            switches += old != new
            towards += old != new and new == mode(before)
    last = mode(rounds[-1])
    stuck = sum(
        len({votes[i] for votes in rounds}) == 1 and last is not None and rounds[-1][i] != last
        for i in range(n)
    )
    return {
        "consensus_round": agreed[0] if agreed else 5,
        "majority_round": most[0] if most else 5,
        "switches": switches,
        "agreement": max(Counter(rounds[-1]).values()) / n,
        "compromise": sum(abs(a - b) for a, b in zip(rounds[0], rounds[-1], strict=True)) / 4 / n,
        "sycophancy_of_switches": towards / switches if switches else NAN,
        "sycophancy": towards / (n * len(rounds)),
        "dogmatic": stuck / n,
        "tie": last is None,
    }


@given(matrices)
def test_measures_are_those_of_a_second_reading(rounds: list[list[int]]) -> None:
    found = measured(rounds)
    for name, value in second_reading(rounds).items():
        assert found[name] == pytest.approx(value, nan_ok=True), name


@given(matrices)
def test_no_more_are_dogmatic_than_disagree(rounds: list[list[int]]) -> None:
    found = measured(rounds)
    assert found["dogmatic"] <= 1 - found["agreement"] + 1e-12
    assert found["sycophancy"] <= found["switches"] / (len(rounds[0]) * len(rounds)) + 1e-12
    assert not (found["consensus"] and len(rounds) == found["consensus_round"]) or (
        found["agreement"] == 1.0 and found["dogmatic"] == 0.0
    )


@given(st.lists(matrices, min_size=2, max_size=5))
def test_many_sessions_at_once_are_each_by_itself(sessions: list[list[list[int]]]) -> None:
    n = min(len(rounds[0]) for rounds in sessions)
    cut = [[votes[:n] for votes in rounds] for rounds in sessions]
    votes = np.full((len(cut), 5, n), -1)
    for number, rounds in enumerate(cut):
        votes[number, : len(rounds)] = rounds
    found = measure(votes, np.array([len(rounds) for rounds in cut]))
    for number, rounds in enumerate(cut):
        for name, value in measured(rounds).items():
            assert found[name][number] == pytest.approx(value, nan_ok=True), name


@pytest.mark.parametrize(
    ("mode", "truth", "exact", "levels"),
    [
        (3, (3, 3), 1, 1),
        (4, (3, 3), 0, 1),  # strongly agree is for, as agree is
        (2, (2, 3), 1, 1),  # a set holds its ends
        (4, (2, 3), 0, 1),
        (1, (2, 3), 0, 0),
        (-1, (0, 4), 0, 0),  # a tie matches nothing
    ],
)
def test_match_of_points_and_levels(
    mode: int, truth: tuple[int, int], exact: int, levels: int
) -> None:
    found = match(np.array([mode]), np.array([truth[0]]), np.array([truth[1]]))
    assert [values[0] for values in found] == [exact, levels]


def test_reconcile_weighs_votes_by_recalibrated_confidence() -> None:
    # One that is sure outweighs two that are not: 1.0 > 0.3 + 0.3, and 0.8 > 0.5 + 0.1.
    assert weighted_vote([3, 1, 1], [1.0, 0.7, 0.79]) == 3
    assert weighted_vote([3, 1, 1], [0.95, 0.85, 0.6]) == 3
    assert weighted_vote([3, 1, 1], [0.8, 0.7, 0.7]) == 1
    # Three times .1 and once .3 are a tie, whatever binary fractions make of them.
    assert weighted_vote([3, 1, 1, 1], [0.7, 0.5, 0.2, None]) == -1
    assert weighted_vote([-1, -1], [1.0, 1.0]) == -1


def test_alignment_is_what_came_to_the_expert() -> None:
    assert alignment([3, 1, 1, 2], [3, 3, 1, 3], 3) == 0.5
    assert alignment([3, 3], [1, 1], 3) == -1.0


def test_cosine_is_the_mean_over_agents() -> None:
    first = np.array([[1.0, 0.0], [1.0, 0.0]])
    last = np.array([[1.0, 0.0], [0.6, 0.8]])
    assert math.isclose(mean_cosine(first, last), 0.8)
