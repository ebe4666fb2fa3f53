"""What the sessions are taken to read where calls are counted and priced before a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dissensus.session.inputs import FolderInputs, PlaceholderInputs, Row
from dissensus.session.placeholders import sized
from dissensus.session.protocol import PLACEHOLDER
from dissensus.tables.artefact import Schema

from .passages import searched
from .protocol.judging import CLAIMS_OF_A_SPEECH
from .protocol.names import MAP_FILE
from .protocol.style import CHUNKS_FILE, spread
from .tables import CHUNKS, IDS, MOTIONS

_MOTIONS_FILE = "motions.parquet"


@dataclass(frozen=True)
class ExpectedInputs(PlaceholderInputs):
    """Samples are those that will be sent; passages are other chunks of the same speaker.

    Where the corpora have not been read yet, both are placeholders.

    Attributes
    ----------
    folder : results/<run>/union.
    """

    folder: Path = Path()
    _files: list[FolderInputs] = field(default_factory=list, init=False, compare=False, repr=False)

    def rows_of(
        self, artefact: str, schema: Schema, where: Row, expected: int = 1
    ) -> Sequence[Row]:
        """Rows with texts from all parts of a speaker's corpus, or with claims."""
        rows = super().rows_of(artefact, schema, where, expected)
        if artefact == MAP_FILE:
            claim = sized(PLACEHOLDER, (self.tokens or 0) / CLAIMS_OF_A_SPEECH)
            return [{**row, "text": claim} for row in rows] if self.tokens else rows
        if "speaker" not in where:
            return rows
        chunks = self._rows(CHUNKS_FILE, CHUNKS, {"speaker": where["speaker"]})
        if not chunks:
            return rows
        texts = [chunks[place]["text"] for place in spread(len(chunks), expected)]
        return [
            {**row, "text": text.replace(PLACEHOLDER, "")}
            for row, text in zip(rows, texts, strict=False)
        ]

    def searched(self) -> list[str]:
        """The texts that are embedded to find passages."""
        return searched(self._rows(_MOTIONS_FILE, MOTIONS), self._rows(CHUNKS_FILE, CHUNKS))

    def _rows(self, artefact: str, schema: Schema, where: Row | None = None) -> Sequence[Any]:
        if not (self.folder / artefact).exists():
            return []
        if not self._files:
            # It reads a table once.
            self._files.append(FolderInputs(self.folder, IDS))
        return self._files[0].rows_of(artefact, schema, where or {})
