"""From the metrics of an experiment to its contrasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from dissensus.design.contrasts import (
    HEADLINE,
    Columns,
    Options,
    compare_arms,
    contrast_row,
    contrasts_schema,
    robust_mean,
)
from dissensus.stats.results import Estimate
from dissensus.stats.shares import share_limits
from dissensus.study.experiment.outcomes import Outcome
from dissensus.study.experiment.study import Experiment
from dissensus.study.makes import makes, resolve

Row = dict[str, Any]


@makes(contrasts=contrasts_schema("contrasts"))
def compare_experiment(
    metrics: pd.DataFrame, declared: str, inference: dict[str, Any], seed: int
) -> list[Row]:
    """The contrasts of an experiment; ``declared``: ``module:name`` of its class."""
    cls: type[Experiment] = resolve(declared)
    options = Options(**inference, seed=seed)
    return compare(metrics, cls.arms, cls.declared_outcomes(), cls.cluster, options)


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
    p-value where that has none. The interval of a share's mean: see
    :func:`~dissensus.stats.shares.share_limits`.
    """
    compared = [(arm, arms[0]) for arm in arms[1:]]
    rows = compare_arms(metrics, compared, list(outcomes), options, Columns(cluster=cluster))
    for name, outcome in outcomes.items():
        for arm in arms:
            kept = metrics[(metrics["arm"] == arm) & metrics["complete"] & metrics[name].notna()]
            values, clusters = kept[name].to_numpy(float), kept[cluster].to_numpy()
            mean = mean_against(values, clusters, options.confidence, outcome.null)
            if outcome.is_share:
                low, high = share_limits(mean, options.confidence)
                mean = replace(mean, ci_low=low, ci_high=high)
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
