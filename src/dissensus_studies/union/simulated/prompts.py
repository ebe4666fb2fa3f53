"""Reading the prompts of the union study: what is asked, by whom, and on what material."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from dissensus.llm.call import Message

#: Kind of call -> how a line of its instructions begins that no other has. Words of models and of
#: documents begin no line of a prompt, so that they are never taken for instructions.
_KINDS = {
    "style": r"Below are samples of what .+ Describe how",
    "prepare": r"Write .+ private notes for the debate: the arguments",
    "speech": r"[^:\n]+ speaks for the \w+\. This is speech",
    "extract": r"List its arguments in the order",
    "offer": r"A point of information may be offered",
    "answer": r"[^:\n]+ with a point of information, and",
    "definitions": r"That was the first speech for the \w+\. Take down how it defines the motion",
    "contest": r"That was the first speech for the \w+\. Take down what it makes of these",
    "memo": r"You coach",
    "rubric": r"Score that speech alone",
    "recalibrate": r"Compare the speeches with each other",
    "claims": r"That was speech \d+\. List every substantive claim",
    "rebuttals": r"List every rebuttal",
    "blind": r"Decide which team debated better",
    "labelled": r"Decide which side debated better",
    "cluster": r"Name what they have in common",
}
_KIND = re.compile(
    f"^(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _KINDS.items())})", re.MULTILINE
)
#: Stands at the end of a prompt that is repeated.
_AGAIN = "\nThat reply cannot be used"
#: Searches from an equals sign to the next, not from letter to letter.
_DIVIDER = re.compile(r"=====(?<=^=====)$\n?", re.MULTILINE)
_HEADING = re.compile(
    r"^## (?:Speech (?P<number>\d+): (?P<speaker>.+), (?P<side>proposition|opposition)"
    r"|Team (?P<slot>[AB]), speech (?P<slot_number>\d+)"
    r"|(?P<other>.*))$",
    re.MULTILINE,
)
#: A line of the speaker's style has a colon before the words of the corpus.
_SPEAKS = re.compile(
    r"^(?P<speaker>[^:\n]+?) speaks for the (?P<side>proposition|opposition)\b", re.M
)
_MOTION = re.compile(r"^(?:The motion is|.*on this motion): (?P<motion>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """A speech in a transcript; ``who`` is its speaker, and ``side`` its side, slot or label."""

    number: int
    who: str
    side: str
    text: str


@dataclass(frozen=True)
class Prompt:
    """A prompt, read.

    Attributes
    ----------
    kind : what is asked; "" where that is unknown.
    told : the instructions, without the material.
    material : what stands between lines of five equals signs, in order.
    again : whether a reply before was refused.
    """

    kind: str
    told: str
    material: tuple[str, ...]
    again: bool

    def part(self, number: int) -> str:
        """A piece of material; "" where there is none."""
        return self.material[number] if number < len(self.material) else ""

    @property
    def speaker(self) -> str:
        return self._said(_SPEAKS, "speaker")

    @property
    def side(self) -> str:
        return self._said(_SPEAKS, "side")

    @property
    def motion(self) -> str:
        return self._said(_MOTION, "motion")

    def _said(self, pattern: re.Pattern[str], group: str) -> str:
        """What the instructions have there; "" where they have nothing of the kind."""
        match = pattern.search(self.told)
        return match[group] if match else ""


def read_prompt(messages: Sequence[Message]) -> Prompt:
    """Read the messages: the last of the user's is the prompt, and says if a reply was refused."""
    asked = next((message.content for message in reversed(messages) if message.role == "user"), "")
    pieces = _DIVIDER.split(asked)
    told = "\n".join(pieces[0::2])
    match = _KIND.search(told)
    kind = str(match.lastgroup) if match else ""
    material = tuple(piece.strip("\n") for piece in pieces[1::2])
    return Prompt(kind, told, material, _AGAIN in f"\n{told}")


@lru_cache(maxsize=256)
def transcript(text: str) -> tuple[Entry, ...]:
    """The speeches of a transcript, without points of information."""
    headings = list(_HEADING.finditer(text))
    ends = [match.start() for match in headings[1:]] + [len(text)]
    entries = []
    for heading, end in zip(headings, ends, strict=False):
        number = heading["number"] or heading["slot_number"]
        if number:
            who = heading["speaker"] or ""
            side = heading["side"] or heading["slot"]
            entries.append(Entry(int(number), who, side, text[heading.end() : end].strip()))
    return tuple(entries)
