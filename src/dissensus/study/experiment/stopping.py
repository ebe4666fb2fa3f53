"""From the sessions of a block of an experiment to its differences; simulated studies that stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.diagnosis import Sequential
from dissensus.design.looks import anytime_rows, looks_of, paired_differences
from dissensus.design.manifest import in_blocks
from dissensus.design.stopping import DIFFERENCES, Rule
from dissensus.stats.results import NAN
from dissensus.study.experiment.compared import Design
from dissensus.study.experiment.measures import measure_experiment
from dissensus.study.experiment.settings import ExperimentSettings
from dissensus.study.makes import makes, resolve


@makes(differences=DIFFERENCES)
def compare_block(
    turns: list[dict[str, Any]],
    outcomes: list[dict[str, Any]],
    pool: list[dict[str, Any]],
    declared: str,
    block: dict[str, Any],
    number: int,
) -> list[dict[str, Any]]:
    """What the arms of each draw of a block differ by in the primary outcome.

    Parameters
    ----------
    turns, outcomes : of the block's sessions; none of a block that the study stopped before.
    pool : its items.
    declared : ``module:name`` of the experiment's class.
    block : its settings.
    number : of the block of draws.
    """
    _, rows = measure_experiment(turns, outcomes, pool, declared, block)
    design, metrics = Design.of(resolve(declared)), pd.DataFrame(rows)
    blocks = dict.fromkeys((row["draw_id"] for row in rows), number)
    outcome = next(iter(design.outcomes))
    return paired_differences(metrics, design.compared, outcome, design.columns, blocks)


@dataclass(frozen=True)
class Stopping:
    """How a simulated study stops.

    Attributes
    ----------
    rule : when.
    most : draws at most; None for all.
    block_size : draws of a block at least.
    """

    rule: Rule
    most: int | None
    block_size: int

    @classmethod
    def of(cls, settings: ExperimentSettings) -> Stopping | None:
        """From the settings of a study; None where it never stops."""
        if settings.stop is None:
            return None
        rule = Rule.of(settings.stop.model_dump(), settings.inference.confidence)
        return cls(rule, settings.stop.most, settings.block_size)

    def estimates(self, metrics: pd.DataFrame, design: Design) -> dict[str, Sequential]:
        """Contrast -> its estimate where a study stops, or ends.

        Parameters
        ----------
        metrics : of a study that is drawn from a library, its clusters in random order.
        """
        draws = metrics.drop_duplicates("draw_id")
        sizes = draws.groupby(design.cluster, sort=False).size()
        blocks = dict(zip(sizes.index, in_blocks([*sizes], self.block_size), strict=True))
        block_of = draws.set_index("draw_id")[design.cluster].map(blocks)
        filled = block_of.value_counts().sort_index().cumsum()
        last = filled.index[-1] if self.most is None else (filled <= self.most).sum()
        run = block_of[block_of <= last]
        outcome = next(iter(design.outcomes))
        differences = paired_differences(
            metrics[metrics["draw_id"].isin(run.index)],
            design.compared,
            outcome,
            design.columns,
            run.to_dict(),
        )
        looks = looks_of(pd.DataFrame(differences), self.rule)
        found = {}
        for row in anytime_rows(looks):
            numbers = [
                NAN if row[name] is None else row[name]
                for name in ("estimate", "ci_low", "ci_high", "p_value")
            ]
            estimate, low, high, p_value = numbers
            # Without an interval, everything is left.
            low, high = (-np.inf, np.inf) if np.isnan([low, high]).any() else (low, high)
            saved = 1.0 - looks[-1]["draws"] / len(run)
            found[row["contrast"]] = Sequential(estimate, NAN, low, high, p_value, saved=saved)
        return found
