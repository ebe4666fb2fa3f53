"""The three artefacts that a session leaves: every attempt, the transcript, the calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.debate.runner import Session
from dissensus.tables.artefact import Schema, write

ATTEMPTS = Schema(
    name="sessions",
    row="attempt at a turn",
    columns={
        "session_id": "string",
        "session_attempt": "int",
        "turn": "int",
        "speaker": "string",
        "role": "string",
        "model": "string",
        "attempt": "int",
        "text": "string",
        "violations": "strings",
        "accepted": "bool",
        "error": "string",
    },
    key=("session_id", "session_attempt", "turn", "speaker", "attempt"),
)

TRANSCRIPT = Schema(
    name="transcripts",
    row="turn; none for a session that failed for good",
    columns={
        "session_id": "string",
        "draw_id": "string",
        "language": "string",
        "turn": "int",
        "speaker": "string",
        "role": "string",
        "round_label": "string",
        "model": "string",
        "text": "string",
        "repairs": "int",
        "compliant": "bool",
    },
    key=("session_id", "turn", "speaker"),
    open=True,
)

CALLS = Schema(
    name="calls",
    row="call",
    columns={
        "session_id": "string",
        "session_attempt": "int",
        "turn": "int",
        "speaker": "string",
        "attempt": "int",
        "provider": "string",
        "model": "string",
        "request_sha256": "string",
        "input_tokens": "int",
        "output_tokens": "int",
        "cost_usd": "float?",
        "latency_s": "float",
        "finish_reason": "string",
        "error": "string",
    },
    key=("session_id", "session_attempt", "turn", "speaker", "attempt"),
)


@dataclass(frozen=True)
class SessionPaths:
    """Where a session's artefacts go."""

    attempts: Path
    transcript: Path
    calls: Path


def write_session(
    paths: SessionPaths,
    session: Session,
    ids: Mapping[str, Any],
    provenance: Mapping[str, Any],
) -> None:
    """Write a session's artefacts, the transcript last, since it is what others wait for.

    Parameters
    ----------
    paths : where to.
    session : what was held.
    ids : the columns that name the session in its study, ``session_id`` among them.
    provenance : metadata; the transcript's also says whether, and why, the session failed.
    """
    name = ids["session_id"]
    attempts = [
        {
            "session_id": name,
            "session_attempt": a.session_attempt,
            "turn": a.call.number,
            "speaker": a.call.speaker,
            "role": a.call.role,
            "model": a.call.model,
            "attempt": a.attempt,
            "text": a.reply.text,
            "violations": list(a.violations),
            "accepted": a.accepted,
            "error": a.reply.error,
        }
        for a in session.attempts
    ]
    calls = [
        {
            "session_id": name,
            "session_attempt": a.session_attempt,
            "turn": a.call.number,
            "speaker": a.call.speaker,
            "attempt": a.attempt,
            "provider": a.provider,
            "model": a.call.model,
            "request_sha256": a.request_sha256,
            "input_tokens": a.reply.input_tokens,
            "output_tokens": a.reply.output_tokens,
            "cost_usd": a.reply.cost_usd,
            "latency_s": a.reply.latency_s,
            "finish_reason": a.reply.finish_reason,
            "error": a.reply.error,
        }
        for a in session.attempts
    ]
    turns = [
        {
            **ids,
            "turn": t.number,
            "speaker": t.speaker,
            "role": t.role,
            "round_label": t.round_label,
            "model": t.model,
            "text": t.text,
            "repairs": t.repairs,
            "compliant": t.compliant,
        }
        for t in session.turns
    ]
    outcome = {"session_attempts": session.session_attempts, "failure": session.failure}
    write(paths.attempts, ATTEMPTS, attempts, provenance)
    write(paths.calls, CALLS, calls, provenance)
    write(paths.transcript, TRANSCRIPT, turns, {**provenance, **ids, **outcome})
