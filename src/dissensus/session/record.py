"""What a session leaves: every attempt, every call, and the transcript, written last."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from dissensus.llm.call import answers_for
from dissensus.session.protocol import Turn
from dissensus.session.runner import Attempt, Session
from dissensus.tables.artefact import Column, Schema, write
from dissensus.tables.common import common, flag, text, texts
from dissensus.tables.in_turn import in_turn
from dissensus.tables.provenance import SETTINGS_DIGEST
from dissensus.tables.seal import is_sound

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
        "origin": Column(
            "string?",
            "The session that the turn was taken from, unasked, what it was put in place of, the "
            "tool that took it, or the file that it was imported from; missing for a turn of this "
            "session.",
        ),
        "person": Column(
            "bool?", "Whether a person spoke; missing where an imported file does not say."
        ),
    },
    key=("session_id", "turn", "speaker"),
    paths=("transcripts/{session_id}.parquet",),
)


def transcript(ids: Mapping[str, Column]) -> Schema:
    """The schema of a study's transcripts; ``ids``: the columns that name a session."""
    return _named_by(tuple(ids.items()))


@cache
def _named_by(ids: tuple[tuple[str, Column], ...]) -> Schema:
    return TRANSCRIPTS.named_by(dict(ids))


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


#: How a transcript's metadata, which is at its end, gives the digest of all that it depends on.
_MADE_TO = re.compile(rb'"%b": "([0-9a-f]{64})"' % SETTINGS_DIGEST.encode())
#: Bytes at the end of a transcript that have it, as a rule.
_END = 1 << 14


@dataclass(frozen=True)
class SessionPaths:
    """Where a session's artefacts go."""

    attempts: Path
    transcript: Path
    calls: Path

    @classmethod
    def of(cls, folder: Path, session_id: str) -> SessionPaths:
        """In the folder of its study."""
        return cls(
            *(
                folder / f"{kind}/{session_id}.parquet"
                for kind in ("sessions", "transcripts", "calls")
            )
        )


def write_session(
    paths: SessionPaths,
    rows: SessionRows,
    types: Mapping[str, Column],
    provenance: Mapping[str, Any],
    separate: bool = True,
) -> None:
    """Write a session's artefacts, the transcript last: where it is, the others are too.

    A transcript with the same bytes keeps its time, so that nothing is made of it again.

    Parameters
    ----------
    paths : where to.
    rows : what it left.
    types : the columns that name the session in its study, and what they hold.
    provenance : metadata; the transcript's also says whether, and why, the session failed.
    separate : whether attempts and calls have files of this session alone; else none are left.
    """
    in_turn(_write_session, paths, rows, types, provenance, separate)


def _write_session(
    paths: SessionPaths,
    rows: SessionRows,
    types: Mapping[str, Column],
    provenance: Mapping[str, Any],
    separate: bool,
) -> None:
    # An earlier transcript must not stand beside these.
    before = _taken(paths.transcript)
    if separate:
        write(paths.attempts, ATTEMPTS, rows.attempts, provenance)
        write(paths.calls, CALLS, rows.calls, provenance)
    else:
        paths.attempts.unlink(missing_ok=True)
        paths.calls.unlink(missing_ok=True)
    metadata = {**provenance, **rows.ids, **rows.outcome}
    write(paths.transcript, transcript(types), rows.turns, metadata)
    if before and paths.transcript.read_bytes() == before.data:
        os.utime(paths.transcript, ns=(before.changed, before.changed))


class _Before(NamedTuple):
    """A file as it was, and when it was last changed, in nanoseconds."""

    data: bytes
    changed: int


def _taken(path: Path) -> _Before | None:
    """What a file was, which is deleted; None where there is none."""
    try:
        before = _Before(path.read_bytes(), path.stat().st_mtime_ns)
    except FileNotFoundError:
        return None
    path.unlink()
    return before


class SessionRows(NamedTuple):
    """The rows of a session's artefacts; the transcript's metadata has ``ids`` and ``outcome``."""

    ids: dict[str, Any]
    attempts: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    turns: list[dict[str, Any]]
    outcome: dict[str, Any]


def rows_of(session: Session, ids: Mapping[str, Any]) -> SessionRows:
    """What a session's artefacts hold.

    Parameters
    ----------
    ids : the columns that name the session in its study, ``session_id`` among them.
    """
    name = ids["session_id"]
    return SessionRows(
        dict(ids),
        [_attempt_row(name, attempt) for attempt in session.attempts],
        [_call_row(name, attempt) for attempt in session.attempts],
        [{**ids, **_turn_row(turn)} for turn in session.turns],
        {"session_attempts": session.session_attempts, "failure": session.failure},
    )


def made_to(transcript: Path) -> str | None:
    """The digest of all that a transcript's session depended on.

    Only the end of the file is read: a run may have thousands.

    Returns
    -------
    None where there is no transcript, or one without a byte; "" where it does not say.
    """
    try:
        with transcript.open("rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            for first in (max(0, size - _END), 0):
                file.seek(first)
                if digests := _MADE_TO.findall(file.read(size - first)):
                    return str(digests[-1].decode())
    except OSError:
        return None
    return "" if size else None


def is_current(transcript: Path, digest: str) -> bool:
    """Whether a transcript is there that was made to this digest, and is as it was written.

    One that is damaged is made again, from its session's journal.
    """
    return made_to(transcript) == digest and is_sound(transcript)


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
    # A value that is the text itself need not be kept twice, but where a file gives it.
    is_text = turn.value == turn.text and not turn.is_imported
    return {
        "turn": turn.number,
        "speaker": turn.speaker,
        "role": turn.role,
        "round_label": turn.round_label,
        "model": turn.model,
        "text": turn.text,
        "value": None if turn.value is None or is_text else as_json(turn.value),
        "repairs": turn.repairs,
        "compliant": turn.compliant,
        "origin": turn.origin or None,
        "person": turn.person,
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
    if hasattr(value, "tolist"):
        # The numbers of NumPy and pandas.
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} has no form in JSON")
