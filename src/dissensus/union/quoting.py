"""Texts of others as they stand in a prompt: they may say anything, and forge no part of it.

Entries of a transcript begin with ``##``, material ends with a line of equals signs, and lists have
an entry a line. A text that has such lines of its own would pass for another speaker's words.
"""

from __future__ import annotations

import re
import unicodedata

#: What is put before a line that looks like a part of the prompt: the line is quoted.
QUOTED = "> "
#: How the lines begin that prompts and transcripts are divided by, without space between.
_DIVIDES = ("##", "===")
#: All characters that are, or in their plain form have, one of those that divide.
_MARK = re.compile("[#=\u207c\u208c\u2a74\u2a75\u2a76\ufe5f\ufe66\uff03\uff1d]")


def block(text: str) -> str:
    """A text of many lines, of which none can be taken for a heading or for a line of ``=====``.

    Such lines are quoted, and keep their words. Lines may end as Unicode has it; a mark is known in
    spite of white space, of characters that are not seen, and in full width. All other lines stay
    as they are. Doing it twice changes nothing more.
    """
    if not _MARK.search(text):
        return text
    return "".join(
        QUOTED + line if _MARK.search(line) and _divides(line) else line
        for line in text.splitlines(keepends=True)
    )


def one_line(text: str) -> str:
    """A text as an entry of a list: its words on one line, with single spaces between."""
    return " ".join(text.split())


def _divides(line: str) -> bool:
    if line.isspace() or (line[:1].isascii() and line[:1].isalnum()):
        # As nearly all lines are; none that divides is.
        return False
    shown = (
        character
        for character in unicodedata.normalize("NFKC", line)
        # White space and separators, control and format characters, and marks on letters.
        if unicodedata.category(character)[0] not in "ZCM"
    )
    start = "".join(character for character, _ in zip(shown, range(3), strict=False))
    return start.startswith(_DIVIDES)
