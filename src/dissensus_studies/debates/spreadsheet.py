"""Reads the one sheet of an .xlsx that has turns, as its cells are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import python_calamine as calamine

from dissensus.errors import ResourceError
from dissensus.user_files import swells

#: Bytes of a workbook when it is unpacked: what is larger is no table that somebody has typed.
_LARGEST = 1 << 30
_SAVE = "save the sheet with the turns as CSV in UTF-8"


def sheet_columns(path: Path, columns: Collection[str]) -> list[str]:
    """The columns of the sheet that has some columns, or of the first where none has them.

    Raises
    ------
    ResourceError : it cannot be read, or several sheets have the columns.
    """
    _, rows = _sheet_with(path, columns)
    return [name for name in map(_name, rows[0][1]) if name]


def sheet_rows(path: Path, columns: Collection[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows that are not empty of the sheet that has some columns, with their numbers.

    Raises
    ------
    ResourceError : as of :func:`sheet_columns`, or no sheet has them, or a name stands twice.
    """
    sheet, ((first, header), *rows) = _sheet_with(path, columns)
    names = [_name(cell) for cell in header]
    where = f"{path}, row {first} of the sheet {sheet!r}"
    if lacking := [name for name in columns if name not in names]:
        raise ResourceError(
            f"{where}: the column {lacking[0]!r} is missing; it has "
            f"{', '.join(repr(name) for name in names if name)}."
        )
    if twice := [name for name, times in Counter(names).items() if name and times > 1]:
        raise ResourceError(f"{where}: the column {twice[0]!r} stands twice; leave one out.")
    for number, cells in rows:
        yield number, dict(zip(names, map(_plain, cells), strict=True))


def _sheet_with(path: Path, columns: Collection[str]) -> tuple[str, list[tuple[int, list[Any]]]]:
    """Name and rows of the sheet that has some columns, or of the first."""
    sheets = {name: rows for name, rows in _sheets(path) if rows}
    if not sheets:
        raise ResourceError(f"{path} has no sheet with rows; {_SAVE}.")
    fits = [name for name, rows in sheets.items() if set(columns) <= {*map(_name, rows[0][1])}]
    if len(fits) > 1:
        raise ResourceError(
            f"{path}: the sheets {', '.join(map(repr, fits))} all have these columns; leave one in."
        )
    sheet = next(iter(fits or sheets))
    return sheet, sheets[sheet]


def _sheets(path: Path) -> Iterator[tuple[str, list[tuple[int, list[Any]]]]]:
    """Name of each sheet, and its rows that are not empty."""
    try:
        with ZipFile(path) as packed:
            members = packed.infolist()
        size = sum(member.file_size for member in members)
        if size > _LARGEST or any(map(swells, members)):
            raise ResourceError(f"{path} has {size:,} bytes when it is unpacked; {_SAVE}.")
        with calamine.load_workbook(path) as book:
            for name in book.sheet_names:
                rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
                numbered = enumerate(rows, start=1)
                yield name, [(n, row) for n, row in numbered if any(c != "" for c in row)]
    except (OSError, BadZipFile, calamine.CalamineError) as error:
        said = " ".join(str(error).split())
        raise ResourceError(
            f"{path} cannot be read as a spreadsheet ({said}); it may be damaged or have a "
            f"password: {_SAVE}."
        ) from None


def _name(cell: Any) -> str:
    return str(cell).strip()


def _plain(cell: Any) -> Any:
    """A cell; whole numbers as such, and nothing where it is empty."""
    if cell == "":
        return None
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell
