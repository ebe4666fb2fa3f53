"""What sessions tried and called: by shard, and in files of their own where they were named."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from dissensus.errors import ArtefactError
from dissensus.session.record import ATTEMPTS, CALLS, SessionPaths, made_to
from dissensus.study.completion import read_notes, transcript_in
from dissensus.tables.artefact import Schema, read

Row = Mapping[str, Any]

TRIED = Schema(
    name="attempts",
    row="attempt at a turn with its call, of all sessions of a shard",
    columns={**ATTEMPTS.columns, **CALLS.columns},
    key=CALLS.key,
    paths=("shards/{shard}/attempts.parquet",),
)


class SessionTables:
    """The attempts and calls of a study's sessions, as their shards have them.

    Sessions are best asked for in the manifest's order: a shard's file is read once for all that
    follow each other.

    Parameters
    ----------
    folder : results/<run>/<study>.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._noted = {
            name: (shard, noted)
            for shard, notes in read_notes(folder).items()
            for name, noted in notes.items()
        }
        self._read: Path | None = None
        self._table = TRIED.arrow.empty_table()
        self._places: dict[str, tuple[int, int]] = {}

    def attempts(self, session_id: str) -> pa.Table:
        """A session's attempts at turns.

        Raises
        ------
        ArtefactError : they are nowhere, or their file is damaged.
        """
        return self._rows(session_id, ATTEMPTS)

    def calls(self, session_id: str) -> pa.Table:
        """A session's calls; as :meth:`attempts`."""
        return self._rows(session_id, CALLS)

    def has(self, session_id: str) -> bool:
        """Whether they are somewhere."""
        paths = SessionPaths.of(self._folder, session_id)
        is_separate = paths.calls.is_file() and paths.attempts.is_file()
        return is_separate or self.shard_of(session_id) is not None

    def shard_of(self, session_id: str) -> Path | None:
        """The file of a shard that has a session as its transcript is; None where none has."""
        shard, noted = self._noted.get(session_id, ("", None))
        path = self._folder / f"shards/{shard}/attempts.parquet"
        current = made_to(transcript_in(self._folder, session_id))
        return path if noted and noted.made_to == current and path.is_file() else None

    def _rows(self, session_id: str, schema: Schema) -> pa.Table:
        """A session's rows of a schema, from its own file or from its shard's."""
        paths = SessionPaths.of(self._folder, session_id)
        separate = paths.attempts if schema is ATTEMPTS else paths.calls
        if separate.is_file():
            return read(separate, schema)
        path = self.shard_of(session_id)
        if path is None:
            raise ArtefactError(
                f"{separate} is not there, nor a shard that has {session_id}; start the run again "
                "and it is gathered."
            )
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
