"""Cells of text as columns of numbers, for programs that read a table's CSV."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from dissensus.report.labels import MISSING, Exact

_ONE = r"[-+−]?\d[\d,]*(?:\.\d+)?"
_MARK = r"(?: ?[†‡*])?"
_NUMBER = re.compile(rf"({_ONE})(%?){_MARK}")
_INTERVAL = re.compile(rf"\[({_ONE}), ({_ONE})\]{_MARK}")
_ESTIMATE = re.compile(rf"({_ONE})(%?) \[({_ONE}), ({_ONE})\]{_MARK}")
_WITH_ERROR = re.compile(rf"({_ONE}) \(({_ONE})\)")
_LIMITS = ("ci_low", "ci_high")
_LEVEL = re.compile(r"\d+(?:\.\d+)?% CI(.*)")

Column = list[str]


def numeric(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Header and rows in which a cell with an estimate and its interval is three.

    Parameters
    ----------
    columns, rows : of a table, as readers see it.

    Returns
    -------
    The header, whose names differ, then the rows. A column whose cells are all numbers has them
    without separators of thousands, with ASCII signs, empty where one is missing, and percentages
    named so in the header. A p-value that readers see as "<0.001" has its digits.
    """
    split: list[tuple[str, Column]] = []
    for place, header in enumerate(columns):
        before = columns[place - 1] if place else ""
        split += _split(header, before, [row[place] for row in rows])
    names = _unique([name for name, _ in split])
    body = [list(cells) for cells in zip(*(cells for _, cells in split), strict=True)]
    return [names, *body]


def _split(header: str, before: str, cells: Column) -> Iterator[tuple[str, Column]]:
    """A column as one or several, each with its name."""
    known = [cell for cell in cells if cell not in ("", MISSING)]
    if not known:
        yield header, ["" if cell == MISSING else cell for cell in cells]
    elif all(isinstance(cell, Exact) for cell in known):
        yield header, [f"{cell.value:.6g}" if isinstance(cell, Exact) else "" for cell in cells]
    elif all(_INTERVAL.fullmatch(cell) for cell in known):
        level = _LEVEL.fullmatch(header)
        of = f"{before} " if level and not level[1] else (level[1].strip() if level else header)
        for place, limit in enumerate(_LIMITS):
            yield (
                f"{of.strip()} {limit}".strip(),
                [_group(_INTERVAL, text, place) for text in cells],
            )
    elif all(_ESTIMATE.fullmatch(text) or _NUMBER.fullmatch(text) for text in known):
        yield from _estimates(header, cells)
    elif all(_WITH_ERROR.fullmatch(text) or _NUMBER.fullmatch(text) for text in known):
        yield header, [_group(_WITH_ERROR, text, 0) or _group(_NUMBER, text, 0) for text in cells]
        yield f"{header} se", [_group(_WITH_ERROR, text, 1) for text in cells]
    else:
        yield header, cells


def _estimates(header: str, cells: Column) -> Iterator[tuple[str, Column]]:
    """Numbers, and the limits of those that have an interval."""
    name = f"{header} (%)" if any("%" in text for text in cells) and "%" not in header else header
    yield name, [_group(_ESTIMATE, text, 0) or _group(_NUMBER, text, 0) for text in cells]
    if any(_ESTIMATE.fullmatch(text) for text in cells):
        for place, limit in enumerate(_LIMITS, start=2):
            yield f"{header} {limit}", [_group(_ESTIMATE, text, place) for text in cells]


def _group(pattern: re.Pattern[str], cell: str, place: int) -> str:
    """One number of a cell as programs write it; empty where the cell has another form."""
    match = pattern.fullmatch(cell)
    return match.groups()[place].replace(",", "").replace("−", "-").lstrip("+") if match else ""


def _unique(names: Sequence[str]) -> list[str]:
    """The same names, those that come again with a number behind them."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return unique
