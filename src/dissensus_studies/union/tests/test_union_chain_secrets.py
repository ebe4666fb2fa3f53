"""Who is shown what, in every call of an ensemble with memos: nobody sees another's notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest

from dissensus.session.protocol import Call
from dissensus.session.quoting import block
from dissensus.session.runner import Session

from .union_planted import Ensemble, passage_of, run, settings
from .union_sessions import MOTION, ORDER, STUDENTS, prompts

pytestmark = pytest.mark.slow

EPOCHS, SPEAKING = 3, ("prepare", "speech", "offer", "answer")
#: Every sentence of a corpus says whose it is, so that each is a canary.
CANARIES = {
    name: [f"Canary{place} keeps watch in case {number} of it." for number in range(6)]
    for place, name in enumerate(ORDER)
}
CANARY = {name: f"Canary{place} " for place, name in enumerate(ORDER)}
MEMORY = {**MOTION, "motion_id": "memory", "motion": "This House would let memories go"}


@cache
def ensemble() -> Ensemble:
    corpora = {
        name: [
            f"{passage_of(name, number, 'lottery')} {CANARIES[name][number]}" for number in range(6)
        ]
        for name in ORDER
    }
    study = settings(epochs=EPOCHS, runs=2, arms=("coached", "control"), passages=4)
    return run(study, seed=6, motions=[MOTION, MEMORY], corpora=corpora)


def debates() -> Iterator[tuple[str, Session]]:
    yield from ensemble().debates.items()


def spoken_before(session: Session, call: Call) -> str:
    """All that has been said aloud before a call."""
    parts = []
    for turn in session.turns:
        if turn.number < call.number and turn.role in ("speech", "answer"):
            parts.append(turn.text)
        elif turn.number < call.number and turn.role == "offer":
            parts += [one.point for one in turn.value.offers]
    return "\n".join(parts)


def coached_by(name: str, speaker: str) -> str:
    """What was said aloud in the debates that a speaker's memo was made from; "" without one."""
    row = ensemble().manifest[name]
    if row["arm"] != "coached" or row["epoch"] == 1 or speaker not in STUDENTS:
        return ""
    before = f"{row['motion_id']}-e{row['epoch'] - 1}-"
    return "\n".join(
        turn.text
        for other, one in debates()
        if other.startswith(before) and other.endswith("coached")
        for turn in one.turns
        if turn.role == "speech"
    )


@pytest.mark.thorough
def test_a_canary_in_a_corpus_reaches_another_speaker_through_speeches_alone() -> None:
    leaked, secret = 0, 0
    for debate, session in debates():
        for call, prompt in prompts(session, *SPEAKING):
            heard = spoken_before(session, call)
            memo = coached_by(debate, call.speaker) if call.role == "prepare" else ""
            for name in ORDER:
                if name == call.speaker:
                    continue
                found = [one for one in CANARIES[name] if one in prompt]
                assert all(one in heard or one in memo for one in found), (call.role, name)
                assert call.role != "prepare" or memo or CANARY[name] not in prompt
                leaked += len(found)
        said = "\n".join(turn.text for turn in session.turns if turn.role == "speech")
        noted = "\n".join(turn.text for turn in session.turns if turn.role == "prepare")
        secret += sum(one in noted and one not in said for own in CANARIES.values() for one in own)
    # Some are said aloud and heard, and some never leave the notes: both could be seen to fail.
    assert leaked > 100 and secret > 20


def test_notes_are_in_the_speeches_prompt_of_their_speaker_and_in_no_other() -> None:
    for _, session in debates():
        notes = {turn.speaker: turn.text for turn in session.turns if turn.role == "prepare"}
        for call, prompt in prompts(session):
            for name, text in notes.items():
                is_own = call.role == "speech" and call.speaker == name
                assert (block(text) in prompt) == is_own


def test_a_speech_is_shown_every_speech_before_it_word_for_word() -> None:
    for _, session in debates():
        speeches = [turn for turn in session.turns if turn.role == "speech"]
        asked = {call.number: prompt for call, prompt in prompts(session, "speech")}
        answers = [turn for turn in session.turns if turn.role == "answer"]
        assert answers or len(speeches) == 6
        for k, turn in enumerate(speeches):
            prompt = asked[turn.number]
            assert all(one.text in prompt for one in speeches[:k])
            assert not any(one.text in prompt for one in speeches[k:])
            before = [one.text for one in answers if one.number < turn.number]
            assert all(f"answers\n{text}" in prompt for text in before)


def test_a_speech_is_asked_for_as_free_text() -> None:
    for _, session in debates():
        roles = [(turn.number, turn.role) for turn in session.turns]
        for call, prompt in prompts(session, "speech"):
            assert "JSON" not in prompt and "{" not in prompt
            assert (call.number + 1, "extract") in roles
        for _, prompt in prompts(session, "extract"):
            assert "Reply with one JSON object" in prompt


def test_the_directive_is_for_the_students_of_the_coached_arm_after_the_first_epoch() -> None:
    seen = 0
    for name, session in debates():
        row = ensemble().manifest[name]
        for call, prompt in prompts(session):
            is_told = "coach" in prompt.casefold() and "after earlier debates" in prompt
            may_be = row["arm"] == "coached" and row["epoch"] > 1 and call.speaker in STUDENTS
            assert is_told == (may_be and call.role == "prepare")
            seen += is_told
    # Two motions, two epochs, two runs, two students.
    assert seen == 16


def test_a_directive_is_the_memo_of_its_epoch_and_student() -> None:
    made = ensemble()
    for name, session in debates():
        row = made.manifest[name]
        if row["arm"] != "coached" or row["epoch"] == 1:
            continue
        memos = {
            (other, turn.speaker): turn.value.worked[0]
            for other, one in made.sessions.items()
            if made.manifest[other]["kind"] == "memo"
            for turn in one.turns
            if turn.value.worked
        }
        own = f"{row['motion_id']}-e{row['epoch']}-memo"
        for call, prompt in prompts(session, "prepare"):
            told = re.findall(r"^What worked: (.*)$", prompt, re.MULTILINE)
            if (own, call.speaker) in memos:
                assert told[0].startswith(" ".join(memos[own, call.speaker].split()))


def test_a_memo_reads_the_coached_debates_of_the_epoch_before_alone() -> None:
    made = ensemble()
    memos = {name: one for name, one in made.sessions.items() if name.endswith("memo")}
    assert len(memos) == 4
    claims = made.frames["claims"]
    texts = {name: {*claims["text"][claims["session_id"] == name]} for name in made.debates}
    for name, session in memos.items():
        row = made.manifest[name]
        for call, prompt in prompts(session, "memo"):
            shown = re.findall(r"^- (?:survives|contested|demolished): (.+)$", prompt, re.MULTILINE)
            may_be = set()
            for run_ in (1, 2):
                before = f"{row['motion_id']}-e{row['epoch'] - 1}-r{run_:02d}-coached"
                may_be |= texts[before]
            assert shown and set(shown) <= may_be
            # Its student is named, and nobody else is.
            assert [one for one in ORDER if one in prompt] == [call.speaker]


def test_the_blind_panel_reads_no_name_and_each_pass_is_the_other_exchanged() -> None:
    parts = {part for name in ORDER for part in name.split() if len(part) > 3}
    masked = re.compile(rf"\b(?:{'|'.join(map(re.escape, parts))}|proposition|opposition)\b", re.I)
    exchange = {"A": "B", "B": "A"}
    for _, session in debates():
        passes = {}
        for call, prompt in prompts(session, "blind"):
            assert not masked.search(prompt)
            passes[call.speaker.split(":")[1]] = prompt
        turned = re.sub(r"([Tt])eam ([AB])\b", lambda m: f"{m[1]}eam {exchange[m[2]]}", passes["1"])
        assert turned == passes["2"]
