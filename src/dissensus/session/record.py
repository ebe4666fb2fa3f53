"""What a session leaves: every attempt, the transcript, the calls, and a mark that says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from dissensus.llm.call import answers_for
from dissensus.session.protocol import Turn
from dissensus.session.runner import Attempt, Session
from dissensus.tables.artefact import Column, Schema, replacing, write
from dissensus.tables.common import common, flag, text, texts

ATTEMPTS = Schema(
    name="sessions",
    row="attempt at a turn",
    columns={
        **common("session_id", "session_attempt", "turn", "speaker", "role", "model", "attempt"),
        "text": text("What the model replied; empty where the call failed."),
        "violations": texts("Rules of the protocol that the reply breaks."),
        "accepted": flag("Whether the reply stands in the transcript."),
        **common("error"),
    },
    key=("session_id", "session_attempt", "turn", "speaker", "attempt"),
    paths=("sessions/{session_id}.parquet",),
)

#: A study's own begin with the columns that name its sessions.
TRANSCRIPTS = Schema(
    name="transcripts",
    row="turn; none for a session that failed for good",
    columns={
        **common("session_id", "turn", "speaker", "role"),
        "round_label": text("Round or stage of the debate, as the protocol labels it."),
        **common("model"),
        "text": text("The turn as the next speakers are shown it."),
        "value": Column(
            "string?",
            "What the format of the reply reads in the text, as JSON; missing where that is the "
            "text itself, or nothing.",
        ),
        **common("repairs", "compliant"),
    },
    key=("session_id", "turn", "speaker"),
    paths=("transcripts/{session_id}.parquet",),
)


def transcript(ids: Mapping[str, Column]) -> Schema:
    """The schema of a study's transcripts; ``ids``: the columns that name a session."""
    return TRANSCRIPTS.named_by(ids)


CALLS = Schema(
    name="calls",
    row="call",
    columns={
        **common("session_id", "session_attempt", "turn", "speaker", "role"),
        "purpose": text("What the call was made for, such as debate or judge."),
        **common("attempt"),
        "provider": text("Name of the provider in the configuration."),
        **common("model"),
        "request_sha256": text("Digest of the request: its key in the journal."),
        **common("input_tokens", "cached_tokens", "output_tokens", "cost_usd?", "faults"),
        **common("faults_said", "faults_usd", "latency_s", "queued_s"),
        "started": text("When the call was made, in UTC; empty in a journal that does not say."),
        "ended": text("When its reply was there, in UTC; empty in a journal that does not say."),
        "finish_reason": text("Why the model stopped: stop, length, or the provider's word."),
        "thought": text("What the model wrote before its reply, for itself; shown to nobody."),
        "thought_characters": Column("int", "Length of the thought.", "characters"),
        **common("error", "answered_by"),
        "other_model": flag("Whether another model answered than the one asked for."),
        "fingerprint": text(
            "The provider's mark of the system that answered; empty where it gave none."
        ),
        **common("request_id"),
    },
    key=("session_id", "session_attempt", "turn", "speaker", "attempt"),
    paths=("calls/{session_id}.parquet",),
)

#: Columns that no two runs have alike, and that are kept beside the sessions alone.
CLOCK = ("started", "ended")


@dataclass(frozen=True)
class SessionPaths:
    """Where a session's artefacts go, and ``mark``, the mark that all three of them are there."""

    attempts: Path
    transcript: Path
    calls: Path
    mark: Path


def write_session(
    paths: SessionPaths,
    session: Session,
    ids: Mapping[str, Any],
    types: Mapping[str, Column],
    provenance: Mapping[str, Any],
    spec_digest: str,
) -> None:
    """Write a session's artefacts, and last the mark that they are there.

    Parameters
    ----------
    paths : where to.
    session : what it left.
    ids : the columns that name the session in its study, ``session_id`` among them.
    types : what these columns hold.
    provenance : metadata; the transcript's also says whether, and why, the session failed.
    spec_digest : of all that the session depends on; what the mark says.
    """
    # A mark of earlier artefacts must not stand beside some of these.
    paths.mark.unlink(missing_ok=True)
    rows = rows_of(session, ids)
    write(paths.attempts, ATTEMPTS, rows.attempts, provenance)
    write(paths.calls, CALLS, rows.calls, provenance)
    write(paths.transcript, transcript(types), rows.turns, {**provenance, **ids, **rows.outcome})
    with replacing(paths.mark) as part:
        part.write_text(spec_digest, encoding="ascii")


class SessionRows(NamedTuple):
    """The rows of a session's artefacts; ``outcome`` is in the transcript's metadata."""

    attempts: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    turns: list[dict[str, Any]]
    outcome: dict[str, Any]


def rows_of(session: Session, ids: Mapping[str, Any]) -> SessionRows:
    """What a session's artefacts hold; ``ids`` as for :func:`write_session`."""
    name = ids["session_id"]
    return SessionRows(
        [_attempt_row(name, attempt) for attempt in session.attempts],
        [_call_row(name, attempt) for attempt in session.attempts],
        [{**ids, **_turn_row(turn)} for turn in session.turns],
        {"session_attempts": session.session_attempts, "failure": session.failure},
    )


def is_complete(paths: SessionPaths, spec_digest: str) -> bool:
    """Whether a session's artefacts are all there and were made to this specification.

    Parameters
    ----------
    paths : where the artefacts are, if they are.
    spec_digest : as :func:`write_session` was given it.
    """
    try:
        if paths.mark.read_bytes() != spec_digest.encode():
            return False
    except OSError:
        return False
    return all(path.is_file() for path in (paths.attempts, paths.calls, paths.transcript))


def _attempt_row(session_id: str, attempt: Attempt) -> dict[str, Any]:
    return {
        **place(session_id, attempt),
        "role": attempt.call.role,
        "model": attempt.call.model,
        "text": attempt.reply.text,
        "violations": list(attempt.violations),
        "accepted": attempt.accepted,
        "error": attempt.reply.error,
    }


def _call_row(session_id: str, attempt: Attempt) -> dict[str, Any]:
    reply = attempt.reply
    return {
        **place(session_id, attempt),
        "role": attempt.call.role,
        "purpose": attempt.call.purpose,
        "provider": attempt.provider,
        "model": attempt.call.model,
        "request_sha256": attempt.request.sha256,
        "input_tokens": reply.input_tokens,
        "cached_tokens": reply.cached_tokens,
        "output_tokens": reply.output_tokens,
        "cost_usd": reply.cost_usd,
        "faults": list(reply.faults),
        "faults_said": list(reply.faults_said),
        "faults_usd": reply.faults_usd,
        "latency_s": reply.latency_s,
        "queued_s": reply.queued_s,
        "started": reply.started,
        "ended": reply.ended,
        "finish_reason": reply.finish_reason,
        "thought": reply.thought,
        "thought_characters": len(reply.thought),
        "error": reply.error,
        "answered_by": reply.answered_by,
        "other_model": not answers_for(attempt.asked_model, reply.answered_by),
        "fingerprint": reply.fingerprint,
        "request_id": reply.request_id,
    }


def place(session_id: str, attempt: Attempt) -> dict[str, Any]:
    """Which attempt it was at which turn of which session."""
    return {
        "session_id": session_id,
        "session_attempt": attempt.session_attempt,
        "turn": attempt.call.number,
        "speaker": attempt.call.speaker,
        "attempt": attempt.attempt,
    }


def _turn_row(turn: Turn) -> dict[str, Any]:
    return {
        "turn": turn.number,
        "speaker": turn.speaker,
        "role": turn.role,
        "round_label": turn.round_label,
        "model": turn.model,
        "text": turn.text,
        "value": None if turn.value is None or turn.value == turn.text else as_json(turn.value),
        "repairs": turn.repairs,
        "compliant": turn.compliant,
    }


def as_json(value: Any) -> str:
    """What a format read in a reply, as JSON: models and dataclasses by their fields.

    Raises
    ------
    TypeError : it holds something that JSON has no form for.
    """
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"a {type(value).__name__} has no form in JSON")
