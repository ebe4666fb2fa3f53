"""Rows of a CSV that a user supplies, with the numbers by which an error names them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from dissensus.errors import ResourceError


def read_csv(path: str | Path, needed: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Rows of a CSV in UTF-8 with their numbers, the header being row 1.

    Raises
    ------
    ResourceError : no such file, another encoding, a missing column, or a row with more or fewer
        cells.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ResourceError(
            f"{path}, row {line}: byte {error.start} is not UTF-8; save the file as UTF-8."
        ) from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    missing = [column for column in needed if column not in (reader.fieldnames or ())]
    if missing:
        raise ResourceError(
            f"{path}, row 1: the column {missing[0]!r} is missing; it needs {', '.join(needed)}."
        )
    rows = []
    try:
        for row in reader:
            if None in row or None in row.values():
                raise ResourceError(
                    f"{path}, row {reader.line_num}: it has not as many cells as the header; "
                    "put texts with commas in double quotes."
                )
            rows.append((reader.line_num, row))
    except csv.Error as error:
        raise ResourceError(f"{path}, row {reader.line_num}: not a CSV row ({error}).") from None
    return rows
