"""A run of the study as its artefacts have it, for whatever writes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from dissensus.study.gather import by_session, outcomes_schema, turns_schema
from dissensus.tables.artefact import read, read_by

from ..tables import IDS, MANIFEST, MOTIONS, RECORDS

Row = Mapping[str, Any]
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Run:
    """Rows of a run's artefacts.

    Attributes
    ----------
    motions : motion_id -> row.
    manifest, outcomes : session_id -> row.
    turns : session_id -> rows, of the sessions that were asked for and ran to their end.
    records : artefact of what was said and judged -> rows.
    simulated : whether the models were simulated.
    """

    motions: Mapping[str, Row]
    manifest: Mapping[str, Row]
    outcomes: Mapping[str, Row]
    turns: Mapping[str, Rows]
    records: Mapping[str, Rows]
    simulated: bool

    def of(self, name: str, **values: Any) -> Rows:
        """Rows of an artefact that have these values."""
        return _having(self.records[name], values)

    def sessions(self, kind: str, **values: Any) -> Rows:
        """Rows of the manifest of one kind of session that have these values, in its order."""
        return _having(map(dict, self.manifest.values()), {"kind": kind, **values})

    def ended(self, session: str) -> bool:
        """Whether a session ran to its end."""
        return bool(self.outcomes[session]["complete"])


def _having(rows: Iterable[dict[str, Any]], values: Mapping[str, Any]) -> Rows:
    return [row for row in rows if all(row[name] == value for name, value in values.items())]


def load(paths: Mapping[str, Path], simulated: bool, *, session: str = "") -> Run:
    """A run from its artefacts.

    Parameters
    ----------
    paths : name of each artefact -> its file.
    simulated : whether the models were simulated.
    session : the one whose turns are asked for; those of all memos where it is empty.
    """
    turns = read(paths["turns"], turns_schema(IDS))
    wanted = ("session_id", session) if session else ("kind", "memo")
    turns = turns.filter(pc.equal(turns[wanted[0]], wanted[1]))
    return Run(
        read_by(paths["motions"], MOTIONS, "motion_id"),
        read_by(paths["manifest"], MANIFEST, "session_id"),
        read_by(paths["outcomes"], outcomes_schema(IDS), "session_id"),
        by_session(turns),
        {name: read(paths[name], schema).to_pylist() for name, schema in RECORDS.items()},
        simulated,
    )
