"""Embeds the turns of one temporal block; apart from the measures, since it may cost money."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dissensus.debate.record import TRANSCRIPT
from dissensus.tables.artefact import Schema, read
from dissensus.text.embeddings import embedder

EMBEDDINGS = Schema(
    name="embeddings",
    row="turn and embedder",
    columns={"session_id": "string", "turn": "int", "embedder": "string", "vector": "floats"},
    key=("session_id", "turn", "embedder"),
)


def read_sessions(transcripts: Sequence[str | Path]) -> dict[str, list[dict[str, Any]]]:
    """session_id -> turns in order; sessions that failed for good have none and are left out."""
    tables = (read(path, TRANSCRIPT).to_pylist() for path in transcripts)
    return {turns[0]["session_id"]: turns for turns in tables if turns}


def embed_block(
    sessions: dict[str, list[dict[str, Any]]], embedders: Sequence[str]
) -> list[dict[str, Any]]:
    """Embed every turn with every embedder: rows of :data:`EMBEDDINGS`."""
    turns = [turn for session in sessions.values() for turn in session]
    rows = []
    for name in embedders:
        vectors = embedder(name).embed([turn["text"] for turn in turns])
        rows += [
            {
                "session_id": turn["session_id"],
                "turn": turn["turn"],
                "embedder": name,
                "vector": vector,
            }
            for turn, vector in zip(turns, vectors, strict=True)
        ]
    return rows
