"""Private notes: the points of a speaker and the sentences around them, each to be said once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, zip_longest

from .cues import plain
from .material import can_be_claimed, can_begin, content, sentences
from .voice import motion_of

_ORDER = "Points to make: "
#: Words of a sentence that does not stand alone.
_FEW = 5
_NUMBERED = re.compile(r"(\d+): (.+)")


@dataclass
class Notes:
    """What a speaker has to say.

    Attributes
    ----------
    points : what may be claimed, in the order in which it shall be.
    passages : of sentences, in their order.
    claimable : how many of the points are from the corpus.
    used : what is said already, or kept for a claim; nothing is said twice.
    """

    points: list[str]
    passages: list[list[str]]
    claimable: int
    used: set[str] = field(default_factory=set)

    @staticmethod
    def order(numbers: Sequence[int]) -> str:
        """The line of notes that says in which order the points shall be made."""
        return f"{_ORDER}{', '.join(map(str, numbers))}"

    def keep(self, texts: Iterable[str]) -> None:
        """Keep sentences for claims: no run of the notes says them."""
        self.used.update(texts)

    def run(self, start: str) -> Iterator[str]:
        """What the passage of a sentence says after it, until something is said already."""
        passage = next((each for each in self.passages if start in each), [])
        after = passage[passage.index(start) + 1 :] if passage else []
        for sentence, following in zip_longest(after, after[1:], fillvalue=""):
            # A few words before what is said elsewhere only lead up to it.
            leads_up = following in self.used and len(sentence.split()) <= _FEW
            if sentence in self.used or leads_up:
                return
            self.used.add(sentence)
            yield sentence

    def nearest(self, text: str) -> str:
        """The point not yet said that shares most words with a text; it is said now."""
        words = content(text)
        free = [point for point in self.points if point not in self.used]
        return self._say(max(free, key=lambda point: len(words & content(point)), default=""))

    def opening(self, phrases: Sequence[str]) -> str:
        """A point to begin with: one that one of some phrases is near to, or else the last."""
        free = [point for point in reversed(self.points) if point not in self.used]
        typical = [
            point
            for point in free
            if any(phrase in self._around(point).casefold() for phrase in phrases)
        ]
        return self._say(next(iter([*typical, *free]), ""))

    def rest(self) -> list[str]:
        """What a passage has that is not said yet, two sentences at least, from one on that does
        not lean on what stands before it; nothing where there is no such passage.
        """
        for passage in self.passages:
            left = list(dropwhile(lambda sentence: not can_begin(sentence), self._unsaid(passage)))
            if len(left) > 1:
                self.used.update(left)
                return left
        return []

    def _unsaid(self, passage: Sequence[str]) -> list[str]:
        return [sentence for sentence in passage if sentence not in self.used]

    def closing(self, phrases: Sequence[str]) -> list[str]:
        """How the speaker takes leave: the end of a passage that has one of some phrases.

        No run of the notes says it, nor such an end of another passage.
        """
        ends = [
            passage
            for passage in self.passages
            if passage and any(phrase in passage[-1].casefold() for phrase in phrases)
        ]
        free = [passage[-1] for passage in ends if passage[-1] not in self.used]
        self.used.update(free)
        return free[:1]

    def _around(self, point: str) -> str:
        passage = next((each for each in self.passages if point in each), [point])
        place = passage.index(point)
        return " ".join(passage[place : place + 3])

    def _say(self, point: str) -> str:
        if point:
            self.used.add(point)
        return point


def read_notes(private: str, motion: str) -> Notes:
    """Notes as they were written; of others, the sentences that can be claimed, and, where there
    are none, the motion itself.
    """
    order: list[str] = []
    sentence_of: dict[str, str] = {}
    passages: list[list[str]] = []
    for passage in private.split("\n\n"):
        numbered = [match for line in passage.splitlines() if (match := _NUMBERED.fullmatch(line))]
        for line in passage.splitlines():
            if line.startswith(_ORDER):
                order += line.removeprefix(_ORDER).split(", ")
        sentence_of |= {match[1]: match[2] for match in numbered}
        passages.append([match[2] for match in numbered])
    points = list(dict.fromkeys(sentence_of[number] for number in order if number in sentence_of))
    if not points:
        passages = [list(sentences(private))]
        points = [sentence for sentence in passages[0] if can_be_claimed(sentence)]
    made = points or [plain(f"I stand by what the motion says, which is to {motion_of(motion)}.")]
    return Notes(made, passages, max(len(points), 1))
