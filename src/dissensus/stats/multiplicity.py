"""Several tests at once: adjusted p-values."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from dissensus.stats.checks import FloatArray

Adjustment = Literal["bh", "by", "holm"]


def adjust(p_values: npt.ArrayLike, method: Adjustment) -> FloatArray:
    """Adjusted p-values; NaN stays NaN and does not count as a test.

    Parameters
    ----------
    p_values : shape (m,); from 0 to 1, or NaN where a test was not defined. May be empty.
    method : {'bh', 'by', 'holm'}; false discovery rate under independence or positive dependence
        (Benjamini & Hochberg 1995), under any dependence (Benjamini & Yekutieli 2001), or
        family-wise error (Holm 1979).

    Returns
    -------
    Shape (m,). In the order of the input.

    Raises
    ------
    ValueError : an unknown method, more than one dimension or a value outside 0 to 1.
    """
    if method not in ("bh", "by", "holm"):
        raise ValueError(f"method is {method!r}; pass 'bh', 'by' or 'holm'.")
    raw = np.asarray(p_values, dtype=np.float64)
    if raw.ndim != 1:
        raise ValueError(f"p_values has shape {raw.shape}; pass a one-dimensional array.")
    defined = ~np.isnan(raw)
    outside = raw[defined & ~((raw >= 0.0) & (raw <= 1.0))]
    if outside.size:
        raise ValueError(f"p_values holds {outside[0]}; p-values lie between 0 and 1.")
    adjusted = np.full(raw.shape, np.nan)
    if not defined.any():
        return adjusted
    if method == "holm":
        # Two lines, where statsmodels takes two seconds to import and 50 ms a call.
        order = np.flatnonzero(defined)[np.argsort(raw[defined], kind="stable")]
        steps = np.arange(order.size, 0, -1) * raw[order]
        adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    else:
        adjusted[defined] = stats.false_discovery_control(raw[defined], method=method)
    return adjusted
