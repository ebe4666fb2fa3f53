"""Within-role reuse: how far a speaker's second speech repeats the first (appendix E)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from dissensus.tables.artefact import Schema
from dissensus.text.reuse import reuse_ratio

REUSE = Schema(
    name="reuse",
    row="pair of one speaker's turns",
    columns={
        "session_id": "string",
        "draw_id": "string",
        "language": "string",
        "speaker": "string",
        "model": "string",
        "first_turn": "int",
        "second_turn": "int",
        "characters": "float",
        "tokens": "float",
    },
    key=("session_id", "first_turn", "second_turn"),
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
