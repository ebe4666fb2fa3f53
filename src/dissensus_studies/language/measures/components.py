"""The raw components of the Homogeneity Index, session by session, before any anchor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.digests import digest
from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count
from dissensus.text.divergences import grouped_measures, plain_similarity
from dissensus.text.embeddings import cosine_matrix, embedder, pair_means
from dissensus.text.tokens import tokenizer

from ..design.manifest import MANIFEST

UNITS = ("turn", "speaker", "side")
#: Ending of a column -> what it holds for a unit, and its unit of measurement.
_VARIANTS = {
    "": ("Lexical similarity of the {}s: 1 - JSD / log of their number.", "0 to 1"),
    "_matched": ("Lexical similarity of the {}s cut at random to one length.", "0 to 1"),
    "_excess": ("Lexical similarity of the {}s less that of shuffled tokens.", "-1 to 1"),
}
_PAIRS = {
    "pooled": "any two turns",
    "cross_side": "turns of different sides",
    "same_side": "turns of two speakers of one side",
    "same_speaker": "two turns of one speaker",
}

COMPONENTS = Schema(
    name="components",
    row="session or rendering of one, tokeniser and embedder",
    columns={
        **MANIFEST.pick("session_id", "draw_id", "language", "rendered_from"),
        **common("tokenizer", "embedder"),
        **{
            f"s_lex_{unit}{variant}": Column("float?", meaning.format(unit), bounds)
            for unit in UNITS
            for variant, (meaning, bounds) in _VARIANTS.items()
        },
        **{
            f"s_sem_{pairs}": Column("float?", f"Mean cosine similarity of {which}.", "-1 to 1")
            for pairs, which in _PAIRS.items()
        },
        "tokens": Column("int", "How many tokens the session has by the tokeniser.", "tokens"),
        "types": count("How many different tokens the session has."),
        "words": count("How many words the session has; Chinese ones by segmentation."),
        "characters": count("How many characters the session has."),
        "matched_depth": Column(
            "int", "Length that turns are cut to for s_lex_turn_matched.", "tokens"
        ),
    },
    key=("session_id", "tokenizer", "embedder"),
    paths=("components.parquet", "shards/{shard}/components.parquet"),
)

Turn = Mapping[str, Any]


def lexical_components(
    sessions: Mapping[str, Sequence[Turn]],
    encoded: Mapping[str, Sequence[Sequence[int]]],
    repetitions: int,
    seed: int,
) -> dict[str, dict[str, Any]]:
    """Lexical similarities of the sessions of one draw.

    Parameters
    ----------
    sessions : session_id -> its turns in order; all complete sessions of one draw, in every
        language, and their renderings: lengths are matched over all of them.
    encoded : session_id -> the token ids of each of these turns.
    repetitions : of the rarefaction and of the shuffle null.
    seed : the study's; each session has a random stream of its own.

    Returns
    -------
    session_id -> the lexical columns of :data:`COMPONENTS`, words and characters left out.
    """
    groupings = {session: _groupings(turns) for session, turns in sessions.items()}
    lengths = {session: [len(ids) for ids in encoded[session]] for session in sessions}
    # A unit without a token makes its own session's similarity missing, and no other's. Renderings
    # count too: a text is compared with another of its language, at one length.
    depths = [
        min(
            (
                size
                for session, labels in groupings.items()
                for size in np.bincount(labels[index], lengths[session]).astype(int).tolist()
                if size
            ),
            default=1,
        )
        for index in range(len(UNITS))
    ]
    rows: dict[str, dict[str, Any]] = {}
    for session, labels in groupings.items():
        measures = grouped_measures(
            [np.asarray(ids, dtype=np.int64) for ids in encoded[session]],
            labels,
            depths=depths,
            repetitions=repetitions,
            rng=np.random.default_rng([seed, int(digest(session)[:12], 16)]),
        )
        row: dict[str, Any] = {}
        for unit, measured in zip(UNITS, measures, strict=True):
            row[f"s_lex_{unit}"] = measured.plain
            row[f"s_lex_{unit}_matched"] = measured.matched
            row[f"s_lex_{unit}_excess"] = measured.excess
        rows[session] = row | {
            "tokens": measures[0].tokens,
            "types": measures[0].types,
            "matched_depth": depths[0],
        }
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


def plain_components(turns: Sequence[Turn], measures: Mapping[str, Any]) -> tuple[float, float]:
    """The two similarities that the index is made of, of one session, from its texts.

    Parameters
    ----------
    turns : in order, each with ``speaker`` and ``text``.
    measures : the study's settings: ``tokenizer``, ``embedder`` (one of this machine) and ``unit``.
    """
    encode = _tokenizer(measures["tokenizer"])
    encoded = [np.asarray(encode(turn["text"]), dtype=np.int64) for turn in turns]
    labels = _groupings(turns)[UNITS.index(measures["unit"])]
    vectors = _embedder(measures["embedder"]).embed([turn["text"] for turn in turns])
    return plain_similarity(encoded, labels), semantic_components(turns, vectors)["s_sem_pooled"]


# Each takes a second to load.
_tokenizer = cache(tokenizer)
_embedder = cache(embedder)


def _groupings(turns: Sequence[Turn]) -> list[list[int]]:
    """The unit of each turn, by each of :data:`UNITS`: its own, or its speaker's or side's."""
    speakers = [turn["speaker"] for turn in turns]
    return [
        list(range(len(turns))),
        *(
            [list(dict.fromkeys(names)).index(name) for name in names]
            for names in (speakers, [name[0] for name in speakers])
        ),
    ]
