"""How one simulated speaker puts things: phrases of their own, none twice in a speech."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from .material import terms

_MOTION = re.compile(r"^This House (?:would|should|will) (?P<what>.+?)[.!]?$", re.IGNORECASE)


#: Stands for a thing where no word for it was found.
NOTHING = "that"


class Voice:
    """Picks phrases: of every list, the half that a speaker's name stands for, by draw."""

    def __init__(self, name: str, rng: np.random.Generator) -> None:
        self.name, self.rng = name, rng
        self.used: set[str] = set()

    def say(self, ways: Sequence[str], **slots: str) -> str:
        """One of some phrases, its slots filled; not one that was said, while there is another."""
        if slots.get("term") == NOTHING:
            ways = [way for way in ways if "{term}" not in way] or ways
        preferred = sorted(ways, key=self._rank)[: (len(ways) + 1) // 2 + 1]
        fresh = [way for way in preferred if way not in self.used]
        fresh = fresh or [way for way in ways if way not in self.used] or preferred
        way = fresh[int(self.rng.integers(len(fresh)))]
        self.used.add(way)
        return way.format(**slots)

    def _rank(self, way: str) -> str:
        return sha256(f"{self.name}\n{way}".encode()).hexdigest()


def motion_of(motion: str) -> str:
    """What the House would do, as it follows "to"."""
    match = _MOTION.match(motion)
    if match:
        return re.sub(r"\bits\b", "our", match["what"])
    return f"carry the motion “{motion}”" if motion else "carry it"


def term_in(text: str, rng: np.random.Generator) -> str:
    """One of the things that a sentence is about; :data:`NOTHING` where none is found."""
    named = terms(text)
    return named[int(rng.integers(len(named)))] if named else NOTHING


_HONORIFIC = re.compile(r"^(?:Dr|Prof|Mr|Mrs|Ms)\b")


def surname(name: str) -> str:
    """How somebody is called who was named before: the last name, after Dr or the like."""
    title = _HONORIFIC.match(name)
    last = name.rsplit(" ", 1)[-1]
    return f"{title[0]} {last}" if title else last
