"""What a paper printed, as data of a study, and the table that has it beside what is right.

A study keeps the numbers of its paper in a YAML file of its own (:class:`Printed`), and computes
from them what they come to. :func:`show_printed` fills the rows of the file with that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from dissensus.report.tables import Row, Table, make
from dissensus.settings import Settings

Slots = Mapping[str, str]
#: What a row is filled with: once, or as often as it stands in the table.
Found = Slots | Sequence[Slots]
Cell = str | int | float
Record = Mapping[str, Cell]
_SLOT = re.compile(r"\{\w+\}")


def _templates(cells: list[str]) -> list[str]:
    for cell in cells:
        try:
            names = [name for _, name, *_ in Formatter().parse(cell) if name is not None]
        except ValueError as error:
            raise ValueError(f"{cell!r} is no text with slots in braces ({error})") from None
        if not all(name.isidentifier() for name in names):
            raise ValueError(f"{cell!r} has a slot without a name")
    return cells


class PrintedTable(Settings):
    """Numbers as a table of the paper has them.

    Attributes
    ----------
    columns : their names.
    rows : a cell for each column; of a column all are numbers, or all are texts.
    """

    noun = "part"

    columns: Annotated[list[str], Field(min_length=1)]
    rows: Annotated[list[list[Cell]], Field(min_length=1)]

    @model_validator(mode="after")
    def _check_cells(self) -> PrintedTable:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {number} has {len(row)} cells instead of {len(self.columns)}"
                )
        for column, cells in zip(self.columns, zip(*self.rows, strict=True), strict=True):
            if len({isinstance(cell, str) for cell in cells}) > 1:
                raise ValueError(f"the column {column!r} has numbers and texts; take one of them")
        return self

    @property
    def records(self) -> list[dict[str, Cell]]:
        """The rows, each cell by its column's name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def numbers(self, row: Record, *columns: str) -> tuple[float, ...]:
        """Some cells of a record as numbers."""
        return tuple(float(row[column]) for column in columns)


class Printed(Settings):
    """A study's file of what its paper printed.

    Attributes
    ----------
    title, columns, note : of the table that shows it; the note has slots as rows have.
    rows : name -> a cell for each column, with slots in braces for what is computed.
    tables : the paper's own, by name, with numbers that more is computed from.
    """

    noun = "part"

    title: str
    columns: Annotated[list[str], Field(min_length=1)]
    note: str
    rows: Annotated[
        dict[str, Annotated[list[str], AfterValidator(_templates)]], Field(min_length=1)
    ]
    tables: dict[str, PrintedTable] = Field(default={})

    @model_validator(mode="after")
    def _check_rows(self) -> Printed:
        for name, cells in self.rows.items():
            if len(cells) != len(self.columns):
                raise ValueError(
                    f"the row {name!r} has {len(cells)} cells instead of {len(self.columns)}"
                )
        return self


def show_printed(
    name: str,
    printed: Printed,
    found: Mapping[str, Found],
    of_note: Slots | None = None,
    *,
    is_simulated: bool = False,
) -> Table:
    """The table of what was printed, in the order of the file's rows.

    Parameters
    ----------
    name : of the table.
    found : name of a row -> what its slots are filled with; a row that stands several times has a
        list, and a row without slots need not be named.
    of_note : the same for the note.
    is_simulated : whether anything in it is of simulated models.

    Raises
    ------
    ValueError : something was computed for a row that the file has not, or a slot is not filled.
    """
    unknown = [row for row in found if row not in printed.rows]
    if unknown:
        raise ValueError(
            f"{name} has no row {unknown[0]!r}; its file has {', '.join(printed.rows)}"
        )
    rows = [
        _filled(row, cells, slots)
        for row, cells in printed.rows.items()
        for slots in _each(found.get(row, {}))
    ]
    (note,) = _filled("note", [printed.note], of_note or {})
    return make(name, printed.title, tuple(printed.columns), rows, note, is_simulated)


def _each(found: Found) -> Sequence[Slots]:
    return [found] if isinstance(found, Mapping) else found


def _filled(row: str, cells: Sequence[str], slots: Slots) -> Row:
    try:
        # A number that is a cell by itself keeps its digits, which tables as data have.
        return tuple(
            slots[cell[1:-1]] if _SLOT.fullmatch(cell) else cell.format_map(slots) for cell in cells
        )
    except KeyError as error:
        raise ValueError(f"{row} has the slot {error.args[0]!r}, which nothing fills") from None
