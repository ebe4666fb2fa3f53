"""From the turns of an experiment to its metrics, and from these to its contrasts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import nan
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import (
    HEADLINE,
    Columns,
    Options,
    compare_arms,
    contrast_row,
    robust_mean,
)
from dissensus.errors import ResourceError
from dissensus.stats.results import Estimate
from dissensus.study.experiment.outcomes import Outcome
from dissensus.study.experiment.study import Experiment
from dissensus.study.own_code import naming_the_line

Row = dict[str, Any]


def turns_by_session(turns: Iterable[Mapping[str, Any]]) -> dict[str, pd.DataFrame]:
    """session_id -> its turns in order, with what was read in each as its ``value``.

    A value is what the function that reads the reply gave; None where it gave nothing.
    """
    frame = pd.DataFrame([{**turn, "value": _value(turn)} for turn in turns])
    if frame.empty:
        return {}
    frame["value"] = frame["value"].astype(object).where(frame["value"].notna(), None)
    return {
        str(name): group.reset_index(drop=True)
        for name, group in frame.groupby("session_id", sort=False)
    }


def _value(turn: Mapping[str, Any]) -> Any:
    if turn["value"] is not None:
        return json.loads(turn["value"])
    return turn["text"] if turn["compliant"] else None


def measure_sessions(
    study: Experiment,
    turns: Mapping[str, pd.DataFrame],
    outcomes: Iterable[Mapping[str, Any]],
    items: Mapping[str, Mapping[str, Any]],
) -> list[Row]:
    """The metrics: the outcomes of every session, None for one that did not run to its end.

    Parameters
    ----------
    study : measures.
    turns : from :func:`turns_by_session`.
    outcomes : how each session ended, in the order of the ids.
    items : by name.

    Raises
    ------
    ResourceError : the study measures something else than it declares, or raises.
    """
    declared = study.declared_outcomes()
    rows = []
    for ended in outcomes:
        row = {name: ended[name] for name in (*study.ids, "complete")}
        item = items[ended["item_id"]]
        if study.cluster not in row:
            row[study.cluster] = str(item[study.cluster])
        measured: Mapping[str, Any] = {}
        if ended["complete"]:
            with naming_the_line(type(study).__module__, f"measure of {ended['session_id']}"):
                measured = study.measure(turns[ended["session_id"]], SimpleNamespace(**item))
            _check(study, measured, declared)
        rows.append({**row, **{name: _number(measured.get(name)) for name in declared}})
    return rows


def _check(study: Experiment, measured: Any, declared: Mapping[str, Outcome]) -> None:
    names = set(measured) if isinstance(measured, Mapping) else {type(measured).__name__}
    if names != set(declared):
        raise ResourceError(
            f"{study.file()}: measure gives {', '.join(sorted(names)) or 'nothing'}; outcomes "
            f"declares {', '.join(declared)}."
        )


def _number(value: Any) -> float | None:
    return None if value is None or value != value else float(value)


def compare(
    metrics: pd.DataFrame,
    arms: Sequence[str],
    outcomes: Mapping[str, Outcome],
    cluster: str,
    options: Options,
) -> list[Row]:
    """Every arm against the first, and the mean of each, in rows of the schema of contrasts.

    Parameters
    ----------
    metrics : a row a session.
    arms : the reference first.
    outcomes : the primary one first.
    cluster : column of what is independent.
    options : of :func:`~dissensus.design.contrasts.compare_arms`.

    Returns
    -------
    The contrasts, then a row a mean. A mean is tested against its outcome's null, and has no
    p-value where that has none.
    """
    compared = [(arm, arms[0]) for arm in arms[1:]]
    rows = compare_arms(metrics, compared, list(outcomes), options, Columns(cluster=cluster))
    for name, outcome in outcomes.items():
        for arm in arms:
            kept = metrics[(metrics["arm"] == arm) & metrics["complete"] & metrics[name].notna()]
            values, clusters = kept[name].to_numpy(float), kept[cluster].to_numpy()
            mean = mean_against(values, clusters, options.confidence, outcome.null)
            rows.append(contrast_row(name, arm, "", HEADLINE, mean, False))
    return rows


def mean_against(
    values: np.ndarray, clusters: np.ndarray, confidence: float, null: float | None
) -> Estimate:
    """A mean with its clustered interval, and its p-value against a null where there is one.

    Parameters
    ----------
    values, clusters : shape (n,).
    """
    shift = null or 0.0
    mean = robust_mean(values - shift, clusters, confidence)
    return replace(
        mean,
        estimate=mean.estimate + shift,
        ci_low=mean.ci_low + shift,
        ci_high=mean.ci_high + shift,
        p_value=nan if null is None else mean.p_value,
    )
