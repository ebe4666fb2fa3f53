"""Simulated speeches read by their words alone, without the code that writes and reads them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..simulated.phrases import PHRASES

#: A sentence, to its first mark that ends one.
_SENTENCE = re.compile(r"(?P<sentence>.+?[.!?])(?: |$)")


@dataclass(frozen=True)
class Claimed:
    """A claim of a speech; ``speech`` counts from 1."""

    speech: int
    side: str
    text: str
    kind: str
    specific: bool
    guarded: bool


@dataclass(frozen=True)
class Answered:
    """An answer to words of a claim; ``by`` is the claim that makes it, "" where none does."""

    speech: int
    side: str
    speaker: str
    name: str
    quote: str
    logic: bool
    new: bool
    undermines: bool
    by: str

    @property
    def points(self) -> float:
        """What the tally gives for it, by the table of the specification."""
        bits = f"{self.logic:d}{self.new:d}{self.undermines:d}"
        return {"000": 0, "001": 0, "010": 0.5, "011": 0.5, "100": 0.5, "101": 2}.get(
            bits, 1.5 if bits == "110" else 2
        )

    def target(self, texts: Iterable[str]) -> str:
        """Which of some claims it answers; "" where it is none of them."""
        return next((text for text in texts if self.quote in text), "")


@dataclass(frozen=True)
class Said:
    claims: list[Claimed]
    answers: list[Answered]


def claim_text(kind: str, text: str, *, guarded: bool = False, reply: bool = False) -> str:
    """A paragraph that makes a claim of a kind."""
    lead = PHRASES.leads[kind][0]
    before = [
        *([PHRASES.replies[0]] if reply else []),
        *([PHRASES.guards[0]] if guarded else []),
        lead,
    ]
    return f"{', '.join(before).capitalize()}: {text}"


def answer_text(name: str, quote: str, bits: Mapping[str, bool]) -> str:
    """A paragraph that answers a claim."""
    said = [PHRASES.addresses[0].format(name=name, quote=quote)]
    said += [f"{PHRASES.logic[0].capitalize()}: It was so before."] if bits["logic"] else []
    said += [f"{PHRASES.new[0].capitalize()}: The town had a clerk."] if bits["new"] else []
    said += [PHRASES.fallen[0].format(name=name, term="the clerk")] if bits["undermines"] else []
    return " ".join(said)


def said_in(speech: Mapping[str, Any]) -> Said:
    """The claims and answers of a row of the artefact speeches."""
    return _said_in(speech["text"], speech["speech"], speech["side"], speech["speaker"])


# Several tests of a file read the same debates.
@cache
def _said_in(text: str, number: int, side: str, speaker: str) -> Said:
    paragraphs, about = text.split("\n\n"), (number, side)
    claims, answers = [], []
    for place, paragraph in enumerate(paragraphs):
        claim, address = _claim(about, paragraph), _address(paragraph)
        if claim:
            claims.append(claim)
        elif address:
            following = paragraphs[place + 1] if place + 1 < len(paragraphs) else ""
            is_made = any(following.lower().startswith(f"{one}, ") for one in PHRASES.replies)
            by = _claim(about, following) if is_made else None
            answers.append(
                Answered(
                    *about,
                    speaker,
                    *address,
                    logic=_says(paragraph, "logic"),
                    new=_says(paragraph, "new"),
                    undermines=_says(paragraph, "undermines"),
                    by=by.text if by else "",
                )
            )
    return Said(claims, answers)


def _claim(about: tuple[int, str], paragraph: str) -> Claimed | None:
    """The claim that a paragraph begins with."""
    for kind, lead in _leads():
        found = lead.match(paragraph)
        sentence = _SENTENCE.match(paragraph[found.end() :]) if found else None
        if found and sentence:
            text = sentence["sentence"]
            guarded = any(guard in found["prefix"].lower() for guard in PHRASES.guards)
            exact = re.search(r"\d|(?<=[a-z,;] )[A-Z][a-z]+", text) is not None
            return Claimed(*about, text, kind, exact, guarded)
    return None


@cache
def _leads() -> list[tuple[str, re.Pattern[str]]]:
    """Kinds of claim, with what one of each may begin with."""
    found = []
    for kind, leads in PHRASES.leads.items():
        for lead in leads:
            before, _, after = lead.partition("{term}")
            slot = "[^:.]+?" if "{term}" in lead else ""
            own = f"{re.escape(before)}{slot}{re.escape(after)}"
            pattern = re.compile(rf"(?P<prefix>(?:[^:.,]+, )*){own}: ", re.IGNORECASE)
            found.append((kind, pattern))
    return found


def _address(paragraph: str) -> tuple[str, str] | None:
    """Who is answered in a paragraph, and which words of theirs."""
    tried = (one.match(paragraph) for one in _addresses())
    found = next((one for one in tried if one), None)
    return (found["name"], found["quote"]) if found else None


@cache
def _addresses() -> list[re.Pattern[str]]:
    slots = {"name": "(?P<name>[^“”.:]+?)", "quote": "(?P<quote>[^“”]+)"}
    return [re.compile(_filled(one, slots)) for one in PHRASES.addresses]


def _says(paragraph: str, bit: str) -> bool:
    if bit != "undermines":
        leads = PHRASES.logic if bit == "logic" else PHRASES.new
        return any(f"{lead}: " in paragraph.lower() for lead in (one.lower() for one in leads))
    last = paragraph.rsplit(".", 2)[-2] + "." if paragraph.count(".") > 1 else paragraph
    return any(re.fullmatch(verdict, last.strip(" ”")) for verdict in verdicts())


@cache
def verdicts() -> list[str]:
    """The sentences by which an argument falls, as patterns with whose it is and what it is on."""
    slots = {"name": "(?P<name>[^“”:]+?)", "term": "(?P<term>.+?)"}
    return [_filled(one, slots) for one in PHRASES.fallen]


def _filled(template: str, slots: Mapping[str, str]) -> str:
    """A phrase with a pattern in each of its slots."""
    pieces = re.split(r"\{(\w+)\}", template)
    return "".join(
        slots[piece] if place % 2 else re.escape(piece) for place, piece in enumerate(pieces)
    )


def fates_of(said: Sequence[Said]) -> dict[str, str]:
    """Text of each claim of a debate -> survives, contested or demolished.

    A claim is out where a demolition of it stands: one that no claim makes, or whose claim is in.
    """
    claims = {one.text: one for speech in said for one in speech.claims}
    answers = [(one, one.target(claims)) for speech in said for one in speech.answers]

    def is_in(text: str) -> bool:
        return not any(
            target == text and one.logic and one.undermines and (not one.by or is_in(one.by))
            for one, target in answers
        )

    met = {target for one, target in answers if one.points}
    return {
        text: ("contested" if text in met else "survives") if is_in(text) else "demolished"
        for text in claims
    }
