"""The history of a chat that deliberate-lab exports as CSV, as turns.

Each row is a message. What the system and the experimenter say is left out. Participants count as
people, and mediators as models; the export names no model, and says of no participant whether it is
an agent.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.user_files import read_csv

_SENDER, _TYPE, _TEXT = "Sender ID", "Message type", "Message content"
_COLUMNS = ("Timestamp", "Message ID", "Discussion ID", _TYPE, _SENDER, _TEXT)
#: Who speaks in a debate.
_KINDS = {"participant": True, "mediator": False}
_LEFT_OUT = ("system", "experimenter", "unknown")


def turns(path: Path) -> Iterator[dict[str, Any]]:
    """The messages of a file, in their order; a discussion is a session.

    Raises
    ------
    ResourceError : it lacks a column of the export, or a sender is of no kind; by row.
    """
    for number, row in read_csv(path, _COLUMNS, as_it_is=(_TEXT,)):
        kind = row[_TYPE]
        if kind in _LEFT_OUT:
            continue
        if kind not in _KINDS:
            may = ", ".join((*_KINDS, *_LEFT_OUT))
            raise ResourceError(
                f"{path}, row {number}: {_TYPE} holds {kind!r}; it must be one of {may}."
            )
        if not row[_SENDER]:
            raise ResourceError(f"{path}, row {number}: {_SENDER} is empty; each message has one.")
        yield {
            "session": row["Discussion ID"] or path.stem,
            "speaker": row[_SENDER],
            "role": kind,
            "person": _KINDS[kind],
            "text": row[_TEXT],
            "time": row["Timestamp"],
        }
