"""Anchored scales: fitted on the reference condition alone, applied to every condition.

"Language as a Treatment" maps raw scores "onto a common reference scale (anchored to the English
distribution)" and does not say how. Each scale here is one reading of that. All but z are bounded
by 0 and 1, and a bounded scale can saturate: it cuts off what lies beyond the reference's own
range, and with that some of the effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Clips:
    """Where the clipped scales cut.

    Attributes
    ----------
    z : standard deviations of the reference, on either side of its mean.
    percentiles : of the reference, lower and upper.
    """

    z: float = 3.0
    percentiles: tuple[float, float] = (1.0, 99.0)


def fit(scale: str, reference: Any, clips: Clips = Clips()) -> Callable[[Any], Array]:
    """A scale fitted on reference values.

    Parameters
    ----------
    scale : z, clipped_z, normal_cdf, ecdf, min_max or clipped_percentile.
    reference : values of the reference condition, missing ones left out.
    clips : where clipped_z and clipped_percentile cut.

    Returns
    -------
    A function from values to the scale, missing values staying missing. On a reference of fewer
    than two distinct values nothing can be fitted, and all becomes missing.
    """
    finite = np.asarray(reference, dtype=float)
    finite = finite[np.isfinite(finite)]
    # Texts that are all alike are so up to rounding.
    if len(finite) < 2 or np.ptp(finite) <= 1e-12 * np.abs(finite).max():
        return lambda values: np.full(np.shape(values), np.nan)
    centre, spread = finite.mean(), finite.std(ddof=1)
    ordered = np.sort(finite)
    low, high = np.percentile(finite, clips.percentiles)

    def z(values: Any) -> Array:
        return np.asarray((np.asarray(values, dtype=float) - centre) / spread)

    def ecdf(values: Any) -> Array:
        # Mid-ranks, so that a tie counts half below and half above.
        x = np.asarray(values, dtype=float)
        below = np.searchsorted(ordered, x, side="left")
        through = np.searchsorted(ordered, x, side="right")
        return np.where(np.isnan(x), np.nan, (below + through) / (2 * len(ordered)))

    scales: dict[str, Callable[[Any], Array]] = {
        "z": z,
        "clipped_z": lambda v: np.clip(z(v), -clips.z, clips.z) / (2 * clips.z) + 0.5,
        "normal_cdf": lambda v: np.asarray(ndtr(z(v))),
        "ecdf": ecdf,
        "min_max": lambda v: _linear(v, ordered[0], ordered[-1]),
        "clipped_percentile": lambda v: _linear(v, low, high),
    }
    return scales[scale]


def _linear(values: Any, low: float, high: float) -> Array:
    """0 at ``low`` and below, 1 at ``high`` and above."""
    if high == low:
        return np.full(np.shape(values), np.nan)
    return np.asarray(np.clip((np.asarray(values, dtype=float) - low) / (high - low), 0, 1))


def weighted(components: Sequence[Array], weights: Sequence[float]) -> Array:
    """The Homogeneity Index: the weighted sum of components that are on their anchored scales.

    Parameters
    ----------
    components : shape (sessions,) each.
    weights : of the components; one at least is above zero.

    References
    ----------
    "Language as a Treatment", equation 2.
    """
    # A component of no weight must not make the index missing where that component is.
    return np.asarray(
        sum(w * each for w, each in zip(weights, components, strict=True) if w > 0), dtype=float
    )
