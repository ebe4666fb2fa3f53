"""Artefacts as frames, and their rows, for whatever shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dissensus.report.labels import counted, interval
from dissensus.report.tables import Table, make
from dissensus.report.view import Artefacts, View

Array = NDArray[np.float64]
Record = dict[str, Any]


def records(frame: pd.DataFrame) -> list[Record]:
    """Its rows, each as column -> value; None where a text is missing."""
    # From pandas 3 on, texts have a type of their own, in which NaN stands for None.
    for name, kind in frame.dtypes.items():
        if isinstance(kind, pd.StringDtype):
            texts = frame[name].astype(object)
            frame = frame.assign(**{str(name): texts.where(texts.notna(), None)})
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


class Keyed(dict[Any, Record]):
    """Rows by their keys; one that is not there rests on nothing: its counts are 0, the rest NaN.

    Attributes
    ----------
    counts : the columns of counts.
    """

    counts: tuple[str, ...] = ()
    _NUMBERS = ("estimate", "se", "ci_low", "ci_high", "p_value", "p_adjusted")

    def __missing__(self, key: Any) -> Record:
        return dict.fromkeys(self._NUMBERS, np.nan) | dict.fromkeys(self.counts, 0)


def keyed(frame: pd.DataFrame, *columns: str) -> Keyed:
    """Its rows by one column's value, or the values of several; the last one where they repeat.

    Columns that are called ``n``, or begin with ``n_``, are counts.
    """
    rows = records(frame)
    if len(columns) == 1:
        by_key = Keyed({row[columns[0]]: row for row in rows})
    else:
        by_key = Keyed({tuple(row[name] for name in columns): row for row in rows})
    by_key.counts = tuple(name for name in map(str, frame) if name == "n" or name.startswith("n_"))
    return by_key


def complete(metrics: pd.DataFrame) -> pd.DataFrame:
    """The sessions that ran to their end."""
    return metrics[metrics["complete"].to_numpy(dtype=bool)]


def attrition(
    artefacts: Artefacts, noun: str = "session", assigned: str = "manifest", /, **drawn: Any
) -> str:
    """How many sessions came through, as "143 of 144 sessions".

    Parameters
    ----------
    artefacts : with metrics and manifest.
    noun : what they are called; where not all kinds of sessions are meant, no sessions.
    assigned : artefact with a row a session that was to come through. Of a study that may stop it
        is the metrics, since of the manifest not all may have been run.
    drawn : column of that -> value or values, where not all of its sessions are meant; the
        metrics have sessions of these values alone, or the column too.
    """
    metrics = artefacts.facts("metrics")
    measured = {name: value for name, value in drawn.items() if name in metrics.frame}
    ended = metrics.over("count", "session_id", complete=True, **measured)
    of = artefacts.facts(assigned).over("count", "session_id", **drawn)
    return f"{ended} of {counted(of, noun)}"


def defined(values: pd.Series[Any]) -> Array:
    """A column's defined values."""
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    return np.asarray(numbers[~np.isnan(numbers)])


def mean(values: pd.Series[Any]) -> float:
    """The mean of a column's defined values; NaN where there is none."""
    numbers = defined(values)
    return float(numbers.mean()) if len(numbers) else np.nan


def significant(view: View) -> Callable[[Record], bool]:
    """Whether the adjusted p-value of a row is below what the confidence leaves."""
    return lambda row: bool(row["p_adjusted"] < view.alpha)


def jitter(n: int, width: float) -> Array:
    """Sideways places for n dots: even, in an order without pattern, the same every time."""
    # Multiples of the golden ratio fill an interval evenly however many are taken.
    return np.asarray((np.arange(n) * 0.618033988749895 % 1.0 - 0.5) * width)


def joined(places: Sequence[float] | Array, rows: Array) -> tuple[Array, Array]:
    """A line a row through the places as one broken line: one element to draw, not hundreds."""
    gap = np.full((len(rows), 1), np.nan)
    xs = np.hstack([np.broadcast_to(np.asarray(places, dtype=float), rows.shape), gap])
    return xs.ravel(), np.hstack([rows, gap]).ravel()


def as_text(value: Any) -> str:
    """A value as it is; a text is a cell already."""
    return value if isinstance(value, str) else str(value)


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    header : what stands above it.
    keys : of a row, the entry that is shown, or several.
    written : from their values, in the order of the keys, to text.
    """

    header: str
    keys: str | tuple[str, ...]
    written: Callable[..., str] = as_text

    def cell(self, row: Mapping[str, Any]) -> str:
        """What it shows of a row."""
        keys = (self.keys,) if isinstance(self.keys, str) else self.keys
        return self.written(*(row[key] for key in keys))


def limits(view: View, of: str = "", written: Callable[..., str] = interval) -> Column:
    """The interval of an estimate; ``of`` tells several of them apart."""
    return Column(f"{view.level} CI{of}", ("ci_low", "ci_high"), written)


def tabulate(
    name: str,
    title: str,
    columns: Iterable[Column],
    rows: Iterable[Mapping[str, Any]],
    note: str,
    view: View,
    facts: Mapping[str, str] | None = None,
) -> Table:
    """A table of rows by its columns; the other parameters are those of a table."""
    shown = tuple(columns)
    cells = [tuple(column.cell(row) for column in shown) for row in rows]
    heads = tuple(column.header for column in shown)
    return make(name, title, heads, cells, note, view.simulated, facts)
