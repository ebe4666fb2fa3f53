"""Exposures counted by hand, and silence put to the test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..measures.silence import (
    Exposure,
    exposures,
    silence_effect,
    silent_share,
)
from .deliberation_debates import debate, debates, permuted

# A1 holds P; A2 goes from Q to P after leaving A1's claim unanswered; A3 answers it and stays.
THREE = debate(
    ["PQQ", "PQQ", "PPQ"],
    ["A1.1.c1", "A2.1.c1", "A1.3.c1"],
    [(3, "A3", "rebut", "A1.1.c1"), (2, "A1", "rebut", "A2.1.c1")],
)


def test_exposures_by_hand():
    assert exposures(THREE, "all") == [
        Exposure("A2", "A1.1.c1", silent=True, moved=True),
        Exposure("A3", "A1.1.c1", silent=False, moved=False),
        Exposure("A1", "A2.1.c1", silent=False, moved=False),
    ]
    assert silent_share(exposures(THREE, "all")) == pytest.approx(1 / 3)
    assert silence_effect(exposures(THREE, "all")) == 1.0


def test_a_claim_without_evidence_may_not_be_material():
    assert exposures(THREE, "evidenced") == []
    assert silent_share([]) is None


def test_without_both_kinds_there_is_no_difference():
    silent = Exposure("A1", "x", silent=True, moved=True)
    assert silence_effect([silent]) is None
    engaged = [Exposure("A1", "x", False, True), Exposure("A1", "y", False, False)]
    assert silence_effect([silent, *engaged]) == pytest.approx(0.5)


def test_unknown_stances_are_neither_opposed_nor_exposed():
    made = debate(["P-Q", "PPP"], ["A2.1.c1", "A1.1.c1"])
    assert [(one.agent, one.claim) for one in exposures(made, "all")] == [("A3", "A1.1.c1")]


@given(debates(), st.permutations([1, 2, 3, 4]))
def test_shares_sum_to_one_whatever_agents_are_called(made, order):
    order = [place for place in order if place <= len(made.agents)]
    found, other = exposures(made, "all"), exposures(permuted(made, order), "all")
    assert silent_share(found) == silent_share(other)
    assert silence_effect(found) == silence_effect(other)
    if found:
        engaged = sum(not one.silent for one in found) / len(found)
        assert (silent_share(found) or 0) + engaged == pytest.approx(1)
    evidenced = exposures(made, "evidenced")
    assert set(evidenced) <= set(found)
