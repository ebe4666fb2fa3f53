"""Anchored scales fitted on many resamples at once: weighted twins of those of the measures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dissensus.stats.anchors import Clips

Array = NDArray[np.float64]


def scaled(
    scale: str, texts: Sequence[Array], reference: Array, weights: Array, clips: Clips
) -> list[Array]:
    """Values on a scale that is fitted on each resample's own reference.

    Parameters
    ----------
    scale : a scale of :func:`dissensus.stats.anchors.fit`.
    texts : values, shape (n,) each; missing ones stay missing.
    reference : what the scale is fitted on, shape (n,); missing ones are left out.
    weights : how often each resample has each of the n, shape (b, n), whole numbers.
    clips : where clipped scales cut.

    Returns
    -------
    For each of the texts, shape (b, n). NaN in a resample whose reference does not vary. Equal to
    fitting on the reference repeated as often as it weighs.
    """
    finite = np.isfinite(reference)
    order = np.argsort(reference[finite], kind="stable")
    ordered, mass = reference[finite][order], weights[:, finite][:, order]
    # Running numbers of reference values, with none before the first.
    running = np.concatenate([np.zeros((len(mass), 1)), np.cumsum(mass, axis=1)], axis=1)
    if scale in ("z", "clipped_z", "normal_cdf"):
        centre, spread = _moments(ordered, mass)
        return [_from_z(scale, (text - centre) / spread, clips) for text in texts]
    if scale == "ecdf":
        return [_ecdf(text, ordered, running) for text in texts]
    low, high = _ends(scale, ordered, mass, running, clips)
    with np.errstate(all="ignore"):
        return [np.clip((text - low) / (high - low), 0.0, 1.0) for text in texts]


def _moments(ordered: Array, mass: Array) -> tuple[Array, Array]:
    """Mean and standard deviation (n - 1) of each resample, (b, 1)."""
    total = mass.sum(axis=1, keepdims=True)
    with np.errstate(all="ignore"):
        centre = (mass @ ordered)[:, None] / total
        squares = (mass * (ordered - centre) ** 2).sum(axis=1, keepdims=True)
        spread = np.sqrt(squares / (total - 1))
    return centre, np.where(spread > 0, spread, np.nan)


def _from_z(scale: str, z: Array, clips: Clips) -> Array:
    if scale == "z":
        return z
    if scale == "normal_cdf":
        return np.asarray(ndtr(z))
    return np.asarray(np.clip(z, -clips.z, clips.z) / (2 * clips.z) + 0.5)


def _ecdf(text: Array, ordered: Array, running: Array) -> Array:
    below = running[:, np.searchsorted(ordered, text, side="left")]
    through = running[:, np.searchsorted(ordered, text, side="right")]
    with np.errstate(all="ignore"):
        shares = (below + through) / (2 * running[:, -1:])
    return np.where(np.isfinite(text), shares, np.nan)


def _ends(
    scale: str, ordered: Array, mass: Array, running: Array, clips: Clips
) -> tuple[Array, Array]:
    """Where a linear scale begins and ends in each resample, (b, 1); equal ends are NaN."""
    if scale == "min_max":
        first = (mass > 0).argmax(axis=1)
        last = mass.shape[1] - 1 - (mass[:, ::-1] > 0).argmax(axis=1)
        low, high = ordered[first][:, None], ordered[last][:, None]
    else:
        low, high = (_percentile(ordered, running, q / 100.0) for q in clips.percentiles)
    return np.where(high > low, low, np.nan), high


def _percentile(ordered: Array, running: Array, share: float) -> Array:
    """Linear interpolation between order statistics, numpy's default."""
    place = (running[:, -1:] - 1) * share
    floor = np.floor(place)
    low, high = (
        ordered[(running[:, 1:] > position).argmax(axis=1)][:, None]
        for position in (floor, np.minimum(floor + 1, running[:, -1:] - 1))
    )
    return np.asarray(low + (place - floor) * (high - low))
