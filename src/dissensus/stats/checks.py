"""Checks of arguments, shared by every module of the package."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def as_sample(values: npt.ArrayLike, name: str, minimum: int = 2) -> FloatArray:
    """One-dimensional finite float64 array of at least `minimum` values.

    Raises
    ------
    ValueError : the array has another shape, is too short, or has NaN or infinity.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1:
        raise ValueError(f"{name} has shape {sample.shape}; pass a one-dimensional array.")
    if sample.size < minimum:
        raise ValueError(f"{name} holds {sample.size} value(s); at least {minimum} are needed.")
    if not np.isfinite(sample).all():
        bad = int(np.flatnonzero(~np.isfinite(sample))[0])
        raise ValueError(
            f"{name}[{bad}] is {sample[bad]}; drop or impute values that are not finite first."
        )
    return sample


def as_codes(labels: npt.ArrayLike, length: int, name: str) -> IntArray:
    """Labels of any sortable type as integers 0..k-1 in sorted order, one per value.

    Raises
    ------
    ValueError : there is not exactly one label per value or a label is NaN.
    """
    array: npt.NDArray[Any] = np.asarray(labels)
    if array.shape != (length,):
        raise ValueError(f"{name} has shape {array.shape}; pass one label per value, ({length},).")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"{name} holds NaN; give every value a label.")
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def check_level(level: float, name: str) -> float:
    """`level` itself if it lies strictly between 0 and 1, else ValueError."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"{name} is {level}; pass a share strictly between 0 and 1, such as 0.95.")
    return float(level)


def check_count(count: int, name: str) -> int:
    """`count` itself if it is at least 1, else ValueError."""
    if count < 1:
        raise ValueError(f"{name} is {count}; pass a whole number of at least 1.")
    return int(count)
