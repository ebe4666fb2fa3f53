"""What a study gives as messages, and what is sent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.llm.call import Message
from dissensus.session.spoken import LEFT_OUT, assistant, conversation, result, user

pytestmark = pytest.mark.unit


def test_a_conversation_of_messages_and_of_mappings_is_the_same() -> None:
    messages = [user("2 * 3?"), assistant("calculator(2 * 3)"), result("calculator", "6")]
    mappings = [
        {"role": "user", "content": "2 * 3?"},
        {"role": "assistant", "content": [{"type": "text", "text": "calculator(2 * 3)"}]},
        {"role": "tool", "name": "calculator", "content": "6"},
    ]
    assert conversation(messages, "") == conversation(mappings, "")
    assert conversation(mappings, "Be brief.")[0] == Message("system", "Be brief.")
    assert conversation(mappings, "")[2] == Message("user", "calculator gave:\n> 6")
    (told,) = conversation([{"role": "developer", "content": "Be brief."}], "")
    assert told == Message("system", "Be brief.")


@given(st.text(min_size=1))
def test_no_line_of_a_result_passes_for_the_study_s_own(text: str) -> None:
    first, *lines = result("search", text).content.split("\n")
    assert first == "search gave:"
    assert all(line.startswith(">") for line in lines)


def test_a_picture_is_left_out_and_said_so() -> None:
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    (said,) = conversation([{"role": "user", "content": parts}], "")
    assert said.content == f"What is this?\n{LEFT_OUT}" and "AAAA" not in said.content


@pytest.mark.parametrize(
    ("messages", "sentence"),
    [
        ([], "it must be a text, or a list of user(...)"),
        (7, "it must be a text, or a list of user(...)"),
        ([{"role": "user"}], "it must be a text, or a list of user(...)"),
        ([{"role": "judge", "content": "x"}], "a message of the role 'judge'; there are system,"),
        ([Message("judge", "x")], "a message of the role 'judge'; there are system,"),  # type: ignore[arg-type]
        ([{"role": "user", "content": [{"type": "audio"}]}], "of which images are left out"),
        ([{"role": "user", "content": 3}], "the content of a message has 3; it may be a text"),
        ("\ud800", "half a character, which cannot be sent"),
    ],
)
def test_what_cannot_be_sent_is_a_sentence(messages: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        conversation(messages, "")
    assert sentence in str(caught.value)
