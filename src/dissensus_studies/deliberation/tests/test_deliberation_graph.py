"""The debate graph of three agents over three rounds, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..measures.graph import (
    claim_engagement,
    density,
    gini,
    ignored,
    in_degrees,
    marginalisation,
    mean_density,
    status_share,
    watched,
)
from ..measures.references import Cited, Reference, resolve
from .deliberation_debates import debate, debates, permuted

# A1 holds P throughout, A2 holds Q and joins A1 in round 3, A3 holds Q.
CLAIMS = ["A1.1.c1", "A2.1.c1", "A2.1.c2", "A3.1.c1", "A1.2.c1", "A3.2.c1", "A2.3.c1"]
EDGES = [
    (2, "A1", "rebut", "A2.1.c1"),
    (2, "A1", "rebut", "A2.1.c2"),
    (2, "A2", "question", "A1.1.c1"),
    (2, "A3", "rebut", "A1.1.c1"),
    (2, "A3", "rebut", "dangling"),
    (3, "A2", "concede", "A1.2.c1"),
    (3, "A1", "rebut", "A3.2.c1"),
    (3, "A3", "support", "ambiguous"),
]
THREE = debate(["PQQ", "PQQ", "PPQ"], CLAIMS, EDGES, {"A1.1.c1": ("e1",)})


def test_density_counts_ordered_pairs_once():
    # Round 2: A1 -> A2 (twice) and A3 -> A1, of 6 pairs; round 3: A1 -> A3.
    assert density(THREE, 1) is None
    assert density(THREE, 2) == pytest.approx(2 / 6)
    assert density(THREE, 3) == pytest.approx(1 / 6)
    assert mean_density(THREE) == pytest.approx(1.5 / 6)


def test_claim_engagement_is_of_opposing_claims():
    # Round 2: A1 faces A2's two and A3's one claim and answers two; A2 and A3 face A1's, both do.
    assert claim_engagement(THREE, [2], "all") == pytest.approx(4 / 5)
    # Round 3: A1 faces four claims for Q and answers one; A2 and A3 face A1's two, one is answered.
    assert claim_engagement(THREE, [3], "all") == pytest.approx(2 / 8)
    assert claim_engagement(THREE, [2, 3], "all") == pytest.approx(6 / 13)
    assert claim_engagement(THREE, [1], "all") is None


def test_only_claims_with_evidence_may_be_material():
    # A1.1.c1 is the only one: A2 and A3 answer it in round 2, nobody in round 3.
    assert claim_engagement(THREE, [2], "evidenced") == 1
    assert claim_engagement(THREE, [3], "evidenced") == 0


def test_references_that_resolve():
    assert status_share(THREE, "resolved") == pytest.approx(6 / 8)
    assert status_share(THREE, "dangling") == pytest.approx(1 / 8)
    assert status_share(THREE, "resolved", 2) == pytest.approx(4 / 5)
    assert status_share(THREE, "resolved", 1) is None


def test_dominance_is_the_inequality_of_being_engaged():
    assert in_degrees(THREE) == {"A1": 3, "A2": 2, "A3": 1}
    # Mean absolute difference of 3, 2, 1 over all nine ordered pairs is 8 / 9; twice the mean is 4.
    assert gini([3, 2, 1]) == pytest.approx(8 / 9 / 4)
    assert gini([5, 5, 5]) == 0
    assert gini([0, 0, 9]) == pytest.approx(2 / 3)
    assert gini([0, 0]) is None


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any))
def test_gini_is_half_the_relative_mean_difference(values):
    x = np.array(values, float)
    expected = np.abs(x[:, None] - x[None, :]).mean() / (2 * x.mean())
    assert gini(values) == pytest.approx(expected, abs=1e-12)


def test_marginalisation_leaves_out_the_last_round():
    assert marginalisation(THREE, "A1") == 0
    assert marginalisation(THREE, "A2") == 0
    assert marginalisation(THREE, "A3") == pytest.approx(1 / 2)
    assert marginalisation(debate(["PQ"], ["A1.1.c1"]), "A1") is None


def test_claims_of_the_last_two_rounds_cannot_be_ignored():
    assert [claim.id for claim in watched(THREE)] == CLAIMS[:4]
    assert [claim.id for claim in ignored(THREE)] == ["A3.1.c1"]


def test_a_claim_taken_up_after_three_rounds_was_ignored():
    late = debate(["PQ"] * 4, ["A1.1.c1", "A1.2.c1"], [(4, "A2", "rebut", "A1.1.c1")])
    assert [claim.id for claim in ignored(late)] == ["A1.1.c1", "A1.2.c1"]
    soon = debate(["PQ"] * 4, ["A1.1.c1"], [(3, "A2", "rebut", "A1.1.c1")])
    assert ignored(soon) == []


@given(debates(), st.permutations([1, 2, 3, 4]))
def test_the_graph_does_not_depend_on_what_agents_are_called(made, order):
    order = [place for place in order if place <= len(made.agents)]
    other = permuted(made, order)
    for round_ in range(1, made.rounds + 1):
        value = density(made, round_)
        assert value == density(other, round_)
        assert value is None or 0 <= value <= 1
        engaged = claim_engagement(made, [round_], "all")
        assert engaged == claim_engagement(other, [round_], "all")
        assert engaged is None or 0 <= engaged <= 1
    degrees, others = in_degrees(made), in_degrees(other)
    for seat, agent in enumerate(made.agents):
        assert degrees[agent] == others[f"A{order[seat]}"]
        assert marginalisation(made, agent) == marginalisation(other, f"A{order[seat]}")
    assert len(ignored(made)) == len(ignored(other))
    assert {claim.id for claim in ignored(made)} <= {claim.id for claim in watched(made)}


TOLL = "The toll would cost commuters more."
SAID = [
    Cited("A1", 1, "c1", "Own claim."),
    Cited("A2", 1, "c1", TOLL),
    Cited("A2", 1, "c2", "Buses run late at night."),
    Cited("A2", 2, "c1", "Buses run late, as everyone knows."),
    Cited("A3", 2, "k1", TOLL),
    Cited("A3", 2, "7", "Parking is scarce."),
    Cited("A3", 3, "k2", "Said only now."),
]


@pytest.mark.parametrize(
    ("agent", "claim", "quote", "expected"),
    [
        # The full id, with or without its agent, in whatever case or brackets.
        ("A2", "A2.1.c1", "", Reference("resolved", "A2", "A2.1.c1")),
        ("", "[a2.1.C2]", "", Reference("resolved", "A2", "A2.1.c2")),
        ("Agent A2", "A2.1.c1", "", Reference("resolved", "A2", "A2.1.c1")),
        ("@agent: a2", "A2.1.c1", "", Reference("resolved", "A2", "A2.1.c1")),
        ("Agent", "A2.1.c1", "", Reference("ambiguous")),
        ("A2", "claim A2.1.c1", "", Reference("resolved", "A2", "A2.1.c1")),
        ("A3", "A2.1.c1", "", Reference("ambiguous")),
        # A round beside it, as the headings of turns have it.
        ("A2 (round 1)", "A2.1.c1", "", Reference("resolved", "A2", "A2.1.c1")),
        ("--- A2, round 1 ---", "A2.1.c1", "", Reference("resolved", "A2", "A2.1.c1")),
        ("Agent A2 in Round 1", "A2.1.c1", "", Reference("resolved", "A2", "A2.1.c1")),
        ("A2 [R1]", "c1", "", Reference("resolved", "A2", "A2.1.c1")),
        ("A2 (round 2)", "c1", "", Reference("resolved", "A2", "A2.2.c1")),
        ("A2", "c1 (round 2)", "", Reference("resolved", "A2", "A2.2.c1")),
        ("A2: round 2", "A2.c1", "", Reference("resolved", "A2", "A2.2.c1")),
        ("A2 (round 2)", "", "buses run late", Reference("resolved", "A2", "A2.2.c1")),
        ("A2 (round 2)", "A2.1.c1", "", Reference("ambiguous")),
        ("A2 (round 1)", "c1 (round 2)", "", Reference("ambiguous")),
        ("A3 (round 1)", "A2.1.c1", "", Reference("ambiguous")),
        ("A2 (round 3)", "c1", "", Reference("future")),
        ("A2 (round 2)", "c2", "", Reference("dangling")),
        ("A1 (round 1)", "A1.1.c1", "", Reference("self")),
        ("round 1", "A2.1.c1", "", Reference("ambiguous")),
        ("A2", "A2.1.c9", "the toll would cost", Reference("dangling")),
        ("A1", "A1.1.c1", "", Reference("self")),
        ("A1", "", "", Reference("self")),
        ("A2", "A2.3.c1", "", Reference("future")),
        ("A2", "A2.7.c1", "", Reference("future")),
        # The local id, where one earlier claim of the agent has it.
        ("A2", "c2", "", Reference("resolved", "A2", "A2.1.c2")),
        ("", "A2.c2", "", Reference("resolved", "A2", "A2.1.c2")),
        ("", "A3.7", "", Reference("resolved", "A3", "A3.2.7")),
        ("A2", "A2.x.y", "", Reference("dangling")),
        ("A2", "c1", "", Reference("ambiguous")),
        ("A2", "c1", "as everyone knows", Reference("resolved", "A2", "A2.2.c1")),
        ("", "k1", "", Reference("resolved", "A3", "A3.2.k1")),
        ("A3", "k2", "", Reference("future")),
        ("A3", "c9", "", Reference("dangling")),
        ("A9", "c1", "", Reference("dangling")),
        # The quote, where one earlier claim has it.
        ("A2", "", "THE TOLL  would cost!", Reference("resolved", "A2", "A2.1.c1")),
        ("", "", "the toll would cost", Reference("ambiguous")),
        ("A2", "", "buses run late", Reference("ambiguous")),
        ("A2", "", "uses run late at", Reference("dangling")),
        ("A2", "", "toll", Reference("dangling")),
        ("A3", "", "said only now", Reference("dangling")),
        ("", "", "", Reference("dangling")),
    ],
)
def test_references(agent: str, claim: str, quote: str, expected: Reference):
    assert resolve("A1", 3, (agent, claim, quote), SAID) == expected
