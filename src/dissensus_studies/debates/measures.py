"""From turns to numbers: what can be measured of any debate, whoever ran it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dissensus.measures.answers import discovery, transitions
from dissensus.measures.texts import vendi_of
from dissensus.run.embedding import StageEmbedder, embedding_calls
from dissensus.session.protocol import round_label, round_of
from dissensus.stats.results import NAN
from dissensus.study.experiment.outcomes import metrics_schema, rounds_schema
from dissensus.study.makes import TurnsBySession, makes
from dissensus.tables.artefact import read
from dissensus.text.divergences import plain_similarity
from dissensus.text.embeddings import cosine_matrix, pair_means
from dissensus.text.reuse import reuse_ratio
from dissensus.text.tokens import tokenizer as load_tokenizer
from dissensus.text.words import count_words

from .design import IDS, MANIFEST
from .outcomes import OUTCOMES
from .turns import says_something

Row = dict[str, Any]
Vectors = npt.NDArray[np.float32]
#: Speaker -> a value, read from JSON.
Values = dict[str, Any]

_TOKENS = ("session_input_tokens", "session_output_tokens")
METRICS = metrics_schema(IDS, {}, OUTCOMES)
ROUNDS = rounds_schema(IDS, {})
EMBEDDING_CALLS = embedding_calls("embedding_calls", "shards/{shard}/embedding_calls.parquet")


@makes(metrics=METRICS, outcomes_by_round=ROUNDS, calls=EMBEDDING_CALLS)
def measure_shard(
    turns: TurnsBySession,
    outcomes: list[dict[str, Any]],
    manifest: Path,
    tokenizer: str,
    embedder: str | None,
    embedder_of: Callable[[str, Path], StageEmbedder],
) -> tuple[list[Row], list[Row], list[Row]]:
    """The outcomes of a shard's sessions, those by round, and what embeddings cost.

    Parameters
    ----------
    outcomes : how each session ended.
    manifest : with the truths; its folder has the journals of embedders.
    tokenizer, embedder : names in the configuration; without an embedder, semantic measures are
        missing.
    """
    drawn = {row["session_id"]: row for row in read(manifest, MANIFEST).to_pylist()}
    encode = load_tokenizer(tokenizer)
    spoken = {name: _spoken(rows) for name, rows in turns.items()}
    first = drawn[outcomes[0]["session_id"]]
    vectors, calls = {}, []
    if embedder is not None:
        used = embedder_of(embedder, manifest.parent / f"journal/embeddings/{first['block']}")
        texts = [turn["text"] for rows in spoken.values() for turn in rows]
        vectors = dict(zip(texts, used.embed(texts), strict=True)) if texts else {}
        calls = [{**call, "block": first["block"]} for call in used.calls]
    metrics, by_round = [], []
    for ended in outcomes:
        name = ended["session_id"]
        ids = {column: ended[column] for column in IDS}
        rows = spoken.get(name, [])
        seen = np.array([vectors[turn["text"]] for turn in rows]) if vectors and rows else None
        tokens = [encode(turn["text"]) for turn in rows]
        truth, decision = (_read(drawn[name][given]) for given in ("truth", "decision"))
        measured = measure(turns.get(name, []), rows, tokens, seen, truth)
        is_decided = truth is not None and decision is not None
        measured["decided_right"] = float(decision == truth) if is_decided else None
        taken = [drawn[name][each] for each in _TOKENS]
        measured["score"] = drawn[name]["score"]
        measured["model_tokens"] = None if None in taken else sum(taken)
        measured["cost"] = drawn[name]["session_cost_usd"]
        metrics.append({**ids, "complete": ended["complete"], **measured})
        by_round += [
            {**ids, "outcome": outcome, "round": round_, "agent": "", "value": value}
            for outcome, round_, value in measure_rounds(
                turns.get(name, []), rows, tokens, seen, rounds_of(turns.get(name, []))
            )
        ]
    return metrics, by_round, calls


def _spoken(turns: Sequence[Row]) -> list[Row]:
    """Turns in which something is said."""
    return [turn for turn in turns if says_something(turn["text"])]


def _read(value: str | None) -> Any:
    return None if value is None else json.loads(value)


def measure(
    turns: Sequence[Row],
    spoken: Sequence[Row],
    tokens: Sequence[Sequence[int]],
    vectors: Vectors | None,
    truth: Any,
) -> dict[str, float | None]:
    """The outcomes of one session; None for what is not defined.

    Parameters
    ----------
    turns : all, in order.
    spoken : those of them in which something is said.
    tokens, vectors : of each of these; vectors have length 1, and are None without an embedder.
    truth : the right value; None where there is none.
    """
    speakers = [turn["speaker"] for turn in spoken]
    similar = None if vectors is None else cosine_matrix(vectors)
    first, last = _ends(turns)
    moved = {name: first[name] for name in first if _count(turns, name) > 1}
    ends = [*moved.values()], [last[name] for name in moved]
    flow = transitions(*ends, [truth] * len(moved))
    measured: dict[str, float | None] = {
        "s_lex": _lexical(tokens, speakers),
        "s_sem": None if similar is None else pair_means(similar, speakers, speakers).pooled,
        "vendi": None if similar is None else vendi_of(similar),
        "reuse": _reuse(tokens, speakers),
        "turns": len(spoken),
        "speakers": len(set(speakers)),
        "words": _mean([count_words(turn["text"]) for turn in spoken]),
        "changed": flow.flipped,
        "agreement_first": _agreement([*first.values()]),
        "agreement_last": _agreement([*last.values()]),
        "right_first": NAN if truth is None else _mean([e == truth for e in first.values()]),
        "right_last": NAN if truth is None else _mean([each == truth for each in last.values()]),
        "discovery": NAN if truth is None else _discovered(first, last, truth),
        "gain": NAN if truth is None else flow.wrong_right - flow.right_wrong,
    }
    return {
        name: None if value is None or value != value else float(value)
        for name, value in measured.items()
    }


def _ends(turns: Sequence[Row]) -> tuple[Values, Values]:
    """The first and the last value of each speaker who has any."""
    first: Values = {}
    last: Values = {}
    for turn in turns:
        if turn["value"] is not None:
            value = json.loads(turn["value"])
            first.setdefault(turn["speaker"], value)
            last[turn["speaker"]] = value
    return first, last


def _count(turns: Sequence[Row], speaker: str) -> int:
    """How many values a speaker has."""
    return sum(turn["speaker"] == speaker and turn["value"] is not None for turn in turns)


def _lexical(tokens: Sequence[Sequence[int]], speakers: Sequence[str]) -> float:
    """Lexical similarity of the speakers' texts; NaN where fewer than two say anything."""
    places = {name: place for place, name in enumerate(dict.fromkeys(speakers))}
    if len(places) < 2:
        return NAN
    labels = [places[name] for name in speakers]
    return plain_similarity([np.asarray(each, dtype=np.int64) for each in tokens], labels)


def _reuse(tokens: Sequence[Sequence[int]], speakers: Sequence[str]) -> float:
    """Mean reuse of the last turn before it by another speaker, over the turns that have one."""
    ratios = []
    for place, speaker in enumerate(speakers):
        before = next((n for n in range(place - 1, -1, -1) if speakers[n] != speaker), None)
        if before is not None:
            ratios.append(reuse_ratio(tokens[before], tokens[place]))
    return _mean(ratios)


def _agreement(values: Sequence[Any]) -> float:
    """Share of the pairs of values that are equal; NaN where there is no pair."""
    return _mean([first == second for first, second in combinations(values, 2)])


def _discovered(first: Values, last: Values, truth: Any) -> float:
    """1 where somebody ends right, 0 else; NaN where somebody was right at first."""
    return discovery([[*first.values()]], [[*last.values()]], [truth]).found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else NAN


def rounds_of(turns: Sequence[Mapping[str, Any]]) -> list[int]:
    """The round of each turn: the number in its label where all have one, else the speaker's n-th.

    Parameters
    ----------
    turns : of a session, in order.
    """
    labelled = [_numbered(turn["round_label"]) for turn in turns]
    rounds = [number for number in labelled if number is not None]
    if len(rounds) == len(turns):
        return rounds
    counts: dict[str, int] = {}
    for turn in turns:
        counts[turn["speaker"]] = counts.get(turn["speaker"], 0) + 1
        rounds.append(counts[turn["speaker"]])
    return rounds[-len(turns) :]


def _numbered(label: str) -> int | None:
    """The number of a label that :func:`~dissensus.session.protocol.round_label` made."""
    try:
        number = round_of(label)
    except ValueError:
        return None
    return number if round_label(number) == label else None


def measure_rounds(
    turns: Sequence[Row],
    spoken: Sequence[Row],
    tokens: Sequence[Sequence[int]],
    vectors: Vectors | None,
    rounds: Sequence[int],
) -> Iterator[tuple[str, int, float]]:
    """Outcome, round and value of each outcome by round that is defined.

    Parameters
    ----------
    rounds : of each of ``turns``; the others are those of :func:`measure`.
    """
    round_at = {id(turn): number for turn, number in zip(turns, rounds, strict=True)}
    values: Values = {}
    for number in sorted(set(rounds)):
        places = [n for n, turn in enumerate(spoken) if round_at[id(turn)] == number]
        speakers = [spoken[n]["speaker"] for n in places]
        for turn in turns:
            if round_at[id(turn)] == number and turn["value"] is not None:
                values[turn["speaker"]] = json.loads(turn["value"])
        similar = None
        if vectors is not None and len(places) > 1:
            similar = pair_means(cosine_matrix(vectors[places]), speakers, speakers).pooled
        measured = {
            "lexical": _lexical([tokens[n] for n in places], speakers),
            "semantic": similar,
            "length": _mean([count_words(spoken[n]["text"]) for n in places]),
            "agreement": _agreement([*values.values()]),
        }
        for outcome, value in measured.items():
            if value is not None and value == value:
                yield outcome, number, value
