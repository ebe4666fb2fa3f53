"""Simulated speakers do what their settings say, by seed; wrong settings are refused."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.errors import SettingError
from dissensus.llm.providers.behaviours import check_speech
from marking import thorough_but

from .. import simulated
from ..prompts import Spoken
from ..simulated import material
from .union_planted import STYLE, passage_of, say, speech_with
from .union_sessions import MOTION, ORDER, WORDING
from .union_texts import said_in

MARA, INES, TOBIAS = ORDER[0], ORDER[1], ORDER[2]

BITS = {"logic": False, "new": False, "undermines": False}


def notes(name: str = MARA, count: int = 4) -> str:
    return "\n".join(
        f"Point: {one}"
        for number in range(count)
        for one in material.sentences(passage_of(name, number, "lottery"))
    )


def speech_prompt(
    spoken: tuple[Spoken, ...] = (), name: str = MARA, own: str | None = None, words: int = 400
) -> str:
    side = "proposition" if ORDER.index(name) % 2 == 0 else "opposition"
    return WORDING.told(
        "speech",
        **{"PERSONA": WORDING.persona(name, STYLE), "MOTION": MOTION["motion"], "SPEAKER": name},
        **{"SIDE": side, "NUMBER": str(len(spoken) + 1), "COUNT": "6", "WORDS": str(words)},
        **{"NOTES": own or notes(name), "FRAMEWORK": ""},
        TRANSCRIPT=WORDING.transcript(spoken),
    )


# Settings.


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"role": "dancer"}, "speech.role"),
        ({"claims": 0}, "speech.claims"),
        ({"claims": 9}, "speech.claims"),
        ({"answers": -1}, "speech.answers"),
        ({"own_claim": 1.2}, "speech.own_claim"),
        ({"recency": -0.1}, "speech.recency"),
        ({"sides": {"government": 1.0}}, "speech.sides"),
        ({"hardness": {"anecdote": 1.0}}, "speech.hardness"),
        ({"strengths": {"A": "strong"}}, "speech.strengths.A"),
        ({"sharpnes": 0.3}, "speech.sharpnes"),
        ({"missed": float("nan")}, "speech.missed"),
    ],
)
def test_a_wrong_setting_is_a_sentence_that_names_it(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError) as refused:
        check_speech(simulated.__name__, {"role": "speaker", **changes})
    assert said in str(refused.value)
    assert "\n  " not in str(refused.value) and "pydantic" not in str(refused.value)


def test_the_defaults_and_every_role_are_settings() -> None:
    for role in ("speaker", "assistant", "annotator", "judge", "coach"):
        check_speech(simulated.__name__, {"role": role})


# Seeds.


@given(seed=st.integers(0, 2**32 - 1))
def test_words_are_those_of_the_seed(seed: int) -> None:
    prompt = speech_prompt((speech_with(INES, 1),))
    assert say("speaker", prompt, seed) == say("speaker", prompt, seed)


def test_another_seed_says_something_else_and_settings_of_others_change_nothing() -> None:
    prompt = speech_prompt((speech_with(INES, 1),))
    assert len({say("speaker", prompt, seed) for seed in range(20)}) == 20
    alone = say("speaker", prompt, 3)
    assert say("speaker", prompt, 3, missed=0.5, slot_bias=2.0, strengths={TOBIAS: 3.0}) == alone
    assert say("speaker", prompt, 3, strengths={MARA: 3.0}) != alone


# Speakers.


def speeches(count: int, spoken: tuple[Spoken, ...], **speech: Any) -> list[Any]:
    row = {"speech": 9, "side": "proposition", "speaker": MARA}
    prompt = speech_prompt(spoken)
    texts = [say("speaker", prompt, seed, **speech) for seed in range(count)]
    return [said_in({**row, "text": text}) for text in texts]


@pytest.mark.thorough
@pytest.mark.parametrize("mean", [1.0, 2.5, 4.0])
def test_a_speech_has_as_many_claims_and_answers_as_is_planted(mean: float) -> None:
    """One claim and Poisson(mean - 1) more, at most eight; Poisson(mean) answers."""
    said = speeches(400, (speech_with(INES, 2, 16),), claims=mean, answers=mean)
    claims, answers = ([len(getattr(one, name)) for one in said] for name in ("claims", "answers"))
    assert min(claims) >= 1 and max(claims) <= 8
    assert abs(np.mean(claims) - mean) <= 4 * math.sqrt((mean - 1) / 400) + 0.01
    assert abs(np.mean(answers) - mean) <= 4 * math.sqrt(mean / 400) + 0.01


@pytest.mark.thorough
@pytest.mark.parametrize("recency", [0.0, 0.9])
def test_an_older_claim_is_answered_less(recency: float) -> None:
    """Of one answer: three claims in speech 1, two in speech 3, which is newer by two."""
    before = (
        speech_with(INES, 1, 3),
        Spoken(2, TOBIAS, "proposition", "Nothing."),
        speech_with(ORDER[3], 3, 2),
    )
    said = speeches(600, before, answers=0.6, recency=recency)
    single = [one.answers[0].quote for one in said if len(one.answers) == 1]
    weights = 3 * math.exp(-2 * recency), 2.0
    share = weights[1] / sum(weights)
    newer = sum("of speech 3" in quote for quote in single)
    error = 4 * math.sqrt(share * (1 - share) / len(single))
    assert len(single) > 150 and abs(newer / len(single) - share) <= error


def test_only_the_other_side_is_answered_and_by_name() -> None:
    before = (speech_with(INES, 1), speech_with(TOBIAS, 2))
    answers = [one for said in speeches(60, before, answers=6.0) for one in said.answers]
    # The first time by the whole name, then by the last one.
    assert answers and {one.name for one in answers} == {INES, "Prof Calvário-Roth"}
    assert all("of speech 1" in one.quote for one in answers)


@pytest.mark.parametrize("kind", thorough_but(["evidence_backed", "assertion"], "evidence_backed"))
def test_hard_kinds_are_brought_down_less(kind: str) -> None:
    hardness, strengths = {"evidence_backed": 1.5}, {MARA: 0.4, INES: -0.3}
    before = (speech_with(INES, 1, 8, kind=kind),)
    said = speeches(150, before, answers=6.0, hardness=hardness, strengths=strengths)
    answers = [one for speech in said for one in speech.answers]
    edge = 0.4 + 0.3 - hardness.get(kind, 0.0)
    for bit, less in (("logic", 0.0), ("new", 0.0), ("undermines", 0.7)):
        share = 1 / (1 + math.exp(less - edge))
        error = 4 * math.sqrt(share * (1 - share) / len(answers))
        assert abs(np.mean([getattr(one, bit) for one in answers]) - share) <= error, bit


@pytest.mark.thorough
def test_as_many_answers_are_made_by_a_claim_as_is_planted() -> None:
    said = speeches(200, (speech_with(INES, 1, 8),), answers=4.0, claims=8.0, own_claim=0.65)
    # While the speech has claims left.
    first = [one.answers[0] for one in said if one.answers]
    made = sum(bool(one.by) for one in first)
    assert abs(made / len(first) - 0.65) <= 4 * math.sqrt(0.65 * 0.35 / len(first))
    for speech in said:
        assert {one.by for one in speech.answers if one.by} <= {one.text for one in speech.claims}


@pytest.mark.parametrize("rate", [0.0, 0.35, 1.0])
def test_lengths_are_near_what_is_asked_for_but_for_a_planted_share(rate: float) -> None:
    """Where the notes last so long; an off one has six tenths of what is asked for."""
    prompt = speech_prompt((), words=600, own=notes(count=8))
    counts = np.array(
        [len(say("speaker", prompt, seed, off_length_rate=rate).split()) for seed in range(150)]
    )
    off = counts < 430
    assert counts.max() < 1.28 * 600 + 40
    assert abs(off.mean() - rate) <= 4 * math.sqrt(rate * (1 - rate) / 150)


def test_notes_are_of_the_passages_and_points_are_drawn_evenly() -> None:
    passages = [passage_of(MARA, number, "lottery") for number in range(3)]
    prompt = WORDING.told(
        "prepare",
        **{"PERSONA": WORDING.persona(MARA, STYLE), "MOTION": MOTION["motion"], "SPEAKER": MARA},
        **{"SIDE": "proposition", "OTHERS": INES, "LENS": "Lead.", "DIRECTIVE": ""},
        PASSAGES=WORDING.passages(passages),
    )
    own = {one for text in passages for one in material.sentences(text)}
    first: dict[str, int] = dict.fromkeys(own, 0)
    for seed in range(900):
        head, *lines = say("speaker", prompt, seed).splitlines()
        numbered = dict(line.split(": ", 1) for line in lines if line)
        assert set(numbered.values()) <= own
        first[numbered[re.findall(r"\d+", head)[0]]] += 1
    expected = 900 / len(own)
    spread = sum((count - expected) ** 2 / expected for count in first.values())
    # Chi-square of 17 degrees of freedom: one in ten thousand is above 46.
    assert len(own) == 18 and spread < 46


def test_what_an_interviewer_says_is_no_sentence_of_the_speaker() -> None:
    text = (
        "**Vane:** You tell people to picture a room.\n\n"
        "**Lindqvist:** Begin with the room, because it can be counted.\n"
        "A second line is hers as well.\n\n"
        "Vane: A baker is no lawyer.\n"
    )
    own = ("Begin with the room, because it can be counted.", "A second line is hers as well.")
    assert material.sentences(text, "Dr Mara Lindqvist") == own
    whole = material.sentences(text)
    assert whole[0] == "You tell people to picture a room." and len(whole) == 4
    # A line of prose with a colon is nobody's question.
    assert material.sentences("The point: It can be counted at once.", "Dr Mara Lindqvist")
