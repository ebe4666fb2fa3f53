"""Sentences of English and Chinese prose."""

from __future__ import annotations

import re

_HAN = r"\u3007\u3400-\u9fff\U00020000-\U0003ffff"
# A full stop ends a sentence only before white space or the end, so that decimals, and dots
# inside a name, do not; Chinese marks end one wherever they stand, and so do half-width marks
# typed between Chinese words. Closing quotes stay with theirs.
_END = re.compile(
    rf"""(?:[.!?]+["'”’)\]]*(?=\s|$)"""
    rf"""|[。！？…]+["'”’」』）]*"""
    rf"""|[!?]+["'”’」』）]*(?=[{_HAN}])|(?<=[{_HAN}])\.["'”’」』）]*(?=[{_HAN}]))"""
)
# A single capital is an initial, but "I" is a word that ends many a sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Gov|Gen|Sen|vs|e\.g|i\.e|cf|U\.S|U\.K|U\.N|E\.U)"
    r"|\b[A-HJ-Z])\.$"
)
# These may end a sentence too: the next word's capital tells.
_CLOSING_ABBREVIATION = re.compile(r"\b(?:etc|al|approx|Inc|Ltd|Jr|Sr)\.$")
# "No." is an answer unless a number follows.
_NUMERO = re.compile(r"\bNos?\.$")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, trimmed, in order.

    Splits at ``. ! ?`` before white space (or between Han characters) and at ``。！？…``; not after
    common abbreviations and single initials, nor after a quotation that its sentence goes on from
    in lower case. Words after the last mark count as a sentence of their own. Joined, the
    sentences hold every character of the text but white space.
    """
    sentences: list[str] = []
    start = 0
    for mark in _END.finditer(text):
        if _goes_on(text[start : mark.end()], text[mark.end() :].lstrip()):
            continue
        piece = text[start : mark.end()].strip()
        if piece:
            sentences.append(piece)
        start = mark.end()
    rest = text[start:].strip()
    return [*sentences, rest] if rest else sentences


def _goes_on(before: str, after: str) -> bool:
    """Whether the mark that closes `before` stands inside a sentence that `after` continues."""
    if not after:
        return False
    if _ABBREVIATION.search(before):
        return True
    if _NUMERO.search(before):
        return after[0].isdigit()
    if _CLOSING_ABBREVIATION.search(before):
        return not after[0].isupper()
    return before[-1] in "\"'”’)]" and after[0].islower()
