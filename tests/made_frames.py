"""Frames of an artefact's schema: what a test says, and something plausible for all else.

A test names the columns that it is about. A column that a schema gains later is made here, so that
it breaks no test that is not about it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from dissensus.tables.artefact import Column, Schema

Rows = Sequence[Mapping[str, Any]] | pd.DataFrame


def frame_of(schema: Schema, rows: Rows) -> pd.DataFrame:
    """Rows of a schema, as they are read from its artefact.

    Parameters
    ----------
    schema : its columns are those of the frame, in their order; then those of its families that
        the rows have.
    rows : with the columns that the test is about. A row that lacks one which others have misses
        its value. A column that none has is made up, by the same numbers in every run; its numbers
        are missing where a session did not end.

    Raises
    ------
    KeyError : the rows have a column that the schema does not know.
    """
    given = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
    families = {
        name: family
        for name in map(str, given.columns)
        for family, pattern in schema.families.items()
        if pattern.fullmatch(name)
    }
    unknown = {*map(str, given.columns)} - {*schema.fields} - {*families}
    if unknown:
        raise KeyError(f"{schema.name} has no columns {', '.join(sorted(unknown))}.")
    kinds = {name: schema.columns[families.get(name, name)] for name in (*schema.fields, *families)}
    ended = given["complete"].to_numpy(bool) if "complete" in given else np.ones(len(given), bool)
    columns = {
        name: _given(given[name], column) if name in given else _made_up(name, column, ended)
        for name, column in kinds.items()
    }
    return pd.DataFrame(columns, index=given.index)


def _given(values: pd.Series, column: Column) -> pd.Series:
    """What a test says, with numbers as numbers where some are missing."""
    missing = column.kind == "int?" and values.isna().any()
    if missing or column.kind in ("float", "float?"):
        return values.astype(float)
    return values.infer_objects()


def _made_up(name: str, column: Column, ended: np.ndarray) -> Any:
    """One value a row."""
    n, kind = len(ended), column.kind.removesuffix("?")
    if kind == "float":
        values: Any = np.random.default_rng(crc32(name.encode())).uniform(0.2, 0.8, n)
    elif kind in ("strings", "floats"):
        return [[] for _ in range(n)]
    else:
        values = np.full(n, {"string": "", "int": 1, "bool": True}[kind])
    if ended.all() or not column.kind.endswith("?"):
        return values
    missing = (pd.Series(values, dtype=object), None) if kind == "bool" else (values, np.nan)
    return np.where(ended, *missing)
