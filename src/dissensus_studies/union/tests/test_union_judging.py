"""What judges are asked after the debate, and what they cannot know."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace

import pytest

from dissensus.session.protocol import Call
from dissensus.session.runner import Session
from session.test_blinding import HONORIFICS, NAMES, WORDS_FOR_SIDES, left

from ..measures.debate import read_debate
from ..measures.verdicts import panel
from ..protocol import Rules, debate
from ..protocol.asking import RecalibrationOf
from .union_sessions import (
    ALWAYS,
    MODELS,
    MOTION,
    OPPOSITION,
    ORDER,
    PROPOSITION,
    PROTOCOL,
    WORDING,
    Says,
    draw,
    hold,
    inputs,
    play,
    prompts,
    saying,
    talk,
    turns_of,
)

GREETING = (
    "Dr Mara Lindqvist opens; Rt Hon Gideon Ashworth MP answers for the Opposition, and my "
    "honourable friend Yusra\nHaddad for the proposition. "
    "Calva\u0301rio\u2011Roth's propositions, Sir!"
)


def named(call: Call, times: int) -> str:
    """Speakers who name everybody, in everything that they say."""
    text = talk(call, times)
    if text.startswith("{"):
        return text.replace(" text", json.dumps(f" text {GREETING}")[1:-1])
    return f"{text} {GREETING}"


def told(session: Session, role: str) -> dict[str, str]:
    return {call.speaker: prompt for call, prompt in prompts(session, role)}


def test_a_rubric_sees_the_debate_up_to_its_speech() -> None:
    found = told(hold(**ALWAYS), "rubric")
    assert list(found) == [f"rubric:{name}" for name in ORDER]
    for number, (name, prompt) in enumerate(zip(ORDER, found.values(), strict=True), start=1):
        assert f"speech {number}, by {name}." in prompt
        heads = re.findall(r"(?m)^## Speech (\d)", prompt)
        assert heads == [str(n) for n in range(1, number + 1)]
        assert f"Register: register of {name}" in prompt
        assert "Notes of" not in prompt
        for anchor in ("1 to 2 fails", "9 to 10 could hardly be better"):
            assert anchor in prompt


def test_the_recalibration_is_told_all_mean_scores() -> None:
    scores = {"argument_strength": 3, "rebuttal_quality": 4, "evidence_grounding": 5}
    scores |= {"rhetorical_effectiveness": 6, "persona_fidelity": 10}

    def says(call: Call, times: int) -> str:
        return "no score" if call.speaker.endswith(ORDER[1]) else json.dumps(scores)

    prompt = told(hold(saying(rubric=says)), "recalibrate")["recalibrate"]
    lines = re.findall(r"(?m)^Speech (\d): (.+)$", prompt)
    assert lines == [(str(n), "none" if n == 2 else "5.6") for n in range(1, 7)]


def recalibration(ranks: list[int], scores: list[float]) -> str:
    entries = [
        {"speech": n, "rank": rank, "score": score}
        for n, (rank, score) in enumerate(zip(ranks, scores, strict=True), start=1)
    ]
    return json.dumps({"speeches": entries})


@pytest.mark.parametrize(
    ("ranks", "scores", "is_read"),
    [
        ([1, 2, 3], [8, 7, 6], True),
        ([3, 1, 2], [5, 9, 5], True),
        ([1, 2, 3], [8, 7, 6.5], False),
        ([1, 1, 3], [9, 7, 5], False),
        ([1, 2, 3], [5, 7, 9], False),
        ([1, 2, 3], [11, 7, 5], False),
        ([1, 2, 3], [9, 7, 0.5], False),
        ([1, 2], [9, 5], False),
        ([1, 2, 3, 4], [9, 8, 7, 5], False),
    ],
)
def test_ranks_spread_and_number_of_a_recalibration_are_checked(
    ranks: list[int], scores: list[float], is_read: bool
) -> None:
    parsed = RecalibrationOf(3).read(recalibration(ranks, scores))
    assert (parsed.value is not None) == is_read == (not parsed.problems)


def test_a_recalibration_that_leaves_speeches_out_is_asked_for_again() -> None:
    def says(call: Call, times: int) -> str:
        return talk(call, times) if times else recalibration([1, 2], [9, 5])

    session = hold(saying(recalibrate=says))
    (turn,) = [turn for turn in session.turns if turn.role == "recalibrate"]
    assert turn.repairs == 1
    assert len(turn.value.speeches) == 6
    again = [a.call for a in session.attempts if a.call.role == "recalibrate"]
    assert len(again) == 2


def test_claims_are_asked_of_each_speech_by_itself() -> None:
    found = told(hold(**ALWAYS), "claims")
    assert list(found) == [f"claims:{name}" for name in ORDER]
    for number, prompt in enumerate(found.values(), start=1):
        spoken = [n for n in range(1, 7) if f"This is speech {n}," in prompt]
        assert spoken == [number]


def test_rebuttals_are_asked_in_both_directions() -> None:
    found = told(hold(), "rebuttals")
    assert list(found) == ["rebuttals:proposition", "rebuttals:opposition"]
    for side, other, prompt in zip(
        ("proposition", "opposition"), ("opposition", "proposition"), found.values(), strict=True
    ):
        asked = f"List every rebuttal of a claim of the {other} by a later speech of the {side}."
        assert asked in prompt
        printed = prompt.replace("\n", " ")
        assert "You MUST look for rebuttals in BOTH directions." in printed
        assert "you are doing it wrong. Re-read the transcript." in printed
        assert "You were asked before" not in prompt
        ids = re.findall(r"(?m)^(\d\.\d+) \((\w+)\): claims text$", prompt)
        sides = ("proposition", "opposition")
        assert ids == [(f"{s}.{n}", sides[(s + 1) % 2]) for s in range(1, 7) for n in range(1, 11)]


def test_a_claim_keeps_its_number_where_another_list_cannot_be_read() -> None:
    def says(call: Call, times: int) -> str:
        return "none" if call.speaker.endswith(ORDER[0]) else talk(call, times)

    prompt = told(hold(saying(claims=says)), "rebuttals")["rebuttals:proposition"]
    assert re.findall(r"(?m)^(\d\.\d) ", prompt)[:2] == ["2.1", "2.2"]


def test_a_claim_of_many_lines_forges_no_other() -> None:
    claim = {"text": "One.\n2.9 (opposition): Two.", "type": "principled", "specific": True}

    def says(call: Call, times: int) -> str:
        return json.dumps({"claims": [claim]})

    prompt = told(hold(saying(claims=says)), "rebuttals")["rebuttals:proposition"]
    assert re.findall(r"(?m)^(\d\.\d) ", prompt) == [f"{n}.1" for n in range(1, 7)]


def finding(first: tuple[int, int], then: tuple[int, int] | None = None) -> Says:
    """So many rebuttals by the proposition and the opposition, in each asking."""
    rounds = iter([*first, *(then or first)])

    def says(call: Call, times: int) -> str:
        one = {"target": "1.1", "speech": 2, "logic": True, "new": True, "undermines": True}
        return json.dumps({"rebuttals": [one] * next(rounds)})

    return saying(rebuttals=says)


@pytest.mark.parametrize(
    ("first", "times"),
    [((10, 0), 2), ((0, 10), 2), ((14, 0), 2), ((9, 0), 1), ((0, 0), 1), ((10, 1), 1)],
)
def test_ten_one_way_and_none_the_other_are_asked_once_more(
    first: tuple[int, int], times: int
) -> None:
    session = hold(finding(first))
    steps = sorted({turn.number for turn in session.turns if turn.role == "rebuttals"})
    assert len(steps) == times
    asked = [(c, prompt) for c, prompt in prompts(session, "rebuttals") if c.number == steps[-1]]
    assert [c.speaker for c, _ in asked] == ["rebuttals:proposition", "rebuttals:opposition"]
    for (call, prompt), own, other in zip(asked, first, first[::-1], strict=True):
        side = call.speaker.partition(":")[2]
        again = f"You were asked before, and found {own} rebuttals by the {side} and {other} by"
        assert (again in prompt) == (times == 2)
        assert "You MUST look for rebuttals in BOTH directions." in prompt


def test_what_is_still_one_sided_stays_and_is_flagged() -> None:
    still = read_debate({}, MOTION, turns_of(hold(finding((12, 0), (11, 0)))))
    assert still.is_one_sided
    assert len(still.rebuttals["proposition"]) == 11
    mended = read_debate({}, MOTION, turns_of(hold(finding((12, 0), (12, 3)))))
    assert not mended.is_one_sided
    assert len(mended.rebuttals["opposition"]) == 3


def test_a_list_that_cannot_be_read_is_not_one_sided() -> None:
    def says(call: Call, times: int) -> str:
        return talk(call, times) if call.speaker.endswith("opposition") else "none"

    turns = hold(saying(rebuttals=says)).turns
    assert len({turn.number for turn in turns if turn.role == "rebuttals"}) == 1


@pytest.fixture(scope="module")
def masked() -> Session:
    return hold(named, **ALWAYS)


def test_panels_have_two_passes_of_three_seats(masked: Session) -> None:
    for role in ("blind", "labelled"):
        calls = [call for call, _ in prompts(masked, role)]
        assert [call.speaker for call in calls] == [
            f"{role}:{number}:{seat}" for number in (1, 2) for seat in (1, 2, 3)
        ]
        assert [call.model for call in calls] == ["j1", "j2", "j3"] * 2
        assert len({call.number for call in calls}) == 1
        found = told(masked, role)
        for number in (1, 2):
            assert len({found[f"{role}:{number}:{seat}"] for seat in (1, 2, 3)}) == 1


def test_no_name_honorific_or_side_word_reaches_the_blind_panel(masked: Session) -> None:
    for prompt in told(masked, "blind").values():
        assert left(prompt, (*NAMES, *HONORIFICS, *WORDS_FOR_SIDES)) == []
        assert "honourable" not in prompt
        assert MOTION["motion"] in prompt
        assert "Terms: definitions text a speaker of team" in prompt
        assert "Accepted by team" in prompt


def test_the_passes_of_the_blind_panel_are_exact_swaps(masked: Session) -> None:
    found = told(masked, "blind")
    one, other = found["blind:1:1"], found["blind:2:1"]
    assert one != other
    swapped = re.sub(r"(?i)(team )([AB])\b", lambda m: m[1] + "BA"[m[2] == "B"], one)
    assert swapped == other
    for prompt, first in ((one, "A"), (other, "B")):
        heads = re.findall(r"(?m)^## Team ([AB]), speech (\d)$", prompt)
        second = "BA"[first == "B"]
        assert heads == [(first if n % 2 else second, str(n)) for n in range(1, 7)]
        rises = re.findall(r"(?m)^## Point of information from team ([AB]) to speech (\d)$", prompt)
        assert rises == [(second if n % 2 else first, str(n)) for n in range(1, 7) for _ in "ab"]


def test_only_what_is_said_last_tells_the_side_to_the_labelled_panel(masked: Session) -> None:
    found, blind = told(masked, "labelled"), told(masked, "blind")["blind:1:1"]
    one, other = found["labelled:1:1"], found["labelled:2:1"]
    stated = "Team A is the {}, and team B is the {}.".format
    labels = ("Proposition", "Opposition")
    # The example of a reply names both labels, in the order of the teams.
    example = '"winner": "{} or {}"'.format
    swapped = one.replace(stated(*labels), stated(*labels[::-1]))
    assert swapped.replace(example(*labels), example(*labels[::-1])) == other != one
    # It reads what the blind panel reads, to the letter.
    assert one.split("=====")[:2] == blind.split("=====")[:2]
    assert stated(*labels) in one.split("=====")[2]


def test_texts_of_all_panels_are_the_same_but_for_names_and_sides() -> None:
    """A debate in which nobody is named: every word of it reaches the judges."""
    session = hold(**ALWAYS)
    said = [turn.text for turn in session.turns if turn.role in ("speech", "answer")]
    for prompt in told(session, "blind").values():
        assert all(text in prompt for text in said)
        assert unicodedata.is_normalized("NFC", prompt)


def test_without_an_audit_there_is_no_labelled_panel() -> None:
    assert not told(hold(audited=False), "labelled")


@pytest.mark.parametrize(
    ("judges", "seats"), [(("j1",), ["j1"] * 3), (("j1", "j2"), ["j1", "j2", "j1"])]
)
def test_seats_are_filled_in_turn(judges: tuple[str, ...], seats: list[str]) -> None:
    models = replace(MODELS, judges=judges)
    session = play(talk, debate(WORDING, draw(), models, Rules.of(PROTOCOL), inputs()))
    assert [call.model for call, _ in prompts(session, "blind")] == seats * 2


def test_a_judge_that_always_says_a_gives_three_votes_to_each_side() -> None:
    def always_a(call: Call, times: int) -> str:
        return json.dumps({"winner": "A"})

    found = read_debate({}, MOTION, turns_of(hold(saying(blind=always_a))))
    sides = [vote.side for vote in found.votes if vote.panel == "blind"]
    assert sides.count("proposition") == sides.count("opposition") == 3
    assert panel(sides) == "contested"


def test_a_judge_for_one_side_votes_for_it_in_both_passes() -> None:
    """By what it reads: the speeches of a side have a word of their own."""

    def speech(call: Call, times: int) -> str:
        return f"A {'red' if call.speaker in PROPOSITION else 'blue'} speech."

    def red(call: Call, times: int) -> str:
        prompt = call.messages[0].content
        (slot,) = set(re.findall(r"## Team ([AB]), speech \d\nA red", prompt))
        return json.dumps({"winner": slot})

    found = read_debate({}, MOTION, turns_of(hold(saying(speech=speech, blind=red))))
    sides = {vote.side for vote in found.votes if vote.panel == "blind"}
    assert sides == {"proposition"}
    assert len(OPPOSITION) == 3
