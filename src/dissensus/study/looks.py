"""Where the looks at a study that may stop are, and which of its blocks they call off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dissensus.design.stopping import LOOKS, stopped_after
from dissensus.study.stopping import rule_of
from dissensus.tables.artefact import read


@dataclass(frozen=True)
class Looks:
    """The looks at a study; none at one that never stops.

    Attributes
    ----------
    folder : results/<run>/<study>.
    blocks : of draws, in their order.
    settings : the study's block.
    """

    folder: Path
    blocks: Sequence[int]
    settings: Any

    def path(self, block: int) -> Path:
        """Where the look after a block is."""
        return self.folder / f"looks/{block}/looks.parquet"

    def before(self, block: int) -> list[Path]:
        """The look that a block waits for, where there is one."""
        place = self.blocks.index(block)
        return [self.path(self.blocks[place - 1])] if self.settings.stop and place else []

    def is_over_before(self, block: int) -> bool:
        """Whether the study had stopped when a block was to begin."""
        rows = (row for path in self.before(block) for row in read(path, LOOKS).to_pylist())
        return stopped_after(rows) is not None

    @cached_property
    def stopped_after(self) -> int | None:
        """The block after which the study stopped, by the looks that are there; None: it goes on.

        Looks by another rule than is set now are to be made again, and say nothing.
        """
        stop = self.settings.stop
        last = next((b for b in reversed(self.blocks) if self.path(b).is_file()), None)
        if not stop or last is None:
            return None
        words = rule_of(self.settings).words
        rows = read(self.path(last), LOOKS).to_pylist()
        return stopped_after(row for row in rows if row["rule"] == words)

    def call_off(self, row: Mapping[str, Any]) -> bool:
        """Whether a session, by its row, is of a block after the one that the study stopped at."""
        return self.stopped_after is not None and row["block"] > self.stopped_after
