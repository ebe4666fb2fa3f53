"""What a run has spent, by model, purpose and session, and how its models have behaved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.llm.call import answers_for
from dissensus.plan.cost import EMBEDDING
from dissensus.study.makes import makes
from dissensus.tables.artefact import Column, Schema, read
from dissensus.tables.common import common, count, text

SPENDING = Schema(
    name="spending",
    row="purpose, session (or block, for embeddings) and model",
    columns={
        "purpose": text("What the calls were made for, such as debate, judge or embed."),
        "session_id": text(
            "Name of the session; empty for embeddings, which are counted by block."
        ),
        **common("block", "model"),
        "calls": count("How many calls, each with all its tries."),
        "tries": count("How many tries these calls took."),
        "unpriced": count("How many answers came from models without a price."),
        **common("input_tokens", "cached_tokens", "output_tokens"),
        "first_usd": Column(
            "float", "Price of the answers to first attempts at a turn.", "US dollars"
        ),
        "repairs_usd": Column(
            "float", "Price of the answers to turns that were asked for again.", "US dollars"
        ),
        "reruns_usd": Column(
            "float", "Price of the answers in sessions that were begun again.", "US dollars"
        ),
        **common("faults_usd"),
    },
    key=("purpose", "session_id", "block", "model"),
)

#: What a provider said of itself and of its answers: no clock reading, no request id.
CONDUCT = Schema(
    name="conduct",
    row="model, kind of fact and value",
    columns={
        **common("model"),
        "fact": text("Kind of fact: finish_reason, answered_by, fingerprint, fault, ..."),
        "value": text("What it was, such as stop or rate_limit."),
        "count": count("How many calls or tries it is true of."),
    },
    key=("model", "fact", "value"),
)

_USD = ("first_usd", "repairs_usd", "reruns_usd", "faults_usd")
_COUNTS = ("calls", "tries", "unpriced", "input_tokens", "cached_tokens", "output_tokens")


@makes(spending=SPENDING, conduct=CONDUCT)
def gather_spending(
    manifest: list[dict[str, Any]], calls: list[Path], embedding_calls: list[Path]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What every session and every block has cost, and what the models reported."""
    blocks = {row["session_id"]: row["block"] for row in manifest}
    spent = spending(_rows(calls), _rows(embedding_calls), blocks)
    return spent, conduct(_rows(calls), _rows(embedding_calls))


def _rows(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """A shard at a time: a large run has millions of calls."""
    for path in paths:
        yield from read(path).to_pylist()


def spending(
    calls: Iterable[Mapping[str, Any]],
    embedding_calls: Iterable[Mapping[str, Any]],
    blocks: Mapping[str, int],
) -> list[dict[str, Any]]:
    """Rows of :data:`SPENDING`.

    An answer is paid under what it was asked for: a re-run where its session was run again, else
    a repair where its turn was asked for again, else the first attempt. ``faults_usd`` is what the
    failed tries of all of these cost besides.

    Parameters
    ----------
    calls, embedding_calls : rows of all their artefacts.
    blocks : session_id -> its block.
    """
    entries: dict[tuple[str, str, int, str], dict[str, Any]] = {}
    for row in calls:
        session = row["session_id"]
        kind = "reruns_usd" if row["session_attempt"] > 1 else "first_usd"
        if kind == "first_usd" and row["attempt"] > 1:
            kind = "repairs_usd"
        into = _entry(entries, (row["purpose"], session, blocks[session], row["model"]))
        _add(into, row, kind)
        into["cached_tokens"] += row["cached_tokens"]
        into["output_tokens"] += row["output_tokens"]
    for row in embedding_calls:
        into = _entry(entries, (EMBEDDING, "", row["block"], row["embedder"]))
        _add(into, row, "first_usd")
    return [entries[key] for key in sorted(entries, key=_embeddings_last)]


def _entry(entries: dict[Any, dict[str, Any]], key: tuple[str, str, int, str]) -> dict[str, Any]:
    if key not in entries:
        named = dict(zip(("purpose", "session_id", "block", "model"), key, strict=True))
        entries[key] = named | dict.fromkeys(_COUNTS, 0) | dict.fromkeys(_USD, 0.0)
    return entries[key]


def _add(into: dict[str, Any], row: Mapping[str, Any], kind: str) -> None:
    into["calls"] += 1
    into["tries"] += 1 + len(row["faults"])
    into["unpriced"] += row["cost_usd"] is None and not row["error"]
    into["input_tokens"] += row["input_tokens"]
    into[kind] += row["cost_usd"] or 0.0
    into["faults_usd"] += row["faults_usd"]


def _embeddings_last(key: tuple[str, str, int, str]) -> tuple[bool, str, int, str, str]:
    purpose, session, block, model = key
    return purpose == EMBEDDING, session, block, purpose, model


def conduct(
    calls: Iterable[Mapping[str, Any]], embedding_calls: Iterable[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Rows of :data:`CONDUCT`: how often each model's calls had each fact.

    ``fault`` counts every failed try, the last of a call that was given up among them.
    """
    counts: Counter[tuple[str, str, str]] = Counter()
    for row in calls:
        counts.update((row["model"], *fact) for fact in _facts(row))
    for row in embedding_calls:
        _, _, asked = row["embedder"].partition(":")
        other = not answers_for(asked, row["answered_by"])
        counts.update((row["embedder"], *fact) for fact in _facts({**row, "other_model": other}))
    return [
        {"model": model, "fact": fact, "value": value, "count": count}
        for (model, fact, value), count in sorted(counts.items())
    ]


def _facts(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What one call adds to its model's record; what its provider did not say adds nothing."""
    facts = [(fact, row.get(fact, "")) for fact in ("finish_reason", "answered_by", "fingerprint")]
    facts += [("given_up", row["error"])]
    facts += [("fault", outcome) for outcome in (*row["faults"], row["error"])]
    if row["other_model"]:
        facts.append(("other_model", row["answered_by"]))
    return [(fact, value) for fact, value in facts if value]


def by_model(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """(purpose, model) -> the sums of its rows of :data:`SPENDING`, in their order."""
    sums: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        key = (row["purpose"], row["model"])
        into = sums.setdefault(key, dict.fromkeys(_COUNTS, 0) | dict.fromkeys(_USD, 0.0))
        for name in (*_COUNTS, *_USD):
            into[name] += row[name]
    return sums


def spent_usd(sums: Mapping[str, Any]) -> float:
    """All that a row, or a sum of rows, has cost."""
    return float(sum(sums[name] for name in _USD))
