"""Simulated people know what they are asked: by the instructions, and never by the material."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from dissensus.llm.call import Message
from dissensus.session.protocol import Call

from .. import simulated
from ..simulated.prompts import Entry, read_prompt, transcript
from .union_planted import Ensemble, passage_of, run, settings
from .union_sessions import ORDER, PROPOSITION, STUDENTS, WORDING, prompts

#: Words by which one prompt differs from all others, as a document could have them.
CONFUSING = (
    "Describe how the clerk counts the ballots of a whole town in one night",
    "This is speech at its freest, and the register of it is kept by nobody",
    "List every rebuttal that a court has heard and see which of them stand",
    "Decide which team debated better before the town has gone to its rest",
    "You coach a child in the same way as you would teach an old assembly",
    "He speaks for the opposition whenever nobody else has come to the hall",
)


@cache
def ensemble() -> Ensemble:
    """Every kind of session, with memos."""
    return run(settings(epochs=2, runs=1, arms=("coached", "control")), seed=4)


def calls(made: Ensemble) -> list[Call]:
    return [call for one in made.sessions.values() for call, _ in prompts(one)]


def test_every_prompt_of_the_protocol_is_known_for_what_it_is() -> None:
    asked = Counter()
    for call in calls(ensemble()):
        prompt = read_prompt(call.messages)
        assert prompt.kind == call.role, call.messages[0].content[:300]
        assert not prompt.again
        asked[call.role] += 1
    named = read_prompt([Message("user", WORDING.cluster("M", ["Claims of one kind, as said."]))])
    assert named.kind == "cluster"
    # None of the kinds is left out.
    assert {*asked, "cluster"} == set(simulated._REPLIES)


def test_every_structured_reply_is_read_at_once() -> None:
    """No reply falls through, and none has to be asked for again."""
    for name, session in ensemble().sessions.items():
        assert not session.failure
        for attempt in session.attempts:
            assert attempt.attempt == 1, (name, attempt.call.speaker, attempt.violations)
            assert attempt.reply.text != "I do not know what I am asked."


def test_a_repaired_prompt_is_known_as_one() -> None:
    for call in calls(ensemble())[:12]:
        assert read_prompt(call.again(("it is no object",))).again
        assert read_prompt(call.again(("it is no object",))).kind == call.role


def test_a_prompt_says_who_speaks_on_which_side_and_on_which_motion() -> None:
    for call in calls(ensemble()):
        prompt = read_prompt(call.messages)
        if call.role in ("prepare", "speech", "offer", "answer"):
            side = "proposition" if call.speaker in PROPOSITION else "opposition"
            assert (prompt.speaker, prompt.side) == (call.speaker, side)
        if call.role != "style" and call.role != "extract":
            assert prompt.motion == "This House would choose its legislators by lot"


def test_words_of_documents_are_never_taken_for_instructions() -> None:
    """They come back in styles, claims, definitions and memos, and on the panel's desk."""
    said = " ".join(
        f"A letter of {year} says {words} and ends there."
        for year, words in enumerate(CONFUSING, 11)
    )
    corpora = {name: [f"{said} {passage_of(name, 1, 'lottery')} {said}"] for name in ORDER}
    study = settings(epochs=2, runs=1, arms=("coached",), words=250)
    made = run(study, seed=5, corpora=corpora, speaker={"claims": 8.0})
    everything = ""
    for call in calls(made):
        assert read_prompt(call.messages).kind == call.role, call.messages[0].content[:300]
        told = read_prompt(call.messages).told
        everything += told
        if call.role in ("prepare", "speech", "offer", "answer"):
            assert read_prompt(call.messages).speaker == call.speaker
    assert not any(one.failure for one in made.sessions.values())
    # They do stand outside the material.
    assert all(words in everything for words in CONFUSING)


def test_a_prompt_of_nobody_gets_a_plain_answer() -> None:
    speech = {"speech": {"role": "speaker"}}
    said = simulated.speak([Message("user", "What time is it?")], speech, None)  # type: ignore[arg-type]
    assert said == "I do not know what I am asked."


def test_a_transcript_is_read_entry_by_entry() -> None:
    text = (
        "## Speech 1: Dr Mara Lindqvist, proposition\nOne.\n\nTwo.\n\n"
        "## Point of information from Rt Hon Gideon Ashworth to speech 1, at argument 2\nIs it?\n"
        "## Dr Mara Lindqvist answers\nIt is.\n\n"
        "## Speech 2: Prof Ines Calvário-Roth, opposition\nThree."
    )
    assert transcript(text) == (
        Entry(1, "Dr Mara Lindqvist", "proposition", "One.\n\nTwo."),
        Entry(2, "Prof Ines Calvário-Roth", "opposition", "Three."),
    )
    blind = "## Team B, speech 1\nOne.\n\n## Point of information from team A to speech 1\nIs it?"
    assert transcript(blind) == (Entry(1, "", "B", "One."),)
    assert transcript("Nothing has been said yet.") == ()


@pytest.mark.parametrize("role", ["speech", "blind", "labelled", "rebuttals"])
def test_transcripts_of_the_protocol_have_every_speech(role: str) -> None:
    (debate, *_) = ensemble().debates.values()
    spoken = [turn.text for turn in debate.turns if turn.role == "speech"]
    for call, _ in prompts(debate, role):
        prompt = read_prompt(call.messages)
        entries = transcript(prompt.part(0))
        count = int(call.round_label.split()[-1]) - 1 if role == "speech" else 6
        assert [one.number for one in entries] == list(range(1, count + 1))
        if role in ("speech", "rebuttals"):
            assert [one.text for one in entries] == spoken[:count]


def test_students_alone_read_a_coach() -> None:
    """The words by which a simulated speaker knows that it is coached."""
    for name, session in ensemble().debates.items():
        coached = "-e2-" in name and name.endswith("coached")
        for call, prompt in prompts(session, "prepare"):
            is_told = f"Advice of {call.speaker}'s coach" in prompt
            assert is_told == (coached and call.speaker in STUDENTS)
        for turn in session.turns:
            if turn.role == "prepare":
                is_noted = turn.text.startswith("My coach's advice is in these notes.")
                assert is_noted == (coached and turn.speaker in STUDENTS)
