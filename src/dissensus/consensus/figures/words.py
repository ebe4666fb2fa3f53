"""Numbers of the consensus study as tables and captions word them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dissensus.consensus.design import DEBATE
from dissensus.report.labels import counted, estimate


def percent_of(row: Mapping[str, Any] | Any, digits: int = 1) -> str:
    """A share as a percentage with its interval, such as "12.5 [3.1, 20.0]%"."""
    return f"{cell(row, 100.0, digits)}%"


def cell(row: Mapping[str, Any] | Any, scale: float = 1.0, digits: int = 2) -> str:
    """An estimate with its interval, where it has one."""
    value, low, high = (
        None if pd.isna(row[name]) else scale * row[name]
        for name in ("estimate", "ci_low", "ci_high")
    )
    return estimate(value, low, high, digits)


def attrition(metrics: pd.DataFrame, manifest: pd.DataFrame) -> str:
    """How many debates that are compared came through, as "143 of 144 sessions"."""
    ended = int(metrics["complete"].to_numpy(dtype=bool).sum())
    return f"{ended} of {counted(int((manifest['kind'] == DEBATE).sum()), 'session')}"
