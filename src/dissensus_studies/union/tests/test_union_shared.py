"""What prompts of a debate begin with alike, so that a provider's cache has it."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from dissensus.llm.call import Message
from dissensus.session.runner import Session

from .union_sessions import ALWAYS, hold


@cache
def session() -> Session:
    return hold(**ALWAYS)


def asked(*roles: str, label: str = "") -> list[Message]:
    """The first prompts of some roles, of one step's label."""
    return [
        attempt.call.messages[0]
        for attempt in session().attempts
        if attempt.attempt == 1
        and attempt.call.role in roles
        and label in ("", attempt.call.round_label)
    ]


def begins(message: Message) -> list[str]:
    """The beginnings that it says others have, the shortest first."""
    return [message.content[:place] for place in message.shared]


@pytest.mark.parametrize("role", ["speech", "rubric"])
def test_a_prompt_begins_with_all_that_the_one_before_it_showed(role: str) -> None:
    messages = asked(role)
    assert len(messages) == 6
    for before, after in pairwise(messages):
        assert begins(after)[: len(before.shared)] == begins(before)
        assert len(after.shared) == len(before.shared) + 1


@pytest.mark.parametrize("number", range(1, 7))
def test_all_that_are_asked_about_a_speech_begin_with_it(number: int) -> None:
    about = asked(
        *("extract", "offer", "answer", "definitions", "contest"), label=f"speech {number}"
    )
    assert len(about) >= 4
    (beginning,) = {tuple(begins(message)) for message in about}
    assert f"=====\n{asked_text(number)}" in beginning[0]


def asked_text(number: int) -> str:
    return [turn.text for turn in session().turns if turn.role == "speech"][number - 1]


def test_annotators_read_the_transcript_once() -> None:
    (whole,) = {begins(message)[-1] for message in asked("recalibrate", "rebuttals")}
    assert whole == begins(asked("rubric")[-1])[-1]
    assert all(asked_text(number) in whole for number in range(1, 7))


def test_the_audits_panel_reads_what_the_blind_one_read_first() -> None:
    (first,) = {begins(message)[-1] for message in asked("blind") if message.shared}
    (labelled,) = {begins(message)[-1] for message in asked("labelled")}
    assert first == labelled
    # Exchanged slots are read once, by three models.
    assert [bool(message.shared) for message in asked("blind")] == [True] * 3 + [False] * 3


def test_where_nobody_else_begins_alike_nothing_is_said_to_be_shared() -> None:
    assert {message.shared for message in asked("claims")} == {()}
