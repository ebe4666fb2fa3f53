"""The words of others as they stand in a prompt: they may say anything, and forge no part of it.

Every study shows what a model or a document said through this room alone. Which form it takes
depends on what the prompt's own lines look like: :func:`quoted` marks every line, :func:`block`
only those that could pass for a line of the prompt, and :func:`one_line` leaves no second line.
All of them break up the tokens by which chat templates part one message from the next.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import chain, islice

from dissensus.text.seen import as_seen

#: How a quoted line begins, and no line that a prompt has of its own.
MARK = "> "
#: How lines begin that divide a prompt into its parts: headings, and the ends of material.
DIVIDERS = ("##", "===")
#: Letters by which a line of a prompt is known.
_HEAD = 24
_HEAD_ENDS = re.compile(r"[:：]|\{[A-Z_]+\}|<[^<>\n]{2,}>")
#: Where a token of a chat template could begin or end: ``<|im_start|>``, ``<｜User｜>``.
#: or ``[|user|]``.
_ENDS = re.compile(r"[<＜\[](?=[|｜])|[|｜](?=[>＞\]])")
#: Tags of HTML, which set no part of a prompt apart. ``<s>`` begins a text.
_TYPE = (
    "[biupq]|em|strong|br|ul|ol|li|h[1-6]|code|pre|hr|div|span|table|t[rdh]|su[bp]|del|ins|small|"
    "blockquote|title|a|img|html|head|body|script|style|link|meta|form|button|iframe|svg|details"
)
#: What else has the shape of a token: a name between angles (``<bos>``, ``<seed:bos>``,
#: ``<SPECIAL_10>``, ``<<SYS>>``), one in capitals between brackets (``[INST]``, ``[gMASK]``),
#: lozenges, and brackets with a tilde (``]~b]``, ``[e~[``).
_NAMED = re.compile(
    rf"[<＜](?!(?i:/?(?:{_TYPE})/?>))(?=[<＜]?/?(?:[sS]|[^\W\d][\w:.▁-]{{1,40}})/?[>＞])"
    r"|\[(?=/?(?:[a-z]?[A-Z]{2}[A-Z\d_]{0,28}"
    r"|(?i:inst|think|system_prompt|available_tools|tool_calls|tool_results))\])"
    r"|\](?=~!?\w{1,9}[\[\]])|\[(?=e~\[)|◁(?=/?[^\s◁▷]{1,40}▷)"
)
#: One of them is in every token.
_SIGNS = ("<", "[", "|", "]~", "｜", "＜", "◁")
#: Letters that look like others, or like two of them, on both sides of a comparison; and digits.
_TWINS = {"i": "l", "m": "rn", "w": "vv"}
_AS_LETTERS = str.maketrans("01", "ol")
#: A text all of whose lines are empty or begin with a plain letter or digit, as nearly all are.
_PLAIN_LINES = re.compile("\n*(?:[0-9A-Za-z][^\n\v\f\r\x1c-\x1e\x85\u2028\u2029]*(?:\n+|\\Z))*")


def quoted(text: str) -> str:
    """A text with the mark before each of its lines, wherever Unicode ends one; ends in no break.

    A speaker's heading, another's vote or an instruction that a text has in it stays a quotation.
    """
    return "\n".join(MARK + line for line in without_tokens(text).splitlines()) or MARK.rstrip()


# What was said once stands in every later prompt of its debate.
@lru_cache(maxsize=4096)
def block(text: str, heads: tuple[str, ...] = DIVIDERS) -> str:
    """A text of which no line can be taken for one that begins with a head.

    Such lines are quoted, and keep their words. Lines may end as Unicode has it. A head is known as
    a reader would: in spite of white space, of characters that are not seen, of full width and of
    letters that look like its own, and one of letters in spite of case, digits and punctuation. All
    other lines stay as they are. Doing it twice changes nothing more.

    Parameters
    ----------
    text : what was said.
    heads : how the prompt's own lines begin; see :func:`heads_of`.
    """
    signs, words = _kinds(heads)
    if not words and _PLAIN_LINES.fullmatch(text) and not _has_signs(text):
        return text
    return "".join(
        MARK + line if _is_like(line, signs, words) else line
        for line in without_tokens(text).splitlines(keepends=True)
    )


def one_line(text: str) -> str:
    """A text as an entry of a list: its words on one line, with single spaces between."""
    return " ".join(without_tokens(text).split())


def without_tokens(text: str) -> str:
    """A text with a space in every token of a chat template, which no longer is one then."""
    if not _has_signs(text):
        return text
    return _NAMED.sub(lambda match: match[0] + " ", _ENDS.sub(lambda match: match[0] + " ", text))


def _has_signs(text: str) -> bool:
    """Whether a text has a sign that is in every such token; some searches are faster than one."""
    return any(map(text.__contains__, _SIGNS))


def heads_of(*templates: str) -> tuple[str, ...]:
    """How the lines of some templates begin, up to a colon or slot; lines without letters not."""
    starts = (_HEAD_ENDS.split(line, maxsplit=1)[0] for t in templates for line in t.splitlines())
    heads = ("".join(islice(filter(str.isalpha, as_seen(start)), _HEAD)) for start in starts)
    return tuple(dict.fromkeys(head for head in heads if head))


@cache
def _kinds(heads: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Heads of signs, and those of letters, as lines are compared with them."""
    signs = tuple(head for head in heads if not _letters(head))
    return signs, tuple(_letters(head) for head in heads if _letters(head))


def _is_like(line: str, signs: tuple[str, ...], words: tuple[str, ...]) -> bool:
    if line.startswith(MARK) or line.isspace():
        return False
    plain = line[:1].isascii() and line[:1].isalnum()
    # As nearly all lines begin; none that begins with signs does.
    if signs and not plain and _signs(line).startswith(signs):
        return True
    if not words:
        return False
    return _letters(line).startswith(words) or (
        # A nought or a one within a word is a letter to who reads it.
        ("0" in line or "1" in line) and _letters(line.translate(_AS_LETTERS)).startswith(words)
    )


def _signs(line: str) -> str:
    """The first characters of a line as they are seen, without white space."""
    return "".join(islice(as_seen(line), 3))


def _letters(line: str) -> str:
    """The first letters of a line as they are seen, whatever stands between them."""
    seen = (_TWINS.get(letter, letter) for letter in as_seen(line) if letter.isalpha())
    return "".join(islice(chain.from_iterable(seen), _HEAD))
