"""Simulated judges, assistants and annotators do what their settings say, by their cues."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.session.protocol import ReplyFormat
from dissensus.session.replies import JsonReply

from ..prompts import Framework, Spoken
from ..protocol.asking import RecalibrationOf
from ..replies import Definitions, Memo, Offers, Rubric, Style
from ..simulated import cues
from ..simulated.judging import weighed
from ..simulated.phrases import PHRASES
from .union_planted import STYLE, passage_of, say, speech_with
from .union_sessions import ORDER, WORDING
from .union_texts import answer_text, claim_text

MARA, INES, TOBIAS = ORDER[0], ORDER[1], ORDER[2]

BITS = {"logic": False, "new": False, "undermines": False}


# Cues.

TEXTS = st.text(st.characters(exclude_characters="\n\r"), min_size=1, max_size=60).map(cues.plain)


@given(
    text=TEXTS.filter(str.strip),
    kind=st.sampled_from(sorted(PHRASES.leads)),
    guarded=st.booleans(),
    bits=st.fixed_dictionaries(dict.fromkeys(BITS, st.booleans())),
    by_claim=st.booleans(),
)
def test_what_a_speech_does_is_read_as_it_was_written(
    text: str, kind: str, guarded: bool, bits: Mapping[str, bool], by_claim: bool
) -> None:
    text = f"We say {re.sub('[^a-z ]', ' ', text)} here."
    written = [
        answer_text("The clerk", "What was said before", bits),
        claim_text(kind, text, guarded=guarded, reply=by_claim),
    ]
    found = cues.read("\n\n".join(written))
    (claim,), (answer,) = found.claims, found.answers
    assert (claim.text, claim.kind, claim.guarded) == (text, kind, guarded)
    assert not claim.specific
    assert answer.quote == "What was said before"
    assert {name: getattr(answer, name) for name in bits} == dict(bits)
    assert answer.by == int(by_claim)


@pytest.mark.parametrize("kind", PHRASES.leads)
def test_every_phrase_is_read_as_what_it_stands_for(kind: str) -> None:
    for lead in PHRASES.leads[kind]:
        for guard in ("", *PHRASES.guards):
            for term in ("the clerk", "that"):
                lead_in = lead.format(term=term)
                (claim,) = cues.read(
                    cues.claim("It rains on .5 of Skarrow. Yes.", lead_in, guard)
                ).claims
                assert (claim.kind, claim.guarded) == (kind, bool(guard)), lead
                assert claim.text == "It rains on .5 of Skarrow." and claim.specific


@pytest.mark.parametrize("address", PHRASES.addresses)
def test_every_way_to_answer_is_read(address: str) -> None:
    said = address.format(name="Dr Mara Lindqvist", quote="we know it")
    for logic, new, fallen in zip(PHRASES.logic, PHRASES.new, PHRASES.fallen, strict=True):
        end = fallen.format(name="Dr Lindqvist", term="the clerk")
        text = f"{said} {logic.capitalize()}: It is so. {new.capitalize()}: It was so. {end}"
        (answer,) = cues.read(cues.capital(text)).answers
        assert answer == cues.ReadAnswer("we know it", True, True, True, 0)
        (bare,) = cues.read(cues.capital(f"{said} It is so.")).answers
        assert bare == cues.ReadAnswer("we know it", False, False, False, 0)


# Judges.


def blind(entries: list[tuple[str, str]]) -> str:
    """A prompt of the blind panel; entries: slot and text."""
    shown = "\n\n".join(
        WORDING.judged("blind_entry", SLOT=slot, NUMBER=str(number), TEXT=text)
        for number, (slot, text) in enumerate(entries, start=1)
    )
    return WORDING.judged("blind", MOTION="M", FRAMEWORK="", TRANSCRIPT=shown)


def share_for(first: str, prompt: str, n: int = 800, **speech: Any) -> float:
    said = [json.loads(say("judge", prompt, seed, **speech))["winner"] for seed in range(n)]
    return said.count(first) / n


STRONG = claim_text("evidence_backed", "The clerk of Velmora keeps every promise of the town.")
WEAK = claim_text("assertion", "The town forgets what the clerk has kept.")


@pytest.mark.parametrize(
    ("speech", "logit"),
    [
        # Slot A is ahead by 4 points to 1, and behind by 40 words.
        ({"sharpness": 0.4}, 1.2),
        ({"sharpness": 0.0, "slot_bias": -0.8}, -0.8),
        ({"sharpness": 0.0, "length_bias": 20.0}, -0.8 - 20 * 0.001),
        ({"sharpness": 0.2, "slot_bias": 0.3, "side_bias": 9.0}, 0.9),
    ],
)
def test_a_judge_votes_by_points_slot_and_length(speech: dict[str, float], logit: float) -> None:
    padding = " ".join(["word"] * (40 + len(STRONG.split()) - len(WEAK.split())))
    prompt = blind([("A", STRONG), ("B", f"{WEAK} {padding}")])
    points, words = weighed(blind([("A", STRONG), ("B", WEAK)]).split("=====")[1])
    assert points == 3.0 and words == len(STRONG.split()) - len(WEAK.split())
    if "length_bias" in speech:
        logit = -20 * 0.040
    share = 1 / (1 + math.exp(-logit))
    assert abs(share_for("A", prompt, **speech) - share) <= 4 * math.sqrt(share * (1 - share) / 800)
    # The slot counts, and not who speaks first.
    turned = blind([("B", STRONG), ("A", f"{WEAK} {padding}")])
    other = logit if speech.get("sharpness", 0.0) == 0.0 and "slot_bias" in speech else None
    if other is not None:
        assert abs(share_for("A", turned, **speech) - share) <= 4 * math.sqrt(
            share * (1 - share) / 800
        )


@pytest.mark.parametrize("first", ["Proposition", "Opposition"])
def test_a_side_prior_is_of_the_label(first: str) -> None:
    second = {"Proposition": "Opposition", "Opposition": "Proposition"}[first]
    shown = "\n\n".join(
        WORDING.judged("blind_entry", SLOT=slot, NUMBER=str(number), TEXT=WEAK)
        for number, slot in enumerate("AB", start=1)
    )
    told = {"TRANSCRIPT": shown, "FIRST": first, "SECOND": second}
    prompt = WORDING.judged("labelled", MOTION="M", FRAMEWORK="", **told)
    share = 1 / (1 + math.exp(-0.9))
    found = share_for("Proposition", prompt, side_bias=0.9)
    assert abs(found - share) <= 4 * math.sqrt(share * (1 - share) / 800)


def test_a_share_of_votes_cannot_be_read() -> None:
    prompt = blind([("A", STRONG), ("B", WEAK)])
    said = [say("judge", prompt, seed, unreadable_rate=0.3) for seed in range(800)]
    unread = sum("{" not in text for text in said)
    assert abs(unread / 800 - 0.3) <= 4 * math.sqrt(0.3 * 0.7 / 800)


def test_a_claim_that_falls_is_worth_half_to_a_judge() -> None:
    bits = {**BITS, "logic": True, "undermines": True}
    answer = answer_text("They", "The clerk of Velmora keeps every promise", bits)
    assert (
        weighed(f"## Team A, speech 1\n{STRONG}\n\n## Team B, speech 2\n{answer}")[0] == 2.0 - 2.0
    )
    new = answer_text("They", "No claim", {**BITS, "logic": True, "new": True})
    assert weighed(f"## Team A, speech 1\n{STRONG}\n\n## Team B, speech 2\n{new}")[0] == 4.0 - 1.5


# Assistants and annotators.


def test_replies_break_at_the_planted_rate_and_only_once() -> None:
    prompt = WORDING.told("extract", TEXT=STRONG)
    said = [say("assistant", prompt, seed, bad_json_rate=0.25) for seed in range(800)]
    broken = sum(not text.endswith("}") for text in said)
    assert abs(broken / 800 - 0.25) <= 4 * math.sqrt(0.25 * 0.75 / 800)
    again = f"{prompt}\n\n{WORDING.debating.repair.replace('{PROBLEMS}', 'it is none.')}"
    assert all(say("assistant", again, seed, bad_json_rate=1.0).endswith("}") for seed in range(40))


def test_opponents_rise_at_as_many_arguments_as_is_planted() -> None:
    prompt = WORDING.told(
        "offer",
        **{"PERSONA": WORDING.persona(INES, STYLE), "MOTION": "M", "SPEAKER": INES},
        **{"SIDE": "opposition", "OTHER": MARA, "TEXT": STRONG},
        ARGUMENTS=WORDING.arguments([f"point {n}" for n in range(1, 8)], range(2, 7)),
    )
    offers = [
        JsonReply(Offers).read(say("assistant", prompt, seed, rises=0.35)).value
        for seed in range(200)
    ]
    found = [one.argument for reply in offers for one in reply.offers]
    assert set(found) == set(range(2, 7))
    assert abs(len(found) / 1000 - 0.35) <= 4 * math.sqrt(0.35 * 0.65 / 1000)


def test_recalibrations_break_their_rules_at_the_planted_rate_and_only_once() -> None:
    spoken = tuple(speech_with(name, number) for number, name in enumerate(ORDER, start=1))
    scores = "\n".join(
        WORDING.judged("score_entry", NUMBER=str(n), SCORE=f"{9 - n:.1f}") for n in range(1, 7)
    )
    told = {"MOTION": "M", "FRAMEWORK": "", "SCORES": scores}
    prompt = WORDING.judged("recalibrate", TRANSCRIPT=WORDING.transcript(spoken), **told)
    format: ReplyFormat[Any] = RecalibrationOf(6)
    read = [format.read(say("annotator", prompt, seed, bad_ranks_rate=0.3)) for seed in range(400)]
    broken = sum(one.value is None for one in read)
    assert abs(broken / 400 - 0.3) <= 4 * math.sqrt(0.3 * 0.7 / 400)
    again = f"{prompt}\n\n{WORDING.judging.repair.replace('{PROBLEMS}', 'it is none.')}"
    for seed in range(40):
        found = format.read(say("annotator", again, seed, bad_ranks_rate=1.0)).value
        # The scores that are given decide the ranks, but for their noise.
        assert found.speeches[0].speech in (1, 2)


def test_scores_follow_what_a_speech_does() -> None:
    style = WORDING.style(STYLE)

    def mean(text: str, dimension: str) -> float:
        spoken = (Spoken(1, MARA, "proposition", text),)
        told = {"MOTION": "M", "FRAMEWORK": "", "NUMBER": "1", "SPEAKER": MARA, "STYLE": style}
        prompt = WORDING.judged("rubric", TRANSCRIPT=WORDING.transcript(spoken), **told)
        read = [JsonReply(Rubric).read(say("annotator", prompt, seed)).value for seed in range(60)]
        return float(np.mean([getattr(one, dimension) for one in read]))

    # Sum of a fixed part and a normal error of .7: sixty have a standard error of .09.
    assert mean(STRONG, "argument_strength") == pytest.approx(7.5, abs=0.37)
    assert mean(WEAK, "argument_strength") == pytest.approx(3.75, abs=0.37)
    assert mean(STRONG, "evidence_grounding") == pytest.approx(5.0, abs=0.37)
    assert mean(f"Take it slowly. {WEAK}", "persona_fidelity") == pytest.approx(6.5, abs=0.37)
    assert mean(WEAK, "persona_fidelity") == pytest.approx(5.0, abs=0.37)


def test_a_memo_and_definitions_are_of_what_is_told() -> None:
    lines = "\n".join(
        WORDING.told("memo_claim", FATE=fate, TEXT=f"{fate} claim.")
        for fate in ("survives", "contested", "demolished")
    )
    prompt = WORDING.told(
        "memo",
        **{"SPEAKER": TOBIAS, "SIDE": "proposition", "DEBATES": "1", "MOTION": "M"},
        **{"CLAIMS": lines, "UNANSWERED": "- survives: Nobody answered.", "SCORES": "5"},
    )
    found = JsonReply(Memo).read(say("coach", prompt)).value
    # What the other side claimed, and nobody answered, is nothing that worked.
    assert found.worked == ["survives claim."] and found.failed == ["demolished claim."]
    assert found.missed == ["Nobody answered."] and found.advice
    told = WORDING.told("definitions", MOTION="This House waits", TEXT=passage_of(MARA, 1, "m"))
    defined = JsonReply(Definitions).read(say("assistant", told)).value
    assert defined.terms[0].term == "This House waits"
    assert WORDING.definitions(Framework(defined))


def test_a_style_is_counted_from_the_samples() -> None:
    samples = "Take it slowly, friends. Take it slowly, and count. Who asked? We did not ask you."
    prompt = WORDING.told("style", SPEAKER=MARA, SAMPLES=samples)
    style = JsonReply(Style).read(say("assistant", prompt)).value
    assert style.signature_phrases == ["Take it slowly"]
    assert style.manner == "conversational"
