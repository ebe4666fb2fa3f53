"""Figures as parts of a page, so that their marks can say their values."""

from __future__ import annotations

import re

from dissensus.report.escaping import html

_HEAD = re.compile(r"\A.*?(?=<svg )", re.DOTALL)
#: What a page has of itself: the title and the words would be said wherever the pointer is.
_OWN = re.compile(
    r"<title>[^<]*</title>\s*<desc>[^<]*</desc>\s*|<metadata>.*?</metadata>\s*"
    r"|<style[^>]*>.*?</style>\s*",
    re.DOTALL,
)
_SIZE = re.compile(r' (?:width|height)="[^"]*"')
_ID = re.compile(r'(?<= id=")|(?<=xlink:href="#)|(?<=url\(#)')


def inline(svg: str, name: str, words: str) -> str:
    """A figure of :func:`dissensus.report.style.save_svg` as a part of a page.

    Parameters
    ----------
    name : of the figure; begins the names of its parts, which no other figure may have.
    words : that stand for it.
    """
    begin, end, rest = _HEAD.sub("", svg).partition(">")
    begin = _SIZE.sub("", begin).replace(' role="img"', f' role="img" aria-label="{html(words)}"')
    return begin + end + _ID.sub(f"{name}-", _OWN.sub("", rest))
