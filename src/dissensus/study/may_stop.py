"""A study that may stop when it knows: what it declares and registers, and where its looks are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from dissensus.design.stopping import LOOKS, Rule, stopped_after
from dissensus.report.declared import Figure, Table
from dissensus.tables.artefact import read

_MAKERS = "dissensus.report.pages.looks"
FIGURE = Figure("looks", f"{_MAKERS}:plot", ("looks",), "When it stopped", "1 Figures", True)
TABLE = Table("table_looks", f"{_MAKERS}:table", ("looks",), "Looks", "2 Tables")


@dataclass(frozen=True)
class BlockComparison:
    """How the paired differences of a block of draws are found, as a stage of the workflow.

    Attributes
    ----------
    functions : ``module:function`` that makes ``differences``, rows of
        :data:`~dissensus.design.stopping.DIFFERENCES`, and further code that the stage depends on.
        The function takes the artefacts below, the settings, and ``number``, of the block. It
        gives none where the block has no session, since the study had stopped before.
    of_block : artefacts of the shards of the block, such as ``turns``.
    of_study : artefacts of the study, such as the source. Sessions of other blocks change none of
        them; of the manifest, the rows of the block stay.
    settings : plain data.
    with_first : whether the function takes the artefacts of the first block's shards too, which
        come before the block's own.
    """

    functions: tuple[str, ...]
    of_block: tuple[str, ...]
    of_study: tuple[str, ...]
    settings: Mapping[str, Any]
    with_first: bool = False


def rule_of(settings: Any) -> Rule:
    """The rule by which a study stops, from its block."""
    return Rule.of(settings.stop.model_dump(), settings.inference.confidence)


def stopping_words(settings: Any) -> list[str]:
    """What is registered of a study by its block, where it may stop; no sentence of another."""
    if settings.stop is None:
        return []
    rule = rule_of(settings)
    most = "all" if settings.stop.most is None else f"{settings.stop.most:,}"
    return [
        f"Whole clusters come in a random order that is drawn before, in blocks of at least "
        f"{settings.block_size:,} draws, {most} draws at most. After each block the study is "
        f"looked at, and it stops when {rule.words} in every primary contrast. E-values of an "
        "outcome with declared bounds are betting martingales of whole clusters, which assume "
        "nothing else of it; of another, mixtures of sign-flip martingales, which take a cluster's "
        "difference to be symmetric about its mean. Intervals are their inversion (Ville's "
        "inequality): both hold at all looks together, and are what the study is judged by."
    ]


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
