"""How a simulated study stops: its blocks, its looks, and its estimates at the last of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.diagnosis import Sequential
from dissensus.design.looks import Row, anytime_rows, looks_of
from dissensus.design.manifest import in_blocks
from dissensus.design.stopping import Rule
from dissensus.stats.results import NAN


@dataclass(frozen=True)
class SimulatedStop:
    """When simulated studies stop.

    Attributes
    ----------
    rule : what must be known.
    most : draws at most; None for all.
    block_size : draws of a block at least.
    """

    rule: Rule
    most: int | None
    block_size: int

    @classmethod
    def of(
        cls, stop: Mapping[str, Any] | None, confidence: float, block_size: int
    ) -> SimulatedStop | None:
        """From a study's settings; None where it never stops."""
        return cls(Rule.of(stop, confidence), stop["most"], block_size) if stop else None

    def blocks(self, draws: Sequence[Any], clusters: Sequence[Any]) -> dict[Any, int]:
        """Draw -> its block, of the draws that are run at most.

        Parameters
        ----------
        draws, clusters : names of each, shape (n,); clusters in random order.
        """
        of = pd.Series([*clusters], index=[*draws])
        sizes = of.groupby(of, sort=False).size()
        block_of = of.map(dict(zip(sizes.index, in_blocks([*sizes], self.block_size), strict=True)))
        filled = block_of.value_counts().sort_index().cumsum()
        last = filled.index[-1] if self.most is None else (filled <= self.most).sum()
        return dict(block_of[block_of <= last])

    def estimates(self, differences: Sequence[Row]) -> dict[str, Sequential]:
        """Contrast -> its estimate where a study stops, or ends.

        Parameters
        ----------
        differences : rows of :data:`~dissensus.design.stopping.DIFFERENCES`, of all blocks.
        """
        frame = pd.DataFrame(differences)
        looks = looks_of(frame, self.rule, together=False)
        estimates = {}
        for row in anytime_rows(looks):
            estimate, low, high, p_value = (
                NAN if row[name] is None else row[name]
                for name in ("estimate", "ci_low", "ci_high", "p_value")
            )
            # Without an interval, everything is left.
            low, high = (-np.inf, np.inf) if np.isnan([low, high]).any() else (low, high)
            saved = 1.0 - looks[-1]["draws"] / frame["draw_id"].nunique()
            estimates[row["contrast"]] = Sequential(estimate, NAN, low, high, p_value, saved=saved)
        return estimates
