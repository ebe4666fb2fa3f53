"""What a session reads of other sessions and of other stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import Protocol as Interface

from dissensus.session.protocol import PLACEHOLDER
from dissensus.session.record import transcript
from dissensus.session.runner import CallFailed
from dissensus.tables.artefact import Column, read


class Inputs(Interface):
    """What a protocol may read; a study names it in its ``needs``."""

    def texts(self, session_id: str, speakers: list[str]) -> list[str]:
        """The last text of each speaker of another session, in the order of the speakers.

        Raises
        ------
        CallFailed : that session failed, or a speaker said nothing, so this one cannot go on.
        ArtefactError : its transcript is not there, or is damaged.
        """

    def text_of(self, artefact: str) -> str:
        """The text of a file that another stage left, by its path in the study's folder."""


@dataclass(frozen=True)
class FolderInputs:
    """Inputs from a study's folder.

    Attributes
    ----------
    folder : results/<run>/<study>.
    ids : the columns that name a session of the study.
    """

    folder: Path
    ids: Mapping[str, Column]

    def texts(self, session_id: str, speakers: list[str]) -> list[str]:
        """See :class:`Inputs`."""
        path = self.folder / f"transcripts/{session_id}.parquet"
        turns: list[dict[str, Any]] = read(path, transcript(self.ids)).to_pylist()
        # Turns are in order, so that the last one of a speaker stays.
        found = {turn["speaker"]: turn["text"] for turn in turns}
        if not set(speakers) <= set(found):
            raise CallFailed(f"{session_id}, which it reads, failed")
        return [found[speaker] for speaker in speakers]

    def text_of(self, artefact: str) -> str:
        """See :class:`Inputs`."""
        return (self.folder / artefact).read_text(encoding="utf-8")


class PlaceholderInputs:
    """Inputs before anything has run, for counting and pricing calls."""

    def texts(self, session_id: str, speakers: list[str]) -> list[str]:
        """A placeholder for each speaker."""
        return [PLACEHOLDER] * len(speakers)

    def text_of(self, artefact: str) -> str:
        """A placeholder."""
        return PLACEHOLDER
