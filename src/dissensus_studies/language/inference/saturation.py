"""Where a bounded scale has run out: the share of sessions at either of its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from dissensus.stats.results import NAN
from dissensus.tables.artefact import Schema
from dissensus.tables.common import common, flag, share

from ..design.manifest import MANIFEST
from ..settings import InferenceSettings
from .pairs import languages_of

SATURATION = Schema(
    name="saturation",
    row="outcome on a bounded scale, and language",
    columns={
        **common("outcome"),
        **MANIFEST.pick("language"),
        "share_at_low": share("Share of the sessions within .01 of the lower bound."),
        "share_at_high": share("Share of the sessions within .01 of the upper bound."),
        "warning": flag("Whether either share is above the limit of the settings."),
        **common("n"),
    },
    key=("outcome", "language"),
)

#: Scales without bounds; all others end at 0 and 1.
UNBOUNDED = frozenset({"z"})

#: How near a bound counts as at it. The normal CDF never reaches its bounds, the mid-rank ECDF
#: stops half a rank short of them, and an index of two parts is at its bound only where both are:
#: a hundredth of the scale is where nothing is left to measure.
TOLERANCE = 0.01


def measure_saturation(
    metrics: pd.DataFrame, scales: Sequence[str], settings: InferenceSettings
) -> list[dict[str, Any]]:
    """Shares of sessions within :data:`TOLERANCE` of the bounds of each bounded scale.

    Parameters
    ----------
    metrics : a row a session; those without a value on the scale do not count.
    scales : names of scales; unbounded ones are passed over.
    settings : from which share on, strictly above it, a row warns.

    Returns
    -------
    Rows of :data:`SATURATION`: the index (``hi_``) and, where the metrics hold them, its lexical
    and semantic parts (``lex_``, ``sem_``), which can be cut off while the index still moves.
    Without any value the shares are NaN and nothing warns.

    Notes
    -----
    Sessions at a bound can move no further, so that an effect is cut short and an interval is that
    of the other arm alone: in the paper every Chinese session sits at the ceiling.
    """
    rows = []
    for scale in scales:
        if scale in UNBOUNDED:
            continue
        for outcome in (f"hi_{scale}", f"lex_{scale}", f"sem_{scale}"):
            if outcome not in metrics.columns:
                continue
            for language in languages_of(metrics):
                values = metrics.loc[metrics["language"] == language, outcome]
                rows.append(_row(outcome, language, values, settings.saturation_warning))
    return rows


def _row(outcome: str, language: str, column: pd.Series[Any], limit: float) -> dict[str, Any]:
    values = column.to_numpy(dtype=float, na_value=np.nan)
    values = values[np.isfinite(values)]
    low = high = NAN
    if len(values):
        low = float((values <= TOLERANCE).mean())
        high = float((values >= 1.0 - TOLERANCE).mean())
    return {
        "outcome": outcome,
        "language": language,
        "share_at_low": low,
        "share_at_high": high,
        "warning": max(low, high) > limit,
        "n": len(values),
    }
