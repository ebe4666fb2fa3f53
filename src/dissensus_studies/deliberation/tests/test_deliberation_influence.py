"""Edges, direct influence and the Katz sum, by hand and by enumerating paths."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..measures.influence import Dyad, direct, dyads, katz, leader
from ..measures.sessions import measure_agents
from .deliberation_debates import debate, debates, permuted

# A2 concedes to A1 and joins it; in round 3 A3 supports A2 and joins too; A1 stays.
CHAIN = debate(
    ["PQR", "PPR", "PPP"],
    ["A1.1.c1", "A2.2.c1", "A3.1.c1"],
    [(2, "A2", "concede", "A1.1.c1"), (3, "A3", "support", "A2.2.c1")],
)


def test_edges_by_hand():
    found = dyads(CHAIN, 0.05)
    assert [(one.round, one.source, one.target) for one in found if one.edge] == [
        (2, "A1", "A2"),
        (3, "A2", "A3"),
    ]
    # Round 2: six ordered pairs all differ; round 3: A3 with A1 and A2, both ways.
    assert len(found) == 10
    # A3 moved to P, which A1 held too, without referring to A1.
    assert Dyad(3, "A1", "A3", cites=False, moves=True) in found


def test_a_rebuttal_makes_no_edge():
    rebutting = debate(["PQ", "PP"], ["A1.1.c1"], [(2, "A2", "rebut", "A1.1.c1")])
    assert [one.edge for one in dyads(rebutting, 0.05)] == [False, False]


def test_moving_is_gaining_more_than_the_threshold():
    beliefs = {(1, "A2"): (0.2, 0.8, 0.0, 0.0), (2, "A2"): (0.3, 0.7, 0.0, 0.0)}
    made = debate(["PQ", "PQ"], ["A1.1.c1"], beliefs=beliefs)
    assert [one.moves for one in dyads(made, 0.05)] == [True, False]
    assert [one.moves for one in dyads(made, 0.15)] == [False, False]
    # In single precision .65 - .60 is .05 and a little, and .7 - .65 a little less.
    for low, high in ((0.6, 0.65), (0.65, 0.7), (0.1, 0.15)):
        pair = [tuple(map(float, np.float32([p, 1 - p, 0.0, 0.0]))) for p in (low, high)]
        exact = {(1, "A2"): pair[0], (2, "A2"): pair[1]}
        by_the_threshold = debate(["PQ", "PQ"], ["A1.1.c1"], beliefs=exact)
        assert [one.moves for one in dyads(by_the_threshold, 0.05)] == [False, False]
        assert dyads(by_the_threshold, 0.049)[0].moves
    # Without a distribution, moving is taking the stance.
    unknown = {(1, "A2"): (), (2, "A2"): ()}
    stays = debate(["PQ", "PQ"], ["A1.1.c1"], beliefs=unknown)
    assert [one.moves for one in dyads(stays, 0.05)] == [False, False]
    takes = debate(["PQ", "PP"], ["A1.1.c1"], beliefs=unknown)
    assert [one.moves for one in dyads(takes, 0.05)] == [True, False]


def test_direct_influence_is_a_difference_in_probabilities():
    found = dyads(CHAIN, 0.05)
    # From A1: A2 cites and moves; not citing are A3 in round 2 (stays) and in round 3 (moves).
    assert direct([one for one in found if one.source == "A1"]) == pytest.approx(1 - 1 / 2)
    # On A3: cites A2 in round 3 and moves; of the three other dyads one moves.
    assert direct([one for one in found if one.target == "A3"]) == pytest.approx(1 - 1 / 3)
    assert direct([one for one in found if one.source == "A3"]) is None


def test_the_katz_sum_by_hand():
    # With a = .5: A1 reaches A2 (.5) and through it A3 (.25); A2 reaches A3 (.5). At most
    # (1 + .5 * 2)^2 - 1 = 3.
    assert katz(CHAIN, dyads(CHAIN, 0.05), 0.5) == pytest.approx(
        {"A1": 0.75 / 3, "A2": 0.5 / 3, "A3": 0.0}
    )
    assert leader(katz(CHAIN, dyads(CHAIN, 0.05), 0.5)) == "A1"


def test_the_rows_of_agents_by_hand():
    rows = measure_agents(CHAIN, {"movement": 0.05, "katz": 0.5})
    names = ("agent", "direct_in", "direct_out", "katz", "claims", "ignored", "marginalisation")
    assert [tuple(row[name] for name in names) for row in rows] == [
        # A1 cites nobody; A2 and A3 move where they cite, A3 in one of three other dyads too.
        ("A1", None, pytest.approx(1 / 2), pytest.approx(0.25), 1, 0, 0),
        ("A2", 1, 1, pytest.approx(0.5 / 3), 1, 0, 0),
        ("A3", pytest.approx(2 / 3), None, 0, 1, 1, 1),
    ]


def test_a_tie_and_a_debate_without_influence_have_no_leader():
    assert leader({"A1": 0.2, "A2": 0.2}) == ""
    assert leader({"A1": 0.0, "A2": 0.0}) == ""
    assert leader({}) == ""


def paths(found: list[Dyad], start: str, rounds: int, attenuation: float) -> float:
    """Sum over all paths that take at most one edge a round, by trying every choice of rounds."""
    edges = {(one.round, one.source, one.target) for one in found if one.edge}
    agents = sorted({one.source for one in found} | {one.target for one in found})
    total = 0.0
    for walk in product(agents, repeat=rounds - 1):
        stops = (start, *walk)
        steps = [(round_, *pair) for round_, pair in enumerate(pairwise(stops), start=2)]
        moved = [step for step in steps if step[1] != step[2]]
        if moved and all(step in edges for step in moved):
            total += attenuation ** len(moved)
    return total


@settings(max_examples=60)
@given(debates(), st.floats(0, 0.99))
def test_the_katz_sum_is_the_sum_over_paths(made, attenuation):
    found = dyads(made, 0.05)
    totals = katz(made, found, attenuation)
    most = (1 + attenuation * (len(made.agents) - 1)) ** (made.rounds - 1) - 1
    for agent, value in totals.items():
        assert 0 <= value <= 1
        expected = paths(found, agent, made.rounds, attenuation) if found else 0.0
        assert value * most == pytest.approx(expected, abs=1e-9)


@given(debates(), st.permutations([1, 2, 3, 4]))
def test_influence_does_not_depend_on_what_agents_are_called(made, order):
    order = [place for place in order if place <= len(made.agents)]
    other = permuted(made, order)
    first, second = katz(made, dyads(made, 0.05), 0.5), katz(other, dyads(other, 0.05), 0.5)
    for seat, agent in enumerate(made.agents):
        assert first[agent] == pytest.approx(second[f"A{order[seat]}"])
