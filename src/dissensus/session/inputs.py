"""What a session reads of other sessions and of other stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from typing import Protocol as Interface

from dissensus.session.placeholders import sized
from dissensus.session.protocol import PLACEHOLDER
from dissensus.session.record import transcript
from dissensus.session.runner import CallFailed
from dissensus.tables.artefact import Column, Schema, read

Row = Mapping[str, Any]


class Inputs(Interface):
    """What a protocol may read; a study names it in its ``needs``."""

    def texts(self, session_id: str, speakers: list[str], expected: str = PLACEHOLDER) -> list[str]:
        """The last text of each speaker of another session, in the order of the speakers.

        Parameters
        ----------
        expected : the text that is assumed of each where calls are counted before a run.

        Raises
        ------
        CallFailed : that session failed, or a speaker said nothing, so this one cannot go on.
        ArtefactError : its transcript is not there, or is damaged.
        """

    def turns(self, session_id: str, expected: Sequence[Row] = ()) -> Sequence[Row]:
        """The turns of another session, in order.

        Parameters
        ----------
        expected : those that are assumed where calls are counted before a run.

        Raises
        ------
        CallFailed, ArtefactError : see :meth:`texts`.
        """

    def rows_of(
        self, artefact: str, schema: Schema, where: Row, expected: int = 1
    ) -> Sequence[Row]:
        """Rows of a table that another stage left, in its order.

        Parameters
        ----------
        artefact : its path in the study's folder.
        schema : what it must be.
        where : column -> value; only rows that have all of these.
        expected : how many rows are assumed where calls are counted before a run.

        Raises
        ------
        ArtefactError : it is not there, or is damaged.
        """

    def text_of(self, artefact: str) -> str:
        """The text of a file that another stage left, by its path in the study's folder."""


@dataclass(frozen=True)
class FolderInputs:
    """Inputs from a study's folder; a table is read once.

    Attributes
    ----------
    folder : results/<run>/<study>.
    ids : the columns that name a session of the study.
    """

    folder: Path
    ids: Mapping[str, Column]
    _tables: dict[str, list[Row]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def texts(self, session_id: str, speakers: list[str], expected: str = PLACEHOLDER) -> list[str]:
        """See :class:`Inputs`."""
        # Turns are in order, so that the last one of a speaker stays.
        text_of = {turn["speaker"]: turn["text"] for turn in self._transcript(session_id)}
        if not set(speakers) <= set(text_of):
            raise _failed(session_id)
        return [text_of[speaker] for speaker in speakers]

    def turns(self, session_id: str, expected: Sequence[Row] = ()) -> Sequence[Row]:
        """See :class:`Inputs`."""
        rows = self._transcript(session_id)
        if not rows:
            raise _failed(session_id)
        return rows

    def _transcript(self, session_id: str) -> list[Row]:
        path = self.folder / f"transcripts/{session_id}.parquet"
        turns: list[Row] = read(path, transcript(self.ids)).to_pylist()
        return turns

    def rows_of(
        self, artefact: str, schema: Schema, where: Row, expected: int = 1
    ) -> Sequence[Row]:
        """See :class:`Inputs`."""
        if artefact not in self._tables:
            self._tables[artefact] = read(self.folder / artefact, schema).to_pylist()
        rows = self._tables[artefact]
        return [row for row in rows if all(row[name] == value for name, value in where.items())]

    def text_of(self, artefact: str) -> str:
        """See :class:`Inputs`."""
        return (self.folder / artefact).read_text(encoding="utf-8")


def _failed(session_id: str) -> CallFailed:
    return CallFailed(f"{session_id}, which it reads, failed")


@dataclass(frozen=True)
class PlaceholderInputs:
    """Inputs before anything has run, for counting and pricing calls.

    Attributes
    ----------
    tokens : the most that a text has; the sizes of its placeholders are equal parts of it. None
        leaves them without sizes.
    """

    tokens: int | None = None

    def texts(self, session_id: str, speakers: list[str], expected: str = PLACEHOLDER) -> list[str]:
        """What is expected, for each speaker."""
        return [self._sized(expected)] * len(speakers)

    def turns(self, session_id: str, expected: Sequence[Row] = ()) -> Sequence[Row]:
        """What is expected."""
        return [{**turn, "text": self._sized(turn["text"])} for turn in expected]

    def rows_of(
        self, artefact: str, schema: Schema, where: Row, expected: int = 1
    ) -> Sequence[Row]:
        """As many rows as expected: texts are placeholders, and whole numbers count the rows."""
        text = self._sized(PLACEHOLDER)
        return [
            {name: _assumed(column, number, text) for name, column in schema.columns.items()}
            | {**where}
            for number in range(1, expected + 1)
        ]

    def text_of(self, artefact: str) -> str:
        """A placeholder."""
        return self._sized(PLACEHOLDER)

    def _sized(self, text: str) -> str:
        return text if self.tokens is None else sized(text, self.tokens)


def _assumed(column: Column, number: int, text: str) -> Any:
    """A value of a column in a row that is not there yet."""
    values: dict[str, Any] = {
        "string": text,
        "int": number,
        "float": 0.0,
        "bool": False,
        "strings": [],
        "floats": [],
    }
    return values[column.kind.removesuffix("?")]
