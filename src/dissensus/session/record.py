"""What a session leaves: every attempt, the transcript, the calls, and that it was held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.llm.model_names import answers_for
from dissensus.session.protocol import Turn
from dissensus.session.runner import Attempt, Session
from dissensus.tables.artefact import Schema, replacing, write

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

_TURN = {
    "turn": "int",
    "speaker": "string",
    "role": "string",
    "round_label": "string",
    "model": "string",
    "text": "string",
    "repairs": "int",
    "compliant": "bool",
}


def transcript(ids: Mapping[str, str]) -> Schema:
    """The schema of a study's transcripts; ``ids``: the columns that name a session -> type."""
    return Schema(
        name="transcripts",
        row="turn; none for a session that failed for good",
        columns={**ids, **_TURN},
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
        "role": "string",
        "purpose": "string",
        "attempt": "int",
        "provider": "string",
        "model": "string",
        "request_sha256": "string",
        "input_tokens": "int",
        "cached_tokens": "int",
        "output_tokens": "int",
        "cost_usd": "float?",
        "faults": "strings",
        "faults_usd": "float",
        "latency_s": "float",
        "queued_s": "float",
        "finish_reason": "string",
        "error": "string",
        "answered_by": "string",
        "other_model": "bool",
        "fingerprint": "string",
        "request_id": "string",
    },
    key=("session_id", "session_attempt", "turn", "speaker", "attempt"),
)


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
    types: Mapping[str, str],
    provenance: Mapping[str, Any],
    spec_digest: str,
) -> None:
    """Write a session's artefacts, and last the mark that they are there.

    Parameters
    ----------
    paths : where to.
    session : what was held.
    ids : the columns that name the session in its study, ``session_id`` among them.
    types : of these columns.
    provenance : metadata; the transcript's also says whether, and why, the session failed.
    spec_digest : of all that the session depends on; what the mark says.
    """
    # A mark of earlier artefacts must not stand beside some of these.
    paths.mark.unlink(missing_ok=True)
    name = ids["session_id"]
    outcome = {"session_attempts": session.session_attempts, "failure": session.failure}
    attempts = [_attempt_row(name, attempt) for attempt in session.attempts]
    calls = [_call_row(name, attempt) for attempt in session.attempts]
    turns = [{**ids, **_turn_row(turn)} for turn in session.turns]
    write(paths.attempts, ATTEMPTS, attempts, provenance)
    write(paths.calls, CALLS, calls, provenance)
    write(paths.transcript, transcript(types), turns, {**provenance, **ids, **outcome})
    with replacing(paths.mark) as part:
        part.write_text(spec_digest, encoding="ascii")


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
        **_place(session_id, attempt),
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
        **_place(session_id, attempt),
        "role": attempt.call.role,
        "purpose": "judge" if attempt.call.role.startswith("judge") else "debate",
        "provider": attempt.provider,
        "model": attempt.call.model,
        "request_sha256": attempt.request_sha256,
        "input_tokens": reply.input_tokens,
        "cached_tokens": reply.cached_tokens,
        "output_tokens": reply.output_tokens,
        "cost_usd": reply.cost_usd,
        "faults": list(reply.faults),
        "faults_usd": reply.faults_usd,
        "latency_s": reply.latency_s,
        "queued_s": reply.queued_s,
        "finish_reason": reply.finish_reason,
        "error": reply.error,
        "answered_by": reply.answered_by,
        "other_model": not answers_for(attempt.asked_model, reply.answered_by),
        "fingerprint": reply.fingerprint,
        "request_id": reply.request_id,
    }


def _place(session_id: str, attempt: Attempt) -> dict[str, Any]:
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
        "repairs": turn.repairs,
        "compliant": turn.compliant,
    }
