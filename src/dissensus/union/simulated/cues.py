"""The phrases by which a simulated speech says what it does, written and read back.

A claim begins with "My first point is this." and is the sentence after it. An answer quotes the
claim after "told us:". What stands between are sentences of the speaker's own corpus.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "last")
KIND_CUES = {
    "evidence_backed": "There is a source for it, and it can be checked.",
    "principled": "There is a reason for it that both sides must accept.",
    "assertion": "I ask you to see it as I do.",
}
SPECIFIC_CUE = "I can be exact about it."
GUARDED_CUE = "And what is said against it I have met already."
LOGIC_CUE = "Look at how that reasoning is made, and where it breaks."
NEW_CUE = "And here is something that was left out."
UNDERMINES_CUE = "So that point does not stand."
#: Ends an answer that the next claim of the speech makes.
BY_CUE = "My next point is the answer."

_CLAIM = re.compile(
    rf"My (?:{'|'.join(ORDINALS)}) point is this\. (?P<text>[^\n]+?) "
    rf"(?P<kind>{'|'.join(map(re.escape, KIND_CUES.values()))})(?P<specific> {SPECIFIC_CUE})?"
    rf"(?P<guarded> {GUARDED_CUE})?"
)
#: It begins where a sentence does, so that the search does not begin anew at every letter.
_ANSWER = re.compile(
    r"(?<![^\n.!?“”])(?P<name>[^\n.!?“”]+) told us: “(?P<quote>[^”\n]*)”(?P<rest>[^\n]*)"
)
_KINDS = {cue: kind for kind, cue in KIND_CUES.items()}


@dataclass(frozen=True)
class ReadClaim:
    """A claim of a speech; ``guarded``: objections are met in advance; ``at``: where it begins."""

    text: str
    kind: str
    specific: bool
    guarded: bool
    at: int


@dataclass(frozen=True)
class ReadAnswer:
    """An answer to a quoted claim; ``by`` counts the claims of the speech from 1, 0 where none."""

    quote: str
    logic: bool
    new: bool
    undermines: bool
    by: int


@dataclass(frozen=True)
class ReadSpeech:
    claims: tuple[ReadClaim, ...]
    answers: tuple[ReadAnswer, ...]
    words: int


def claim(number: int, text: str, kind: str, specific: bool, guarded: bool = False) -> str:
    """The sentences of a claim; ``number`` counts from 0."""
    ordinal = ORDINALS[min(number, len(ORDINALS) - 1)]
    exact = f" {SPECIFIC_CUE}" if specific else ""
    met = f" {GUARDED_CUE}" if guarded else ""
    return f"My {ordinal} point is this. {plain(text)} {KIND_CUES[kind]}{exact}{met}"


def answer(name: str, quote: str, bits: Mapping[str, bool], *, by_claim: bool) -> list[str]:
    """The sentences of an answer, between which others may come."""
    return [
        f"{name} told us: “{quote}”",
        *([LOGIC_CUE] if bits["logic"] else []),
        *([NEW_CUE] if bits["new"] else []),
        *([UNDERMINES_CUE] if bits["undermines"] else []),
        *([BY_CUE] if by_claim else []),
    ]


def plain(text: str) -> str:
    """A sentence as it can stand in a claim and be quoted: one line, no quotation marks."""
    return " ".join(re.sub(r"[“”\"]", "", text).split())


@lru_cache(maxsize=512)
def read(text: str) -> ReadSpeech:
    """What a speech does, by its cues."""
    claims = tuple(
        ReadClaim(
            match["text"],
            _KINDS[match["kind"]],
            bool(match["specific"]),
            bool(match["guarded"]),
            match.start(),
        )
        for match in _CLAIM.finditer(text)
    )
    answers = []
    for match in _ANSWER.finditer(text):
        rest = match["rest"]
        after = [number for number, claim in enumerate(claims, 1) if claim.at > match.start()]
        by = after[0] if after and BY_CUE in rest else 0
        logic, new, undermines = (cue in rest for cue in (LOGIC_CUE, NEW_CUE, UNDERMINES_CUE))
        answers.append(ReadAnswer(match["quote"], logic, new, undermines, by))
    return ReadSpeech(claims, tuple(answers), len(text.split()))
