"""Structured replies that no study knows: found, mended, and never an error."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import pytest

from dissensus.session.protocol import Parsed
from dissensus.session.replies import JsonReply, Lenient, PartialReply, encodable, find_object
from marking import thorough_but

KEYS = ("vote", "why")
HALF = "\\ud800"


class Vote(Lenient):
    vote: bool
    why: str = ""


@dataclass(frozen=True)
class Noted:
    word: str
    problems: tuple[str, ...]


def test_the_last_object_of_a_reply_is_read_into_its_model() -> None:
    text = 'I was asked for {"vote": "..."}. Mine is {"vote": true, "why": "so"}'
    assert JsonReply(Vote).read(text) == Parsed(Vote(vote=True, why="so"))
    assert JsonReply(Vote).read(f"{text} {text}") == Parsed(Vote(vote=True, why="so"))


def test_two_objects_that_differ_are_neither() -> None:
    text = 'Another said {"vote": false, "why": "so"}. Mine is {"vote": true, "why": "so"}'
    read = JsonReply(Vote).read(text)
    assert read == Parsed(None, ("The reply has several JSON objects, and they differ.",))


def test_a_truth_value_is_no_number() -> None:
    class Scored(Lenient):
        score: float
        place: int = 0

    assert JsonReply(Scored).read('{"score": "7"}') == Parsed(Scored(score=7))
    for text in ('{"score": true}', '{"score": 7, "place": false}'):
        read = JsonReply(Scored).read(text)
        assert read.value is None and "is no number" in read.problems[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("No object.", "The reply has no JSON object."),
        ('{"vote": "perhaps"}', "vote: Input should be a valid boolean"),
        ('{"why": "so"}', "vote: Field required."),
    ],
)
def test_what_cannot_be_read_has_a_problem_and_no_value(text: str, problem: str) -> None:
    found = JsonReply(Vote).read(text)
    assert found.value is None
    assert found.problems[0].startswith(problem)


@pytest.mark.parametrize("depth", [50, 600, 5000])
def test_depth_is_no_error(depth: int) -> None:
    nested = '{"vote": ' + "[" * depth + "]" * depth + "}"
    JsonReply(Vote).read(nested)
    find_object(nested, KEYS)


#: What makes a mender slow, as a reply that never comes to an end.
ENDLESS = ('{"a" ', '{"' + "'a\" ", '["a" ', "{", "[", '{"vote": ', '{"vote": [', '"', "\\", "{]")


@pytest.mark.parametrize("part", ENDLESS)
def test_a_megabyte_of_marks_is_read_in_no_time(part: str) -> None:
    text = part * (1_000_000 // len(part))
    began = time.process_time()
    assert JsonReply(Vote).read(text).value is None
    find_object(text, KEYS)
    assert time.process_time() - began < 10


@pytest.mark.parametrize("times", thorough_but((0, 1, 2_000, 20_000), 0, 1, 2_000))
def test_a_long_reply_is_read_as_a_short_one_is(times: int) -> None:
    words = "Words, and {braces}. " * times
    said = f'{words}\n```json\n{{"vote": "..."}}\n```\n{{}}\n{{"vote": true, "why": "so"}} {words}'
    assert JsonReply(Vote).read(said) == Parsed(Vote(vote=True, why="so"))
    assert JsonReply(Vote).read(f'{words}{{"vote": true, why: so').value is None


def test_not_all_faults_of_a_reply_are_sent_back() -> None:
    class Votes(Lenient):
        votes: list[Vote]

    read = JsonReply(Votes).read(json.dumps({"votes": ["x"] * 5000}))
    assert read.value is None and len(read.problems) == 10
    assert read.problems[0].startswith("votes.0: ")


def test_half_a_character_is_none_anywhere() -> None:
    text = f'{{"vote": true, "why": "half {HALF} of one"}}'
    vote = JsonReply(Vote).read(text).value
    assert vote is not None and vote.why.encode()
    found = find_object(text, KEYS)
    assert found is not None and json.dumps(found.members, ensure_ascii=False).encode()
    assert encodable(["\ud800", {"\ud800": 1}]) == ["?", {"?": 1}]


def test_a_cut_off_object_is_mended_and_said_to_be_cut() -> None:
    found = find_object('Reasons. {"vote": true, "why": "beca', KEYS)
    assert found is not None and not found.is_whole
    assert found.around == "Reasons." and found.members["vote"] is True


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ('{"vote": true, "why": "whole"}', True),
        ('[see below {1]\n{"vote": true, "why": "a [ in a text"}', True),
        ('```json\n{"vote": true, "why": "fenced {"}\n```', True),
        ("{'vote': True, 'why': 'of Python',}", True),
        ('{"vote": true, "why": "cut', False),
        ('{"vote": true, "why": "cut"', False),
        ('{"vote": true, "why": "whole"} and {"vote": false, "why": "cut', False),
    ],
)
def test_what_is_cut_off_is_not_read(text: str, is_read: bool) -> None:
    read = JsonReply(Vote).read(text)
    assert (read.value is not None) == is_read
    assert bool(read.problems) != is_read


def test_a_partial_reply_keeps_what_it_could_read() -> None:
    reply = PartialReply(lambda text: Noted(text.upper(), ("too short",)))
    assert reply.read("x") == Parsed(Noted("X", ("too short",)), ("too short",))
