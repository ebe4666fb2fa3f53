"""Which sessions of a study are complete, looked up for thousands at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dissensus.session.record import is_current, made_to

_ENDING = ".parquet"


class State(NamedTuple):
    """Of a file: its bytes, and when it was last changed, in nanoseconds."""

    size: int
    changed: int


class Noted(NamedTuple):
    """What a bundle noted of a session: what its transcript was made to, and the state of that."""

    made_to: str
    state: State


@dataclass(frozen=True)
class FolderState:
    """The artefacts of a study's sessions as they are now; each folder is read once.

    Attributes
    ----------
    folder : results/<run>/<study>.
    by_bundle : whether attempts and calls are kept by bundle, and not in files of each session.
    transcripts, calls : session_id -> the state of its file.
    attempts : the sessions that have theirs.
    tried : bundle -> the state of its file of what its sessions tried and called.
    notes : bundle -> session_id -> what it noted.
    """

    folder: Path
    by_bundle: bool = False
    transcripts: Mapping[str, State] = field(default_factory=dict)
    calls: Mapping[str, State] = field(default_factory=dict)
    attempts: frozenset[str] = frozenset()
    tried: Mapping[str, State] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, Noted]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path, by_bundle: bool) -> FolderState:
        """What is there."""
        return cls(
            folder,
            by_bundle,
            _states(folder / "transcripts"),
            {} if by_bundle else _states(folder / "calls"),
            frozenset()
            if by_bundle
            else frozenset(name for name, _ in _files(folder / "sessions")),
            _states(folder / "bundles") if by_bundle else {},
            read_notes(folder),
        )

    @cached_property
    def _noted(self) -> dict[str, Noted]:
        """session_id -> what the bundle that ran it noted."""
        return {name: noted for notes in self.notes.values() for name, noted in notes.items()}

    def is_complete(self, session_id: str, digest: str) -> bool:
        """Whether a session's artefacts are all there, and made to what it depends on.

        Parameters
        ----------
        digest : of all that the session depends on now.
        """
        state = self.transcripts.get(session_id)
        if state is None:
            return False
        if not (self.by_bundle or (session_id in self.calls and session_id in self.attempts)):
            return False
        # A transcript in the state that was noted need not be opened.
        if self._noted.get(session_id) == (digest, state):
            return True
        return is_current(self.folder / f"transcripts/{session_id}{_ENDING}", digest)

    def is_gathered(self, bundle: str, digests: Mapping[str, str]) -> bool:
        """Whether a bundle's file has what its sessions tried and called as they are now.

        Parameters
        ----------
        digests : session_id -> digest of all that it depends on, of the bundle's sessions.
        """
        noted = self.notes.get(bundle, {})
        is_noted = all(
            name in noted and noted[name].made_to == digest for name, digest in digests.items()
        )
        return is_noted and bundle in self.tried

    def changed(self, session_ids: Iterable[str], bundles: Iterable[str]) -> int:
        """When the last of some sessions' transcripts and calls was changed, in nanoseconds.

        Parameters
        ----------
        bundles : that the sessions are in.
        """
        kinds = (self.transcripts, self.calls)
        states = [kind[name] for name in session_ids for kind in kinds if name in kind]
        states += [self.tried[bundle] for bundle in bundles if bundle in self.tried]
        return max((state.changed for state in states), default=0)


def _files(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The Parquet files of a folder, by their names without the ending; none without a folder."""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_ENDING):
                yield entry.name.removesuffix(_ENDING), entry


def _states(folder: Path) -> dict[str, State]:
    """The state of each Parquet file of a folder, by its name without the ending."""
    return {name: _state(entry.stat()) for name, entry in _files(folder)}


def _state(status: os.stat_result) -> State:
    return State(status.st_size, status.st_mtime_ns)


def note(transcripts: Mapping[str, Path]) -> str:
    """What a bundle notes of the sessions that it has: a line each, for :func:`read_note`.

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
    """Bundle -> session_id -> what it noted; ``folder``: of the study."""
    paths = sorted(folder.glob("bundles/*"))
    return {
        path.name: read_note(path)
        for path in paths
        if path.suffix != _ENDING and not path.name.startswith(".")
    }


def read_note(path: Path) -> dict[str, Noted]:
    """Session_id -> what a bundle noted of it; lines that are none are left out."""
    noted = {}
    with suppress(OSError, UnicodeDecodeError):
        for line in path.read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):
                name, digest, size, changed = line.split("\t")
                noted[name] = Noted(digest, State(int(size), int(changed)))
    return noted
