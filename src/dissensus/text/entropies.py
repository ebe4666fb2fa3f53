"""Shannon's entropy, and the generalised Jensen-Shannon divergence of distributions.

A module of its own, since debates depend on it: a control reads how far apart agents are. What is
measured afterwards is in `dissensus.text.divergences`, and an edit there runs no session again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def xlogx(x: FloatArray) -> FloatArray:
    """x log x element by element, with 0 log 0 = 0."""
    return np.asarray(x * np.log(np.where(x > 0.0, x, 1.0)))


def entropy(p: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Shannon entropy -sum p log p in nats along the last axis, with 0 log 0 = 0.

    Parameters
    ----------
    p : shape (..., v); distributions; each last-axis slice sums to one.

    Returns
    -------
    Shape (...). Entropies in nats (a zero-dimensional array for one distribution).
    """
    return np.asarray(-xlogx(np.asarray(p, dtype=np.float64)).sum(axis=-1))


def as_counts(values: npt.ArrayLike, name: str) -> FloatArray:
    """Counts or shares of shape (units, types), checked.

    Raises
    ------
    ValueError : no unit, another shape, or a value that is negative or not finite; it says `name`.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] == 0:
        raise ValueError(f"{name} has shape {array.shape}; pass (units, types), at least one unit.")
    if not np.isfinite(array).all() or (array < 0.0).any():
        raise ValueError(f"{name} holds values that are negative or not finite.")
    return array


def generalised_jsd(distributions: npt.ArrayLike) -> float:
    """Generalised Jensen-Shannon divergence of k distributions with equal weights, in nats.

    H(sum_i p_i / k) - sum_i H(p_i) / k, between 0 and log k (Lin, 1991, IEEE Transactions on
    Information Theory 37:145-151, eq. 5.1). ``scipy.spatial.distance.jensenshannon`` is the square
    root of the case k = 2.

    Parameters
    ----------
    distributions : shape (k, v); one distribution a row.

    Raises
    ------
    ValueError : a row does not sum to one, or an argument has the wrong shape or sign.
    """
    p = as_counts(distributions, "distributions")
    if not np.allclose(p.sum(axis=1), 1.0, atol=1e-6):
        raise ValueError("distributions has a row that does not sum to 1; divide counts by totals.")
    share = 1.0 / len(p)
    divergence = float(entropy((share * p).sum(axis=0)) - (share * entropy(p)).sum())
    return max(divergence, 0.0)  # equal distributions can fall an ulp below zero
