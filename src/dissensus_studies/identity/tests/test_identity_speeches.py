"""Simulated agents answer the opinions that they are shown, and what they work out is so."""

from __future__ import annotations

import csv
import re
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from debate_reading import Speech, first_lines, share
from dissensus.llm.call import Message
from scripted import ROOT, default_configuration

from .. import simulated
from ..design.banks import write_question
from ..measures.reading import parse_answer
from ..protocol import Prompts

SPEECH = default_configuration()["models"]["identity-deferring"]["speech"]
FILES = [ROOT / "resources" / "questions" / f"{name}.csv" for name in ("choice", "numeric")]
PROMPTS = Prompts.read(ROOT / "studies" / "identity" / "prompts" / "debate.yaml")
LETTERS = "ABCD"
AGENTS, ROUNDS = 3, 2


class Said(NamedTuple):
    """A response: to what, after which of its own, and to which opinions in their order."""

    question: dict[str, str]
    kind: str
    round: int
    text: str
    own: str
    opinions: tuple[str, ...]

    def answer(self, text: str) -> str:
        options = [self.question[letter] for letter in LETTERS] if self.kind == "choice" else []
        return parse_answer(text, self.kind, 4, options)


@cache
def said() -> tuple[Said, ...]:
    """Debates on every question under names and without them, by the default run's agents."""
    speech = {**SPEECH, "questions": [str(path) for path in FILES], "unparsable_rate": 0.05}
    found = []
    for path in FILES:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for number, row in enumerate(rows):
            kind = path.stem
            options = [row[letter] for letter in LETTERS] if kind == "choice" else []
            asked = write_question(kind, row["question"], options)
            named = number % 2 == 0
            rng = np.random.default_rng(number)

            def ask(prompt: str, rng: np.random.Generator = rng) -> str:
                messages = [Message("user", prompt)]
                return simulated.speak(messages, {"speech": speech}, rng)

            last = [ask(PROMPTS.opening(asked)) for _ in range(AGENTS)]
            found += [Said(row, kind, 0, text, "", ()) for text in last]
            for round_ in range(1, ROUNDS + 1):
                now = []
                for place, own in enumerate(last):
                    others = [*last[:place], *last[place + 1 :]] if named else last
                    prompt = (
                        PROMPTS.vanilla(asked, own, others)
                        if named
                        else PROMPTS.alike("anonymized", asked, others)
                    )
                    text = ask(prompt)
                    found.append(Said(row, kind, round_, text, own if named else "", tuple(others)))
                    now.append(text)
                last = now
    return tuple(found)


def first(text: str) -> str:
    return re.split(r"(?<=\.) (?=[A-Z{])", text)[0]


def test_a_later_response_says_which_opinion_it_answers_and_what_that_comes_to() -> None:
    """Each number is that of an opinion shown, and the answer named with it is that opinion's."""
    named = []
    for one in said():
        if not one.round:
            continue
        numbers = [int(n) for n in re.findall(r"\b[Oo]pinion (\d)", first(one.text))]
        assert all(1 <= number <= len(one.opinions) for number in numbers)
        answers = {one.answer(one.opinions[number - 1]) for number in numbers}
        for answer in answers:
            label = f"({answer})" if one.kind == "choice" else answer
            assert answer and label in first(one.text)
        answered = {one.answer(text) for text in one.opinions} - {""}
        named.append(bool(numbers) or not answered or one.answer(one.text) not in answered)
    assert len(named) > 500 and share(named) > 0.99


def test_a_response_argues_for_its_own_answer() -> None:
    """What it comes to at its end is named at its beginning, and what it moves from is not kept."""
    for one in said():
        answer = one.answer(one.text)
        if not answer:
            continue
        label = f"({answer})" if one.kind == "choice" else answer
        assert label in first(one.text)
        before = one.answer(one.own) if one.own else ""
        if before:
            kept = re.search(r"I stay|I keep to|I hold to|keep to it", first(one.text))
            assert bool(kept) == (before == answer), one.text


def test_what_is_worked_out_is_so() -> None:
    worked = 0
    for one in said():
        for working, result in re.findall(
            r"(?:working is|out it is) (.+?), (?:which|and that) comes to ([^ ]+?)\.(?= |$)",
            one.text,
        ):
            assert re.fullmatch(r"[\d\s.()*/+%-]+", working)
            exact = eval(working, {"__builtins__": {}})  # of digits and signs alone
            assert float(result) == pytest.approx(exact, abs=0.006)
            worked += 1
    assert worked > 50


def test_what_an_agent_says_that_it_has_said_is_what_it_has_said() -> None:
    """In round 1 the counts are those of the opinions in its prompt, and of its own."""
    counted = 0
    for one in said():
        if one.round != 1:
            assert one.round or "have said" not in one.text
            continue
        pattern = r"I myself have said (.*?); from others I have read (.*?)\.(?= |$)"
        blind = r"the opinions that I was shown have said (.*?)\.(?= |$)"
        match = re.search(pattern if one.own else blind, one.text)
        assert match
        groups = match.groups()
        shown = [[one.own], one.opinions] if one.own else [one.opinions]
        for text, texts in zip(groups, shown, strict=True):
            answers = sorted(filter(None, map(one.answer, texts)))
            assert spelled(text) == answers
            counted += 1
    assert counted > 300


def spelled(text: str) -> list[str]:
    found = re.findall(r"([^\s,()]+) \((once|\d+ times)\)", text)
    times = [(name, 1 if n == "once" else int(n.split()[0])) for name, n in found]
    return sorted(name for name, n in times for _ in range(n))


def test_first_lines_are_many() -> None:
    speeches = [Speech(str(n), one.round, "", one.text) for n, one in enumerate(said())]
    counted = first_lines(speeches)
    assert counted["distinct first lines"] > 0.7
    assert counted["twelve commonest first lines"] < 0.05
