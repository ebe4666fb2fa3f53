"""What a study declares that may stop when it knows, and what it then shows and registers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.design.stopping import Rule
from dissensus.report.declared import Figure, Table

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
        f"looked at, and it stops when {rule.words} in every primary contrast. E-values are "
        "mixtures of sign-flip martingales of whole clusters, intervals their inversion (Ville's "
        "inequality): both hold at all looks together, and are what the study is judged by."
    ]
