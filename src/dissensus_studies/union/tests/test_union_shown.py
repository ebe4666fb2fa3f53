"""What is shown besides speeches: definitions to all who come later, memos to their students."""

from __future__ import annotations

import pytest

from .test_union_protocol import JUDGING, fails, unreadable
from .union_sessions import STUDENTS, Says, draw, hold, inputs, prompts, saying

LATER = ("speech", *JUDGING)
DEFINED, CONTESTED = "Definitions, as the debate has them so far:", "Counter-framing:"
PRINTED = (
    "All speakers should argue within this framework. If you disagree, contest explicitly — do NOT "
    "silently operate under different definitions."
)


def test_definitions_are_in_every_later_prompt_of_speakers_and_judges() -> None:
    for call, prompt in prompts(hold(), *LATER):
        number = int(call.round_label.split()[1]) if call.role == "speech" else 7
        assert (DEFINED in prompt) == (number > 1), call
        assert (PRINTED in prompt.replace("\n", " ")) == (number > 1)
        assert (CONTESTED in prompt) == (number > 2)
        assert ("definitions text" in prompt) == (number > 1)
        assert ("contest text" in prompt) == (number > 2)


def test_definitions_are_nowhere_where_they_are_switched_off() -> None:
    session = hold(definitions=False)
    assert not {"definitions", "contest"} & {turn.role for turn in session.turns}
    for _, prompt in prompts(session):
        assert DEFINED not in prompt
        assert "framework" not in prompt
        assert "\n\n\n" not in prompt


@pytest.mark.parametrize("says", [fails, unreadable])
def test_definitions_that_cannot_be_read_are_shown_to_nobody(says: Says) -> None:
    session = hold(saying(definitions=says))
    assert "contest" not in {turn.role for turn in session.turns}
    assert not any(DEFINED in prompt for _, prompt in prompts(session, *LATER))
    session = hold(saying(contest=says))
    assert all(DEFINED in prompt for _, prompt in prompts(session, *JUDGING))
    assert not any(CONTESTED in prompt for _, prompt in prompts(session, *JUDGING))


def test_the_contest_is_of_the_definitions() -> None:
    ((call, prompt),) = prompts(hold(), "contest")
    assert call.round_label == "speech 2"
    assert "This is speech 2" in prompt
    assert "Terms: definitions text: definitions text" in prompt


def test_the_directive_is_for_the_coached_alone() -> None:
    with_memo = {
        call.speaker
        for call, prompt in prompts(
            hold(drawn=draw(memos="lottery-e2-memo", coached=STUDENTS)), "prepare"
        )
        if "coach" in prompt
    }
    assert with_memo == set(STUDENTS)
    assert not any("coach" in prompt for _, prompt in prompts(hold()))


def test_a_memo_is_read_by_its_student_alone() -> None:
    session = hold(drawn=draw(memos="lottery-e2-memo", coached=STUDENTS))
    for call, prompt in prompts(session):
        for student in STUDENTS:
            for part in ("worked", "failed", "missed", "advice"):
                is_there = f"{part} for {student}" in prompt
                assert is_there == (call.role == "prepare" and call.speaker == student)


def test_a_memo_that_cannot_be_read_is_left_out() -> None:
    memos = [{"speaker": name, "text": "no memo"} for name in STUDENTS]
    read = inputs(**{"lottery-e2-memo": memos})
    session = hold(read=read, drawn=draw(memos="lottery-e2-memo", coached=STUDENTS))
    assert not session.failure
    assert not any("coach" in prompt for _, prompt in prompts(session))
