"""The raw parts of the Homogeneity Index, session by session, before any anchor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.fingerprint import digest
from dissensus.tables.artefact import Schema
from dissensus.text.divergences import lexical_measures
from dissensus.text.embeddings import cosine_matrix, pair_means
from dissensus.text.words import count_words

UNITS = ("turn", "speaker", "side")

COMPONENTS = Schema(
    name="components",
    row="session, tokeniser and embedder",
    columns={
        "session_id": "string",
        "draw_id": "string",
        "language": "string",
        "tokenizer": "string",
        "embedder": "string",
        **{
            f"s_lex_{unit}{variant}": "float?"
            for unit in UNITS
            for variant in ("", "_matched", "_excess")
        },
        **{
            f"s_sem_{pairs}": "float?"
            for pairs in ("pooled", "cross_side", "same_side", "same_speaker")
        },
        "tokens": "int",
        "types": "int",
        "words": "int",
        "characters": "int",
        "matched_depth": "int",
    },
    key=("session_id", "tokenizer", "embedder"),
)

Turn = Mapping[str, Any]
Tokenizer = Callable[[str], list[int]]


def lexical_components(
    sessions: Mapping[str, Sequence[Turn]], encode: Tokenizer, repetitions: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Lexical similarities of the sessions of one draw.

    Parameters
    ----------
    sessions : session_id -> its turns in order; all complete sessions of one draw, in every
        language, since lengths are matched within the draw.
    encode : text -> token ids.
    repetitions : of the rarefaction and of the shuffle null.
    seed : the study's; each session has a random stream of its own.

    Returns
    -------
    session_id -> the lexical columns of :data:`COMPONENTS`.
    """
    tokens = {
        session: [np.asarray(encode(turn["text"]), dtype=np.int64) for turn in turns]
        for session, turns in sessions.items()
    }
    units = {
        session: {unit: _group(unit, turns, tokens[session]) for unit in UNITS}
        for session, turns in sessions.items()
    }
    # A unit without a token makes its own session's similarity missing, and no other's.
    depth = {
        unit: min(
            (len(ids) for grouped in units.values() for ids in grouped[unit] if len(ids)), default=1
        )
        for unit in UNITS
    }
    rows: dict[str, dict[str, Any]] = {}
    for session, grouped in units.items():
        rng = np.random.default_rng([seed, int(digest(session)[:12], 16)])
        row: dict[str, Any] = {}
        for unit in UNITS:
            found = lexical_measures(
                grouped[unit], depth=depth[unit], repetitions=repetitions, rng=rng
            )
            row[f"s_lex_{unit}"] = found.plain
            row[f"s_lex_{unit}_matched"] = found.matched
            row[f"s_lex_{unit}_excess"] = found.excess
        whole = np.concatenate(tokens[session])
        row |= {
            "tokens": len(whole),
            "types": len(np.unique(whole)),
            "words": sum(count_words(turn["text"]) for turn in sessions[session]),
            "characters": sum(len(turn["text"]) for turn in sessions[session]),
            "matched_depth": depth["turn"],
        }
        rows[session] = row
    return rows


def semantic_components(turns: Sequence[Turn], vectors: NDArray[np.float32]) -> dict[str, float]:
    """Mean cosine similarities of one session's turns.

    Parameters
    ----------
    turns : in order.
    vectors : their embeddings, shape (turns, dimensions), unit rows.

    Returns
    -------
    The semantic columns of :data:`COMPONENTS`.
    """
    speakers = [turn["speaker"] for turn in turns]
    means = pair_means(cosine_matrix(vectors), speakers, [name[0] for name in speakers])
    return {
        "s_sem_pooled": means.pooled,
        "s_sem_cross_side": means.cross_side,
        "s_sem_same_side": means.same_side,
        "s_sem_same_speaker": means.same_speaker,
    }


def _group(
    unit: str, turns: Sequence[Turn], tokens: Sequence[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    """Token ids of each unit: a turn's own, or those of all turns of a speaker or side."""
    if unit == "turn":
        return list(tokens)
    names = [turn["speaker"] if unit == "speaker" else turn["speaker"][0] for turn in turns]
    return [
        np.concatenate([ids for ids, own in zip(tokens, names, strict=True) if own == name])
        for name in dict.fromkeys(names)
    ]
