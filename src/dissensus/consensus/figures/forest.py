"""Arms down the side, domains beside each other: a dot, its interval, and what was planted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dissensus.consensus.inference import ALL
from dissensus.report.escaping import label
from dissensus.report.frames import Record, records
from dissensus.report.style import FAINT, INK, Mark, marks
from dissensus.report.view import View

#: Half of the room that an arm's domains share.
_ROOM = 0.28


def arm_words(arm: str) -> str:
    """An arm's name for readers."""
    return label(arm.replace("_", " "), 24)


def arms_of(view: View) -> tuple[str, ...]:
    """The arms that are compared with the reference, itself first."""
    return (view.reference, *(arm for arm in view["compared"] if arm != view.reference))


def domains_of(view: View) -> list[str]:
    """The domains of the configuration, in its order."""
    return [str(name) for name in view["domains"]]


def looks(view: View) -> dict[str, Mark]:
    """How each domain is drawn."""
    domains = domains_of(view)
    return marks(domains, domains[0])


def joined_planted(rows: pd.DataFrame, planted: pd.DataFrame, column: str) -> pd.DataFrame:
    """Estimates with the planted value of each, NaN where there is none, as a column."""
    keys = ["domain", "arm", "outcome"]
    known = planted[[*keys, column]].rename(columns={column: "planted"})
    found: pd.DataFrame = rows.merge(known, on=keys, how="left")
    return found


def forest(
    axes: Axes,
    rows: pd.DataFrame,
    arms: Sequence[str],
    view: View,
    scale: float = 1.0,
    filled: Any = None,
) -> None:
    """One outcome of every arm in every domain.

    Parameters
    ----------
    rows : with domain, arm, estimate, ci_low, ci_high and planted.
    arms : from top to bottom.
    scale : what values are multiplied by.
    filled : tells of a row whether its dot is filled; all are where it is None.
    """
    found = {(row["domain"], row["arm"]): row for row in records(rows)}
    shown = looks(view)
    offsets = np.linspace(-_ROOM, _ROOM, len(shown)) if len(shown) > 1 else [0.0]
    for place, arm in enumerate(arms):
        if place % 2:
            axes.axhspan(place - 0.5, place + 0.5, color=FAINT, alpha=0.25, linewidth=0)
        for (domain, mark), offset in zip(shown.items(), offsets, strict=True):
            row = found.get((domain, arm))
            if row is not None and np.isfinite(row["estimate"]):
                solid = filled is None or filled(row)
                _dot(axes, row, place + offset, mark, scale, solid)
    axes.set_ylim(len(arms) - 0.5, -0.5)
    axes.set_yticks(range(len(arms)), [arm_words(arm) for arm in arms])
    axes.tick_params(axis="y", length=0)


def _dot(axes: Axes, row: Record, y: float, mark: Mark, scale: float, solid: bool) -> None:
    low, high = row["ci_low"], row["ci_high"]
    if np.isfinite(low) and np.isfinite(high):
        axes.plot([scale * low, scale * high], [y, y], color=mark.colour, linewidth=1.0)
    axes.plot(
        scale * row["estimate"],
        y,
        mark.marker,
        color=mark.colour,
        markerfacecolor=mark.colour if solid else "white",
        markersize=3.6,
        markeredgewidth=0.9,
    )
    if np.isfinite(row["planted"]):
        axes.plot(scale * row["planted"], y, "|", color=INK, markersize=7, markeredgewidth=1.1)


def key(figure: Figure, view: View, titles: Mapping[str, str], planted: Line2D | None) -> None:
    """The legend above all panels; ``planted`` is how a planted value is drawn, None for none."""
    handles = [
        Line2D([], [], color=mark.colour, marker=mark.marker, markersize=3.6, linewidth=1.0)
        for mark in looks(view).values()
    ]
    names = [label(titles.get(domain, domain), 30) for domain in looks(view)]
    if planted is not None:
        handles.append(planted)
        names.append("planted")
    figure.legend(
        handles, names, loc="outside upper left", ncols=len(names), frameon=False, fontsize=7.5
    )


def tick(planted: pd.Series[float]) -> Line2D | None:
    """How a forest marks planted values; None where there are none."""
    if not planted.notna().any():
        return None
    return Line2D([], [], color=INK, marker="|", markersize=7, linestyle="none")


def titles_of(view: View) -> dict[str, str]:
    """Domain -> its name for readers."""
    return {name: name.replace("_", " ") for name in domains_of(view)} | {ALL: "all"}
