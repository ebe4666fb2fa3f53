"""stub"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from dissensus.session.record import transcript
from dissensus.session.runner import CallFailed
from dissensus.tables.artefact import read

PLACEHOLDER = "\ue000"


class Inputs(Protocol):
    def texts(self, session_id: str, n: int) -> list[str]: ...


@dataclass(frozen=True)
class FolderInputs:
    folder: Path
    ids: Mapping[str, str]

    def texts(self, session_id: str, n: int) -> list[str]:
        turns = (
            read(self.folder / f"transcripts/{session_id}.parquet", transcript(self.ids))
            .select(["speaker", "text"])
            .to_pylist()
        )
        if not turns:
            raise CallFailed(f"its opening {session_id} failed")
        return [turn["text"] for turn in sorted(turns, key=lambda turn: int(turn["speaker"][1:]))]


@dataclass(frozen=True)
class PlaceholderInputs:
    def texts(self, session_id: str, n: int) -> list[str]:
        return [PLACEHOLDER] * n
