"""Reads a file of turns: CSV, Parquet, JSON lines or .xlsx, each row with its place in the file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from math import isfinite
from pathlib import Path
from typing import Any

from dissensus.encodings import as_windows_has_it, no_text
from dissensus.errors import ResourceError
from dissensus.setting_faults import show
from dissensus.user_files import csv_header, read_csv

from .spreadsheet import sheet_columns, sheet_rows

#: Ending of a file -> how it is read.
FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".xlsx": "spreadsheet",
}
#: What parts the cells of a CSV: the first that gives the columns which are named.
_DELIMITERS = ",;\t|"


def columns_of(path: Path, wanted: Collection[str]) -> list[str]:
    """The names of a file's columns; of JSON lines, those that any line has.

    Parameters
    ----------
    wanted : what tells the sheet of a spreadsheet: the columns that it should have.

    Raises
    ------
    ResourceError : as :func:`read_rows`.
    """
    kind = _format(path)
    if kind == "parquet":
        return list(_parquet(path).schema_arrow.names)
    if kind == "json lines":
        return list(dict.fromkeys(name for _, row in json_lines(path) for name in row))
    if kind == "spreadsheet":
        return sheet_columns(path, wanted)
    return csv_header(path, _DELIMITERS)


def read_rows(
    path: Path, columns: Sequence[str], texts: Collection[str], said: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a file that are not empty, each with its place, such as "turns.csv, row 7".

    Parameters
    ----------
    columns : that it must have.
    texts : those of them that hold what others said, in which any character but U+0000 may stand.
    said : the one with the texts of turns.

    Raises
    ------
    ResourceError : it cannot be read, lacks a column or has one twice; by row or line.
    """
    kind = _format(path)
    if kind == "parquet":
        yield from _parquet_rows(path, columns)
    elif kind == "json lines":
        yield from _with_columns(path, columns)
    elif kind == "spreadsheet":
        for number, cells in sheet_rows(path, columns):
            yield f"{path}, row {number}", {name: _cell(name, cells, said) for name in columns}
    else:
        for number, row in read_csv(path, columns, delimiters=_DELIMITERS, as_it_is=texts):
            # Spreadsheets leave rows of separators below the last one.
            if any(row.values()):
                yield f"{path}, row {number}", {name: row[name] or None for name in columns}


def _cell(name: str, cells: Mapping[str, Any], said: str) -> Any:
    """A cell of a spreadsheet, which makes a number of what somebody has said in digits."""
    value = cells[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return as_name(value) if is_number and name == said else value


def _format(path: Path) -> str:
    if not path.is_file():
        raise ResourceError(
            f"{path} {'is no file' if path.exists() else 'is not there'}; name a file of turns."
        )
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise ResourceError(
            f"{path} ends in {path.suffix or 'nothing'!r}; a file of turns ends in "
            f"{', '.join(FORMATS)}: save it as one of them, or name its format with --format."
        )
    return kind


def _parquet(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise ResourceError(f"{path} cannot be read as Parquet ({error}).") from None


def _parquet_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    import pyarrow as pa

    file = _parquet(path)
    names = file.schema_arrow.names
    nested = {name: name if name in names else name.partition(".")[0] for name in columns}
    _check_columns(f"{path}", list(nested.values()), names)
    times = Counter(names)
    if twice := [name for name in nested.values() if times[name] > 1]:
        raise ResourceError(f"{path}: the column {twice[0]!r} stands twice; leave one out.")
    number = 0
    try:
        wanted = list(dict.fromkeys(nested.values()))
        for batch in file.iter_batches(batch_size=4096, columns=wanted, use_threads=False):
            for row in batch.to_pylist():
                number += 1
                yield f"{path}, row {number}", {name: within(row, name)[1] for name in columns}
    except (OSError, ValueError, pa.ArrowException) as error:
        raise ResourceError(f"{path}, after row {number}: it cannot be read ({error}).") from None


def _check_columns(where: str, columns: Sequence[str], names: Sequence[str]) -> None:
    if lacking := [name for name in columns if name not in names]:
        raise ResourceError(
            f"{where}: the column {lacking[0]!r} is missing; it has {', '.join(map(repr, names))}."
        )


def _with_columns(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Lines with what they have of some columns, each of which some line has."""
    seen: set[str] = set()
    for place, row in json_lines(path):
        found = {name: within(row, name) for name in columns}
        seen |= row.keys() | {name for name, (is_there, _) in found.items() if is_there}
        yield place, {name: value for name, (_, value) in found.items()}
    _check_columns(str(path), columns, sorted(seen))


def within(row: Mapping[str, Any], name: str) -> tuple[bool, Any]:
    """Whether an object has something of a name, and what; ``meta.stance`` is within ``meta``."""
    if name in row:
        return True, row[name]
    first, is_path, rest = name.partition(".")
    inner = row.get(first)
    return within(inner, rest) if is_path and isinstance(inner, Mapping) else (False, None)


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every line that is not blank, with its place."""
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if number == 1 and (wrong := no_text(raw)):
                    raise ResourceError(f"{path} {wrong}.")
                if raw.strip(b"\xef\xbb\xbf \t\r\n"):
                    yield f"{path}, line {number}", _line(raw, f"{path}, line {number}")
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None


def _line(raw: bytes, where: str) -> dict[str, Any]:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResourceError(
            f"{where}: byte {error.start} is not UTF-8{as_windows_has_it(raw, error.start)}; save "
            "the file as UTF-8."
        ) from None
    try:
        row = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"{where}: it is not JSON ({error}); correct it.") from None
    if not isinstance(row, dict):
        raise ResourceError(f"{where}: it holds {show(row)}; each line must be an object, {{...}}.")
    return row


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name in times if times[name] > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return made


def as_name(value: Any) -> str | None:
    """A cell as a name: texts as they are, so that 007 stays 007; dates as ISO has them.

    Raises
    ------
    ValueError : it is a list or an object.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, int | float):
        return str(int(value)) if value == int(value) else repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    raise ValueError("it must be a name: a text or a number")


def as_whole(value: Any) -> int | None:
    """A cell as a whole number.

    Raises
    ------
    ValueError : it is none.
    """
    name = as_name(value)
    if name is None:
        return None
    try:
        return int(name)
    except ValueError:
        raise ValueError("it must be a whole number") from None


def as_number(value: Any) -> float | None:
    """A cell as a finite number.

    Raises
    ------
    ValueError : it is none.
    """
    if value is None or value == "" or (isinstance(value, float) and value != value):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError("it must be a number") from None
    if not isfinite(number):
        raise ValueError("it must be a finite number")
    return number


_FLAGS = {
    **dict.fromkeys(("true", "yes", "1"), True),
    **dict.fromkeys(("false", "no", "0"), False),
}


def as_flag(value: Any) -> bool | None:
    """A cell as a truth value; None where it is empty.

    Raises
    ------
    ValueError : it is none.
    """
    name = as_name(value)
    if name is None:
        return None
    if name.lower() not in _FLAGS:
        raise ValueError("it must be true or false (or yes and no, 1 and 0)")
    return _FLAGS[name.lower()]


def as_value(value: Any) -> str | None:
    """A cell as JSON: a text of a CSV stays a text, a number a number.

    Raises
    ------
    ValueError : JSON has no form for it.
    """
    if value is None or value == "" or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, datetime | date | time):
        value = value.isoformat()
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        raise ValueError("it must be what JSON has a form for") from None
