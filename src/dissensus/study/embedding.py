"""What a stage needs to embed texts, and the artefact of what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.digests import digest
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count
from dissensus.text.embeddings import Embedder, UnitEmbedder, embedder, is_own

if TYPE_CHECKING:
    from dissensus.llm.providers.embedder import RemoteEmbedder
    from dissensus.study.stage import Stage

_OF_THE_REPLY = (
    *("input_tokens", "cost_usd", "faults", "faults_usd", "latency_s", "queued_s", "error"),
    *("answered_by", "request_id"),
)


def embedding_calls(name: str, *paths: str) -> Schema:
    """The schema of an artefact of calls for embeddings; each study has its own name for it."""
    return Schema(
        name=name,
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
        paths=paths,
    )


def call_rows(block: int, embedders: Sequence[RemoteEmbedder]) -> list[dict[str, Any]]:
    """The calls for embeddings, with their cost: rows of :func:`embedding_calls`.

    Parameters
    ----------
    block : of the sessions whose texts were embedded; 0 for texts of the whole study.
    embedders : the paid ones.
    """
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


def stage_embedder(
    stage: Stage, name: str, journals: Path, what: str
) -> tuple[Embedder, list[RemoteEmbedder]]:
    """The embedder that a stage uses, and the same as what is paid for; none where it is our own.

    Parameters
    ----------
    stage : that asks it.
    name : in the configuration.
    journals : the folder ``journal/embeddings`` of the study.
    what : is embedded; how the journal's name begins.

    Raises
    ------
    DissensusError : it cannot be loaded or reached.
    """
    if is_own(name):
        return embedder(name), []
    remote = stage.registry.embedder(name, journals / f"{what}-{digest(name)[:8]}.jsonl")
    return UnitEmbedder(remote.name, remote.encode), [remote]
