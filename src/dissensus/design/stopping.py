"""A study that stops when it knows: its rule, and what a look after each block of draws has.

Draws come in random order, in blocks of whole clusters. A look takes the paired differences of all
draws so far, and says whether what the rule asks for is known of every headline contrast; then no
further block is run. Evidence and intervals are those of :mod:`dissensus.design.anytime`, and hold
however often one looks. Nothing here takes long to import.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import common, count, number, text

#: The method of an estimate whose interval and p-value hold at all looks together.
ANYTIME = "anytime_valid"
#: What is said wherever a page says that something holds at all looks.
SYMMETRY = (
    "where the outcome has no declared bounds, as far as a cluster's difference is symmetric about "
    "its mean"
)
#: What a look decides.
GO_ON, STOP = "go on", "stop"

_PAIR = common("contrast", "outcome")
_ARMS = {
    "arm": text("Arm of the study that is compared."),
    "reference": text("Arm that it is compared with."),
}

DIFFERENCES = Schema(
    name="paired_differences",
    row="headline contrast and draw of a block",
    columns={
        **_PAIR,
        **_ARMS,
        **common("draw_id", "block"),
        "cluster": text("The cluster that the draw is of."),
        "difference": number(
            "Arm minus reference; missing where a session of the pair has no outcome.",
            "of the outcome",
        ),
        "bound": number(
            "That no difference can be farther from 0 than; missing where nothing bounds it.",
            "of the outcome",
        ),
    },
    key=("contrast", "draw_id"),
    paths=("looks/{block}/paired_differences.parquet",),
)

LOOKS = Schema(
    name="looks",
    row="look, after a block of draws, and headline contrast",
    columns={
        **common("block"),
        **_PAIR,
        **_ARMS,
        "draws": count("Draws that had been run."),
        **common("n", "n_clusters", "estimate?"),
        **common("ci_low?", "ci_high?", "family_low?", "family_high?"),
        "e_value": Column(
            "float", "Evidence against no difference: 1 is none, and its mean is 1 at most there."
        ),
        **common("p_value?"),
        "verdict": text('"go on", or "stop" where the rule is met of every headline contrast.'),
        "rule": text("The rule, in words."),
    },
    key=("block", "contrast"),
    paths=("looks.parquet", "looks/{block}/looks.parquet"),
)


@dataclass(frozen=True)
class Rule:
    """When enough is known. One of the two is set.

    Attributes
    ----------
    half_width : the largest half width of the interval, in the unit of the outcome.
    alpha : the evidence that suffices is one over it, after Holm's adjustment over the contrasts.
    confidence : level of the intervals of all looks together.
    """

    half_width: float | None
    alpha: float | None
    confidence: float

    @classmethod
    def of(cls, stop: Mapping[str, Any], confidence: float) -> Rule:
        """From a study's setting ``stop``."""
        return cls(stop["half_width"], stop["alpha"], confidence)

    @property
    def words(self) -> str:
        """What must be so, in words."""
        if self.alpha is not None:
            return f"the e-value after Holm is {1 / self.alpha:g} or more (alpha {self.alpha:g})"
        return (
            f"the anytime-valid {100 * self.confidence:g}% interval has a half width of "
            f"{self.half_width:g} or less"
        )

    def is_met(self, looks: Sequence[Mapping[str, Any]], adjusted: Sequence[float]) -> bool:
        """Whether what is asked for is so of every contrast.

        Parameters
        ----------
        looks : rows of :data:`LOOKS`, one a contrast.
        adjusted : their p-values after Holm.
        """
        if self.alpha is not None:
            return all(p_value <= self.alpha for p_value in adjusted)
        return all(map(self._is_narrow, looks))

    def _is_narrow(self, row: Mapping[str, Any]) -> bool:
        if row["ci_low"] is None or row["ci_high"] is None or self.half_width is None:
            return False
        return bool(row["ci_high"] - row["ci_low"] <= 2.0 * self.half_width)


def stopped_after(looks: Iterable[Mapping[str, Any]]) -> int | None:
    """The block after which a study stopped; None where it has not."""
    return next((row["block"] for row in looks if row["verdict"] == STOP), None)
