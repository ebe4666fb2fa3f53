"""Heaps of signs, breaks and braces: every reader of a reply ends, in time that grows as the text.

What read them before took from 4 s to a minute for one of these texts; all together take some 2 s.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from dissensus.llm.thought import split_thought
from dissensus.report.escaping import csv_cell, markdown, rst
from dissensus.session.format_rules import SpeechRules
from dissensus.session.quoting import block, one_line, quoted
from dissensus.session.replies import JsonReply
from dissensus_studies.consensus.replies import BallotFormat, SpeechFormat
from dissensus_studies.deliberation.turns import parse_turn
from dissensus_studies.identity.measures.reading import parse_answer, parse_leniently
from marking import thorough_but

HEAPS = (
    *("\n" * 100_000, "\r" * 100_000, "\u2028" * 100_000, " " * 100_000, "{" * 100_000),
    *('{"' * 10_000, '{"' * 50_000, "}{" * 10_000, '}{"' * 7_000, "(" * 10_000 + "'" * 10_000),
    *(" " * 50_000 + '{"stance":' * 5_000, '{"stance":' * 2_000, "[" * 20_000, "\\" * 20_000),
    *("```" * 30_000, "(A)" * 30_000, "\\boxed{" * 15_000, "{final answer: " * 6_000),
    *("1," * 50_000, "Vote: " * 16_000, "\nVote: Agree" * 8_000, "Dr. " * 25_000, "-\n" * 50_000),
    *('{"claims": [{"text": "' + piece * 15_000 for piece in ("[x]: y\n", "...", "{a}: b, ")),
)


class Anything(BaseModel):
    answer: int


READERS: dict[str, Callable[[str], Any]] = {
    "speech": SpeechRules(5, 50, "latin").read,
    "Chinese speech": SpeechRules(5, 50, "hans").read,
    "object": JsonReply(Anything).read,
    "turn": lambda text: parse_turn(text, ("a", "b")),
    "choice": lambda text: parse_answer(text, "choice", 4),
    "lenient": lambda text: parse_leniently(text, "choice", 4),
    "thought": split_thought,
    "number": lambda text: parse_answer(text, "numeric", 0),
    "ballot": BallotFormat().read,
    "secret": SpeechFormat((2,)).read,
    **{"quoted": quoted, "block": block, "one line": one_line},
    **{"csv": csv_cell, "markdown": markdown, "rst": rst},
}


#: The readers that :mod:`test_linear_reading` knows are timed there, in quick tests too.
@pytest.mark.parametrize("name", thorough_but(READERS, "turn", "choice", "quoted", "csv"))
def test_no_heap_holds_a_reader_up(name: str) -> None:
    began = time.process_time()
    for heap in HEAPS:
        READERS[name](heap)
        READERS[name](f"x{heap}x")
    assert time.process_time() - began < 30
