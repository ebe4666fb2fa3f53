"""A shard's sessions side by side: their turns, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa

from dissensus.session.record import TRANSCRIPTS, transcript
from dissensus.tables.artefact import Column, Schema, provenance_of, read
from dissensus.tables.common import common, text

#: A study's own begin with the columns that name its sessions; so do its outcomes.
TURNS = replace(
    TRANSCRIPTS,
    name="turns",
    row="turn of a session that ran to the end",
    paths=("turns.parquet", "shards/{shard}/turns.parquet"),
)
OUTCOMES = Schema(
    name="outcomes",
    row="session",
    columns={
        **common("session_id", "complete", "attempts", "repairs", "compliant?"),
        "failure": text("Why the session failed for good; empty where it did not."),
    },
    key=("session_id",),
    paths=("outcomes.parquet", "shards/{shard}/outcomes.parquet"),
)


def turns_schema(ids: Mapping[str, Column]) -> Schema:
    """The schema of all transcripts together; ``ids``: the columns that name a session."""
    return TURNS.named_by(ids)


def outcomes_schema(ids: Mapping[str, Column]) -> Schema:
    """The schema of what became of every session; ``ids`` as in :func:`turns_schema`."""
    return OUTCOMES.named_by(ids)


def gather(
    transcripts: Sequence[str | Path], ids: Mapping[str, Column]
) -> tuple[pa.Table, list[dict[str, Any]]]:
    """The turns of all transcripts, and one row a session that says how it ended.

    A session that failed for good has no turns; its reason is in its transcript's metadata.

    Parameters
    ----------
    transcripts : files, at least one.
    ids : the columns that name a session.
    """
    schema = transcript(ids)
    tables, outcomes = [], []
    for path in transcripts:
        turns, said = read(path, schema), provenance_of(path)
        compliant = turns["compliant"].to_pylist()
        tables.append(turns)
        outcomes.append(
            {
                **{name: said[name] for name in ids},
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
