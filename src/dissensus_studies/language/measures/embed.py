"""Embeds the turns of a shard's sessions; a stage of its own, since it may cost money."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.run.embedding import StageEmbedder, embedding_calls
from dissensus.study.makes import TurnsBySession, makes
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common
from dissensus.text.embeddings import Embedder, Vectors, is_own

from ..design.instrument import is_debate
from ..design.manifest import read_manifest

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


@makes(embeddings=EMBEDDINGS, calls=EMBEDDING_CALLS)
def embed_turns(
    turns: TurnsBySession,
    rendered: TurnsBySession,
    manifest: Path,
    embedders: list[str],
    embedder_of: Callable[[str, Path], StageEmbedder],
) -> tuple[pa.Table, list[dict[str, Any]]]:
    """Every turn of a shard's debates and of their renderings, and what that costs."""
    debates = {name: spoken for name, spoken in turns.items() if is_debate(spoken[0])}
    sessions = {**debates, **rendered}
    journals = manifest.parent / "journal/embeddings"
    on_this_machine = [embedder_of(name, journals).used for name in embedders if is_own(name)]
    tables, calls = [embed_block(sessions, on_this_machine)], []
    # Paid ones by block: those journals serve a larger manifest too, which has other shards.
    blocks = {row["draw_id"]: row["block"] for row in read_manifest(manifest).values()}

    def block_of(name: str) -> int:
        return int(blocks[sessions[name][0]["draw_id"]])

    for block, group in groupby(sorted(sessions, key=block_of), key=block_of):
        paid = [embedder_of(name, journals / f"{block}") for name in embedders if not is_own(name)]
        some = {name: sessions[name] for name in group}
        tables.append(embed_block(some, [embedder.used for embedder in paid]))
        calls += [{**row, "block": block} for embedder in paid for row in embedder.calls]
    return pa.concat_tables(tables), calls


def embed_block(
    sessions: Mapping[str, Sequence[Mapping[str, Any]]], embedders: Sequence[Embedder]
) -> pa.Table:
    """Embed every turn with every embedder: a table of :data:`EMBEDDINGS`."""
    turns = [turn for session in sessions.values() for turn in session]
    schema = EMBEDDINGS.arrow
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
