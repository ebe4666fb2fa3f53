"""Which sessions of a study are complete, looked up for thousands at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dissensus.session.record import is_current, made_to

_ENDING = ".parquet"


class State(NamedTuple):
    """Of a file: its bytes, and when it was last changed, in nanoseconds."""

    size: int
    changed: int


class Noted(NamedTuple):
    """What a shard notes of a session: what its transcript was made to, and the state of that."""

    made_to: str
    state: State


@dataclass(frozen=True)
class FolderState:
    """The transcripts of a study's sessions as they are now; each folder is read once.

    Attributes
    ----------
    folder : results/<run>/<study>.
    transcripts : session_id -> the state of its file.
    notes : shard -> session_id -> what it noted.
    """

    folder: Path
    transcripts: Mapping[str, State] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, Noted]] = field(default_factory=dict)
    _noted: dict[str, Noted] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for notes in self.notes.values():
            self._noted.update(notes)

    @classmethod
    def of(cls, folder: Path) -> FolderState:
        """What is there."""
        return cls(folder, _states(folder / "transcripts"), read_notes(folder))

    def is_complete(self, session_id: str, digest: str) -> bool:
        """Whether a session's transcript is there, and made to what it depends on.

        Parameters
        ----------
        digest : of all that the session depends on now.
        """
        state = self.transcripts.get(session_id)
        if state is None:
            return False
        # A transcript in the state that was noted need not be opened.
        if self._noted.get(session_id) == (digest, state):
            return True
        return is_current(transcript_in(self.folder, session_id), digest)

    def is_gathered(self, shard: str, digests: Mapping[str, str]) -> bool:
        """Whether a shard has its sessions, and these alone, as they are now.

        Parameters
        ----------
        digests : session_id -> digest of all that it depends on, of the shard's sessions.
        """
        notes = self.notes.get(shard, {})
        return {name: noted.made_to for name, noted in notes.items()} == dict(digests)


def transcript_in(folder: Path, session_id: str) -> Path:
    """Where a session's transcript is kept in its study's folder."""
    return folder / f"transcripts/{session_id}{_ENDING}"


def _states(folder: Path) -> dict[str, State]:
    """The state of each Parquet file of a folder, by its name without the ending."""
    return {
        entry.name.removesuffix(_ENDING): _state(entry.stat())
        for entry in _entries(folder)
        if entry.name.endswith(_ENDING)
    }


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What a folder has; nothing without a folder."""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        yield from entries


def _state(status: os.stat_result) -> State:
    return State(status.st_size, status.st_mtime_ns)


def note(transcripts: Mapping[str, Path]) -> str:
    """What a shard notes of its sessions: a line each, for :func:`read_note`.

    Parameters
    ----------
    transcripts : session_id -> file.
    """
    lines = (
        f"{name}\t{made_to(path)}\t{status.st_size}\t{status.st_mtime_ns}\n"
        for name, path in transcripts.items()
        for status in (path.stat(),)
    )
    return "".join(lines)


def read_notes(folder: Path) -> dict[str, dict[str, Noted]]:
    """Shard -> session_id -> what it noted; ``folder``: of the study."""
    return {path.parent.name: read_note(path) for path in sorted(folder.glob("shards/*/sessions"))}


def read_note(path: Path) -> dict[str, Noted]:
    """Session_id -> what a shard noted of it; lines that are none are left out."""
    noted = {}
    with suppress(OSError, UnicodeDecodeError):
        for line in path.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):
                name, digest, size, changed = line.split("\t")
                noted[name] = Noted(digest, State(int(size), int(changed)))
    return noted
