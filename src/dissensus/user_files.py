"""Files that a user supplies, read with one sentence for each way to get them wrong."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from dissensus.errors import ResourceError
from dissensus.settings import unwritable


def read_csv(path: str | Path, needed: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Rows of a CSV in UTF-8 with their numbers, the header being row 1.

    They are numbered as a spreadsheet numbers them: a cell with line breaks is in one row.

    Raises
    ------
    ResourceError : no such file, another encoding, a missing column or one that stands twice, a row
        with more or fewer cells, or a control character.
    """
    return _read_table(path, needed, {"strict": True}, "put texts with commas in double quotes")


def read_tsv(path: str | Path, needed: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """The same of cells parted by tabs, in which quotes are letters like others."""
    form = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    return _read_table(path, needed, form, "part its cells by single tabs")


def _read_table(
    path: str | Path, needed: Sequence[str], form: Mapping[str, Any], mend: str
) -> list[tuple[int, dict[str, str]]]:
    """Rows with their numbers.

    Parameters
    ----------
    form : how cells are parted, as :func:`csv.reader` takes it.
    mend : for a row with more or fewer cells.
    """
    header: list[str] = []
    rows = []
    for number, cells in _records(path, form):
        if not header:
            header = cells
            _check_header(f"{path}, row {number}", header, needed)
        elif len(cells) != len(header):
            raise ResourceError(
                f"{path}, row {number}: it has {len(cells)} instead of {len(header)} cells; {mend}."
            )
        else:
            rows.append((number, dict(zip(header, cells, strict=True))))
        for column, cell in zip(header, cells, strict=True):
            check_text(cell, f"{path}, row {number}: {column or 'a cell'}")
    if not header:
        _check_header(f"{path}, row 1", header, needed)
    return rows


def _check_header(where: str, header: Sequence[str], needed: Sequence[str]) -> None:
    missing = [column for column in needed if column not in header]
    if missing:
        raise ResourceError(
            f"{where}: the column {missing[0]!r} is missing; it needs {', '.join(needed)}."
        )
    twice = [column for column in header if column and header.count(column) > 1]
    if twice:
        raise ResourceError(f"{where}: the column {twice[0]!r} stands twice; leave one out.")


def _records(path: str | Path, form: Mapping[str, Any]) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, with their numbers."""
    reader = csv.reader(io.StringIO(_text(path, form), newline=""), **form)
    number = 0
    try:
        for number, cells in enumerate(reader, start=1):
            if cells:
                yield number, cells
    except csv.Error as error:
        raise ResourceError(f"{path}, row {number + 1}: not a CSV row ({error}).") from None


def _text(path: str | Path, form: Mapping[str, Any]) -> str:
    """What a table in UTF-8 holds, without a byte order mark."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = io.StringIO(raw[: error.start].decode("utf-8") + "x", newline="")
        row = sum(1 for _ in csv.reader(before, **{**form, "strict": False}))
        raise ResourceError(
            f"{path}, row {row}: byte {error.start} is not UTF-8; save the file as UTF-8."
        ) from None


def check_text(text: str, where: str) -> None:
    """Refuse a text with characters that no prompt or artefact can carry.

    Parameters
    ----------
    where : the file and the place in it.

    Raises
    ------
    ResourceError : a control character that is neither a line break nor a tab, or half a character.
    """
    found = unwritable(text)
    if found:
        raise ResourceError(f"{where} holds the character {found}, which is no text; take it out.")


def read_yaml(path: str | Path) -> Any:
    """What a YAML file in UTF-8 holds.

    Raises
    ------
    ResourceError : it cannot be read, or is no YAML in UTF-8.
    """
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        found = " ".join(str(error).split())
        raise ResourceError(f"{path} is not YAML in UTF-8 ({found}).") from None


def read_entries(path: str | Path, needed: Sequence[str], example: str) -> dict[str, Any]:
    """A YAML file of named entries, such as the prompts of a study.

    Parameters
    ----------
    path : of the file.
    needed : the entries that it must have.
    example : a file that has all of them.

    Raises
    ------
    ResourceError : it is not YAML, or lacks an entry.
    """
    found = read_yaml(path)
    entries = found if isinstance(found, dict) else {}
    missing = [name for name in needed if name not in entries]
    if missing:
        raise ResourceError(f"{path} lacks {missing[0]!r}; {example} has all entries.")
    return entries
