r"""Texts of others, made safe for every format that readers get.

A speech, a provider's field, a motion, a title or a name may hold anything. Artefacts keep it as it
came; whatever writes for a reader passes each text through here, once, when it is written.

Each function gives what its format shows as the text itself, but for what no reader sees
(:mod:`dissensus.text.seen`), which becomes U+FFFD; tabs become blanks. Where a
text must stay on its line, line breaks become blanks, too.

Figures leave ``$`` alone by a setting of their look.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from html import escape
from re import Match

from dissensus.text.seen import UNSEEN, with_escapes

#: All that :meth:`str.splitlines` takes for the end of a line, as docutils does.
_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NO_WIDTH = "\u200b\u2060\ufeff"

_MARKDOWN = re.compile(
    r"""[\\`*\#~|${}]                               # always a mark, or one before another mark
    | (?<![^\W_])_ | _(?![^\W_])                    # not within a word
    | <(?=[A-Za-z/!?]) | &(?=\#?\w+;) | !(?=\[) | \](?=[\[(:])
    | :(?=//) | (?<=www)\.                          # addresses become links by themselves""",
    re.VERBOSE | re.IGNORECASE,
)
#: What begins a block: a quotation, a list, a rule or a heading's underline; a numbered list.
_BLOCK = re.compile(r"^(\s*)(?=>|[-+=](?:[-=\s]|$))|^(\s*\d+)(?=[.)](?:\s|$))")

_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_RST = re.compile(
    rf"""[\\`*|@{{]
    | (?<![^\W_])_ | _(?![^\W_])                    # the end of a reference; not within a word
    | (?<![^\s:]): | :(?!\s)                        # roles, fields, addresses, literal blocks
    | (?<!\S){_PUNCTUATION}(?={_PUNCTUATION}+(?!\S))  # directives, underlines
    | ^{_PUNCTUATION}                               # lists, options, quotations""",
    re.VERBOSE,
)
_NUMBERED = re.compile(r"\A(?=(?:\d++|[A-Za-z]|[ivxlcdm]++)[.)](?:\s|$))", re.IGNORECASE)

_NUMBER = r"[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?%?"
#: Begins like a formula and is none: a dash; a number, to another or with its interval, and a mark.
_NUMBERS = rf"(?:-|{_NUMBER}(?: to {_NUMBER}| \[{_NUMBER}, {_NUMBER}\])?(?: ?[*†‡])?)"
#: Before what a spreadsheet takes for a formula, in either width: at the beginning of a cell, and
#: where one would begin if semicolons divided them.
_SIGNS = r"[=+\-@＝＋－＠]"
# White space of a line: with that of all lines after it, a heap of breaks would take minutes.
_FORMULA = re.compile(
    rf"\A(?!\s*{_NUMBERS}\s*(?:[;\n]|\Z))(?=[\s{_NO_WIDTH}]*{_SIGNS})|"
    rf"(?<=[;\n])(?![^\S\n]*{_NUMBERS}[^\S\n]*(?:[;\n]|\Z))(?=(?:[^\S\n]|[{_NO_WIDTH}])*{_SIGNS})",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'[,;"\n]|^\s|\s$')


#: Marks of TeX; a bracket would begin an option of a line's end, and two signs become another.
_TEX = re.compile(r"[\\{}$&#%_~^<>|\[`]|-(?=-)")
_OF_TEX = {
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}"},
    **{"[": "{[}", "-": "-{}"},
}


class Rst(str):
    """What is reStructuredText already: constants of the project with texts from :func:`rst`."""

    __slots__ = ()


def plain(text: str) -> str:
    """With what no format shows replaced, and every line break the same."""
    return UNSEEN.sub("\N{REPLACEMENT CHARACTER}", _BREAK.sub("\n", text).replace("\t", " "))


def shown(text: str) -> str:
    """The same with what no reader sees written out, such as ``[U+200F]``, for who looks for it."""
    return with_escapes(_BREAK.sub("\n", text).replace("\t", " "))


def line(text: str) -> str:
    """The same on one line: for terminals, logs and marks."""
    return plain(text).replace("\n", " ")


def label(text: str, most: int = 48) -> str:
    """The same for a figure, cut to so many letters."""
    kept = line(text).strip()
    return kept if len(kept) <= most else f"{kept[: most - 1].rstrip()}…"


def markdown(text: str) -> str:
    """One line of Markdown, which may stand anywhere in a line of its own or of a table."""
    return _BLOCK.sub(r"\g<0>\\", _MARKDOWN.sub(r"\\\g<0>", line(text)))


def html(text: str) -> str:
    """Text of an element, or of an attribute in quotes."""
    return escape(plain(text))


def latex(text: str) -> str:
    """Words of one line of LaTeX, of a cell too, whose engine reads Unicode."""
    return _TEX.sub(lambda match: _OF_TEX.get(match[0], f"\\{match[0]}"), line(text))


def rst(text: str) -> Rst:
    """Words in a paragraph of reStructuredText that Snakemake fills in as a template of Jinja.

    Docutils gives up a caption with a line of 10,000 letters; so many fewer are kept.
    """
    if isinstance(text, Rst):
        return text
    marked = _RST.sub(_marked, label(text, 2000))
    return Rst("\\" + marked if _NUMBERED.match(marked) else marked)


def _marked(match: Match[str]) -> str:
    # What Jinja reads begins with a brace and the character right behind it.
    return "\\{\\ " if match[0] == "{" else f"\\{match[0]}"


def csv_cell(text: str) -> str:
    """A cell that no spreadsheet reads as a formula, in quotes where it needs them.

    OWASP's way: an apostrophe before what begins with ``=``, ``+``, ``-`` or ``@``. Numbers keep
    their signs.
    """
    cell = _FORMULA.sub("'", plain(text))
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.search(cell) else cell


def message(error: object) -> str:
    """An error's sentence, or several, a line each."""
    return "\n".join(map(line, str(error).split("\n")))


def complain(error: object) -> None:
    """Print an error where errors are printed."""
    print(message(error), file=sys.stderr, flush=True)


def say(lines: Iterable[str]) -> None:
    """Print lines of which none can move the cursor or pass for two."""
    print("\n".join(map(line, lines)), flush=True)
