"""Tokens of chat templates at the ends of a reply, by their shape: no table has all of them."""

from __future__ import annotations

import re

from dissensus.llm.marks import Marks

#: Tokens that no table knows, by their shape; none that ends anything.
_TOKEN = (
    r"<[|｜][^\s<>|｜/]{1,40}[|｜]>|\[[|｜][\w-]{1,40}[|｜]\]"
    r"|<(?:eo[a-z]|_end|_?bot|sep|pad|unk|cls|(?:end|beginning)_of_\w{1,20}|reserved_?\d{1,4}"
    r"|extra_id_\d{1,4}|tokens_unused_\d{1,4})>|\[(?:unused_token_\d{1,4}|sep|pad|eos|cls)\]"
    r"|</?assistant>"
)
_STRAY = re.compile(_TOKEN, re.IGNORECASE)
#: Some of them at the end of a text, after the end of a sentence, of a line or of a word.
_STRAY_END = re.compile(
    r"""(?:(?<=[^\s`'"“‘«(\[])|(?<=[.!?。！？…”’)\]])[ ]{1,3}|(?<=\n)[ \t]{0,3}|\A)"""
    rf"(?:{_TOKEN})(?:\s{{0,3}}(?:{_TOKEN})){{0,5}}\s*\Z",
    re.IGNORECASE,
)
#: Characters at an end of a text in which stray tokens are looked for, and how many at its begin.
_MOST_STRAY, _MOST_LEAD = 300, 6
#: What follows the name of the model where its turn begins, and what a token.
_ENDS_ROLE = re.compile(r"[ \t]{0,9}(?:\n|[<\[]|name=)")
_MARGIN = re.compile(r"[ \t]*[:：]?\s*")


def without_lead(reply: str, marks: Marks) -> str:
    """A reply without the tokens by which a template lets the model begin, whatever they are."""
    first = place = len(reply) - len(reply.lstrip())
    is_own = False
    for _ in range(_MOST_LEAD):
        known = marks.find(reply[place : place + _MOST_STRAY])
        kind, _, end = known[0] if known and not known[0][1] else ("", 0, 0)
        found = _STRAY.match(reply, place) if not kind else None
        if not (kind or found) and place > first:
            # The name of a role stands on a line of its own, or between two tokens.
            found = marks.itself.match(reply, place)
            found = found if found and _ENDS_ROLE.match(reply, found.end()) else None
        if kind not in ("", "own", "stop") or not (kind or found):
            break
        end = found.end() if found else place + end
        is_own = is_own or kind == "own" or bool(marks.itself.search(reply, place, end))
        place = _MARGIN.match(reply, end).end()  # type: ignore[union-attr]
    return reply[place:] if is_own else reply


def without_end(text: str) -> str:
    """A text without the tokens that end it, where they end a sentence, a line or a word."""
    stray = _STRAY_END.search(text, max(0, len(text) - _MOST_STRAY))
    return text[: stray.start()].rstrip() if stray else text
