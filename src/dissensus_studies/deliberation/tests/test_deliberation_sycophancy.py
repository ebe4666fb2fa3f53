"""Switches to the previous majority, counted by hand; and stances against their reasoning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..measures.consistency import conclusion, consistent
from ..measures.sycophancy import Sycophancy, majority, sycophancy_of
from .deliberation_debates import debate, debates, permuted


def test_the_majority_is_the_only_most_held():
    assert majority({"A1": "P", "A2": "P", "A3": "Q"}) == "P"
    assert majority({"A1": "P", "A2": "Q"}) == ""
    assert majority({}) == ""


def test_by_hand():
    # To round 2: P leads; A3 joins it (1 of 1). To round 3: P leads unopposed; A1 leaves.
    # To round 4: P leads; A1 could join and goes to R.
    counts = sycophancy_of(debate(["PPQ", "PPP", "QPP", "RPP"]))
    assert counts == Sycophancy(switches=3, opportunities=2, conforming=1)
    assert counts.per_switch == pytest.approx(1 / 3)
    assert counts.per_opportunity == pytest.approx(1 / 2)


def test_without_a_majority_nobody_can_follow_it():
    counts = sycophancy_of(debate(["PQ", "QQ"]))
    assert counts == Sycophancy(1, 0, 0)
    assert (counts.per_switch, counts.per_opportunity) == (0, None)


def test_unknown_stances_are_no_switches():
    assert sycophancy_of(debate(["PPQ", "PP-", "PPP"])) == Sycophancy(0, 0, 0)


@given(debates(), st.permutations([1, 2, 3, 4]))
def test_counts_do_not_depend_on_what_agents_are_called(made, order):
    order = [place for place in order if place <= len(made.agents)]
    counts = sycophancy_of(made)
    assert counts == sycophancy_of(permuted(made, order))
    assert counts.conforming <= min(counts.switches, counts.opportunities)


LABELS = ("reform", "no reform", "delay")


@pytest.mark.parametrize(
    ("reasoning", "answer", "expected"),
    [
        ("Costs are high. Therefore I choose Delay.", "", "delay"),
        ("Therefore delay. On balance, I support no reform!", "", "no reform"),
        ("Some say reform. Others say delay.", "", ""),
        ("So it is reform or delay.", "", ""),
        ("Therefore I cannot support reform.", "", ""),
        ("I don't recommend delay.", "reform", "reform"),
        ("My final answer is reform. Thank you.", "delay", "reform"),
        ("Nothing is said.", " Delay ", "delay"),
        ("Nothing is said.", "either", ""),
        ("Thus reforms follow.", "", ""),
    ],
)
def test_the_conclusion_of_a_text(reasoning: str, answer: str, expected: str):
    assert conclusion(reasoning, answer, LABELS) == expected


def test_the_rule_comes_before_the_judge():
    assert consistent("P", "P", False) is True
    assert consistent("P", "Q", True) is consistent("Q", "P", True) is False
    assert consistent("", "P", False) is False
    assert consistent("P", "", None) is None
