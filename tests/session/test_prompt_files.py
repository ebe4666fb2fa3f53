"""Slots of prompt files: which are filled, which are mistakes, and which are plain text."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import pytest
from pydantic import TypeAdapter, ValidationError

from dissensus.errors import ResourceError
from dissensus.llm.call import Message
from dissensus.session.prompt_files import ANGLED, angled, check_filled, slots
from dissensus.session.protocol import Call, Decoding, Parsed, Steps, assumed_calls

TEMPLATE = TypeAdapter(Annotated[str, slots("TOPIC", optional=["ROLE_2"])])
ANGLED_TEMPLATE = TypeAdapter(Annotated[str, angled("<question>")])


@pytest.mark.parametrize(
    ("adapter", "text"),
    [
        (TEMPLATE, "{TOPIC}"),
        (TEMPLATE, "{TOPIC} {ROLE_2} {TOPIC}"),
        (TEMPLATE, 'Reply to {TOPIC} with {"stance": "x", "list": [{}], "of": {"a": 1}} {or so}.'),
        (TEMPLATE, "{final answer: (A)} { } {} }{ {TOPIC}, {number}, <b>bold</b>"),
        (ANGLED_TEMPLATE, 'Is x <= 3 and y > 2?\n<question>\nEnd with "{final answer: (A)}".'),
        (ANGLED_TEMPLATE, "- <question>, please"),
    ],
)
def test_what_is_no_slot_is_plain_text(adapter: TypeAdapter[str], text: str):
    assert adapter.validate_python(text) == text


@pytest.mark.parametrize(
    ("adapter", "text", "complaint"),
    [
        (TEMPLATE, "{TOPIC} {TOPICS}", "has {TOPICS}, which is no slot; {TOPIC} is"),
        (TEMPLATE, "{TOPIC} {X}", "has {X}, which is no slot; its slots are {TOPIC}, {ROLE_2}"),
        (TEMPLATE, "{TOPIC} {role_2}", "has {role_2}; write {ROLE_2}"),
        (TEMPLATE, "{TOPIC} {\nROLE_2}", "has {\nROLE_2}; write {ROLE_2}"),
        (TEMPLATE, "{{TOPIC}}", "has {{TOPIC}}; write {TOPIC}"),
        (TEMPLATE, "{{X}} {TOPIC}", "has {X}, which is no slot; its slots are {TOPIC}, {ROLE_2}"),
        (TEMPLATE, "TOPIC", "lacks {TOPIC}; put it in"),
        (TEMPLATE, "｛TOPIC｝", "lacks {TOPIC}; put it in"),
        (TEMPLATE, "", "is empty; write its text"),
        (TEMPLATE, " \n", "is empty; write its text"),
        (TEMPLATE, "{TOPIC}\x1b", "has the character U+001B; take it out"),
        (TEMPLATE, "{TOPIC}\ud800", "has the character U+D800; take it out"),
        (ANGLED_TEMPLATE, "<question> <question>", "has <question> and <question> in one line; "),
        (ANGLED_TEMPLATE, "<questions>", "has <questions>, which is no slot; <question> is"),
        (ANGLED_TEMPLATE, "{QUESTION}", "has {QUESTION}, which is no slot; its slots are "),
        (ANGLED_TEMPLATE, "question", "lacks <question>; put it in"),
    ],
)
def test_a_mistake_is_told(adapter: TypeAdapter[str], text: str, complaint: str):
    with pytest.raises(ValidationError) as caught:
        adapter.validate_python(text)
    assert str(caught.value.errors()[0]["ctx"]["error"]).startswith(complaint)


class Anything:
    def read(self, text: str) -> Parsed[str]:
        return Parsed(text)


def debate(first: str, again: str) -> Steps:
    """Two turns, the second of which shows the first."""
    said = first
    for number in (1, 2):
        repair = partial(lambda prompt, problems: (Message("user", prompt + problems[0]),), again)
        place = (number, "A1", "speaker", f"round {number}", "m")
        call = Call(
            *place, (Message("user", said),), Anything(), repair, Decoding(0.0, 9), purpose="debate"
        )
        (turn,) = yield [call]
        said = turn.text


def test_calls_are_made_up_from_what_each_expects_or_from_what_is_said():
    shown = [call.messages[0].content for call in assumed_calls(debate("x", "y"))]
    assert shown == ["x", "\ue000"]
    told = assumed_calls(debate("x", "y"), lambda call: f"{call.round_label}!")
    assert [call.messages[0].content for call in told] == ["x", "round 1!"]
    assert list(assumed_calls(nothing())) == []


def nothing() -> Steps:
    yield from ()


@pytest.mark.parametrize(("first", "again"), [("a {B}", "x"), ("x", "a {B}")])
def test_a_slot_that_is_left_is_told(first: str, again: str):
    with pytest.raises(ResourceError) as caught:
        check_filled(assumed_calls(debate(first, again)), "p.yaml")
    assert str(caught.value) == (
        "p.yaml: what speaker is told in round 1 still has {B}, which nothing fills; take it out."
    )


def test_angle_brackets_are_slots_only_where_they_are():
    check_filled(assumed_calls(debate("a <b>", "x")), "p.yaml")
    with pytest.raises(ResourceError, match="still has <b>"):
        check_filled(assumed_calls(debate("a <b>", "x")), "p.yaml", ANGLED)
