"""A text in pieces that overlap, for search."""

from __future__ import annotations

import re
from typing import NamedTuple

# Where a piece may end, the best place first: behind an empty line, a line, a sentence, a word.
# A run of marks is looked at once, from its first: a text may have nothing else.
_ENDS = (
    re.compile(r"\n[^\S\n]*\n\s*"),
    re.compile(r"\n\s*"),
    re.compile(
        r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+\s+"
        r"|(?<![。！？…])[。！？…]++[\"'”’」』）]*+\s*"
    ),
    re.compile(r"\s+"),
)


class Chunk(NamedTuple):
    """A piece of a text, and the place of its first character."""

    start: int
    text: str


def chunk(text: str, most: int = 1000, overlap: int = 200) -> list[Chunk]:
    """Cut a text into pieces in its order.

    A piece ends behind the last paragraph that it has room for; where there is none, behind the
    last line, sentence or word, or where it is full. The next begins inside it, behind the first
    such place in its last ``overlap`` characters, or with these.

    Parameters
    ----------
    text : of any script.
    most : characters of a piece.
    overlap : most characters that two pieces in a row share.

    Returns
    -------
    Pieces that are slices of the text and together have all of it; none of an empty text.

    Raises
    ------
    ValueError : ``overlap`` is negative, or not less than ``most``.
    """
    if not 0 <= overlap < most:
        raise ValueError(f"overlap is {overlap}; it must be at least 0 and less than most, {most}.")
    chunks: list[Chunk] = []
    start = 0
    while start < len(text):
        # Behind the overlap, so that each piece brings something new.
        end = len(text) if len(text) - start <= most else _end(text, start + overlap, start + most)
        chunks.append(Chunk(start, text[start:end]))
        if end == len(text):
            break
        start = _next_start(text, end - overlap, end)
    return chunks


def _end(text: str, least: int, full: int) -> int:
    """Where a piece ends: behind ``least`` and not behind ``full``."""
    for pattern in _ENDS:
        places = [mark.end() for mark in pattern.finditer(text, least, full)]
        if places:
            return places[-1]
    return full


def _next_start(text: str, least: int, end: int) -> int:
    """Where the piece after one that ends at ``end`` begins: not before ``least``."""
    end_of_text = len(text[least:end].rstrip()) + least
    for patterns in (_ENDS[:3], _ENDS[3:]):
        # From one before, whose end may be the very place.
        marks = [
            mark.end() for each in patterns for mark in each.finditer(text, least - 1, end_of_text)
        ]
        places = [place for place in marks if place < end_of_text]
        if places:
            return min(places)
    return least
