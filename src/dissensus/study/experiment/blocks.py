"""From the sessions of a block of an experiment to its differences; simulated studies that stop."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dissensus.design.diagnosis import Sequential
from dissensus.design.looks import paired_differences
from dissensus.design.simulated_stop import SimulatedStop
from dissensus.design.stopping import DIFFERENCES
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.measures import measure_experiment
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
    design, metrics = Compared.of(resolve(declared)), pd.DataFrame(rows)
    blocks = dict.fromkeys((row["draw_id"] for row in rows), number)
    return _differences(metrics, design, blocks)


def stopped_estimates(
    metrics: pd.DataFrame, design: Compared, stop: SimulatedStop
) -> dict[str, Sequential]:
    """Contrast -> its estimate where a simulated study stops, or ends.

    Parameters
    ----------
    metrics : of a study that is drawn from a library, its clusters in random order.
    """
    draws = metrics.drop_duplicates("draw_id")
    blocks = stop.blocks(*(draws[name].tolist() for name in ("draw_id", design.cluster)))
    run = metrics[metrics["draw_id"].isin(blocks)]
    return stop.estimates(_differences(run, design, blocks))


def _differences(
    metrics: pd.DataFrame, design: Compared, blocks: dict[str, int]
) -> list[dict[str, Any]]:
    """Those of the primary outcome, with the bounds that it is declared to have."""
    name, outcome = next(iter(design.outcomes.items()))
    compared, columns = design.compared, design.columns
    return paired_differences(metrics, compared, name, columns, blocks, outcome.limits)
