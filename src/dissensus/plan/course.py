"""In which order the sessions of a run began, beside the order of its design."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.report.labels import number, whole
from dissensus.study.kind import Row
from dissensus.study.session_tables import SessionTables


def order_of_starts(folder: Path, rows: Iterable[Row]) -> tuple[float, int]:
    """Spearman's rank correlation between the blocks of sessions and when they began.

    Parameters
    ----------
    folder : of the study.
    rows : of its manifest, with ``session_id`` and ``block``.

    Returns
    -------
    The correlation, NaN for fewer than two blocks or sessions, and how many sessions have begun.
    """
    blocks, starts, kept = [], [], SessionTables(folder)
    for row in rows:
        name = row["session_id"]
        if kept.has(name):
            started = list(filter(None, kept.calls(name)["started"].to_pylist()))
            if started:
                blocks.append(row["block"])
                starts.append(min(started))
    if len(set(blocks)) < 2 or len(set(starts)) < 2:
        return float("nan"), len(starts)
    return float(np.corrcoef(_ranks(blocks), _ranks(starts))[0, 1]), len(starts)


def describe_starts(folder: Path, rows: Iterable[Row]) -> list[str]:
    """A line on the order in which sessions began; none before any has."""
    correlation, begun = order_of_starts(folder, rows)
    if np.isnan(correlation):
        return []
    return [
        f"{whole(begun)} sessions have begun; rank correlation of their blocks with their starts: "
        f"{number(correlation)}"
    ]


def _ranks(values: Sequence[Any]) -> NDArray[np.float64]:
    """Mean ranks, ties sharing theirs."""
    codes = np.unique(values, return_inverse=True)[1]
    counts = np.bincount(codes)
    ranks = np.cumsum(counts) - (counts - 1) / 2.0
    return np.asarray(ranks[codes], dtype=np.float64)
