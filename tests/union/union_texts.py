"""Simulated speeches read by their words alone, without the code that writes and reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

KINDS = {
    "There is a source for it, and it can be checked.": "evidence_backed",
    "There is a reason for it that both sides must accept.": "principled",
    "I ask you to see it as I do.": "assertion",
}
EXACT = "I can be exact about it."
LOGIC = "Look at how that reasoning is made, and where it breaks."
NEW = "And here is something that was left out."
FALLEN = "So that point does not stand."
NEXT = "My next point is the answer."
_POINT, _TOLD = " point is this. ", " told us: “"


@dataclass(frozen=True)
class Claimed:
    """A claim of a speech; ``speech`` counts from 1."""

    speech: int
    side: str
    text: str
    kind: str
    specific: bool


@dataclass(frozen=True)
class Answered:
    """An answer to a quoted claim; ``by`` is the claim that makes it, "" where none does."""

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


@dataclass(frozen=True)
class Said:
    claims: list[Claimed]
    answers: list[Answered]


def said_in(speech: Mapping[str, Any]) -> Said:
    """The claims and answers of a row of the artefact speeches."""
    paragraphs = speech["text"].split("\n\n")
    claims, answers = [], []
    for place, paragraph in enumerate(paragraphs):
        if paragraph.startswith("My ") and _POINT in paragraph:
            claims.append(_claim(speech, paragraph))
        elif _TOLD in paragraph:
            answers.append(_answer(speech, paragraph, paragraphs[place + 1 :]))
    return Said(claims, answers)


def _claim(speech: Mapping[str, Any], paragraph: str) -> Claimed:
    rest = paragraph.partition(_POINT)[2]
    cue = min((one for one in KINDS if one in rest), key=rest.index)
    text, _, after = rest.partition(f" {cue}")
    exact = after.startswith(f" {EXACT}")
    return Claimed(speech["speech"], speech["side"], text, KINDS[cue], exact)


def _answer(speech: Mapping[str, Any], paragraph: str, later: Sequence[str]) -> Answered:
    name, _, rest = paragraph.partition(_TOLD)
    quote, _, after = rest.partition("”")
    by = _claim(speech, later[0]).text if NEXT in after else ""
    bits = (LOGIC in after, NEW in after, FALLEN in after)
    about = (speech["speech"], speech["side"], speech["speaker"])
    return Answered(*about, name, quote, *bits, by)


def fates_of(said: Sequence[Said]) -> dict[str, str]:
    """Text of each claim of a debate -> survives, contested or demolished.

    A claim is out where a demolition of it stands: one that no claim makes, or whose claim is in.
    """
    claims = {one.text: one for speech in said for one in speech.claims}
    answers = [one for speech in said for one in speech.answers]

    def is_in(text: str) -> bool:
        return not any(
            one.quote == text and one.logic and one.undermines and (not one.by or is_in(one.by))
            for one in answers
        )

    met = {one.quote for one in answers if one.points}
    return {
        text: ("contested" if text in met else "survives") if is_in(text) else "demolished"
        for text in claims
    }
