"""Placeholders that say how long the text is, at most, that will stand in their place.

Before a run, prompts are rendered with :data:`dissensus.session.protocol.PLACEHOLDER` for whatever
nobody has said yet. One that has a size counts so many tokens in the estimate of the cost.
"""

from __future__ import annotations

import json
import math
import re

from dissensus.session.protocol import PLACEHOLDER

#: How JSON may write a placeholder.
_IN_JSON = json.dumps(PLACEHOLDER)[1:-1]
#: Digits that no text has, of hundredths of a token.
_ZERO = 0xF000
_DIGITS = {ord(str(digit)): chr(_ZERO + digit) for digit in range(10)}
_NUMBER = f"[{chr(_ZERO)}-{chr(_ZERO + 9)}]*"
#: Stands between a size and the number of the reply that the text is of.
_OF_REPLY = chr(_ZERO + 10)
_SIZED = re.compile(f"{PLACEHOLDER}({_NUMBER})(?:{_OF_REPLY}({_NUMBER}))?")


def sized(text: str, tokens: float, reply: int = 0) -> str:
    """A text that has at most so many tokens, as its placeholders say, each an equal part of them.

    A text without placeholders, and one whose placeholders have sizes, stays as it is.

    Parameters
    ----------
    reply : its number, by which it is told from others.
    """
    text = text.replace(_IN_JSON, PLACEHOLDER)
    sizes = [size for size, _ in _SIZED.findall(text)]
    if not sizes or any(sizes):
        return text
    size = str(math.ceil(100 * tokens / len(sizes))).translate(_DIGITS)
    number = _OF_REPLY + str(reply).translate(_DIGITS) if reply else ""
    return text.replace(PLACEHOLDER, PLACEHOLDER + size + number)


def written_out(text: str, default: float, share: float, token: int) -> str:
    """A text with made-up words where its placeholders stand, other words for each reply.

    Parameters
    ----------
    default : tokens of a placeholder without a size.
    share : of a placeholder's tokens that there will be.
    token : letters of one.
    """

    def words(match: re.Match[str]) -> str:
        tokens = share * (_number(match[1]) / 100 if match[1] else default)
        return f"{match[2] or ''} ".ljust(round(token * tokens), "-")

    return _SIZED.sub(words, text)


def unsized(text: str) -> str:
    """The same text with plain placeholders."""
    return _SIZED.sub(PLACEHOLDER, text)


def shown(text: str, default: float) -> float:
    """The most tokens that a text's placeholders stand for.

    Parameters
    ----------
    default : tokens of a placeholder without a size.
    """
    sizes = (match[1] for match in _SIZED.finditer(text))
    return sum(_number(size) / 100 if size else default for size in sizes)


def _number(digits: str) -> int:
    return int("".join(str(ord(digit) - _ZERO) for digit in digits))
