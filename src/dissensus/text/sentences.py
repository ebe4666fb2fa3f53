"""Sentences of English and Chinese prose."""

from __future__ import annotations

import re

# A full stop ends a sentence only before white space or the end, so that decimals, and dots
# inside a name, do not; Chinese marks end one wherever they stand. Closing quotes stay with theirs.
_END = re.compile(r"""(?:[.!?]+["'”’)\]]*(?=\s|$)|[。！？…]+["'”’」』）]*)""")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|cf|No|U\.S|U\.K|U\.N|E\.U)|\b[A-Z])\.$"
)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, trimmed, in order.

    Splits at ``. ! ?`` before white space and at ``。！？…``; not after common abbreviations and
    single initials. Words after the last mark count as a sentence of their own.
    """
    sentences: list[str] = []
    start = 0
    for mark in _END.finditer(text):
        if _ABBREVIATION.search(text[start : mark.end()]) and mark.end() < len(text.rstrip()):
            continue
        piece = text[start : mark.end()].strip()
        if piece:
            sentences.append(piece)
        start = mark.end()
    rest = text[start:].strip()
    return [*sentences, rest] if rest else sentences
