"""What sessions tried and called: in files of each session, or of the bundle that ran it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from dissensus.errors import ArtefactError
from dissensus.session.record import ATTEMPTS, CALLS, SessionPaths, SessionRows, made_to
from dissensus.study.completion import read_notes
from dissensus.tables.artefact import Schema, read, write

Row = Mapping[str, Any]

TRIED = Schema(
    name="bundles",
    row="attempt at a turn with its call, of all sessions of a bundle; beyond few_sessions",
    columns={**ATTEMPTS.columns, **CALLS.columns},
    key=CALLS.key,
    paths=("bundles/{bundle}.parquet",),
)


def paths_in(folder: Path, session_id: str) -> SessionPaths:
    """Where a session's artefacts are kept in its study's folder."""
    return SessionPaths(
        attempts=folder / f"sessions/{session_id}.parquet",
        transcript=folder / f"transcripts/{session_id}.parquet",
        calls=folder / f"calls/{session_id}.parquet",
    )


def table_in(folder: Path, bundle: str) -> Path:
    """Where a bundle keeps what its sessions tried and called."""
    return folder / f"bundles/{bundle}.parquet"


def write_tried(path: Path, sessions: Iterable[SessionRows], provenance: Mapping[str, Any]) -> None:
    """Write what the sessions of a bundle tried and called, in their order."""
    rows = [
        {**attempt, **call}
        for session in sessions
        for attempt, call in zip(session.attempts, session.calls, strict=True)
    ]
    write(path, TRIED, rows, provenance)


class SessionTables:
    """The attempts and calls of a study's sessions, wherever they are.

    Sessions are best asked for in the manifest's order: a bundle's file is read once for all that
    follow each other.

    Parameters
    ----------
    folder : results/<run>/<study>.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._notes = read_notes(folder)
        self._read: Path | None = None
        self._table = TRIED.arrow.empty_table()
        self._places: dict[str, tuple[int, int]] = {}

    def attempts(self, session_id: str) -> pa.Table:
        """A session's attempts at turns.

        Raises
        ------
        ArtefactError : they are nowhere, or their file is damaged.
        """
        return self._rows(paths_in(self._folder, session_id).attempts, ATTEMPTS)

    def calls(self, session_id: str) -> pa.Table:
        """A session's calls; as :meth:`attempts`."""
        return self._rows(paths_in(self._folder, session_id).calls, CALLS)

    def has(self, session_id: str) -> bool:
        """Whether they are somewhere."""
        paths = paths_in(self._folder, session_id)
        if paths.calls.is_file() and paths.attempts.is_file():
            return True
        return self.bundle_of(session_id) is not None

    def bundle_of(self, session_id: str) -> Path | None:
        """The file of a bundle that has a session as its transcript is; None for none."""
        current = made_to(paths_in(self._folder, session_id).transcript)
        for bundle, noted in self._notes.items():
            if session_id in noted and noted[session_id].made_to == current:
                path = table_in(self._folder, bundle)
                if path.is_file():
                    return path
        return None

    def of_bundle(self, path: Path, session_id: str, schema: Schema) -> pa.Table:
        """A session's rows in the file of a bundle; ``schema``: the columns that are meant."""
        if path != self._read:
            self._table, self._places = read(path, TRIED), {}
            names = enumerate(self._table["session_id"].to_pylist())
            for name, group in groupby(names, key=lambda numbered: numbered[1]):
                rows = [number for number, _ in group]
                self._places[name] = rows[0], len(rows)
            self._read = path
        first, count = self._places.get(session_id, (0, 0))
        rows = self._table.slice(first, count).select(list(schema.columns))
        return rows.cast(schema.arrow)

    def _rows(self, file: Path, schema: Schema) -> pa.Table:
        if file.is_file():
            return read(file, schema)
        path = self.bundle_of(file.stem)
        if path is None:
            raise ArtefactError(
                f"{file} is not there, nor a bundle that has {file.stem}; start the run again and "
                "it will be made again."
            )
        return self.of_bundle(path, file.stem, schema)
