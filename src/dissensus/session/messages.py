"""What the models of a session were sent, message by message."""

from __future__ import annotations

from dissensus.session.record import place
from dissensus.session.runner import Session
from dissensus.tables.artefact import Column
from dissensus.tables.common import common, text

#: The columns of a session's messages. No file holds these: they are rebuilt when asked for.
MESSAGES = {
    **common("session_id", "session_attempt", "turn", "speaker", "role"),
    "purpose": text("What the call was made for, such as debate or judge."),
    **common("attempt", "model"),
    "message": Column("int", "Place of the message in its request, from 1."),
    "message_role": text("Who the message is from: system, user or assistant."),
    "content": text("The message, word for word."),
    "request_sha256": text("Digest of the whole request: its key in the journal."),
}


def message_rows(session_id: str, session: Session) -> list[dict[str, object]]:
    """Every message that was sent, in the order of the calls; rows of :data:`MESSAGES`."""
    return [
        {
            **place(session_id, attempt),
            "role": attempt.call.role,
            "purpose": attempt.call.purpose,
            "model": attempt.call.model,
            "message": number,
            "message_role": message.role,
            "content": message.content,
            "request_sha256": attempt.request.sha256,
        }
        for attempt in session.attempts
        for number, message in enumerate(attempt.request.messages, start=1)
    ]
