"""Reads every number of a run's sentences, captions and words for figures from its artefact."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

#: Places in a debate or a run, which are names.
_PLACE = re.compile(r"\b(?:round|epoch|speech) \d+\b")
#: Numbers that are constants of a method, in the words around them.
_CONSTANTS = (
    *(
        "with 80% power",
        "at 80% power",
        "272 questions",
        "beliefs of weight 1",
        "log odds per 100 words",
    ),
    *("1 − normalised JSD", "where chance has 0 and full agreement 1", "all coached epochs (2 to"),
    *("after 1 round", "after 2 rounds", "after 3 or more"),
)
#: A number that is no part of a name, such as d001-en or P1.
_NUMBER = re.compile(r"(?<![\w.−+-])[−+-]?\d[\d,]*(?:\.\d+)?%?(?![\w-])")
Table = dict[str, Any]


def wrong_numbers(
    folder: Path,
    settings: Mapping[str, Any],
    templates: Mapping[str, str],
    words: Sequence[str] = (),
) -> list[str]:
    """What is wrong with the numbers that a study's readers see; none where all is well.

    Parameters
    ----------
    folder : of the study in the run.
    settings : what its figures and findings are given.
    templates : figure -> template of its caption, whose own numbers are constants.
    words : texts of the study with numbers in them, such as a question's.
    """
    wrong = []
    for sentence, text, allowed in _texts(folder, templates):
        left, end = "", 0
        named = _PLACE.sub(lambda place: "§" * len(place[0]), text)
        facts = _facts(folder, sentence)
        wrong += [
            f"{sentence}: {fact['printed']}: {why}"
            for fact in facts
            if (why := _mismatch(folder, settings, fact)) is not None
        ]
        placed = _placed([fact["printed"] for fact in facts], named, text)
        wrong += [f"{sentence}: {fact['printed']} is not in it" for fact in facts[len(placed) :]]
        for begin, after in placed:
            left, end = f"{left}{named[end:begin]}·", after
        left += named[end:]
        for phrase in (*allowed, *words, *_CONSTANTS):
            left = left.replace(phrase, " ")
        wrong += [f"{sentence}: {number} has no origin: {text}" for number in _NUMBER.findall(left)]
    return wrong


def _placed(printed: Sequence[str], named: str, text: str, end: int = 0) -> list[tuple[int, int]]:
    """Where what is printed stands, in the order of the text: as much of it as can be placed.

    What is printed may come twice, and may be a place in a debate, which is no number elsewhere.
    """
    if not printed:
        return []
    sign = re.compile(rf"(?<![\w.,−+-]){re.escape(printed[0])}(?!\d)")
    best: list[tuple[int, int]] = []
    ways = [found.span() for found in (sign.search(named, end), sign.search(text, end)) if found]
    for span in dict.fromkeys(ways):
        spans = [span, *_placed(printed[1:], named, text, span[1])]
        if len(spans) > len(best):
            best = spans
        if len(best) == len(printed):
            break
    return best


def _texts(folder: Path, templates: Mapping[str, str]) -> Iterator[tuple[str, str, list[str]]]:
    """Each sentence by its name, and the phrases in it whose numbers are constants."""
    for row in _rows(folder / "findings.parquet"):
        yield f"finding:{row['place']}", row["sentence"], []
    for name, template in templates.items():
        constants = [_plain(part) for part in re.split(r"\{\w+\}", template)]
        constants = [
            part for whole in constants for part in (whole, *re.split(r"(?<=[.:;]) ", whole))
        ]
        constants = sorted(filter(_NUMBER.search, constants), key=len, reverse=True)
        caption = _plain((folder / f"captions/{name}.rst").read_text("utf-8"))
        yield f"caption:{name}", caption, constants
        yield f"alternative:{name}", _words(folder / f"figures/{name}.svg"), constants


def _plain(text: str) -> str:
    """reStructuredText as it is read."""
    return " ".join(re.sub(r"\\(.)", r"\1", re.sub(r"\*", "", text)).split())


def _words(picture: Path) -> str:
    """What stands for a figure where it is not seen."""
    found = re.search("<desc>(.*?)</desc>", picture.read_text("utf-8"), re.DOTALL)
    return unescape(found[1]) if found else ""


def _rows(path: Path) -> list[Table]:
    rows: list[Table] = pq.read_table(path).to_pylist()
    return rows


def _facts(folder: Path, sentence: str) -> list[Table]:
    kind = "facts" if sentence.startswith("finding") else "figure_facts"
    return [row for row in _rows(folder / f"{kind}.parquet") if row["sentence"] == sentence]


def _mismatch(folder: Path, settings: Mapping[str, Any], fact: Table) -> str | None:
    """Why a fact is not what its artefact holds; None where it is."""
    if fact["artefact"] == "settings":
        value: Any = settings
        for name in fact["column"].split("."):
            value = value[int(name) if isinstance(value, (list, tuple)) else name]
        return _differs(fact, value)
    key = json.loads(fact["key"])
    frame, row_key = _artefact(folder / f"{fact['artefact']}.parquet")
    for name, value in key.items():
        frame = frame[frame[name].isin(value if isinstance(value, list) else [value])]
    statistic, column = fact["statistic"], fact["column"]
    if statistic in ("", "part") and (set(key) != row_key or len(frame) != 1):
        return f"{len(frame)} rows of {fact['artefact']} have {key}"
    if statistic == "part":
        (cell,) = frame[column]
        return None if fact["printed"] in f"{column} {cell}" else f"{cell} in {column}"
    if fact["value"] is None:
        (cell,) = frame[column]
        return None if cell == fact["printed"] else cell
    values = frame[column] if column in frame else frame.eval(column, engine="python")
    if statistic == "distinct":
        return _differs(fact, values.dropna().nunique())
    return _differs(fact, getattr(values, statistic)() if statistic else values.item())


@cache
def _artefact(path: Path) -> tuple[pd.DataFrame, set[str]]:
    """An artefact, and the columns that name its rows."""
    about = json.loads(pq.read_schema(path).metadata[b"artefact"])
    return pd.read_parquet(path), set(about["key"])


def _differs(fact: Table, value: Any) -> str | None:
    """Whether a number is printed otherwise than it is, in its own digits."""
    if not math.isclose(float(value), fact["value"], rel_tol=1e-12, abs_tol=1e-15):
        return f"{value} in {fact['artefact']}, {fact['column']}"
    printed = fact["printed"].replace("−", "-").replace(",", "").replace("p = ", "")
    number = float(value) * fact["times"]
    if "<" in printed:
        return None if number < float(printed.rpartition("<")[2]) else f"{number}"
    digits = len(printed.rstrip("%").partition(".")[2])
    near = abs(float(printed.rstrip("%")) - number) <= 0.5 * 10.0**-digits * (1 + 1e-6)
    return None if near else f"{number} in {fact['artefact']}, {fact['column']}"
