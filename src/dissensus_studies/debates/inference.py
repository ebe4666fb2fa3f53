"""From the measures of imported debates to what their arms differ in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dissensus.design.contrasts import HEADLINE, Options, adjust_holm, contrast_row
from dissensus.design.weights import Contrast
from dissensus.measures.judges import effective_number
from dissensus.stats.slopes import cluster_robust_slope
from dissensus.study.experiment.compared import Compared
from dissensus.study.experiment.contrasts import CONTRASTS, compare
from dissensus.study.experiment.courses import CONTRASTS_BY_ROUND, compare_by_round
from dissensus.study.makes import makes
from dissensus.tables.artefact import Schema
from dissensus.tables.common import count, number, text

from .design import IDS
from .measures import METRICS, ROUNDS
from .outcomes import BY_ROUND, OUTCOMES, primary_first

Row = dict[str, Any]
_CLUSTER = "cluster_id"

EFFECTIVE = Schema(
    "effective_numbers",
    "arm",
    {
        "arm": IDS["arm"],
        "effective_number": number(
            "How many independent speakers the speakers are worth, by how alike they err.",
            "speakers",
        ),
        "seats": count("How many seats have a last value beside a truth."),
        "sessions": count("How many sessions have such values."),
        "measure": text("What an error is: a distance of numbers, or 1 for another value."),
    },
    key=("arm",),
)


@makes(metrics=METRICS, outcomes_by_round=ROUNDS, effective_numbers=EFFECTIVE)
def gather_measures(
    metrics: pa.Table,
    outcomes_by_round: pa.Table,
    turns: pa.Table,
    manifest: list[dict[str, Any]],
    arms: list[str],
) -> tuple[pa.Table, pa.Table, list[Row]]:
    """The shards put together, and what the speakers of each arm are worth.

    Parameters
    ----------
    arms : all, in their order.
    """
    last: dict[str, dict[str, Any]] = {}
    columns = turns.select(["session_id", "speaker", "value"]).to_pylist()
    for turn in columns:
        if turn["value"] is not None:
            last.setdefault(turn["session_id"], {})[turn["speaker"]] = json.loads(turn["value"])
    truths = {
        row["session_id"]: json.loads(row["truth"]) for row in manifest if row["truth"] is not None
    }
    arm_of = {row["session_id"]: row["arm"] for row in manifest}
    rows = []
    for arm in arms:
        some = {name: last[name] for name in truths if arm_of[name] == arm and name in last}
        rows.append({"arm": arm, **worth(some, truths)})
    return metrics, outcomes_by_round, rows


def worth(last: Mapping[str, Mapping[str, Any]], truths: Mapping[str, Any]) -> Row:
    """The effective number of speakers, from how alike their last values err.

    Parameters
    ----------
    last : session -> speaker -> last value.
    truths : session -> right value.
    """
    seats = sorted({name for values in last.values() for name in values})
    pairs = [(values[name], truths[key]) for key, values in last.items() for name in values]
    numbers = [tuple(map(_number, pair)) for pair in pairs]
    is_distance = bool(pairs) and all(None not in pair for pair in numbers)
    errors = np.full((len(last), len(seats)), np.nan)
    for row, (key, values) in enumerate(last.items()):
        for name, value in values.items():
            wrong = float(value != truths[key])
            if is_distance:
                wrong = float(_number(value) or 0.0) - float(_number(truths[key]) or 0.0)
            errors[row, seats.index(name)] = wrong
    number_of = effective_number(errors) if len(seats) > 1 else float("nan")
    return {
        "effective_number": None if number_of != number_of else number_of,
        "seats": len(seats),
        "sessions": len(last),
        "measure": "distance" if is_distance else "another value",
    }


def _number(value: Any) -> float | None:
    try:
        made = float(value)
    except (TypeError, ValueError):
        return None
    return made if np.isfinite(made) else None


@makes(contrasts=CONTRASTS, contrasts_by_round=CONTRASTS_BY_ROUND)
def compare_debates(
    metrics: pd.DataFrame,
    outcomes_by_round: pd.DataFrame,
    arms: list[str],
    is_paired: bool,
    inference: dict[str, Any],
    primary: str,
    seed: int,
) -> tuple[list[Row], list[Row]]:
    """What arms differ in, pair by pair where sessions are paired, else mean by mean.

    Several sessions of an arm in one pair count by their mean.

    Parameters
    ----------
    arms : the reference first.
    is_paired : whether sessions of several arms share something.
    inference : level of the intervals, and sign patterns.
    primary : the outcome that the headline is of.
    """
    options = Options(**inference, seed=seed)
    compared = [Contrast.of(arm, arms[0]) for arm in arms[1:]] if is_paired else []
    design = Compared(arms, primary_first(primary), _CLUSTER, compared)
    one_each = _one_a_pair(metrics) if is_paired else metrics
    by_round, areas = compare_by_round(outcomes_by_round, BY_ROUND, design, options)
    rows = compare(one_each, design, options, areas)
    if not is_paired and len(arms) > 1:
        for row in rows:
            row["headline"] = False
        rows = [*_apart(metrics, arms, primary, options), *rows]
        by_round += _apart_by_round(outcomes_by_round, arms, options)
    return rows, by_round


def _one_a_pair(metrics: pd.DataFrame) -> pd.DataFrame:
    """Metrics with one row for each pair and arm: the mean of its sessions."""
    ended = metrics[metrics["complete"].to_numpy(bool)]
    return ended.groupby(["draw_id", "arm", _CLUSTER], sort=False, as_index=False).agg(
        {"complete": "first", **dict.fromkeys(OUTCOMES, "mean")}
    )


def _apart(metrics: pd.DataFrame, arms: Sequence[str], primary: str, options: Options) -> list[Row]:
    """Differences of arms whose sessions are not paired, by a standard error of whole clusters.

    The estimate is a difference of means: the slope on being in the arm, with CR2 and
    Satterthwaite's degrees of freedom. Holm's adjustment is as of paired contrasts: over the
    primary outcome, and over all others.
    """
    ended = metrics[metrics["complete"].to_numpy(bool)]
    rows = [
        _difference(ended, name, name, arm, arms[0], options)
        for arm in arms[1:]
        for name in primary_first(primary)
    ]
    for is_first in (True, False):
        adjust_holm([row for row in rows if (row["outcome"] == primary) is is_first])
    for row in rows:
        row["headline"] = row["outcome"] == primary
    return rows


def _apart_by_round(
    outcomes_by_round: pd.DataFrame, arms: Sequence[str], options: Options
) -> list[Row]:
    """The same at each round; Holm's adjustment is over the rounds and arms of an outcome."""
    rows: list[Row] = []
    for name in BY_ROUND:
        some = outcomes_by_round[outcomes_by_round["outcome"] == name]
        family = [
            {**_difference(of_round, "value", name, arm, arms[0], options), "round": round_}
            for arm in arms[1:]
            for round_, of_round in some.groupby(some["round"].astype(int))
        ]
        adjust_holm(family)
        rows += [{column: row[column] for column in CONTRASTS_BY_ROUND.columns} for row in family]
    return rows


def _difference(
    rows: pd.DataFrame, column: str, outcome: str, arm: str, reference: str, options: Options
) -> Row:
    """A row of a difference of two arms' means."""
    some = rows[rows["arm"].isin([arm, reference]) & rows[column].notna()]
    estimate = cluster_robust_slope(
        some[column].to_numpy(float),
        (some["arm"] == arm).to_numpy(float),
        some[_CLUSTER].to_numpy(),
        confidence=options.confidence,
    )
    row = contrast_row(outcome, arm, reference, HEADLINE, estimate, False)
    return {**row, "factor": "", "level": "", "base": ""}
