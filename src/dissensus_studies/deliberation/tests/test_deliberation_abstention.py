"""Agents that may abstain: what they are told, what is read of it, and what outcomes make of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dissensus.errors import SettingError
from dissensus.settings import validate

from ..measures.reconstruct import reconstruct_session
from ..settings import DeliberationSettings
from ..turns import parse_turn
from .deliberation_debates import OPTIONS, reply
from .deliberation_sessions import (
    PLAIN,
    Agents,
    hold,
    measured_session,
    prompts,
    simulated,
    study_values,
)
from .deliberation_sessions import reply as simple_reply
from .test_deliberation_sessions import measured, named, session, turn

ABSTAINS = reply("abstain", "I abstain.", probabilities={})
MAY = replace(PLAIN, abstain=True)


def test_who_abstains_has_neither_stance_nor_probabilities() -> None:
    even = dict.fromkeys(OPTIONS, 0.25)
    for text in (ABSTAINS, reply(" Abstain. ", probabilities=even)):
        found = parse_turn(text, OPTIONS, may_abstain=True)
        assert (found.abstains, found.stance, found.probabilities) == (True, "", {})
        assert found.problems == ()
    # Where it may not it is no stance, and asked for again; an option of that name is an option.
    assert "none of the options" in parse_turn(ABSTAINS, OPTIONS).problems[0]
    named_so = parse_turn(reply("abstain"), ("abstain", "act"), may_abstain=True)
    assert (named_so.abstains, named_so.stance) == (False, "abstain")
    assert not parse_turn(reply("P"), OPTIONS, may_abstain=True).abstains


def test_agents_are_told_that_they_may_and_see_who_did() -> None:
    def says(agent: str, round_: int, role: str, times: int) -> str:
        gone = {"stance": "abstain", "probabilities": {}}
        return simple_reply(f"I am {agent}.", **(gone if agent == "A2" else {}))

    held = hold(Agents(says), MAY, repairs=1)
    assert len(held.attempts) == 9
    shown = prompts(held)
    assert all("You may abstain" in prompt for prompt in shown.values())
    assert "--- A2, round 1 ---\n> I am A2.\nStance: abstain" in shown[2, "A1"]
    plain = hold(Agents(says), repairs=1)
    assert not any("may abstain" in prompt for prompt in prompts(plain).values())
    # A2 is asked again in every round.
    assert len(plain.attempts) == 12


#: A1 holds P, A2 abstains at the end, A3 comes over to P and back; A4 abstains throughout.
TURNS = named(
    "t001-emergent",
    [
        turn(round_, round_, f"A{seat}", ABSTAINS if held == "-" else reply(held, f"So {held}."))
        for round_, stances in enumerate(("PQQ-", "PQP-", "P-Q-"), start=1)
        for seat, held in enumerate(stances, start=1)
    ],
)


def test_what_each_outcome_makes_of_it_by_hand() -> None:
    found = measured(TURNS, [session("t001-emergent", agents=4, cast=list("abcd"))])
    (row,) = found.metrics
    # Of P and two Q, then of P and Q alone: an even distribution of the others would make 2 bits.
    assert row["entropy_first"] == pytest.approx(0.9182958)
    assert row["entropy_last"] == pytest.approx(1.0)
    assert row["abstained_last"] == 1 / 2
    # Of the two who hold anything.
    assert (row["agreement_last"], row["correct_last"]) == (1 / 2, 1 / 2)
    # To abstain is no switch; A3 switches twice, first away from the majority.
    assert row["switches"] == 2
    # Read, and nothing that could be undecided.
    assert (row["parsed_share"], row["consistency"], row["undecidable"]) == (1, 1, 0)
    stances = reconstruct_session(TURNS, OPTIONS).stances
    assert [one["declined"] for one in stances[8:]] == [False, True, False, True]
    assert not any(one["abstained"] or one["switched"] for one in stances if one["declined"])


def shares(rate: float, arm: Any = MAY, topics: int = 12) -> tuple[float, float]:
    """Mean share that abstains at the end, and the mean initial entropy, from texts on."""
    rows = [
        measured_session([simulated(abstains=rate, epsilon=0.0)] * 5, arm, topic=topic, rounds=2)
        for topic in range(topics)
    ]
    entropies = [row["entropy_first"] for row in rows if row["entropy_first"] is not None]
    return float(np.mean([row["abstained_last"] for row in rows])), float(np.mean(entropies))


def test_a_planted_share_that_abstains_is_found_and_makes_nobody_undecided() -> None:
    none, before = shares(0.0)
    some, after = shares(0.4)
    # 60 turns: within three standard errors.
    assert none == 0
    assert abs(some - 0.4) < 3 * np.sqrt(0.4 * 0.6 / 60)
    # Even distributions for those who abstain would raise entropy; fewer agents can only lower it.
    assert after < before + 0.05
    # Where they may not abstain they do not.
    assert shares(0.4, PLAIN, topics=2)[0] == 0


def test_samples_are_for_arms_that_see_nothing() -> None:
    arms = {"emergent": {}, "sampled": {"sees": "nothing", "samples": 4}}
    one = DeliberationSettings(**study_values(arms=arms))
    assert one.arms["sampled"].protocol(one.control)["samples"] == 4
    wrong = study_values(arms={"emergent": {}, "refined": {"sees": "own", "samples": 4}})
    with pytest.raises(SettingError, match=r"arms\.refined\.samples.*sees: nothing"):
        validate(DeliberationSettings, wrong, "config.yaml", "deliberation.")
