"""Rows of questions, read from files or from the hub of data sets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.errors import ResourceError
from dissensus.user_files import read_csv

from ..settings import HUB

#: Where a row is from, such as ``data/gpqa.csv, row 7``, and the row.
Placed = tuple[str, Mapping[str, Any]]


def read_source(source: str) -> list[Placed]:
    """Every row of a source, in its order.

    Parameters
    ----------
    source : a file that ends with .csv, .jsonl, .json (a list of objects) or .parquet, or
        ``datasets:<hub name>[/<config>][:<split>]``, which the package datasets loads. A hub name
        is ``owner/name``; the split is test unless given. Rows are numbered as an editor numbers
        lines in the first two, from 1 elsewhere.

    Raises
    ------
    ResourceError : it cannot be read, or has no rows.
    """
    if source.startswith(HUB):
        rows = _hub(source)
    else:
        path = Path(source)
        readers = {".csv": _csv, ".jsonl": _jsonl, ".json": _json, ".parquet": _parquet}
        rows = readers[path.suffix](path)
    if not rows:
        raise ResourceError(f"{source} has no rows; name a source that has some.")
    return [(f"{source}, row {number}", row) for number, row in rows]


Numbered = list[tuple[int, Mapping[str, Any]]]


def _csv(path: Path) -> Numbered:
    return list(read_csv(path, ()))


def _jsonl(path: Path) -> Numbered:
    rows = []
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if line.strip():
            rows.append((number, _object(_parsed(line, path, number), path, number)))
    return rows


def _json(path: Path) -> Numbered:
    rows = _parsed(_text(path), path, 1)
    if not isinstance(rows, list):
        raise ResourceError(f"{path} is not a list of objects; write it as one, or as .jsonl.")
    return [(number, _object(row, path, number)) for number, row in enumerate(rows, start=1)]


def _parquet(path: Path) -> Numbered:
    try:
        with pq.ParquetFile(path) as file:
            rows: Sequence[dict[str, Any]] = file.read(use_threads=False).to_pylist()
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise ResourceError(f"{path} cannot be read as Parquet ({reason}).") from None
    return list(enumerate(rows, start=1))


def _hub(source: str) -> Numbered:
    name, _, split = source.removeprefix(HUB).partition(":")
    owner, *rest = name.split("/")
    config = rest[1] if len(rest) > 1 else None
    try:
        datasets = import_module("datasets")
    except ImportError:
        raise ResourceError(
            f"{source} needs the package datasets; install it (pip install datasets), or name a "
            "local file."
        ) from None
    try:
        loaded = datasets.load_dataset("/".join([owner, *rest[:1]]), config, split=split or "test")
        return [(number, dict(row)) for number, row in enumerate(loaded, start=1)]
    except Exception as error:
        # The package and the hub behind it raise errors of dozens of kinds.
        message = " ".join(str(error).split())[:300]
        raise ResourceError(
            f"{source} cannot be loaded ({type(error).__name__}: {message}); check its name, its "
            "split and the connection, or name a local file."
        ) from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ResourceError(f"{path} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise ResourceError(
            f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8."
        ) from None


def _parsed(text: str, path: Path, number: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ResourceError(f"{path}, row {number}: not JSON ({error}).") from None


def _object(row: Any, path: Path, number: int) -> Mapping[str, Any]:
    if not isinstance(row, dict):
        raise ResourceError(f"{path}, row {number}: not an object; each row must be one.")
    return row
