"""Statistics of many sessions at once, each for many weightings of them.

A bootstrap of clusters weighs sessions by how often their cluster was drawn, and a test that swaps
arms weighs them by 0 and 1. So every statistic here takes weights of shape (b, n), a row a
weighting, and gives shape (b,): NaN where the sessions of a weighting do not define it.
"""

from __future__ import annotations

import numpy as np

from dissensus.stats.checks import FloatArray, IntArray

_ROUNDING = 1e-9


def area_under_curve(scores: FloatArray, truths: FloatArray, weights: FloatArray) -> FloatArray:
    """The area under the ROC curve: how often a true case has the higher score (ties count half).

    Parameters
    ----------
    scores, truths : shape (n,); truths are 0 or 1.
    weights : shape (b, n), none below 0.

    Notes
    -----
    Hanley & McNeil (1982), Radiology 143:29-36: the Mann-Whitney statistic over both counts.
    """
    true, false = _cumulated(scores, truths, weights)
    caught, alarms = true[:, -1], false[:, -1]
    # Of each tie group, false cases below it count whole and those within it half.
    below = alarms[:, None] - false
    within = np.diff(false, axis=1, prepend=0.0)
    of_group = np.diff(true, axis=1, prepend=0.0)
    pairs = (of_group * (below + within / 2.0)).sum(axis=1)
    return _ratio(pairs, caught * alarms)


def catch_rate(
    scores: FloatArray, truths: FloatArray, weights: FloatArray, at: float
) -> FloatArray:
    """The largest share of true cases that a threshold catches with few enough false alarms.

    A case is caught where its score is at the threshold or above. Of all thresholds at which no
    more than the share ``at`` of false cases is caught, the one that catches most counts; nothing
    is interpolated between two of them.

    Parameters
    ----------
    scores, truths, weights : as for :func:`area_under_curve`.
    at : from 0 to 1.
    """
    true, false = _cumulated(scores, truths, weights)
    alarms = _ratio(false, false[:, -1:])
    allowed = alarms <= at + _ROUNDING
    caught = np.where(allowed, true, 0.0).max(axis=1)
    share = _ratio(caught, true[:, -1])
    return np.where(false[:, -1] > 0.0, share, np.nan)


def brier_score(probabilities: FloatArray, truths: FloatArray, weights: FloatArray) -> FloatArray:
    """The mean squared distance of probabilities from what was true (Brier 1950)."""
    return _mean((probabilities - truths) ** 2, weights)


def calibration_error(
    probabilities: FloatArray, truths: FloatArray, weights: FloatArray, bins: int
) -> FloatArray:
    """The expected calibration error over bins of equal width (Guo and others 2017, equation 3).

    The mean over sessions of how far, in a session's bin, the mean probability is from the share of
    true cases. By chance alone it is above 0, and the more so the fewer sessions a bin has.

    Parameters
    ----------
    probabilities : shape (n,), from 0 to 1.
    truths, weights : as for :func:`area_under_curve`.
    bins : how many; 0 to 1/bins is the first, and 1 is in the last.
    """
    places = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    gaps = weights * (probabilities - truths)
    by_bin = np.stack([gaps[:, places == place].sum(axis=1) for place in range(bins)], axis=1)
    return _ratio(np.abs(by_bin).sum(axis=1), weights.sum(axis=1))


def majority_right(
    answers: FloatArray, truths: FloatArray, items: IntArray, weights: FloatArray
) -> FloatArray:
    """The share of items of which most sessions give the true answer.

    Of several answers that lead with equally many votes each counts as much as the others.

    Parameters
    ----------
    answers, truths : shape (n,).
    items : shape (n,), codes from 0. An item weighs as much as its sessions do on average, and its
        votes are those of its sessions that weigh more than 0.
    weights : as for :func:`area_under_curve`.
    """
    count = int(items.max(initial=-1)) + 1
    total, weight = np.zeros(len(weights)), np.zeros(len(weights))
    for item in range(count):
        some = items == item
        of_item, given = weights[:, some], answers[some]
        votes = np.stack([of_item[:, given == each].sum(axis=1) for each in np.unique(given)], 1)
        is_true = np.unique(given) == truths[some][0]
        leads = (votes >= votes.max(axis=1, keepdims=True) - _ROUNDING) & (votes > 0.0)
        right = _ratio((leads & is_true).sum(axis=1).astype(float), leads.sum(axis=1).astype(float))
        there = (of_item > 0.0).sum(axis=1)
        heavy = _ratio(of_item.sum(axis=1), there.astype(float))
        total += np.nan_to_num(right) * np.nan_to_num(heavy)
        weight += np.nan_to_num(heavy)
    return _ratio(total, weight)


def event_free(
    times: FloatArray, events: FloatArray, weights: FloatArray, at: FloatArray
) -> FloatArray:
    """The Kaplan-Meier estimate of the share of sessions without an event yet.

    Parameters
    ----------
    times : shape (n,); when the event happened, or until when the session was seen without one.
    events : shape (n,); 1 where it happened, 0 where the session was seen no longer (censored).
    weights : as for :func:`area_under_curve`.
    at : shape (k,); an event at a time is over then. Beyond the last time of a session the curve
        stands where it was.

    Returns
    -------
    Shape (b, k).

    Notes
    -----
    Kaplan & Meier (1958), Journal of the American Statistical Association 53:457-481.
    """
    steps = np.unique(times[events > 0.0])
    happened = weights @ ((times[:, None] == steps) * events[:, None])
    at_risk = weights @ (times[:, None] >= steps).astype(np.float64)
    stays = 1.0 - np.nan_to_num(_ratio(happened, at_risk))
    curve = np.cumprod(stays, axis=1)
    curve = np.concatenate([np.ones((len(weights), 1)), curve], axis=1)
    found = curve[:, np.searchsorted(steps, at, side="right")]
    return np.asarray(np.where(weights.sum(axis=1, keepdims=True) > 0.0, found, np.nan))


def restricted_mean(
    times: FloatArray, events: FloatArray, weights: FloatArray, until: float
) -> FloatArray:
    """The mean time without an event, of which no more than ``until`` counts.

    It is the area below the curve of :func:`event_free` (Royston & Parmar 2013, BMC Medical
    Research Methodology 13:152).

    Parameters
    ----------
    times, events, weights : as for :func:`event_free`.
    until : above 0.
    """
    steps = np.unique(times[(times > 0.0) & (times < until)])
    starts = np.concatenate([[0.0], steps])
    widths = np.diff(np.concatenate([starts, [until]]))
    return np.asarray(event_free(times, events, weights, starts) @ widths)


def _cumulated(
    scores: FloatArray, truths: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Weights of true and of false cases at each score or above, the highest first.

    Returns
    -------
    Shape (b, k) for k different scores.
    """
    values, codes = np.unique(-scores, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(values)), side="right") - 1
    ordered, true = weights[:, order], truths[order]
    both = [np.cumsum(ordered * each, axis=1)[:, ends] for each in (true, 1.0 - true)]
    return both[0], both[1]


def _mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    return _ratio(np.asarray(weights @ values), weights.sum(axis=1))


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """NaN where there is nothing to divide by."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    return np.asarray(np.divide(above, below, out=np.full(shape, np.nan), where=below > 0.0))
