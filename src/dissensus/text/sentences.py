"""Sentences of prose: of English and Chinese, and of what writes spaces and marks as they do.

Tested are Arabic and Korean besides.
"""

from __future__ import annotations

import re

_HAN = r"\u3007\u3400-\u9fff\U00020000-\U0003ffff"
# A full stop ends a sentence only before white space or the end, so that decimals, and dots
# inside a name, do not; Chinese marks end one wherever they stand, and so do half-width marks
# typed between Chinese words. Closing quotes stay with theirs.
# The marks come first of all, so that the search need not try every alternative at every letter. A
# run of marks is tried once, from its first: from every one of them, a heap would take minutes.
_END = re.compile(
    rf"""[.!?؟۔。！？…](?:(?<=[.!?؟۔])(?<![.!?؟۔][.!?؟۔])[.!?؟۔]*+["'”’»)\]]*+(?=\s|$)"""
    rf"""|(?<=[。！？…])[。！？…]*+["'”’」』）]*+"""
    rf"""|(?<=[!?])(?<![!?][!?])[!?]*+["'”’」』）]*+(?=[{_HAN}])"""
    rf"""|(?<=[{_HAN}]\.)["'”’」』）]*+(?=[{_HAN}]))"""
)
# A single capital is an initial, but "I" is a word that ends many a sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Gov|Gen|Sen|vs|e\.g|i\.e|cf|U\.S|U\.K|U\.N|E\.U)"
    r"|\b[A-HJ-Z])\.$"
)
# These may end a sentence too: the next word's capital tells.
_CLOSING_ABBREVIATION = re.compile(r"\b(?:etc|al|approx|Inc|Ltd|Jr|Sr)\.$")
# A single letter of Arabic before a full stop stands for a title or a name.
_ARABIC_INITIAL = re.compile(r"(?<![\u0620-\u06ff])[\u0621-\u064a]\.$")
# "No." is an answer unless a number follows.
_NUMERO = re.compile(r"\bNos?\.$")
# What is looked at before a full stop: the longest abbreviation and a character more.
_REACH = 8
_SEEN = re.compile(r"\S")
_CLOSERS = "\"'”’»」』）)]"
# A sentence goes on with these, in whichever language: what they follow was inside it.
_JOINING = frozenset("，,،、；;؛：:—–-")
_OPENERS = frozenset("\"'“‘«「『（(")
_ASKING = frozenset("?!؟？！")
_MARKS = frozenset(".!?؟۔。！？…")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, trimmed, in order.

    Splits at ``. ! ? ؟`` before white space (or between Han characters) and at ``。！？…``; not
    after common abbreviations and single initials, nor after a quotation or bracket that its
    sentence goes on from: with a comma or another joining mark; in lower case; or, in Han,
    which has no case, at once after a question or exclamation inside it. So parallel texts have
    equally many sentences. Words after the last mark count as a sentence of their own. Joined, the
    sentences hold every character of the text but white space.
    """
    sentences: list[str] = []
    start, first = 0, _SEEN.search(text)
    for mark in _END.finditer(text):
        alone = first is not None and first[0] in "(（"
        if _goes_on(text, max(start, mark.end() - _REACH), mark.end(), alone):
            continue
        piece = text[start : mark.end()].strip()
        if piece:
            sentences.append(piece)
        start, first = mark.end(), _SEEN.search(text, mark.end())
    rest = text[start:].strip()
    return [*sentences, rest] if rest else sentences


def _goes_on(text: str, start: int, end: int, alone: bool) -> bool:
    """Whether the mark that ends at `end` stands inside a sentence that the text goes on with.

    The words before the mark are looked for from `start` on; `alone`: whether the sentence began
    with a bracket.
    """
    after = _SEEN.search(text, end)
    if not after:
        return False
    last = text[end - 1]
    if after[0] in _JOINING:
        return True
    if last == ".":
        if _ABBREVIATION.search(text, start, end) or _ARABIC_INITIAL.search(text, start, end):
            return True
        if _NUMERO.search(text, start, end):
            return after[0].isdigit()
        if _CLOSING_ABBREVIATION.search(text, start, end):
            return not after[0].isupper()
    if last not in _CLOSERS:
        return False
    marked = text[start:end].rstrip(_CLOSERS)[-1:]
    at_once = after.start() == end
    # A bracket that its sentence began with holds a sentence of its own.
    asked = at_once and marked in _ASKING and not (alone and last in ")）")
    if asked and after[0] not in _OPENERS:
        return True
    return after[0].islower() or after[0] in _MARKS
