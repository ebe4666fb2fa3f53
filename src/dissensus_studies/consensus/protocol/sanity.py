"""The session that checks the agents of a domain: every question, asked of all of them at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from string import ascii_uppercase
from typing import Any

from dissensus.session.protocol import (
    PLACEHOLDER,
    Call,
    Decoding,
    Parsed,
    ReplyFormat,
    Steps,
)
from dissensus.session.templates import render, repaired

from ..replies import SpeechFormat
from ..sanity.questions import OPEN, Question
from ..sanity.wording import SanityWords
from .spec import Persona, asked_as

_LETTER = re.compile(r"^[ \t*_#]*answer[ \t*_]*:[ \t*_(]*([A-Z])\b", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class LetterFormat:
    """A reply with one line such as ``Answer: B``; ``letters``: those that may be chosen."""

    letters: str

    def read(self, text: str) -> Parsed[str]:
        """The letter; None where there is none, or there are several."""
        letters = {letter.upper() for letter in _LETTER.findall(text)} & set(self.letters)
        if len(letters) != 1:
            problem = f"there is no one line 'Answer:' with one of {', '.join(self.letters)}"
            return Parsed(None, (problem,))
        return Parsed(letters.pop())


@dataclass(frozen=True)
class Sanity:
    """Whom to ask what.

    Attributes
    ----------
    words : the wording.
    agents : name -> persona.
    questions : in the order in which they are asked.
    model, decoding : of the agents.
    """

    words: SanityWords
    agents: Mapping[str, Persona]
    questions: Sequence[Question]
    model: str
    decoding: Decoding

    def start(self) -> Callable[[], Steps]:
        """What runs one attempt at the session."""
        return self._steps

    def _steps(self) -> Steps:
        for number, question in enumerate(self.questions, start=1):
            yield [self._call(number, question, agent) for agent in self.agents]

    def _call(self, number: int, question: Question, agent: str) -> Call:
        format: ReplyFormat[Any] = SpeechFormat()
        prompt, expected = render(self.words.open, QUESTION=question.question), PLACEHOLDER
        if question.kind != OPEN:
            options = question.options(agent)
            letters = ascii_uppercase[: len(options)]
            lines = [f"{letter}. {option}" for letter, option in zip(letters, options, strict=True)]
            prompt = render(self.words.choice, QUESTION=question.question, OPTIONS="\n".join(lines))
            format, expected = LetterFormat(letters), "Answer: A"
        messages = asked_as(self.agents[agent], prompt.rstrip("\n"))
        return Call(
            number,
            agent,
            question.kind,
            question.id,
            self.model,
            messages,
            format,
            partial(repaired, messages, self.words.repair),
            self.decoding,
            "sanity",
            required=False,
            expected=expected,
        )
