"""Tables as columns: each a header, the keys of what it shows of a row, and how that is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.report.labels import interval
from dissensus.report.tables import Table, make
from dissensus.report.view import View


def as_text(value: Any) -> str:
    """A value as it is; a text is a cell already."""
    return value if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    header : what stands above it.
    keys : of a row, the entry that is shown, or several.
    written : from their values, in the order of the keys, to text.
    """

    header: str
    keys: str | tuple[str, ...]
    written: Callable[..., str] = as_text

    def cell(self, row: Mapping[str, Any]) -> str:
        """What it shows of a row."""
        keys = (self.keys,) if isinstance(self.keys, str) else self.keys
        return self.written(*(row[key] for key in keys))


def limits(view: View, of: str = "", written: Callable[..., str] = interval) -> Column:
    """The interval of an estimate; ``of`` tells several of them apart."""
    return Column(f"{view.level} CI{of}", ("ci_low", "ci_high"), written)


def tabulate(
    name: str,
    title: str,
    columns: Iterable[Column],
    rows: Iterable[Mapping[str, Any]],
    note: str,
    view: View,
    facts: Mapping[str, str] | None = None,
) -> Table:
    """A table of rows by its columns; the other parameters are those of a table."""
    shown = tuple(columns)
    cells = [tuple(column.cell(row) for column in shown) for row in rows]
    heads = tuple(column.header for column in shown)
    return make(name, title, heads, cells, note, view.simulated, facts)
