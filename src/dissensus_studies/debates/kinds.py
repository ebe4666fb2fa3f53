"""The one kind of session that an import has."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from dissensus.session.inputs import Inputs
from dissensus.session.protocol import Steps
from dissensus.study.kind import Kind, Row

from .protocol import ImportedSpec, play
from .settings import DebatesSettings


@dataclass(frozen=True)
class Imported(Kind[DebatesSettings, ImportedSpec]):
    """A debate that others ran."""

    def spec(self, row: Row, item: Row) -> ImportedSpec:
        return ImportedSpec(item["file"], tuple(item["turns"]))

    def cast(self, row: Row) -> list[str]:
        """Nobody is asked."""
        return []

    def made_from(self, item: Row) -> dict[str, Any]:
        return {"imported_from": item["file"], "imported_sha256": item["sha256"]}

    def alike(self, row: Row) -> Hashable:
        """No session makes a call."""
        return ""

    def steps(self, spec: ImportedSpec, inputs: Inputs) -> Callable[[], Steps]:
        return play(spec)
