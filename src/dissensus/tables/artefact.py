"""Parquet artefacts that hold what their schema promises, and say where they came from."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.errors import ArtefactError
from dissensus.tables.columns import column as arrow_column
from dissensus.tables.in_turn import in_turn
from dissensus.tables.provenance import plan_of
from dissensus.tables.seal import BLANK_SEAL, open_sealed, seal

if TYPE_CHECKING:
    import pandas as pd

_KEY, _SCHEMA = b"dissensus", b"artefact"
#: Bytes up to which a table is small.
_SMALL = 1 << 18
_TYPES = {
    "string": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "strings": pa.list_(pa.string()),
    "floats": pa.list_(pa.float32()),
}


@dataclass(frozen=True)
class Column:
    """What one column holds.

    Attributes
    ----------
    kind : string, strings, int, float, floats or bool; "?" after it allows missing values.
    meaning : one sentence.
    unit : of its numbers; "" for texts, flags and numbers that count nothing.
    """

    kind: str
    meaning: str
    unit: str = ""

    def field(self, name: str) -> pa.Field:
        """The Arrow field of that name, which carries the sentence and the unit."""
        described = {"description": self.meaning, **({"unit": self.unit} if self.unit else {})}
        kind = _TYPES[self.kind.removesuffix("?")]
        return pa.field(name, kind, nullable=self.kind.endswith("?"), metadata=described)


@dataclass(frozen=True)
class Schema:
    """What an artefact holds: these columns and no others.

    Attributes
    ----------
    name : the artefact's file name without its ending.
    row : what one row is.
    columns : name -> what it holds, in the file's order. A name such as ``hi_{scale}`` is a family:
        one column or more, after all others, whose names depend on the settings.
    key : the columns that together name a row, unique and in ascending order of appearance.
    where : placeholder of a family -> regular expression of what may stand for it.
    paths : patterns under the study's folder; none for ``<name>.parquet``.
    """

    name: str
    row: str
    columns: Mapping[str, Column]
    key: tuple[str, ...]
    where: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] = ()

    @cached_property
    def fields(self) -> dict[str, pa.Field]:
        """Of every column that is no family, by name."""
        return {name: c.field(name) for name, c in self.columns.items() if "{" not in name}

    @cached_property
    def arrow(self) -> pa.Schema:
        """Of these fields."""
        return pa.schema(self.fields.values())

    @cached_property
    def families(self) -> dict[str, re.Pattern[str]]:
        """Family -> pattern of its columns' names."""
        patterns = {f"{{{name}}}": f"(?:{pattern})" for name, pattern in self.where.items()}
        return {
            name: re.compile(re.sub(r"\{\w+\}", lambda match: patterns[match.group()], name))
            for name in self.columns
            if "{" in name
        }

    def pick(self, *names: str) -> dict[str, Column]:
        """Some of the columns, for another schema that has them too; see :func:`pick`."""
        return pick(self.columns, names)

    def named_by(self, ids: Mapping[str, Column]) -> Schema:
        """The same with the columns that name a study's session before the others."""
        return replace(self, columns={**ids, **self.columns})


def pick(columns: Mapping[str, Column], names: Iterable[str]) -> dict[str, Column]:
    """Some columns by name; one may have missing values if "?" stands after its name."""
    asked = {name.removesuffix("?"): name.endswith("?") for name in names}
    return {
        name: replace(columns[name], kind=columns[name].kind.removesuffix("?") + "?" * missing)
        for name, missing in asked.items()
    }


def write(
    path: str | Path,
    schema: Schema,
    rows: Sequence[Mapping[str, Any]] | pa.Table | Any,
    provenance: Mapping[str, Any],
    *,
    names_plan: bool = True,
) -> None:
    """Write an artefact: complete under its name, or not at all.

    Parameters
    ----------
    path : where to.
    schema : what it promises.
    rows : a list of mappings, an Arrow table or a pandas frame.
    provenance : stored as JSON in the file's metadata under ``dissensus``; no clock, no host.
    names_plan : whether it names the plan that it is made under, where there is one. What a plan is
        made from does not: it has the same bytes before and after.

    Raises
    ------
    ArtefactError : a column is missing, is not in the schema or has another type, or a key repeats.
    """
    about = {**provenance, **plan_of(path)} if names_plan else provenance
    in_turn(_write, path, schema, rows, about)


def _write(path: str | Path, schema: Schema, rows: Any, provenance: Mapping[str, Any]) -> None:
    data = _encoded(rows, schema, str(path), provenance)
    with replacing(path) as part:
        part.write_bytes(data)


def _encoded(rows: Any, schema: Schema, where: str, provenance: Mapping[str, Any]) -> bytearray:
    """The bytes of an artefact."""
    table = _conform(rows, schema, where)
    about = {"name": schema.name, "row": schema.row, "key": schema.key}
    metadata = {_KEY: _json(provenance), _SCHEMA: _json(about), **BLANK_SEAL}
    table = table.replace_schema_metadata(metadata)
    # Into memory first: Parquet comes in dozens of pieces, each a system call on a file.
    buffer = pa.BufferOutputStream()
    # For a session's few speeches, setting up zstd, dictionaries and statistics takes longer than
    # all the rest.
    large = table.get_total_buffer_size() > _SMALL
    pq.write_table(
        table,
        buffer,
        compression="zstd" if large else "snappy",
        use_dictionary=large,
        write_statistics=large,
    )
    data = bytearray(buffer.getvalue())
    seal(data)
    return data


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(dict(value), ensure_ascii=False, sort_keys=True).encode()


def read(path: str | Path, schema: Schema | None = None) -> pa.Table:
    """Read an artefact and check it as strictly as when it was written.

    Parameters
    ----------
    path : of the file.
    schema : what it must hold; None for what the file itself says it holds, where the schema's own
        module would take long to import.

    Raises
    ------
    ArtefactError : the file cannot be read, is damaged, or breaks its schema.
    """
    # Not as a data set of one file, which takes three times as long. And by this thread alone, as
    # everywhere: a process that ends while Arrow's threads begin is now and then aborted by them.
    with open_sealed(path) as file:
        table = file.read(use_threads=False)
    return _conform(table, schema or _own_schema(table.schema, path), str(path))


def _own_schema(file_schema: pa.Schema, path: str | Path) -> Schema:
    """The schema that a file was written to, from its metadata."""
    try:
        about = json.loads(file_schema.metadata[_SCHEMA])
        columns = {arrow_field.name: _described(arrow_field) for arrow_field in file_schema}
    except (AttributeError, KeyError, TypeError, StopIteration):
        raise ArtefactError(
            f"{path} does not say what its columns hold; delete it and it will be made again."
        ) from None
    return Schema(about["name"], about["row"], columns, tuple(about["key"]))


def _described(arrow_field: pa.Field) -> Column:
    # By equality: a list's type hashes differently once it has been in a file.
    kind = next(name for name, kind in _TYPES.items() if kind == arrow_field.type)
    described = {name.decode(): text.decode() for name, text in arrow_field.metadata.items()}
    return Column(
        kind + "?" * arrow_field.nullable, described["description"], described.get("unit", "")
    )


def read_frame(path: str | Path) -> pd.DataFrame:
    """An artefact as a frame, checked by the schema that its file carries.

    The schema itself stands in a module that imports what estimated the artefact: a figure would
    pay two seconds of scipy for it.
    """
    frame: pd.DataFrame = read(path).to_pandas(use_threads=False)
    return frame


def read_by(path: str | Path, schema: Schema, key: str) -> dict[str, dict[str, Any]]:
    """An artefact's rows by the values of a column that names them, in their order."""
    return {row[key]: row for row in read(path, schema).to_pylist()}


def concatenate(paths: Sequence[str | Path], schema: Schema) -> pa.Table:
    """Read artefacts of one schema and put them under each other, in the order given."""
    return pa.concat_tables([read(path, schema) for path in paths])


def provenance_of(path: str | Path) -> dict[str, Any]:
    """What an artefact's metadata says of where it came from.

    Raises
    ------
    ArtefactError : as :func:`read`.
    """
    with open_sealed(path) as file:
        return _provenance(file.schema_arrow)


def key_of(path: str | Path) -> tuple[str, ...]:
    """The columns that together name a row of an artefact, as :func:`described` has them."""
    return described(path)[0].key


def described(path: str | Path) -> tuple[Schema, int]:
    """What an artefact holds, as the file says, and how many rows.

    Raises
    ------
    ArtefactError : as :func:`read`.
    """
    with open_sealed(path) as file:
        return _own_schema(file.schema_arrow, path), file.metadata.num_rows


def _provenance(schema: pa.Schema) -> dict[str, Any]:
    """The provenance in a file's metadata."""
    provenance: dict[str, Any] = json.loads(schema.metadata[_KEY])
    return provenance


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


def _columns(rows: Any, schema: Schema) -> dict[str, Any]:
    """The columns that were given, by name."""
    if hasattr(rows, "to_dict") and hasattr(rows, "columns"):
        rows = pa.Table.from_pandas(rows, preserve_index=False)
    elif not rows and not isinstance(rows, pa.Table):
        rows = schema.arrow.empty_table()
    if isinstance(rows, pa.Table):
        return dict(zip(rows.column_names, rows.columns, strict=True))
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _column([row.get(name) for row in rows], name, schema) for name in names}


def _column(values: list[Any], name: str, schema: Schema) -> pa.Array:
    """A column of the type that its values have, so that none is bent silently to the schema's."""
    try:
        return arrow_column(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ArtefactError(f"{schema.name}.{name} mixes types: {error}.") from None


def _conform(rows: Any, schema: Schema, where: str) -> pa.Table:
    """The table with its columns in the schema's order and types."""
    given, fields, arrow = _columns(rows, schema), schema.fields, schema.arrow
    if schema.families or given.keys() != fields.keys():
        extra = [name for name in given if name not in fields]
        fields = fields | {name: _of_family(name, schema, where) for name in extra}
        arrow = pa.schema(fields.values())
        lacking = [name for name in fields if name not in given]
        lacking += [
            family
            for family, pattern in schema.families.items()
            if not any(map(pattern.fullmatch, extra)) and any(map(len, given.values()))
        ]
        if lacking:
            raise ArtefactError(f"{where}: {schema.name} lacks the column {lacking[0]!r}.")
    columns = [_conformed(given[name], fields[name], schema, where) for name in fields]
    return _with_key(pa.table(columns, schema=arrow), schema, where)


def _with_key(table: pa.Table, schema: Schema, where: str) -> pa.Table:
    """The table, whose rows differ in the schema's key."""
    if schema.key and table.num_rows:
        distinct = _distinct(table.select(schema.key))
        if distinct != table.num_rows:
            raise ArtefactError(
                f"{where}: {table.num_rows - distinct} rows of {schema.name} repeat their key "
                f"({', '.join(schema.key)})."
            )
    return table


def _of_family(name: str, schema: Schema, where: str) -> pa.Field:
    """The field of a column whose name depends on the settings."""
    for family, pattern in schema.families.items():
        if pattern.fullmatch(name):
            return schema.columns[family].field(name)
    raise ArtefactError(f"{where}: {schema.name} has no column {name!r}.")


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
    if keys.get_total_buffer_size() > _SMALL:
        return int(keys.group_by(keys.column_names, use_threads=False).aggregate([]).num_rows)
    # Starting the query engine takes longer than a short table.
    return len(set(zip(*(column.to_pylist() for column in keys.columns), strict=True)))


def _alike(given: pa.DataType, promised: pa.DataType) -> bool:
    """Whether a type may stand for another: both numbers, both texts, both truth values."""
    kinds = (
        lambda t: pa.types.is_integer(t) or pa.types.is_floating(t),
        lambda t: pa.types.is_string(t) or pa.types.is_large_string(t),
        pa.types.is_boolean,
    )
    if pa.types.is_dictionary(given):
        given = given.value_type
    if pa.types.is_list(promised) and hasattr(given, "value_type"):
        given, promised = given.value_type, promised.value_type
    return pa.types.is_null(given) or any(is_kind(given) and is_kind(promised) for is_kind in kinds)
