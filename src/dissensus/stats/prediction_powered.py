"""Prediction-powered estimates: many predictions, of which some are corrected by labels.

The mean of a group is ``power * mean(predictions of all) + mean(labels - power * predictions of the
labelled)`` (Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023, Science 382:669-674); power tuning
is that of Angelopoulos, Duchi & Zrnic 2023, PPI++, arXiv:2311.01453. Here the labelled are among
all, so that ``power`` is that of PPI++ times (n + N) / N, of n labelled and N others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from dissensus.stats.checks import FloatArray, IntArray, as_codes, as_sample, check_level
from dissensus.stats.results import NAN, Estimate, t_estimate

#: A standard error no larger than this part of the values is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Powered(Estimate):
    """An estimate by labels and predictions.

    Attributes
    ----------
    power : how much the predictions count, from 0 (labels alone) to 1; see
        :func:`prediction_powered`.
    labelled : observations with a label.
    """

    power: float = NAN
    labelled: int = 0


def prediction_powered(
    labels: npt.ArrayLike,
    predictions: npt.ArrayLike,
    groups: npt.ArrayLike,
    weights: Mapping[Any, float],
    clusters: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    power: float | None = None,
) -> Powered:
    """A weighted sum of group means of labels, of which only some observations have one.

    Formulas and sources: see the module. The variance is the sum over clusters of squared sums of
    influences, times G / d for G clusters with labels, and the interval is Student's t with d
    degrees: G - 1, and one less where power is tuned, as of a regression's residuals.

    Parameters
    ----------
    labels : shape (n,); NaN where there is none. Which observations have one must be random.
    predictions : shape (n,), of every observation, such as what a judge says.
    groups : shape (n,).
    weights : group -> weight, such as 1 and -1 for a difference; other groups count nowhere.
    clusters : shape (n,); each observation is one of its own unless given.
    confidence : level of the interval.
    power : how much predictions count, from 0 to 1; None for power tuning.

    Returns
    -------
    With ``n`` the observations of these groups and ``n_clusters`` the clusters that have labels, of
    the group that has fewest. The p-value is of the null that the sum is 0. Without a standard
    error where a group has labels in too few clusters, and where all of them agree; NaN where one
    has none.

    Raises
    ------
    ValueError : arrays of other shapes, predictions that are not finite.
    """
    given, predicted, named, codes = _checked(labels, predictions, groups, clusters)
    check_level(confidence, "confidence")
    influences = np.zeros((2, int(codes.max()) + 1))
    sums, fewest, n, labelled = np.zeros(2), given.size, 0, 0
    for group, weight in weights.items():
        every = named == group
        some = every & ~np.isnan(given)
        if not some.any():
            return Powered(NAN, n=np.isin(named, list(weights)).sum().item())
        moved, influence = _group(given, predicted, every, some, codes)
        sums += weight * moved
        influences += weight * influence
        fewest = min(fewest, len(np.unique(codes[some])))
        n, labelled = n + int(every.sum()), labelled + int(some.sum())
    used = _smallest_error(*influences) if power is None else power
    degrees = fewest - 1 - (power is None and used > 0)
    made = Estimate(float(sums[0] + used * sums[1]))
    if degrees > 0:
        squares = float(((influences[0] + used * influences[1]) ** 2).sum())
        se = sqrt(squares * fewest / degrees)
        if se > _ROUNDING * _size(given, predicted):
            made = t_estimate(made.estimate, se, degrees, confidence, n, fewest)
    limits = (made.se, made.ci_low, made.ci_high, made.p_value)
    return Powered(made.estimate, *limits, n, fewest, power=used, labelled=labelled)


def _size(labels: npt.ArrayLike, predictions: npt.ArrayLike) -> float:
    """The largest value, which rounding is relative to.

    Labels that all agree have no spread but rounding, and are no proof that others would agree too.
    """
    return max(float(np.nanmax(np.abs(labels))), float(np.abs(predictions).max()), 1e-300)


def _checked(
    labels: npt.ArrayLike,
    predictions: npt.ArrayLike,
    groups: npt.ArrayLike,
    clusters: npt.ArrayLike | None,
) -> tuple[FloatArray, FloatArray, npt.NDArray[Any], IntArray]:
    """Labels, predictions, groups and codes of clusters, each of shape (n,).

    Raises
    ------
    ValueError : arrays of other shapes, predictions that are not finite.
    """
    predicted = as_sample(predictions, "predictions", minimum=1)
    given = np.asarray(labels, dtype=np.float64)
    named = np.asarray(groups)
    if given.shape != predicted.shape or named.shape != predicted.shape:
        raise ValueError(
            f"labels have shape {given.shape}, predictions {predicted.shape} and groups "
            f"{named.shape}; pass one of each for every observation."
        )
    names = np.arange(given.size) if clusters is None else clusters
    return given, predicted, named, as_codes(names, given.size, "clusters")


def _group(
    labels: FloatArray,
    predictions: FloatArray,
    every: npt.NDArray[np.bool_],
    some: npt.NDArray[np.bool_],
    codes: IntArray,
) -> tuple[FloatArray, FloatArray]:
    """Of one group: the labels' mean and what predictions of all add to it; influences of both.

    Returns
    -------
    Shape (2,), and (2, clusters).
    """
    size = int(codes.max()) + 1

    def of(values: FloatArray, among: npt.NDArray[np.bool_]) -> tuple[float, FloatArray]:
        kept = values[among]
        mean = float(kept.mean())
        influence = np.bincount(codes[among], (kept - mean) / len(kept), minlength=size)
        return mean, influence.astype(np.float64)

    by_label, from_labels = of(labels, some)
    over_all, from_all = of(predictions, every)
    over_some, from_some = of(predictions, some)
    return np.array([by_label, over_all - over_some]), np.array([from_labels, from_all - from_some])


def _smallest_error(by_labels: FloatArray, by_predictions: FloatArray) -> float:
    """The power from 0 to 1 for which the squares of what influences add up to are smallest."""
    squares = float(by_predictions @ by_predictions)
    if squares <= 1e-24:
        return 0.0
    return float(np.clip(-(by_labels @ by_predictions) / squares, 0.0, 1.0))
