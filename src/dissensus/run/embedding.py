"""What a stage needs to embed texts, and the artefact of what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.digests import digest
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count
from dissensus.text.embeddings import Embedder, UnitEmbedder, Vectors, embedder, is_own

if TYPE_CHECKING:
    from dissensus.llm.providers.embedder import RemoteEmbedder
    from dissensus.run.stage import Stage

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


class StageEmbedder:
    """The embedder that a stage uses, of this machine or of a provider.

    Parameters
    ----------
    stage : that asks it.
    name : in the configuration.
    journal : how the path of its journal begins, in the folder ``journal/embeddings`` of the study.

    Attributes
    ----------
    used : the embedder.

    Raises
    ------
    DissensusError : it cannot be loaded or reached.
    """

    def __init__(self, stage: Stage, name: str, journal: Path) -> None:
        self._paid: list[RemoteEmbedder] = []
        if is_own(name):
            self.used: Embedder = embedder(name)
            return
        path = journal.with_name(f"{journal.name}-{digest(name)[:8]}.jsonl")
        self._paid = [stage.registry.embedder(name, path)]
        self.used = UnitEmbedder(name, self._paid[0].encode)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of n texts, (n, d)."""
        return self.used.embed(texts)

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What was paid so far: rows of :func:`embedding_calls`."""
        return call_rows(0, self._paid)
