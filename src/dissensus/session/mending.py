"""JSON that is nearly valid, mended in time that is linear in its length.

The mender looks ahead from many a sign, some of them to the end of the text, and may begin anew
after each. So what it looks at is counted, and one that looks at too much is stopped. It also looks
at all that it has made of a list at each further bracket: a text with very many is none to mend.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, SupportsIndex

import json_repair

#: Looks at a character that a mender may take for each of the text, and for a text at all. What
#: models write takes 4.
_LOOKS_EACH, _LOOKS_AT_LEAST = 24, 2_000
#: Brackets and braces that open, of a text that is mended; what models write has some 100. And its
#: letters: the mender copies a text that it reads at each of them.
_MOST_OPENINGS, _LONGEST = 1_000, 100_000


class TooMuchWorkError(Exception):
    """A text that cannot be mended in time."""


@dataclass
class Work:
    """The looks that are left for one reply, however often parts of it are mended."""

    left: int

    @classmethod
    def of(cls, text: str) -> Work:
        """What mending a text may take."""
        return cls(_LOOKS_EACH * len(text) + _LOOKS_AT_LEAST)

    def take(self, looks: int) -> None:
        """Count some looks; TooMuchWorkError where none are left."""
        self.left -= looks
        if self.left < 0:
            raise TooMuchWorkError


class _Counted(str):
    """A text that counts who looks at it, and so do the texts that are made of its beginning."""

    work: Work

    def __getitem__(self, where: SupportsIndex | slice) -> str:
        part = str.__getitem__(self, where)
        self.work.take(len(part) or 1)
        # The mender puts signs into its text: what is before them, they, and what is after.
        is_beginning = isinstance(where, slice) and not where.start
        return counted(part, self.work) if is_beginning else part

    def __add__(self, other: str) -> str:
        return counted(str.__add__(self, other), self.work)

    def __iter__(self) -> Iterator[str]:
        self.work.take(len(self))
        return str.__iter__(self)


def counted(text: str, work: Work) -> str:
    """A text that counts who looks at it."""
    made = _Counted(text)
    made.work = work
    return made


def mended(text: str, work: Work) -> Any:
    """What a text's JSON says, mended where it is not valid.

    Raises
    ------
    TooMuchWorkError : that would take longer than what is left of the work.
    ValueError, RecursionError : it is none, or too deep.
    """
    if len(text) > _LONGEST or text.count("[") + text.count("{") > _MOST_OPENINGS:
        raise TooMuchWorkError
    return json_repair.loads(counted(text, work))
