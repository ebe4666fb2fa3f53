"""Embeds the turns of one temporal block; apart from the measures, since it may cost money."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.debate.record import TRANSCRIPT
from dissensus.tables.artefact import Schema, read
from dissensus.text.embeddings import Embedder

if TYPE_CHECKING:
    from dissensus.talk.providers.embedder import RemoteEmbedder

EMBEDDINGS = Schema(
    name="embeddings",
    row="turn and embedder",
    columns={"session_id": "string", "turn": "int", "embedder": "string", "vector": "floats"},
    key=("session_id", "turn", "embedder"),
)

_OF_THE_REPLY = (
    *("input_tokens", "cost_usd", "faults", "faults_usd", "latency_s", "queued_s", "error"),
    *("answered_by", "request_id"),
)

EMBEDDING_CALLS = Schema(
    name="embedding_calls",
    row="call for embeddings; none where they are made here",
    columns={
        "block": "int",
        "call": "int",
        "embedder": "string",
        "texts": "int",
        "input_tokens": "int",
        "cost_usd": "float?",
        "faults": "strings",
        "faults_usd": "float",
        "latency_s": "float",
        "queued_s": "float",
        "error": "string",
        "answered_by": "string",
        "request_id": "string",
    },
    key=("block", "embedder", "call"),
)


def read_sessions(transcripts: Sequence[str | Path]) -> dict[str, list[dict[str, Any]]]:
    """session_id -> turns in order; sessions that failed for good have none and are left out."""
    tables = (read(path, TRANSCRIPT).to_pylist() for path in transcripts)
    return {turns[0]["session_id"]: turns for turns in tables if turns}


def embed_block(
    sessions: dict[str, list[dict[str, Any]]], embedders: Sequence[Embedder]
) -> list[dict[str, Any]]:
    """Embed every turn with every embedder: rows of :data:`EMBEDDINGS`."""
    turns = [turn for session in sessions.values() for turn in session]
    rows = []
    for embedder in embedders:
        vectors = embedder.embed([turn["text"] for turn in turns])
        rows += [
            {
                "session_id": turn["session_id"],
                "turn": turn["turn"],
                "embedder": embedder.name,
                "vector": vector,
            }
            for turn, vector in zip(turns, vectors, strict=True)
        ]
    return rows


def call_rows(block: int, embedders: Sequence[RemoteEmbedder]) -> list[dict[str, Any]]:
    """What the block's embeddings came to in calls and money: rows of :data:`EMBEDDING_CALLS`."""
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
