"""Within-role reuse: how far a speaker's second speech repeats the first (appendix E)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common
from dissensus.text.reuse import reuse_ratio

from ..design.manifest import MANIFEST

REUSE = Schema(
    name="reuse",
    row="pair of one speaker's turns",
    columns={
        **MANIFEST.pick("session_id", "draw_id", "language"),
        **common("speaker", "model"),
        "first_turn": Column("int", "Number of the earlier turn."),
        "second_turn": Column("int", "Number of the later turn."),
        "characters": Column(
            "float", "Share of the two turns' characters that match in order.", "share, 0 to 1"
        ),
        "tokens": Column(
            "float", "Share of the two turns' tokens that match in order.", "share, 0 to 1"
        ),
    },
    key=("session_id", "first_turn", "second_turn"),
    paths=("reuse.parquet", "shards/{shard}/reuse.parquet"),
)


def measure_reuse(
    turns: Sequence[Mapping[str, Any]], encoded: Sequence[Sequence[int]]
) -> list[dict[str, Any]]:
    """SequenceMatcher ratios of every two turns of one speaker, by character and by token.

    Parameters
    ----------
    turns : of one session, in order.
    encoded : the token ids of each.
    """
    return [
        {
            "session_id": first["session_id"],
            "draw_id": first["draw_id"],
            "language": first["language"],
            "speaker": first["speaker"],
            "model": first["model"],
            "first_turn": first["turn"],
            "second_turn": second["turn"],
            "characters": reuse_ratio(first["text"], second["text"]),
            "tokens": reuse_ratio(first_ids, second_ids),
        }
        for (first, first_ids), (second, second_ids) in combinations(
            zip(turns, encoded, strict=True), 2
        )
        if first["speaker"] == second["speaker"]
    ]
