"""A fork of a session that has ended: another text in one turn, and only the rest asked."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from dissensus.errors import ResourceError
from dissensus.keep.reading import Reading, read_session
from dissensus.llm.journal import Journal
from dissensus.llm.shared import claimed
from dissensus.report.labels import listed
from dissensus.session.continued import continued
from dissensus.session.inputs import FolderInputs
from dissensus.session.record import SessionPaths, rows_of, write_session
from dissensus.session.runner import Limits, run_session
from dissensus.study.configuration import Configuration
from dissensus.study.sessions import Sessions
from dissensus.tables.provenance import provenance


def fork_session(
    folder: Path, settings: Configuration, session_id: str, turn: int, speaker: str, text: str
) -> tuple[Reading, Path, int]:
    """Play a session anew from one of its turns, in place of which something else is said.

    What came before that turn is taken from the session, and not asked. The fork has the session's
    own seed, so that a simulated model that is told the same says the same. Its replies are kept:
    the same fork again pays for none.

    Parameters
    ----------
    folder : of the session's study.
    settings : that the run had.
    turn : the number of the turn, as the transcript has it.
    speaker : whose turn it is, where several share its number; else "".
    text : what is said instead.

    Returns
    -------
    The fork, the folder that holds it, in ``forks`` of the study's folder, and how many of its
    calls were made now.

    Raises
    ------
    ResourceError : there is no such turn, or the fork failed.
    """
    before = read_session(folder, session_id)
    speaker_of_turn = _speaker(before, session_id, turn, speaker)
    if not text.strip():
        raise ResourceError(f"What is said instead in turn {turn} is empty; write a text.")
    sessions = Sessions.read(settings, folder)
    row = sessions.rows[session_id]
    spec = sessions.spec(row)
    if not spec["models"]:
        why = "was imported, and asks no model that could go on; fork a session that was run here."
        raise ResourceError(f"{session_id} {why}")
    registry = settings.registry(folder.parent, "fork", spec["models"])
    models = {name: registry.model(name) for name in spec["models"]}
    begin = sessions.steps(row, FolderInputs(folder, sessions.study.ids))
    spoken = sha256(f"{turn}/{speaker_of_turn}/{text}".encode()).hexdigest()
    place = folder / f"forks/{session_id}-{spoken[:8]}"
    journal = place / "journal.jsonl"
    with claimed(journal):
        kept = _replies(journal)
        with Journal(journal) as replies:
            fork = partial(continued, until=turn, speaker=speaker, instead=lambda _: text)
            session = run_session(
                row["seed"],
                lambda: fork(begin(), session_id, before.turns),
                *(models, replies, Limits.of(spec["protocol"])),
            )
        ids = sessions.study.ids
        rows = rows_of(session, {column: row[column] for column in ids})
        made_by = provenance("fork", all(model.simulated for model in models.values()), spec)
        write_session(SessionPaths.of(place, session_id), rows, ids, made_by)
    if session.failure:
        raise ResourceError(f"The fork of {session_id} failed for good: {session.failure}.")
    made = replace(before, session_id=f"{session_id}, forked at turn {turn}", provenance=made_by)
    reading = replace(made, turns=rows.turns, attempts=rows.attempts, calls=rows.calls)
    return reading, place, _replies(journal) - kept


def _speaker(session: Reading, session_id: str, turn: int, speaker: str) -> str:
    """Whose turn is replaced.

    Raises
    ------
    ResourceError : the session failed, or it does not have one such turn.
    """
    speakers = [row["speaker"] for row in session.turns if row["turn"] == turn]
    if session.failure or not session.turns:
        raise ResourceError(f"{session_id} failed for good ({session.failure}); fork another one.")
    if not speakers:
        last = max(row["turn"] for row in session.turns)
        raise ResourceError(f"{session_id} has no turn {turn}; its turns are 1 to {last}.")
    if speaker not in speakers if speaker else len(speakers) > 1:
        raise ResourceError(
            f"Turn {turn} of {session_id} is taken by {listed(speakers)}; say by --speaker whose "
            "turn is replaced."
        )
    return speaker or str(speakers[0])


def _replies(journal: Path) -> int:
    """How many replies a journal has."""
    return journal.read_bytes().count(b"\n") if journal.exists() else 0
