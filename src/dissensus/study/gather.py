"""A shard's sessions side by side: their turns, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from dissensus.design.stopping import stopped_after
from dissensus.errors import ArtefactError
from dissensus.session.record import CALLS, CLOCK, TRANSCRIPTS, SessionRows
from dissensus.study.makes import makes, resolve
from dissensus.tables.artefact import Column, Schema, concatenate, read
from dissensus.tables.common import common, text

#: A study's own begin with the columns that name its sessions; so do its outcomes.
TURNS = replace(
    TRANSCRIPTS,
    name="turns",
    row="turn of a session that ran to the end",
    paths=("turns.parquet", "shards/{shard}/turns.parquet"),
)
#: What results are computed from holds no reading of a clock.
GATHERED_CALLS = Schema(
    name="gathered_calls",
    row="call",
    columns={name: column for name, column in CALLS.columns.items() if name not in CLOCK},
    key=CALLS.key,
    paths=("shards/{shard}/calls.parquet",),
)
OUTCOMES = Schema(
    name="outcomes",
    row="session",
    columns={
        **common("session_id", "complete", "attempts", "repairs", "compliant?"),
        "failure": text("Why the session failed for good; empty where it did not."),
    },
    key=("session_id",),
    paths=("outcomes.parquet", "shards/{shard}/outcomes.parquet"),
)


def turns_schema(ids: Mapping[str, Column]) -> Schema:
    """The schema of all transcripts together; ``ids``: the columns that name a session."""
    return TURNS.named_by(ids)


def outcomes_schema(ids: Mapping[str, Column]) -> Schema:
    """The schema of what became of every session; ``ids`` as in :func:`turns_schema`."""
    return OUTCOMES.named_by(ids)


class Gathered(NamedTuple):
    """The rows of a shard's artefacts: of :data:`TURNS`, :data:`OUTCOMES`, :data:`GATHERED_CALLS`
    and :data:`~dissensus.study.session_tables.TRIED`.
    """

    turns: list[dict[str, Any]]
    outcomes: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    attempts: list[dict[str, Any]]


def gather(sessions: Iterable[SessionRows]) -> Gathered:
    """What some sessions left, side by side, with one row a session that says how it ended.

    A session that failed for good has no turns.

    Parameters
    ----------
    sessions : in the order of the manifest.
    """
    gathered = Gathered([], [], [], [])
    for session in sessions:
        gathered.turns.extend(session.turns)
        gathered.outcomes.append(_outcome(session))
        for attempt, call in zip(session.attempts, session.calls, strict=True):
            timeless = {name: value for name, value in call.items() if name not in CLOCK}
            gathered.calls.append(timeless)
            gathered.attempts.append({**attempt, **call})
    return gathered


def _outcome(session: SessionRows) -> dict[str, Any]:
    compliant = [turn["compliant"] for turn in session.turns]
    failure = session.outcome["failure"]
    return {
        **session.ids,
        "complete": not failure,
        "attempts": session.outcome["session_attempts"],
        "repairs": sum(turn["repairs"] for turn in session.turns if not turn["origin"]),
        "compliant": all(compliant) if compliant else None,
        "failure": failure,
    }


@makes(turns=None, outcomes=None)
def gather_turns(
    turns: list[Path],
    outcomes: list[Path],
    looks: list[dict[str, Any]],
    manifest: Path,
    ids: list[str],
    schema: str,
) -> tuple[tuple[Schema, pa.Table], tuple[Schema, pa.Table]]:
    """All turns, and how every session ended; each with its schema.

    Parameters
    ----------
    turns, outcomes : of the shards.
    looks : of a study that may stop: it has no session of a block after the one that it stopped at.
    manifest : with the sessions that they must hold.
    ids : the columns that name a session.
    schema : ``module:name`` of the manifest's.

    Raises
    ------
    ArtefactError : the shards are of other sessions, or every session failed for good.
    """
    declared: Schema = resolve(schema)
    columns = declared.pick(*ids)
    schemas = turns_schema(columns), outcomes_schema(columns)
    spoken, ended = concatenate(turns, schemas[0]), concatenate(outcomes, schemas[1])
    last = stopped_after(looks)
    drawn = read(manifest, declared).select(["session_id", "block"]).to_pylist()
    run = [row["session_id"] for row in drawn if last is None or row["block"] <= last]
    check_sessions(manifest, run, spoken, ended)
    check_some_complete(manifest, ended)
    return (schemas[0], spoken), (schemas[1], ended)


def check_sessions(
    manifest: str | Path, sessions: Sequence[str], turns: pa.Table, outcomes: pa.Table
) -> None:
    """Refuse shards that are not of the manifest's sessions, or lack turns of one that ended well.

    Parameters
    ----------
    manifest : its file, which the sentence names.
    sessions : of the manifest.
    turns, outcomes : of all shards together.

    Raises
    ------
    ArtefactError : with the first session in question.
    """
    rows = outcomes.select(["session_id", "complete"]).to_pylist()
    ended = {row["session_id"]: row["complete"] for row in rows}
    with_turns = set(turns["session_id"].to_pylist())
    wrong = set(sessions) ^ set(ended) or {n for n in ended if ended[n] != (n in with_turns)}
    if wrong:
        raise ArtefactError(
            f"The shards beside {manifest} do not hold what it names ({len(wrong)} sessions, such "
            f"as {min(wrong)}); delete the folder shards and they will be gathered again."
        )


def check_some_complete(manifest: str | Path, outcomes: pa.Table) -> None:
    """Check that there is a session to be measured.

    Raises
    ------
    ArtefactError : every session failed for good; with the commonest reasons.
    """
    failures = Counter(row["failure"] for row in outcomes.to_pylist())
    if not failures or failures[""]:
        return
    reasons = "; ".join(f"{reason} ({n:,})" for reason, n in failures.most_common(3))
    raise ArtefactError(
        f"{Path(manifest).parent} has no session to be measured: all {failures.total():,} failed "
        f"for good: {reasons}. Change what that comes from, such as max_tokens for length, and "
        "start again: a session with other settings is run anew."
    )


def by_session(turns: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """session_id -> its turns in order; a session that failed for good has none and is left out."""
    rows = turns.to_pylist()
    return {name: list(group) for name, group in groupby(rows, key=itemgetter("session_id"))}
