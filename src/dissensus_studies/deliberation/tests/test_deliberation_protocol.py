"""Who is asked what, who sees what, and what judges can do about a turn."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dissensus.llm.journal import Journal
from dissensus.session.protocol import round_of
from dissensus.session.runner import Session
from scripted import left_by

from ..prompts import Note
from ..protocol import Arm, observed
from ..turns import Claim, ParsedTurn
from .deliberation_sessions import (
    ASSESSED,
    CONTROL,
    FOLLOWS,
    PARTS,
    PLAIN,
    Agents,
    hold,
    prompts,
    reply,
)

# The debate interaction protocol, sections 2 and 3.
SOFT = (
    "Address any opposing arguments that materially affect your recommendation. If you choose not "
    "to engage a claim, your silence may be interpreted as implicit acceptance."
)
REFERENCING = (
    "When engaging an opposing view, explicitly identify the agent and the specific claim being "
    "addressed."
)
CRIT = replace(PLAIN, crit=True, assessed=True)
RCA = replace(PLAIN, retries=3)
PID = replace(PLAIN, assessed=True, schedule="pid", control=CONTROL)


def talk(agent: str, round_: int, role: str, times: int) -> str:
    """Everyone in order: texts that can be told apart, accepted and assessed."""
    if role == "rca":
        return FOLLOWS
    return ASSESSED if role == "crit" else reply(f"Text of {agent} in {round_}.")


def roles(session: Session) -> Counter[str]:
    return Counter(turn.role for turn in session.turns)


def test_the_protocols_sentences_stand_in_every_prompt_word_for_word():
    for prompt in prompts(hold(Agents(talk))).values():
        assert prompt.count(SOFT) == 1
        assert prompt.count(REFERENCING) == 1


@pytest.mark.parametrize(
    ("topology", "own"),
    [("full", "rebut every other agent"), ("one_target", "exactly one other agent")],
)
def test_a_set_topology_has_its_own_instruction(topology: str, own: str):
    for prompt in prompts(hold(Agents(talk), replace(PLAIN, topology=topology))).values():
        assert SOFT.split(".")[0] not in prompt
        assert "silence" not in prompt
        assert own in prompt
        assert REFERENCING in prompt


def test_a_round_shows_exactly_the_rounds_before():
    shown = prompts(hold(Agents(talk), rounds=4))
    assert len(shown) == 12
    for (round_, speaker), prompt in shown.items():
        told = [
            (agent, before)
            for before in range(1, 5)
            for agent in ("A1", "A2", "A3")
            if f"Text of {agent} in {before}." in prompt
        ]
        assert told == [(a, b) for b in range(1, round_) for a in ("A1", "A2", "A3")]
        assert prompt.startswith("You are one of 3 agents (A1, A2, A3)")
        assert f"\nYou are {speaker}, and this is round {round_} of 4." in prompt
        assert "\n\n\n" not in prompt
        assert ("Nothing has been written yet." in prompt) == (round_ == 1)


def test_all_agents_of_a_round_see_the_same_but_for_their_name():
    shown = prompts(hold(Agents(talk)))
    for round_ in (1, 2, 3):
        alike = {shown[round_, agent].replace(f"You are {agent}", "") for agent in ("A1", "A3")}
        assert len(alike) == 1


def test_each_round_begins_with_all_that_was_shown_before_it():
    """Whoever is asked: what is said to be shared is the same for all agents of a round."""
    asked: dict[int, set[tuple[str, tuple[int, ...]]]] = {}
    for attempt in hold(Agents(talk), rounds=4).attempts:
        (message,) = attempt.call.messages
        shown = message.content[: message.shared[-1]]
        asked.setdefault(round_of(attempt.call.round_label), set()).add((shown, message.shared))
    rounds = [asked[number] for number in range(1, 5)]
    assert [len(alike) for alike in rounds] == [1] * 4
    for number, ((before, ends),) in enumerate(rounds[:-1]):
        ((after, more),) = rounds[number + 1]
        assert after.startswith(before) and more[: len(ends)] == ends
        assert len(more) == len(ends) + 3


def test_a_turn_is_shown_whole():
    engagement = {"agent": "A2", "claim": "A2.1.c1", "quote": "so {it} goes", "relation": "rebut"}

    def says(agent: str, round_: int, role: str, times: int) -> str:
        return reply("Mind {ROUND} and {x}.", engagements=[engagement] if round_ == 2 else [])

    last = prompts(hold(Agents(says), count=2))[3, "A2"]
    block = last.split("--- A1, round 2 ---\n")[1].split("\n\n---")[0]
    assert block == (
        "> Mind {ROUND} and {x}.\n"
        "Stance: left\n"
        "Probabilities: left 0.700; right 0.300\n"
        "Confidence: 0.70\n"
        "Claims:\n"
        "- A1.2.c1: Mind {ROUND} and {x}. For left. (evidence: e1)\n"
        "Engagements:\n"
        '- rebut A2.1.c1 of A2: "so {it} goes"'
    )


@pytest.mark.parametrize("arm", [PLAIN, CRIT, RCA, PID])
@pytest.mark.parametrize(("count", "rounds"), [(2, 1), (3, 4)])
def test_debaters_have_one_call_an_agent_and_round(arm: Arm, count: int, rounds: int):
    agents = Agents(talk)
    session = hold(agents, arm, count=count, rounds=rounds)
    asked = Counter(role for _, _, role in agents.asked)
    assert asked.pop("debater") == count * rounds
    judged = "rca" if arm is RCA else "crit"
    assert asked == ({} if arm is PLAIN else {judged: count * rounds})
    assert roles(session)["debater"] == count * rounds


def test_steps_are_numbered_and_turns_named():
    session = hold(Agents(talk), replace(CRIT, retries=1), count=2, rounds=2)
    assert [(t.number, t.speaker, t.role, t.round_label, t.model) for t in session.turns] == [
        (3 * (round_ - 1) + place, f"{prefix}{agent}", role, f"round {round_}", model)
        for round_ in (1, 2)
        for place, prefix, role, model in (
            (1, "", "debater", "panel"),
            (2, "J:", "judge:rca", "judge"),
            (3, "J:", "judge:crit", "judge"),
        )
        for agent in ("A1", "A2")
    ]


def test_a_turn_that_is_accepted_after_a_retry_stands():
    def says(agent: str, round_: int, role: str, times: int) -> str:
        if role == "rca":
            return PARTS if (agent, round_, times) == ("A2", 1, 0) else FOLLOWS
        return reply(f"{role} of {agent} in {round_}.")

    session = hold(Agents(says), RCA, rounds=2)
    assert roles(session) == {"debater": 6, "judge:rca": 7, "retry": 1}
    (again,) = [turn for turn in session.turns if turn.role == "retry"]
    assert (again.number, again.speaker, again.round_label) == (3, "A2", "round 1")
    told = prompts(session, "retry")[1, "A2"]
    assert "The text says the other." in told
    assert told.startswith(prompts(session)[1, "A2"])
    assert "debater of A2 in 1." in told
    for prompt in (prompts(session)[2, agent] for agent in ("A1", "A2", "A3")):
        assert "retry of A2 in 1." in prompt
        assert "debater of A2 in 1." not in prompt
        assert "debater of A1 in 1." in prompt


def test_after_the_last_rejection_an_agent_abstains():
    def says(agent: str, round_: int, role: str, times: int) -> str:
        if role == "rca":
            return PARTS if (agent, round_) == ("A2", 2) else FOLLOWS
        return reply(f"{role} {times} of {agent} in {round_}.", "right")

    session = hold(Agents(says), RCA, rounds=3)
    assert roles(session) == {"debater": 9, "judge:rca": 12, "retry": 3}
    retries = [turn for turn in session.turns if turn.role == "retry"]
    assert [turn.number for turn in retries] == [5, 7, 9]
    forms = [attempt.call.messages[-1].content for attempt in session.attempts]
    told = [form for form in forms if "A judge found" in form]
    assert len(set(told)) == 3
    assert [form.split(" that the stance")[0] for form in told] == [
        "A judge found",
        "A judge found again",
        "A judge found for the third time",
    ]
    last = prompts(session)[3, "A1"]
    assert "--- A2, round 2 ---\nA2 abstained in this round" in last
    assert "of A2 in 2." not in last
    assert "debater 0 of A2 in 1." in last


def test_a_retry_replaces_the_rejected_reply_and_not_the_first():
    def says(agent: str, round_: int, role: str, times: int) -> str:
        if role == "rca":
            return PARTS
        return reply(f"{role} {times}.")

    session = hold(Agents(says), RCA, count=2, rounds=1)
    sent = [a.call.messages[1].content for a in session.attempts if a.call.role == "retry"]
    assert [text.split("\n")[0] for text in sent[::2]] == ["debater 0.", "retry 0.", "retry 1."]


def test_without_retries_a_rejected_agent_abstains_at_once():
    def says(agent: str, round_: int, role: str, times: int) -> str:
        return PARTS if role == "rca" and agent == "A1" else talk(agent, round_, role, times)

    session = hold(Agents(says), replace(RCA, retries=0), rounds=2)
    assert roles(session) == {"debater": 6, "judge:rca": 6}
    assert "A1 abstained" in prompts(session)[2, "A3"]


def test_a_verdict_that_cannot_be_read_rejects_nothing():
    def says(agent: str, round_: int, role: str, times: int) -> str:
        return "Hard to say." if role == "rca" else reply()

    assert roles(hold(Agents(says), RCA)) == {"debater": 9, "judge:rca": 9}


def test_nobody_assesses_what_was_not_said():
    def says(agent: str, round_: int, role: str, times: int) -> str:
        return PARTS if role == "rca" and agent != "A3" else talk(agent, round_, role, times)

    some = hold(Agents(says), replace(CRIT, retries=0), rounds=1)
    assert [turn.speaker for turn in some.turns if turn.role == "judge:crit"] == ["J:A3"]
    none = hold(Agents(says), replace(CRIT, retries=0), rounds=1, count=2)
    assert roles(none) == {"debater": 2, "judge:rca": 2}


def test_judges_are_blind():
    agents = Agents(talk)
    session = hold(agents, replace(CRIT, retries=1), note=Note("right", 1))
    for role in ("judge:rca", "judge:crit"):
        for (round_, speaker), prompt in prompts(session, role).items():
            agent = speaker.removeprefix("J:")
            assert f"Text of {agent} in {round_}." in prompt
            assert prompt.count("Text of ") == 2  # In the text and in its claim.
            assert "Moderator" not in prompt
            assert "panel" not in prompt


def test_only_the_arm_with_assessments_shows_them_and_a_round_later():
    shown = prompts(hold(Agents(talk), CRIT))
    entry = (
        '- A2, claim "left it is": quality 0.41; reasons (validity/credibility) 8/7, 6/5; '
        "rival reasons 4/9"
    )
    for (round_, _), prompt in shown.items():
        assert (entry in prompt) == (round_ > 1)
    assert not any("quality" in prompt for prompt in prompts(hold(Agents(talk), PID)).values())


def test_an_assessment_that_cannot_be_read_is_not_shown():
    def says(agent: str, round_: int, role: str, times: int) -> str:
        return "Fine." if role == "crit" else reply()

    assert "A judge" not in prompts(hold(Agents(says), CRIT))[2, "A1"]


def test_contentiousness_is_told_in_words_and_only_with_a_schedule():
    assert not any("Contentiousness" in one for one in prompts(hold(Agents(talk))).values())
    linear = replace(PLAIN, schedule="linear", control={**CONTROL, "start": 1.0})
    shown = prompts(hold(Agents(talk), linear, rounds=5))
    told = [shown[round_, "A1"].split("Contentiousness: ")[1] for round_ in range(1, 6)]
    # 1, .75, .5, .25, 0, in five equal steps.
    words = [text.split(".")[0] for text in told]
    assert words == ["very high", "high", "moderate", "low", "very low"]


def test_the_controller_raises_contentiousness_while_quality_is_low():
    poor = '{"claim": "x", "reasons": [{"validity": 1, "credibility": 1}], "rivals": []}'

    def says(agent: str, round_: int, role: str, times: int) -> str:
        return poor if role == "crit" else reply()

    shown = prompts(hold(Agents(says), replace(PID, control={**CONTROL, "kp": 0.6})))
    # e = .8 - .01 = .79; u = (.6 + .01 + .03) .79 = .5056; .9 * .5 + u = .9556.
    assert "Contentiousness: moderate." in shown[1, "A1"]
    assert "Contentiousness: very high." in shown[2, "A1"]


def test_the_note_is_given_from_its_round_on():
    for (round_, _), prompt in prompts(hold(Agents(talk), note=Note("right", 2))).items():
        assert ("Moderator's note, given to all agents in round 2: " in prompt) == (round_ >= 2)
        assert ('speaks for the option "right".' in prompt) == (round_ >= 2)


def test_a_reply_without_its_object_is_asked_for_again_and_its_text_kept():
    def says(agent: str, round_: int, role: str, times: int) -> str:
        if agent == "A1" and round_ == 1 and times < 2:
            return "Only words."
        return reply(f"Good, {agent}.")

    session = hold(Agents(says), repairs=2, rounds=2)
    first = session.turns[0]
    assert (first.repairs, first.compliant) == (2, True)
    attempts = [a for a in session.attempts if a.call.number == 1 and a.call.speaker == "A1"]
    assert [a.reply.text for a in attempts[:2]] == ["Only words."] * 2
    assert attempts[0].violations == ("there is no JSON object with a stance at the end",)
    again = attempts[0].call.again(attempts[0].violations)
    assert again[-1].content.startswith(attempts[0].call.messages[-1].content)
    assert "there is no JSON object" in again[-1].content

    def never(agent: str, round_: int, role: str, times: int) -> str:
        return "Only words." if agent == "A1" else reply()

    lost = hold(Agents(never), repairs=1, rounds=2)
    assert [t.compliant for t in lost.turns[:3]] == [False, True, True]
    block = prompts(lost)[2, "A2"].split("--- A1, round 1 ---\n")[1].split("\n\n")[0]
    assert block.startswith("> Only words.\nStance: not stated\nProbabilities: not stated\n")


def test_what_a_turn_refers_to_is_never_repaired():
    dangling = {"agent": "A9", "claim": "", "quote": "", "relation": "concede"}

    def says(agent: str, round_: int, role: str, times: int) -> str:
        return reply(engagements=[dangling])

    assert all(turn.repairs == 0 for turn in hold(Agents(says), repairs=2).turns)


def test_a_session_is_what_its_replies_make_it(tmp_path: Path):
    def says(agent: str, round_: int, role: str, times: int) -> str:
        if role == "rca":
            return PARTS if agent == "A2" and times < 2 else FOLLOWS
        return talk(agent, round_, role, times)

    arm = replace(PID, crit=True, retries=3)
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        held = hold(Agents(says), arm, journal=journal)
    silent = Agents(says)
    with Journal(path) as journal:
        again = hold(silent, arm, journal=journal)
    assert silent.asked == []
    assert left_by(again) == left_by(held)


def parsed(stance: str, share: float, *evidence: str) -> ParsedTurn:
    shares = {"left": share, "right": 1 - share}
    return ParsedTurn("", stance, shares, claims=(Claim("c1", "x", evidence),))


def test_the_controller_sees_what_stands():
    first, js, overlap = observed([parsed("left", 1.0, "e1"), parsed("right", 0.0, "e1", "e2")], {})
    assert js == pytest.approx(1.0)
    assert overlap == pytest.approx(1 / 2)
    # An agent that abstained keeps what it held and cites nothing; one that is unread has nothing.
    held, js, overlap = observed([None, parsed("right", 0.0, "e1")], first)
    assert (held, overlap) == ({0: first[0], 1: first[1]}, 0.0)
    assert js == pytest.approx(1.0)
    held, js, overlap = observed([ParsedTurn("?"), parsed("right", 0.0)], first)
    assert (list(held), js, overlap) == ([1], None, None)
