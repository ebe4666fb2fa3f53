"""Numbers for readers that know where they are from: which cell of which artefact.

A number is found by the full key of exactly one row, or is stated of all rows of a part of the key.
Printed by :mod:`dissensus.report.labels`, it has a mark behind it that no reader sees, so that any
sentence may be built around it. :func:`told` takes the marks out of what is written for readers,
and gives the origin of each number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dissensus.errors import ArtefactError
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import text

if TYPE_CHECKING:
    import pandas as pd

#: The name of the settings among the artefacts.
SETTINGS = "settings"

#: Variation selectors: without width, and drawn by no font.
_FIRST, _BASE, _DIGITS = 0xFE00, 16, 5
_MARK = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + _BASE - 1)}]{{{_DIGITS}}}")

FACTS = Schema(
    name="facts",
    row="number in a sentence, a caption or the words for a figure",
    columns={
        "sentence": text(
            "Where the number is printed: finding:<place>, caption:<figure>, alternative:<figure>."
        ),
        "place": Column("int", "Place of the number in it, from 1."),
        "printed": text("The number as it is printed, with its sign and unit."),
        "artefact": text("Name of the artefact that it is from; settings: the run's settings."),
        "key": text(
            "JSON, column -> value or values: the rows that it is from; one row where the "
            "statistic is empty."
        ),
        "column": text(
            "The column, or an expression of columns as pandas evaluates it; of settings, the path."
        ),
        "statistic": text(
            "What is stated of the column: empty for the value itself, or sum, count, mean, "
            "median, min, max, distinct; part where it stands in the column's name or text."
        ),
        "value": Column("float?", "The number there; missing where it stands in a text."),
        "times": Column("float", "What it is multiplied by where it is printed, 100 for per cent."),
    },
    key=("sentence", "place"),
)
#: Those of captions and of the words for figures.
FIGURE_FACTS = replace(FACTS, name="figure_facts")


@dataclass(frozen=True)
class Origin:
    """Where a number is from; the attributes are the columns of :data:`FACTS`."""

    artefact: str
    key: tuple[tuple[str, Any], ...]
    column: str
    statistic: str = ""
    value: float | None = None
    times: float = 1.0


class Fact(float):
    """A number that knows where it is from; whole ones are printed without decimals.

    Multiplied by a number without an origin, it is the same cell in another unit. Whatever else is
    computed from it has no origin.
    """

    origin: Origin
    is_whole: bool

    def __new__(cls, value: float, origin: Origin, is_whole: bool = False) -> Fact:
        made = super().__new__(cls, value)
        made.origin, made.is_whole = replace(origin, value=float(value) / origin.times), is_whole
        return made

    def __mul__(self, factor: float) -> Any:
        if isinstance(factor, Fact) or not isinstance(factor, (int, float)):
            return super().__mul__(factor)
        times = replace(self.origin, times=self.origin.times * factor)
        return Fact(float(self) * factor, times, self.is_whole and isinstance(factor, int))

    __rmul__ = __mul__

    def __format__(self, form: str) -> str:
        return with_origin(format(int(self) if self.is_whole else float(self), form), self)

    def __str__(self) -> str:
        return format(self, "")

    def __reduce__(self) -> tuple[Any, ...]:
        return Fact, (float(self), self.origin, self.is_whole)


class Row(dict[str, Any]):
    """A row of an artefact: column -> value, each number a :class:`Fact`."""

    artefact: str
    key: tuple[tuple[str, Any], ...]

    def __init__(self, values: Mapping[str, Any], artefact: str, key: Iterable[str]) -> None:
        self.artefact, self.key = artefact, tuple((name, _plain(values[name])) for name in key)
        super().__init__({name: self._fact(name, value) for name, value in values.items()})

    def _fact(self, column: str, value: Any) -> Any:
        value = _plain(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return value
        return Fact(value, Origin(self.artefact, self.key, column), isinstance(value, int))

    def derived(self, expression: str, value: float) -> Fact:
        """A number computed from several columns, by the expression that says how."""
        return Fact(value, Origin(self.artefact, self.key, expression))

    def part(self, column: str, value: float) -> Fact:
        """A number that is a part of a column's name, or of the text there."""
        return Fact(value, Origin(self.artefact, self.key, column, "part"), isinstance(value, int))

    def words(self, column: str) -> str:
        """A text that may have numbers in it."""
        return with_origin(str(self[column]), Origin(self.artefact, self.key, column))


@dataclass(frozen=True)
class Facts:
    """An artefact as facts.

    Attributes
    ----------
    artefact, key : its name, and the columns that name a row.
    frame : its rows.
    """

    artefact: str
    frame: pd.DataFrame
    key: Sequence[str]

    def row(self, **key: Any) -> Row:
        """The row of a full key.

        Raises
        ------
        ArtefactError : a column of the key is not given, or not exactly one row has that key.
        """
        if left := set(self.key) - set(key):
            raise ArtefactError(
                f"A row of {self.artefact} is named by {', '.join(self.key)}; "
                f"{', '.join(sorted(left))} is not given."
            )
        rows = self.rows(**key)
        if len(rows) != 1:
            raise ArtefactError(f"{self.artefact} has {len(rows)} rows with {key}, not one.")
        return rows[0]

    def rows(self, **where: Any) -> list[Row]:
        """The rows whose columns have these values, or one of several, in their order."""
        picked = self._picked(where)
        return [
            Row({str(name): value for name, value in row.items()}, self.artefact, self.key)
            for row in picked.to_dict("records")
        ]

    def over(self, statistic: str, column: str, /, **where: Any) -> Fact:
        """A sum, count, mean, median, min, max or number of distinct values over some rows.

        Parameters
        ----------
        column : a column, or an expression of columns; the sum of a condition is how many meet it.
        """
        rows = self._picked(where)
        values: Any = rows[column] if column in rows else rows.eval(column, engine="python")
        value = values.nunique() if statistic == "distinct" else getattr(values, statistic)()
        counts = statistic in ("count", "distinct") or values.dtype.kind in "biu"
        origin = Origin(self.artefact, _key(where), column, statistic)
        return Fact(float(value), origin, counts and statistic not in ("mean", "median"))

    def shared(self, column: str, /, **where: Any) -> Fact:
        """The number that all of some rows have.

        Raises
        ------
        ArtefactError : they have not one number.
        """
        if (numbers := self._picked(where)[column].nunique(dropna=False)) != 1:
            raise ArtefactError(
                f"{self.artefact} has {numbers} values of {column} with {where}, not one."
            )
        return self.over("max", column, **where)

    def _picked(self, where: Mapping[str, Any]) -> pd.DataFrame:
        frame = self.frame
        for name, value in where.items():
            frame = frame[frame[name].isin(value if isinstance(value, (list, tuple)) else [value])]
        return frame


def number_of(rows: Sequence[Row]) -> Fact:
    """How many rows these are: as many as their artefact has with the values of their keys."""
    keys = [dict(row.key) for row in rows]
    where = {name: [*dict.fromkeys(key[name] for key in keys)] for name in keys[0]}
    counted = Origin(rows[0].artefact, _key(where), next(iter(rows[0])), "count")
    return Fact(len(rows), counted, is_whole=True)


def setting(settings: Mapping[str, Any], *path: str) -> Any:
    """A setting by its path; a number as a fact."""
    value: Any = settings
    for name in path:
        value = value[name]
    return _settings_of(value, path)


def _settings_of(value: Any, path: tuple[str, ...]) -> Any:
    """A setting, and all settings below it."""
    if isinstance(value, Mapping):
        return {name: _settings_of(inner, (*path, str(name))) for name, inner in value.items()}
    if isinstance(value, list):
        return [_settings_of(inner, (*path, str(place))) for place, inner in enumerate(value)]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return Fact(value, Origin(SETTINGS, (), ".".join(path)), isinstance(value, int))


def with_origin(printed: str, value: Any, times: float = 1.0) -> str:
    """A number as it is printed, with a mark behind it if it knows where it is from.

    Parameters
    ----------
    value : a :class:`Fact`, an :class:`Origin` of a text, or what has no origin.
    times : what the value is multiplied by to be printed.
    """
    origin = value.origin if isinstance(value, Fact) else value
    if not isinstance(origin, Origin):
        return printed
    entry = (_unmarked(printed), replace(origin, times=origin.times * times))
    place = _PLACE_OF.setdefault(entry, len(_PLACE_OF))
    if place == len(_ENTRIES):
        _ENTRIES.append(entry)
    digits = (place // _BASE**power % _BASE for power in range(_DIGITS))
    return _unmarked(printed) + "".join(chr(_FIRST + digit) for digit in digits)


#: What is printed, with its origin, by the number that its mark writes, and the other way round.
_ENTRIES: list[tuple[str, Origin]] = []
_PLACE_OF: dict[tuple[str, Origin], int] = {}


def unmarked(text: str) -> str:
    """Without marks."""
    return told(text)[0]


def told(text: str) -> tuple[str, list[tuple[str, Origin]]]:
    """A text without marks, and of each number that had one how it is printed and its origin.

    Other text may have a mark in it by chance, or by malice: it is one only behind what it stands
    for, and any other stays.
    """
    kept, facts, end = "", [], 0
    for match in _MARK.finditer(text):
        kept, end = kept + text[end : match.start()], match.end()
        place = sum((ord(d) - _FIRST) * _BASE**power for power, d in enumerate(match[0]))
        entry = _ENTRIES[place] if place < len(_ENTRIES) else None
        # A backslash is an escape of reStructuredText.
        if entry and kept.replace("\\", "").endswith(entry[0]):
            facts.append(entry)
        else:
            kept += match[0]
    return kept + text[end:], facts


def fact_rows(sentence: str, facts: Iterable[tuple[str, Origin]]) -> Iterator[dict[str, Any]]:
    """Rows of :data:`FACTS`."""
    for place, (printed, origin) in enumerate(facts, start=1):
        key = json.dumps(dict(origin.key), ensure_ascii=False, sort_keys=True)
        yield {
            "sentence": sentence,
            "place": place,
            "printed": printed,
            **{"artefact": origin.artefact, "key": key, "column": origin.column},
            **{"statistic": origin.statistic, "value": origin.value, "times": origin.times},
        }


def _key(where: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Values of a key, of which several are a tuple."""
    return tuple(
        (name, tuple(map(_plain, value)) if isinstance(value, (list, tuple)) else _plain(value))
        for name, value in where.items()
    )


def _plain(value: Any) -> Any:
    """A value of numpy as Python's."""
    return value.item() if getattr(value, "shape", None) == () else value


def _unmarked(printed: str) -> str:
    return _MARK.sub("", printed)
