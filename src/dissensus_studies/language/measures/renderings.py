"""Parallel texts of a shard's debates: translated by a model, or exact where they are simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.study.makes import TurnsBySession, makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, text

from ..design.instrument import rendered_draws, rendering_id
from ..design.manifest import IDS
from ..simulated_parallel import NoParallel, render_debate

RENDERED_TURNS = Schema(
    name="rendered_turns",
    row="turn of a debate's rendering in another language",
    columns={
        **IDS,
        **common("turn", "speaker", "model"),
        "text": text("What the turn says, in the language of the rendering."),
    },
    key=("session_id", "turn"),
    paths=("shards/{shard}/rendered_turns.parquet",),
)

Turns = Sequence[Mapping[str, Any]]


@makes(rendered=RENDERED_TURNS)
def render_turns(
    turns: TurnsBySession,
    manifest: list[dict[str, Any]],
    sources: dict[str, dict[str, str]],
    draws: int | None,
    pairs: list[list[str]],
    spoken: dict[str, str],
    seed: int,
) -> list[dict[str, Any]]:
    """A shard's debates in the other languages: exact where they are simulated, else translated."""
    if not sources:
        return translated(turns)
    topics = {row["draw_id"]: row["motion_id"] for row in manifest}
    rendered = rendered_draws(topics, draws, seed)
    return exact(turns, rendered, topics, pairs, spoken, sources)


def translated(sessions: Mapping[str, Turns]) -> list[dict[str, Any]]:
    """The turns of sessions that translate debates: rows of :data:`RENDERED_TURNS`."""
    return [
        {name: turn[name] for name in RENDERED_TURNS.columns}
        for turns in sessions.values()
        for turn in turns
        if turn["rendered_from"]
    ]


def exact(
    sessions: Mapping[str, Turns],
    draws: set[str],
    topics: Mapping[str, str],
    pairs: Sequence[Sequence[str]],
    spoken: Mapping[str, str],
    sources: Mapping[str, Mapping[str, str]],
) -> list[dict[str, Any]]:
    """Simulated debates in the other language, clause by clause.

    Parameters
    ----------
    sessions : session_id -> turns in order.
    draws : whose sessions are rendered.
    topics : draw_id -> motion_id.
    pairs : language of the debate, and language of the rendering.
    spoken : these languages -> as the spaces of arguments name them.
    sources : model -> its ``arguments`` and ``motions``.

    Returns
    -------
    Rows of :data:`RENDERED_TURNS`. A debate with a turn that is not made of whole frames and
    clauses, after all repairs, has none.
    """
    rows: list[dict[str, Any]] = []
    for turns in sessions.values():
        draw, language = turns[0]["draw_id"], turns[0]["language"]
        for spoken_in, into in pairs:
            if spoken_in != language or draw not in draws:
                continue
            try:
                texts = _texts(turns, sources, topics[draw], spoken[spoken_in], spoken[into])
            except NoParallel:
                continue
            ids = {
                "session_id": rendering_id(draw, spoken_in, into),
                "draw_id": draw,
                "language": into,
                "rendered_from": spoken_in,
            }
            rows += [
                {**ids, **{name: turn[name] for name in ("turn", "speaker", "model")}, "text": text}
                for turn, text in zip(turns, texts, strict=True)
            ]
    return rows


def _texts(
    turns: Turns, sources: Mapping[str, Mapping[str, str]], topic: str, spoken_in: str, into: str
) -> list[str]:
    """A debate in another language; in the same one, where a language is compared with itself."""
    if spoken_in == into:
        return [turn["text"] for turn in turns]
    return render_debate(turns, sources, topic, spoken_in, into)
