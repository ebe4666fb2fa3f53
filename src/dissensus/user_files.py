"""Files that a user supplies, read with one sentence for each way to get them wrong."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

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
