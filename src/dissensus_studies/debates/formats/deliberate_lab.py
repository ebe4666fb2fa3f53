"""The history of a chat that deliberate-lab exports, as turns.

Each row is a message. What the system and the experimenter say is left out. Participants count as
people, and mediators as models; the export names no model, and says of no participant whether it is
an agent.

The tool takes commas and line breaks out of texts, and then writes each cell as it is, or as
JSON.stringify has it (``downloadCSV`` in its frontend/src/shared/file.utils.ts); a spreadsheet that
saves the file anew writes CSV. A file has the one form that fits all its lines.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.user_files import read_csv, table_text

_SENDER, _TYPE, _TEXT = "Sender ID", "Message type", "Message content"
_COLUMNS = ("Timestamp", "Message ID", "Discussion ID", _TYPE, _SENDER, _TEXT)
#: Who speaks in a debate.
_KINDS = {"participant": True, "mediator": False}
_LEFT_OUT = ("system", "experimenter", "unknown")


def turns(path: Path) -> Iterator[dict[str, Any]]:
    """The messages of a file, in their order; a discussion is a session.

    Raises
    ------
    ResourceError : it lacks a column of the export, or a sender is of no kind; by row.
    """
    for number, row in _rows(path):
        kind = row[_TYPE]
        if kind in _LEFT_OUT:
            continue
        if kind not in _KINDS:
            may = ", ".join((*_KINDS, *_LEFT_OUT))
            raise ResourceError(
                f"{path}, row {number}: {_TYPE} holds {kind!r}; it must be one of {may}."
            )
        if not row[_SENDER]:
            raise ResourceError(f"{path}, row {number}: {_SENDER} is empty; each message has one.")
        yield {
            "session": row["Discussion ID"] or path.stem,
            "speaker": row[_SENDER],
            "role": kind,
            "person": _KINDS[kind],
            "text": row[_TEXT],
            "time": row["Timestamp"],
        }


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The rows of a file with their numbers, in whichever form they are written."""
    lines = table_text(path, {}).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    rows = _as_json(lines) or _as_it_is(lines)
    if rows is None or not set(_COLUMNS) <= set(rows[0]):
        # Also says what is wrong with it.
        yield from read_csv(path, _COLUMNS, as_it_is=(_TEXT,))
        return
    for number, cells in enumerate(rows[1:], start=2):
        yield number, dict(zip(rows[0], cells, strict=True))


def _as_json(lines: list[str]) -> list[list[str]] | None:
    """The cells of lines that are lists of JSON without their brackets; None for other lines."""
    rows: list[list[str]] = []
    for line in lines:
        try:
            cells = json.loads(f"[{line}]")
        except (ValueError, RecursionError):
            return None
        if len(cells) != len(rows[0] if rows else cells) or not all(
            isinstance(cell, str) for cell in cells
        ):
            return None
        rows.append(cells)
    return rows or None


def _as_it_is(lines: list[str]) -> list[list[str]] | None:
    """The cells of lines that are parted by commas alone; None for lines of CSV.

    Lines of CSV are those that a writer of CSV makes of what a reader reads there.
    """
    rows = [line.removesuffix("\r").split(",") for line in lines]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        return None
    again = io.StringIO()
    csv.writer(again, lineterminator="\n").writerows(csv.reader(lines))
    is_csv = again.getvalue().split("\n")[:-1] == [line.removesuffix("\r") for line in lines]
    return None if is_csv else rows
