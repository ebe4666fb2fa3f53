"""Parquet artefacts that hold what their schema promises, and say where they came from."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.errors import ArtefactError
from dissensus.tables.columns import column

_KEY = b"dissensus"
#: Bytes up to which a table is small.
_SMALL = 1 << 18
#: Arrow keeps a heap for every thread that has ever asked it for memory, and there may be hundreds
#: of sessions, each in a thread of its own: they share this one.
_ENCODER = ThreadPoolExecutor(1, "parquet")


def _start_over() -> None:
    """In a process made by fork, which has none of its parent's threads."""
    global _ENCODER
    _ENCODER = ThreadPoolExecutor(1, "parquet")


os.register_at_fork(after_in_child=_start_over)


@dataclass(frozen=True)
class Schema:
    """What an artefact must hold.

    Attributes
    ----------
    name : the artefact's file name without its ending.
    row : what one row is.
    columns : leading columns, with their types; "?" after a type allows missing values.
    key : the columns that together name a row, unique and in ascending order of appearance.
    open : whether further columns may follow.
    """

    name: str
    row: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    open: bool = False

    @cached_property
    def fields(self) -> tuple[pa.Field, ...]:
        return tuple(
            pa.field(name, _TYPES[kind.removesuffix("?")], nullable=kind.endswith("?"))
            for name, kind in self.columns.items()
        )


_TYPES = {
    "string": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "strings": pa.list_(pa.string()),
    "floats": pa.list_(pa.float32()),
}


def write(
    path: str | Path,
    schema: Schema,
    rows: Sequence[Mapping[str, Any]] | pa.Table | Any,
    provenance: Mapping[str, Any],
) -> None:
    """Write an artefact: complete under its name, or not at all.

    Parameters
    ----------
    path : where to.
    schema : what it promises.
    rows : a list of mappings, an Arrow table or a pandas frame.
    provenance : stored as JSON in the file's metadata under ``dissensus``; no clock, no host.

    Raises
    ------
    ArtefactError : a promised column is missing or of another type, or a key repeats.
    """
    what = (rows, schema, str(path), provenance)
    try:
        encoding = _ENCODER.submit(_encoded, *what)
    except RuntimeError:
        # A process that is ending takes no more work, but its last sessions have something to keep.
        data = _encoded(*what)
    else:
        data = encoding.result()
    with replacing(path) as part:
        part.write_bytes(data)


def _encoded(rows: Any, schema: Schema, where: str, provenance: Mapping[str, Any]) -> pa.Buffer:
    """The bytes of an artefact."""
    table = _conform(_as_table(rows, schema), schema, where)
    text = json.dumps(dict(provenance), ensure_ascii=False, sort_keys=True)
    table = table.replace_schema_metadata({_KEY: text.encode()})
    # Into memory first: Parquet comes in dozens of pieces, each a system call on a file.
    buffer = pa.BufferOutputStream()
    # For a session's few speeches, setting up zstd, dictionaries and statistics takes longer than
    # all the rest.
    large = table.nbytes > _SMALL
    pq.write_table(
        table,
        buffer,
        compression="zstd" if large else "snappy",
        use_dictionary=large,
        write_statistics=large,
    )
    return buffer.getvalue()


def read(path: str | Path, schema: Schema) -> pa.Table:
    """Read an artefact and check it against its schema.

    Raises
    ------
    ArtefactError : the file cannot be read or breaks its schema.
    """
    try:
        # Not as a data set of one file, which takes three times as long.
        with pq.ParquetFile(path) as file:
            table = file.read()
    except (OSError, pa.ArrowInvalid) as error:
        raise ArtefactError(
            f"{path} cannot be read as Parquet ({error}); delete it and it will be made again."
        ) from None
    return _conform(table, schema, str(path))


def read_rows(path: str | Path) -> list[dict[str, Any]]:
    """An artefact's rows, as its own schema had them when it was written."""
    rows: list[dict[str, Any]] = read(
        path, Schema(Path(path).stem, "row", {}, (), True)
    ).to_pylist()
    return rows


def concatenate(paths: Sequence[str | Path], schema: Schema) -> pa.Table:
    """Read artefacts of one schema and put them under each other, in the order given."""
    return pa.concat_tables([read(path, schema).replace_schema_metadata(None) for path in paths])


def provenance_of(path: str | Path) -> dict[str, Any]:
    """What an artefact's metadata says of where it came from; empty where it says nothing."""
    metadata = pq.read_schema(path).metadata or {}
    found: dict[str, Any] = json.loads(metadata.get(_KEY, b"{}"))
    return found


class replacing:
    """A temporary path that becomes ``path`` when the block ends well, and vanishes otherwise."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")

    def __enter__(self) -> Path:
        if not self.path.parent.is_dir():
            self.path.parent.mkdir(parents=True, exist_ok=True)
        return self._part

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._part.replace(self.path)
        else:
            self._part.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write a text in UTF-8 with the same line ends everywhere, complete or not at all."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def _as_table(rows: Any, schema: Schema) -> pa.Table:
    if isinstance(rows, pa.Table):
        return rows
    if hasattr(rows, "to_dict") and hasattr(rows, "columns"):
        return pa.Table.from_pandas(rows, preserve_index=False)
    if not rows:
        return pa.schema(schema.fields).empty_table()
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table(
        {name: _column([row.get(name) for row in rows], name, schema) for name in names}
    )


def _column(values: list[Any], name: str, schema: Schema) -> pa.Array:
    """A column of the type that its values have, so that none is bent silently to the schema's."""
    try:
        return column(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ArtefactError(f"{schema.name}.{name} mixes types: {error}.") from None


def _conform(table: pa.Table, schema: Schema, where: str) -> pa.Table:
    """The table with its columns in the schema's order and types."""
    names = table.column_names
    missing = [name for name in schema.columns if name not in names]
    if missing:
        raise ArtefactError(f"{where}: {schema.name} lacks the column {missing[0]!r}.")
    extra = [name for name in names if name not in schema.columns]
    if extra and not schema.open:
        raise ArtefactError(f"{where}: {schema.name} has no column {extra[0]!r}.")
    fields = [*schema.fields, *(table.schema.field(name) for name in extra)]
    held = dict(zip(names, table.columns, strict=True))
    columns = [_conformed(held[field.name], field, schema, where) for field in fields]
    table = pa.table(columns, schema=pa.schema(fields))
    if schema.key and table.num_rows:
        distinct = _distinct(table.select(schema.key))
        if distinct != table.num_rows:
            raise ArtefactError(
                f"{where}: {table.num_rows - distinct} rows of {schema.name} repeat their key "
                f"({', '.join(schema.key)})."
            )
    return table


def _conformed(
    column: pa.ChunkedArray, field: pa.Field, schema: Schema, where: str
) -> pa.ChunkedArray:
    """A column in the type that its field promises."""
    if not field.nullable and column.null_count:
        raise ArtefactError(f"{where}: {schema.name}.{field.name} has missing values and may not.")
    if column.type == field.type:
        return column
    if not _alike(column.type, field.type):
        raise ArtefactError(
            f"{where}: {schema.name}.{field.name} holds {column.type}, not {field.type}."
        )
    try:
        return column.cast(field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
        raise ArtefactError(
            f"{where}: {schema.name} has a column of another type: {error}"
        ) from None


def _distinct(keys: pa.Table) -> int:
    """How many of the rows differ."""
    if keys.nbytes > _SMALL:
        return int(keys.group_by(keys.column_names, use_threads=False).aggregate([]).num_rows)
    # Starting the query engine takes longer than a short table.
    return len(set(zip(*(column.to_pylist() for column in keys.columns), strict=True)))


def _alike(held: pa.DataType, promised: pa.DataType) -> bool:
    """Whether a type may stand for another: both numbers, both texts, both truth values."""
    kinds = (
        lambda t: pa.types.is_integer(t) or pa.types.is_floating(t),
        lambda t: pa.types.is_string(t) or pa.types.is_large_string(t),
        pa.types.is_boolean,
    )
    if pa.types.is_dictionary(held):
        held = held.value_type
    if pa.types.is_list(promised) and hasattr(held, "value_type"):
        held, promised = held.value_type, promised.value_type
    return pa.types.is_null(held) or any(is_kind(held) and is_kind(promised) for is_kind in kinds)
