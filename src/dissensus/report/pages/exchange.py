"""A quoted exchange: what a speaker of a study's first debate said, and who answered it how."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyarrow import Table, array, string
from pyarrow.compute import equal, invert, is_in

from dissensus.report.escaping import html
from dissensus.report.labels import language_tag
from dissensus.tables.artefact import read

Row = Mapping[str, Any]
#: Who said what: two lines.
Lines = Sequence[tuple[str, str]]
#: What a study chooses by: turns of a session, and its rows of each artefact.
Stated = Callable[[Sequence[Row], Mapping[str, Sequence[Row]]], Lines]

#: Characters of a line, which has whole sentences where the first is no longer.
_MOST = 240
#: Words that a quotation has at least, so that a name in quotation marks is none.
_LEAST_QUOTED = 4
_QUOTED = re.compile(r"[“\"'‘«]([^“”\"'‘’«»]+)[”\"'’»]")
_SENTENCE = re.compile(r"[^.!?。！？]+[.!?。！？]*[”\"'’»]?\s*")


@dataclass(frozen=True)
class Exchange:
    """Two speakers of one session.

    Attributes
    ----------
    session_id : of the session.
    lines : who said what, the answer second.
    tag : of the language of both for HTML; "" where it is that of the page.
    asked : what is debated; "" where that is unknown.
    """

    session_id: str
    lines: Lines
    tag: str = ""
    asked: str = ""


def exchange_of(
    folder: Path, stated: Stated | None, aside: Sequence[str], reads: Sequence[str]
) -> Exchange | None:
    """The exchange of the first session, by name, that came to its end and has one.

    Parameters
    ----------
    folder : of the study.
    stated, aside, reads : the choice, what is no speech, and what is read, as
        :class:`~dissensus.report.declared.Reader` declares them; None for :func:`quoted`.
    """
    turns, outcomes = (read(folder / f"{name}.parquet") for name in ("turns", "outcomes"))
    turns = turns.filter(invert(is_in(turns["role"], array(aside, string()))))
    spoken = set(turns["session_id"].unique().to_pylist())
    ended = zip(outcomes["session_id"].to_pylist(), outcomes["complete"].to_pylist(), strict=True)
    beside = {each: read(folder / f"{each}.parquet") for each in reads} if stated else {}
    for name in sorted(name for name, complete in ended if complete and name in spoken):
        rows = _of(turns, name)
        if stated:
            lines = stated(rows, {each: _of(table, name) for each, table in beside.items()})
        else:
            lines = quoted([(str(row["speaker"]), str(row["text"])) for row in rows])
        language = str(rows[0].get("language") or "")
        if lines:
            told = [(speaker, _cut(words)) for speaker, words in lines]
            return Exchange(name, told, language_tag(language) if language else "")
    return None


def quoted(speeches: Lines) -> Lines:
    """The first speech that quotes an earlier one of somebody else, below the sentence it quotes.

    Where none quotes, the first speech after the middle that another speaker gives, below the one
    before it. Nothing of texts that are made for programs.
    """
    told = [
        (speaker, text)
        for speaker, text in speeches
        if text.strip() and not text.lstrip().startswith("{")
    ]
    for place, (speaker, text) in enumerate(told):
        for sentence in _SENTENCE.finditer(text):
            for words in map(_bare, _QUOTED.findall(sentence[0])):
                for earlier, said in told[:place]:
                    if earlier == speaker or len(words.split()) < _LEAST_QUOTED:
                        continue
                    source = next((s for s in _SENTENCE.findall(said) if words in _bare(s)), "")
                    if source:
                        return [(earlier, _cut(source)), (speaker, _cut(text[sentence.start() :]))]
    pairs = [(one, two) for one, two in pairwise(told) if one[0] != two[0]]
    for one, two in pairs[len(pairs) // 2 :]:
        return [(speaker, _cut(text)) for speaker, text in (one, two)]
    return []


def shown(exchange: Exchange | None, address: str) -> Iterator[str]:
    """The exchange in HTML; nothing without one.

    Parameters
    ----------
    address : of the session in the reader, HTML already.
    """
    if exchange is None:
        return
    tag = f' lang="{html(exchange.tag)}"' if exchange.tag else ""
    yield f'<blockquote class="exchange"{tag}>'
    asked = f" <i>{html(exchange.asked)}</i>" if exchange.asked else ""
    yield f'<p><a href="{address}">{html(exchange.session_id)}</a>{asked}</p>'
    for speaker, words in exchange.lines:
        yield f"<p><b>{html(speaker)}</b> {html(words)}</p>"
    yield "</blockquote>"


def _of(table: Table, name: str) -> list[dict[str, Any]]:
    return list(table.filter(equal(table["session_id"], name)).to_pylist())


def _bare(text: str) -> str:
    """Words alone, so that marks and an ellipsis at the end of a quotation are no difference."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _cut(text: str) -> str:
    """Whole sentences from the beginning; of a longer first one, whole words."""
    kept = ""
    for sentence in _SENTENCE.findall(" ".join(text.split())):
        if len(kept) + len(sentence.rstrip()) > _MOST:
            break
        kept += sentence
    if kept.strip():
        return kept.strip()
    return f"{' '.join(text.split())[:_MOST].rsplit(maxsplit=1)[0]} …"
