"""A shard's sessions side by side: their turns, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa

from dissensus.debate.record import TRANSCRIPT
from dissensus.tables.artefact import Schema, provenance_of, read

TURNS = replace(TRANSCRIPT, name="turns", row="turn of a session that ran to the end")

OUTCOMES = Schema(
    name="outcomes",
    row="session",
    columns={
        "session_id": "string",
        "draw_id": "string",
        "language": "string",
        "complete": "bool",
        "attempts": "int",
        "repairs": "int",
        "compliant": "bool?",
        "failure": "string",
    },
    key=("session_id",),
)


def gather(transcripts: Sequence[str | Path]) -> tuple[pa.Table, list[dict[str, Any]]]:
    """The turns of all transcripts, and one row a session that says how it ended.

    A session that failed for good has no turns; its reason is in its transcript's metadata.
    """
    tables, outcomes = [], []
    for path in transcripts:
        turns, said = read(path, TRANSCRIPT), provenance_of(path)
        compliant = turns["compliant"].to_pylist()
        tables.append(turns.replace_schema_metadata(None))
        outcomes.append(
            {
                "session_id": said["session_id"],
                "draw_id": said["draw_id"],
                "language": said["language"],
                "complete": not said["failure"],
                "attempts": said["session_attempts"],
                "repairs": sum(turns["repairs"].to_pylist()),
                "compliant": all(compliant) if compliant else None,
                "failure": said["failure"],
            }
        )
    return pa.concat_tables(tables), outcomes


def by_session(turns: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """session_id -> its turns in order; a session that failed for good has none and is left out."""
    rows = turns.to_pylist()
    return {name: list(group) for name, group in groupby(rows, key=itemgetter("session_id"))}
