"""Measures the sessions of a shard, which are whole draws: the work of one job."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.study.makes import TurnsBySession, makes
from dissensus.text.tokens import tokenizer

from ..design.instrument import is_debate
from .components import (
    COMPONENTS,
    lexical_components,
    semantic_components,
)
from .reuse import REUSE, measure_reuse


@makes(components=COMPONENTS, reuse=REUSE)
def measure_shard(
    turns: TurnsBySession,
    rendered: TurnsBySession,
    embeddings: list[dict[str, Any]],
    tokenizers: list[str],
    repetitions: int,
    seed: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Similarity and reuse in the debates of one shard, and similarity in their renderings."""
    debates = {name: turns_of for name, turns_of in turns.items() if is_debate(turns_of[0])}
    return measure_block(debates, rendered, embeddings, tokenizers, repetitions, seed)


def measure_block(
    sessions: dict[str, list[dict[str, Any]]],
    rendered: dict[str, list[dict[str, Any]]],
    embeddings: list[dict[str, Any]],
    tokenizers: Sequence[str],
    repetitions: int,
    seed: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Components of every debate and rendering given, and reuse in every debate.

    Parameters
    ----------
    sessions : session_id -> turns in order; of debates.
    rendered : the same of their renderings in other languages.
    embeddings : rows of the embeddings' artefact, of both.
    tokenizers : the study's own first; reuse by token is measured with that one.
    repetitions, seed : of the Monte Carlo measures.
    """
    texts = sessions | rendered
    semantic = _semantic(texts, embeddings)
    encoded = {name: _encoded(texts, name) for name in dict.fromkeys([*tokenizers, "words"])}
    words = encoded["words"]
    components = []
    for name in tokenizers:
        ordered = sorted(texts.items(), key=lambda item: str(item[1][0]["draw_id"]))
        for _, group in groupby(ordered, key=lambda item: item[1][0]["draw_id"]):
            lexical = lexical_components(dict(group), encoded[name], repetitions, seed)
            components += [
                {
                    "session_id": session,
                    **{
                        column: texts[session][0][column]
                        for column in ("draw_id", "language", "rendered_from")
                    },
                    "tokenizer": name,
                    "embedder": embedder_name,
                    **row,
                    "words": sum(map(len, words[session])),
                    "characters": sum(len(turn["text"]) for turn in texts[session]),
                    **means,
                }
                for session, row in lexical.items()
                for embedder_name, means in semantic[session].items()
            ]
    tokens_of = encoded[tokenizers[0]]
    reuse = [
        row for name, turns in sessions.items() for row in measure_reuse(turns, tokens_of[name])
    ]
    return components, reuse


def _encoded(sessions: dict[str, list[dict[str, Any]]], name: str) -> dict[str, list[list[int]]]:
    """session_id -> the token ids of each turn, by the tokeniser of a name."""
    encode = tokenizer(name)
    return {
        session: [encode(turn["text"]) for turn in turns] for session, turns in sessions.items()
    }


def _semantic(
    sessions: dict[str, list[dict[str, Any]]], embeddings: list[dict[str, Any]]
) -> dict[str, dict[str, dict[str, float]]]:
    """session_id -> embedder -> semantic components."""
    vectors: dict[tuple[str, str], dict[int, list[float]]] = {}
    for row in embeddings:
        vectors.setdefault((row["session_id"], row["embedder"]), {})[row["turn"]] = row["vector"]
    similar: dict[str, dict[str, dict[str, float]]] = {session: {} for session in sessions}
    for (session, name), by_turn in vectors.items():
        turns = sessions[session]
        matrix: NDArray[np.float32] = np.array([by_turn[t["turn"]] for t in turns], np.float32)
        similar[session][name] = semantic_components(turns, matrix)
    return similar
