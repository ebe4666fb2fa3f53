"""Embeds the turns of a shard's sessions; a stage of its own, since it may cost money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.study.embedding import embedding_calls
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common
from dissensus.text.embeddings import Embedder, Vectors

EMBEDDINGS = Schema(
    name="embeddings",
    row="turn and embedder",
    columns={
        **common("session_id", "turn", "embedder"),
        "vector": Column("floats", "Embedding of the turn's text, of length 1."),
    },
    key=("session_id", "turn", "embedder"),
    paths=("shards/{shard}/embeddings.parquet",),
)

EMBEDDING_CALLS = embedding_calls("embedding_calls", "shards/{shard}/embedding_calls.parquet")


def embed_block(
    sessions: Mapping[str, Sequence[Mapping[str, Any]]], embedders: Sequence[Embedder]
) -> pa.Table:
    """Embed every turn with every embedder: a table of :data:`EMBEDDINGS`."""
    turns = [turn for session in sessions.values() for turn in session]
    schema = pa.schema(EMBEDDINGS.fields)
    tables = [schema.empty_table()]
    for embedder in embedders:
        vectors = embedder.embed([turn["text"] for turn in turns])
        columns = [
            [turn["session_id"] for turn in turns],
            [turn["turn"] for turn in turns],
            [embedder.name] * len(turns),
            _lists(vectors),
        ]
        tables.append(pa.table(columns, schema=schema))
    return pa.concat_tables(tables)


def _lists(vectors: Vectors) -> pa.Array:
    """An Arrow list of each row, which need not become Python's numbers first."""
    rows, width = vectors.shape
    offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(width)
    return pa.ListArray.from_arrays(offsets, vectors.ravel())
