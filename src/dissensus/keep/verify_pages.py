"""Whether pages still say what the tables have: sentences come after a run is closed.

Somebody who writes another number into a page, and seals it anew, leaves the table as it was, or
has all tables to make anew.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from math import isfinite
from pathlib import Path
from typing import Any

from dissensus.errors import ArtefactError
from dissensus.keep.verified import Verified
from dissensus.report.facts import FACTS, SETTINGS
from dissensus.report.findings import FINDINGS
from dissensus.tables.artefact import read

_HIDDEN = re.compile(r"<(script|style)\b")
_TAG = re.compile(r"<[^<>]+>")
_NUMBER = re.compile(r"[+−-]?(?:(?<![\d,])[\d,]+)?\.?\d+")
#: Findings that a figure alone shows.
_DRAWN = "bar"
#: Findings that the front page shows, too.
_ON_CARDS = ("card", "but")
_ROUNDING = 1e-9
_MEND = "delete it and start again: pages and their sentences are made again from the tables"
Row = Mapping[str, Any]


def verify_pages(results: Path, studies: Sequence[str], verified: Verified) -> None:
    """Compare the sentences of pages with the tables that they are of.

    Parameters
    ----------
    results : folder of the run.
    studies : their names; one without findings has no pages yet.
    verified : has a finding for each file that says something else. Files that are damaged are
        findings already.
    """
    front = results / "index.html"
    for folder in (results / name for name in studies):
        facts, findings = folder / "facts.parquet", folder / "findings.parquet"
        if not (facts.is_file() and findings.is_file()):
            continue
        try:
            stated, said = read(facts, FACTS).to_pylist(), read(findings, FINDINGS).to_pylist()
        except ArtefactError:
            continue
        for sentence in _of_facts(folder, stated):
            verified.find(facts, f"{facts}: {sentence}; {_MEND}.")
        for sentence in _of_sentences(stated, said):
            verified.find(findings, f"{findings}: {sentence}; {_MEND}.")
        for page, kinds in ((folder / "index.html", None), (front, _ON_CARDS)):
            if page.is_file() and (lacking := _lacking(page, said, kinds)):
                verified.find(page, f"{page} lacks “{lacking}”, which {findings} has; {_MEND}.")


def _of_facts(folder: Path, stated: Sequence[Row]) -> Iterator[str]:
    """Numbers of single cells that are not those of their artefact, or not as they are printed."""
    tables: dict[str, list[Row]] = {}
    for fact in stated:
        if fact["statistic"] or fact["value"] is None or fact["artefact"] == SETTINGS:
            continue
        name, column, key = fact["artefact"], fact["column"], json.loads(fact["key"])
        path = folder / f"{name}.parquet"
        if name not in tables:
            try:
                tables[name] = read(path).to_pylist() if path.is_file() else []
            except ArtefactError:
                tables[name] = []
        rows = [row for row in tables[name] if all(row.get(of) == key[of] for of in key)]
        if len(rows) != 1 or not isinstance(rows[0].get(column), int | float):
            # It is of the whole run, or an expression.
            continue
        there, value = float(rows[0][column]), float(fact["value"])
        if abs(there - value) > _ROUNDING * max(1.0, abs(there)):
            yield f"{fact['sentence']} states {value:g} for {column} of {name}, which has {there:g}"
        elif not is_printed(fact["printed"], value * float(fact["times"])):
            yield f"{fact['sentence']} prints {fact['printed']} for {column} of {name}, {value:g}"


def is_printed(printed: str, value: float) -> bool:
    """Whether a text has a number, rounded to the digits that it prints; true of one without."""
    found = _NUMBER.search(printed)
    if not found or not isfinite(value) or found[0] != printed.strip("$%~<> "):
        return True
    text = found[0].replace("−", "-").replace(",", "")
    decimals = len(text.partition(".")[2])
    # A sign may stand before it in the sentence.
    nearest = min(abs(float(text) - value), abs(float(text) - abs(value)))
    return nearest <= 0.5 * 10.0**-decimals * (1.0 + _ROUNDING) + _ROUNDING


def _of_sentences(stated: Sequence[Row], said: Sequence[Row]) -> Iterator[str]:
    """Sentences without the numbers that are stated of them, in their order."""
    numbers: defaultdict[str, list[str]] = defaultdict(list)
    for fact in sorted(stated, key=lambda fact: (fact["sentence"], fact["place"])):
        numbers[fact["sentence"]].append(fact["printed"])
    for row in said:
        at = 0
        for printed in numbers[f"finding:{row['place']}"]:
            at = row["sentence"].find(printed, at)
            if at < 0:
                yield f"finding {row['place']} lacks {printed}, which facts.parquet has of it"
                break
            at += len(printed)


def _lacking(page: Path, said: Sequence[Row], kinds: Sequence[str] | None) -> str:
    """The first sentence that a page should have and has not; "" where it has all."""
    text = _without_hidden(page.read_text("utf-8", errors="replace"))
    shown = " ".join(unescape(_TAG.sub("", text)).split())
    for row in said:
        sentence = " ".join(row["sentence"].split())
        is_meant = row["kind"] != _DRAWN if kinds is None else row["kind"] in kinds
        if is_meant and sentence not in shown:
            return sentence
    return ""


def _without_hidden(text: str) -> str:
    """A page without its scripts and styles, up to one that has no end."""
    pieces, past = [], 0
    while begin := _HIDDEN.search(text, past):
        end = text.find(f"</{begin[1]}>", begin.end())
        if end < 0:
            break
        pieces.append(text[past : begin.start()])
        past = end + len(f"</{begin[1]}>")
    return "".join([*pieces, text[past:]])
