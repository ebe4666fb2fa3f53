"""Embeds the turns of a shard's sessions; a stage of its own, since it may cost money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count
from dissensus.text.embeddings import Embedder, Vectors

if TYPE_CHECKING:
    from dissensus.llm.providers.embedder import RemoteEmbedder

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

_OF_THE_REPLY = (
    *("input_tokens", "cost_usd", "faults", "faults_usd", "latency_s", "queued_s", "error"),
    *("answered_by", "request_id"),
)

EMBEDDING_CALLS = Schema(
    name="embedding_calls",
    row="call for embeddings; none where they are made here",
    columns={
        **common("block"),
        "call": Column("int", "Number of the embedder's call in the block, from 1."),
        **common("embedder"),
        "texts": count("How many texts the call embeds."),
        **common("input_tokens", "cost_usd?", "faults", "faults_usd", "latency_s", "queued_s"),
        **common("error", "answered_by", "request_id"),
    },
    key=("block", "embedder", "call"),
    paths=("shards/{shard}/embedding_calls.parquet",),
)


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


def call_rows(block: int, embedders: Sequence[RemoteEmbedder]) -> list[dict[str, Any]]:
    """The calls for a shard's embeddings, with their cost: rows of :data:`EMBEDDING_CALLS`."""
    return [
        {
            "block": block,
            "call": number,
            "embedder": embedder.name,
            "texts": len(call.keys),
            **{name: getattr(call.reply, name) for name in _OF_THE_REPLY},
        }
        for embedder in embedders
        for number, call in enumerate(embedder.calls, start=1)
    ]
