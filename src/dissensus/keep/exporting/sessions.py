"""What a run's artefacts say of its sessions, gathered for whoever writes them for other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.session.protocol import IMPORTED_FROM
from dissensus.study.gather import by_session
from dissensus.study.session_tables import SessionTables
from dissensus.tables.artefact import provenance_of, read

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Exported:
    """One session.

    Attributes
    ----------
    row : of the manifest.
    item : row of the source.
    turns : in order; none where it failed for good.
    outcome : its row of ``outcomes``.
    metrics : its row of ``metrics``; empty where the study has none.
    title : what is debated.
    """

    row: Row
    item: Row
    turns: Sequence[Row]
    outcome: Row
    metrics: Row

    title: str

    @property
    def name(self) -> str:
        return str(self.row["session_id"])

    @property
    def is_imported(self) -> bool:
        """Whether it was run elsewhere, and its fields are those of a file."""
        return any(
            turn["origin"] and turn["origin"].startswith(IMPORTED_FROM) for turn in self.turns
        )

    @property
    def truth(self) -> Any:
        """The right value; None where the study has none."""
        truth = self.item.get("truth", self.item.get("answer"))
        if truth in (None, ""):
            return None
        return json.loads(truth) if self.is_imported else truth


def _taken(session: Exported) -> Iterator[Row]:
    """What the file of an import says that each turn took, where it says so."""
    for line in session.item.get("turns") or ():
        turn, speaker, _, _, model, *_, read_, written, cost = json.loads(line)
        if None not in (read_, written):
            yield {
                "turn": turn,
                "speaker": speaker,
                "model": model,
                "input_tokens": read_,
                "output_tokens": written,
                "cost_usd": cost,
            }


class StudyFolder:
    """A study of a run that has ended.

    Parameters
    ----------
    folder : results/<run>/<study>.
    arm, key : columns of the arm, and of the item's name in manifest and source.
    source : the artefact of the source.
    title : its column that says what is debated; see :class:`~dissensus.report.declared.Reader`.

    Raises
    ------
    ResourceError : its turns are not gathered yet.
    """

    def __init__(self, folder: Path, arm: str, key: str, source: str, title: str) -> None:
        self.folder, self.arm, self.key = folder, arm, key
        self._source, self._title = source, title
        if not (folder / "turns.parquet").is_file():
            raise ResourceError(
                f"{folder} has no turns.parquet; let the run end, and its sessions can be exported."
            )

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """Where the turns come from."""
        return provenance_of(self.folder / "turns.parquet")

    @cached_property
    def tables(self) -> SessionTables:
        """Attempts and calls."""
        return SessionTables(self.folder)

    def calls(self, session: Exported) -> list[Row]:
        """What a session's turns took: its calls, or of an import what its file says of turns.

        Returns
        -------
        Rows with turn, speaker, model, input_tokens, output_tokens and cost_usd; none where that is
        not known.
        """
        if session.is_imported:
            return list(_taken(session))
        name = session.name
        return list(self.tables.calls(name).to_pylist() if self.tables.has(name) else [])

    def sessions(self) -> Iterator[Exported]:
        """All sessions that were run, in the order of the manifest."""
        turns = by_session(read(self.folder / "turns.parquet"))
        outcomes = self._by_session("outcomes")
        metrics = self._by_session("metrics")
        source = read(self.folder / f"{self._source}.parquet").to_pylist()
        items = {row[self.key]: row for row in source}
        for row in read(self.folder / "manifest.parquet").to_pylist():
            name = row["session_id"]
            if name not in outcomes:
                continue
            item = items.get(row[self.key], {})
            titles = (item.get(f"{self._title}_{row[self.arm]}"), item.get(self._title), name)
            yield Exported(
                row,
                item,
                turns.get(name, []),
                outcomes[name],
                metrics.get(name, {}),
                str(next(filter(None, titles))),
            )

    def _by_session(self, artefact: str) -> dict[str, Row]:
        path = self.folder / f"{artefact}.parquet"
        rows = read(path).to_pylist() if path.is_file() else []
        return {row["session_id"]: row for row in rows}
