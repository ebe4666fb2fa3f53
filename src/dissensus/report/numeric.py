"""Cells as columns of numbers, for programs that read a table's CSV."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from dissensus.report.labels import MISSING, Cell

_LEVEL = re.compile(r"\A\d++(?:\.\d++)?% CI(.*)")


def numeric(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Header and rows in which a cell with an estimate and its interval is three.

    Parameters
    ----------
    columns, rows : of a table, as readers see it.

    Returns
    -------
    The header, whose names differ, then the rows. The numbers of a :class:`Cell` have six digits,
    and whole ones all; a percentage is named so in the header, and what is missing is empty. A
    column with words in it stays as readers see it.
    """
    split: list[tuple[str, list[str]]] = []
    before = ""
    for place, header in enumerate(columns):
        cells = [row[place] for row in rows]
        split += _split(header, before, cells)
        before = header if any(isinstance(cell, Cell) for cell in cells) else before
    names = _unique([name for name, _ in split])
    body = [list(cells) for cells in zip(*(cells for _, cells in split), strict=True)]
    return [names, *body]


def _split(header: str, before: str, cells: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """A column as one or several, each with its name; ``before``: the last one with numbers."""
    known = [cell for cell in cells if isinstance(cell, Cell)]
    words = {cell for cell in cells if not isinstance(cell, Cell)} - {"", MISSING}
    if not known or not all(word.isdecimal() for word in words):
        yield header, ["" if cell == MISSING else cell for cell in cells]
        return
    in_percent = any(cell.in_percent for cell in known) and "%" not in header
    parts = list(dict.fromkeys(part for cell in known for part in cell.numbers))
    level = _LEVEL.fullmatch(header) if "" not in parts else None
    of = (level[1].strip() or before) if level else header
    for part in parts:
        name = f"{of} {part}" if part else f"{header} (%)" if in_percent else header
        yield name.strip(), [_digits(cell, part) for cell in cells]


def _digits(cell: str, part: str) -> str:
    """One number of a cell as programs write it; empty where the cell has none."""
    if not isinstance(cell, Cell):
        return "" if part or cell == MISSING else cell
    number = float(cell.numbers.get(part, "nan"))
    if number.is_integer():
        return str(int(number))
    return "" if number != number else f"{number:.6g}"


def _unique(names: Sequence[str]) -> list[str]:
    """The same names, those that come again with a number behind them."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return unique
