"""What figures are made of: whiskers, forests, courses over rounds, stacked shares, panels, keys.

Each form is here once, in the words of designs, and every study draws with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dissensus.report.frames import Array, Record, joined, records
from dissensus.report.labels import interval, number, percent, with_limits
from dissensus.report.style import FAINT, GREY, INK, Mark, says

#: An estimate and the limits of its interval; NaN where the data define none.
Interval = tuple[float, float, float]

#: Half of the room in a row that marks of one estimate each share.
_ROOM = 0.28
_THIN = 0.9


def estimated(row: Record) -> Interval:
    """The estimate of a row with its interval."""
    return row["estimate"], row["ci_low"], row["ci_high"]


def share_of(row: Record, name: str) -> Interval:
    """One of several shares that a row has, with its interval."""
    return row[name], row[f"{name}_low"], row[f"{name}_high"]


def whisker(
    axes: Axes,
    interval: Interval,
    place: float,
    mark: Mark,
    *,
    filled: bool = True,
    upright: bool = False,
    scale: float = 1.0,
    words: str = "",
) -> None:
    """An estimate as a mark on its interval, both of which say their numbers.

    Parameters
    ----------
    interval : without an estimate, nothing is drawn; without both limits, the mark alone.
    place : height of an interval along x; place along x of an upright one.
    filled : whether the mark is filled; else it is hollow.
    scale : what values are multiplied by.
    words : what is estimated, before the numbers.
    """
    value, low, high = (scale * limit for limit in interval)
    if not isfinite(value):
        return

    def line(values: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
        places = [place] * len(values)
        return (places, values) if upright else (values, places)

    told = _told(words, (value, low, high), scale)
    if isfinite(low) and isfinite(high):
        (limits,) = axes.plot(*line([low, high]), color=mark.colour, linewidth=1.0, zorder=2)
        says(limits, told)
    (dot,) = axes.plot(
        *line([value]),
        mark.marker,
        color=mark.colour,
        markerfacecolor=mark.colour if filled else "white",
        markersize=4.0,
        markeredgewidth=_THIN,
        zorder=3,
    )
    says(dot, told)


def _told(words: str, of: Interval, scale: float = 1.0) -> str:
    """Such as "coached, epoch 2: 0.884 [0.751, 0.951]"; points of % with a decimal less."""
    # What stands in a title has no origin to be told: the page's sentences have.
    value, low, high = map(float, of)
    digits = 3 if scale == 1.0 else 1
    numbers = with_limits(number(value, digits, "−"), interval(low, high, digits, "−"))
    return f"{words}: {numbers}" if words else numbers


def value_margins(axes: Axes) -> None:
    """Room beside the values of an axis; those that rounding alone parts from zero stand at it."""
    axes.margins(x=0.08)
    low, high = axes.get_xlim()
    if high - low < 1e-12:
        axes.set_xlim(-0.05, 0.05)


def forest(
    axes: Axes,
    names: Mapping[Any, str],
    series: Sequence[tuple[Mark, Mapping[Any, Record]]],
    filled: Callable[[Record], bool] = lambda row: True,
    scale: float = 1.0,
    reference: Any = None,
) -> None:
    """A row for each name, and in it an estimate of each series beside the others.

    Parameters
    ----------
    names : key of a row -> its name, from top to bottom.
    series : how each is drawn, and key -> row with estimate, ci_low and ci_high. A dash stands
        where the only series has no estimate.
    filled : whether the mark of a row is filled.
    scale : what values are multiplied by.
    reference : key of the row that the others are compared with, which says so at no difference.
    """
    for place, (key, name) in enumerate(names.items()):
        if key == reference:
            at_zero(axes, place, "reference")
            continue
        for (mark, rows), offset in zip(series, offsets(len(series)), strict=True):
            row = rows.get(key)
            if row is not None and isfinite(row["estimate"]):
                words = f"{name}, {mark.name}" if len(series) > 1 else name
                at, is_filled = place + offset, filled(row)
                whisker(axes, estimated(row), at, mark, filled=is_filled, scale=scale, words=words)
            elif len(series) == 1:
                missing(axes, place)
    rows_axis(axes, list(names.values()))


def offsets(count: int) -> list[float]:
    """Where so many estimates stand beside each other in the middle of a row."""
    return [float(place) for place in np.linspace(-_ROOM, _ROOM, count)] if count > 1 else [0.0]


def missing(axes: Axes, place: float) -> None:
    """A dash at the left of a row without an estimate."""
    axes.text(0.02, place, "–", transform=axes.get_yaxis_transform(), va="center", size=7)


def at_zero(axes: Axes, place: float, word: str) -> None:
    """A word at no difference, in a row that has none by definition."""
    box = {"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"}
    axes.text(0.0, place, word, ha="center", va="center", size=7, color=GREY, bbox=box)


def course(
    axes: Axes,
    rows: pd.DataFrame,
    mark: Mark,
    scale: float = 1.0,
    label: str | None = None,
    step: str = "round",
    banded: bool = True,
) -> None:
    """Means by round joined by a line, and their intervals.

    Parameters
    ----------
    rows : with round, estimate, ci_low and ci_high, in the order of the rounds.
    scale : what values are multiplied by.
    label : in the legend.
    step : what the rounds are called.
    banded : whether the intervals are a band. Else the last has a whisker, and the others are said
        by their marks alone: several bands over each other cannot be told apart.
    """
    low, high = scale * rows["ci_low"], scale * rows["ci_high"]
    if banded:
        axes.fill_between(rows["round"], low, high, color=mark.colour, alpha=0.18, linewidth=0)
    else:
        last = rows["round"].iloc[-1]
        axes.vlines(last, low.iloc[-1], high.iloc[-1], color=mark.colour, linewidth=1.0)
    (drawn,) = axes.plot(
        rows["round"],
        scale * rows["estimate"],
        mark.marker,
        linestyle=mark.line,
        color=mark.colour,
        markersize=2.6,
        linewidth=1.0,
        label=label,
    )
    told = []
    for row in records(rows[rows["estimate"].notna()]):
        middle, lower, upper = (scale * limit for limit in estimated(row))
        words = f"{mark.name}, {step} {row['round']:,.0f}"
        told.append(_told(words, (middle, lower, upper), scale))
    says(drawn, *told)


def stack(
    axes: Axes,
    place: float,
    shares: Mapping[str, float],
    marks: Iterable[Mark],
    words: Mapping[str, str] | None = None,
) -> None:
    """One bar of shares that sum to 1, each with its words in it where it is wide enough."""
    left = 0.0
    for mark in marks:
        share = shares.get(mark.name, 0.0)
        (bar,) = axes.barh(
            place,
            share,
            0.62,
            left,
            color=mark.colour,
            hatch=mark.hatch,
            edgecolor="white",
            linewidth=0.4,
        )
        text = (words or {}).get(mark.name, "")
        says(bar, f"{mark.name}: {percent(share)}" + (f" ({text})" if text else ""))
        if text and share > 0.012 * len(text) + 0.02:
            axes.text(
                left + share / 2,
                place,
                text,
                ha="center",
                va="center",
                size=6.5,
                bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.85},
            )
        left += share


def multiples(
    parent: Figure | SubFigure, names: Sequence[str], across: int, x: str = "", y: str = ""
) -> Iterator[tuple[str, Axes]]:
    """Small multiples: a panel for each name on the same axes, so many in a row.

    Places left over stay empty. ``x`` and ``y`` name the axes, beneath the lowest panel of each
    column and at the left of each row.
    """
    across = min(across, len(names))
    deep = -(-len(names) // across)
    panels = parent.subplots(deep, across, sharex=True, sharey=True, squeeze=False)
    for spare in panels.flat[len(names) :]:
        spare.set_axis_off()
    for index, (name, axes) in enumerate(zip(names, panels.flat, strict=False)):
        yield name, axes
        # A panel above an empty place is the last of its column.
        if index + across >= len(names):
            axes.set_xlabel(x)
            axes.tick_params(labelbottom=True)
        if index % across == 0:
            axes.set_ylabel(y)


def rows_axis(axes: Axes, names: Sequence[str], places: Sequence[float] | None = None) -> None:
    """A row for each name, the first at the top; ``places`` where they are not 0, 1 and so on."""
    heights = range(len(names)) if places is None else places
    axes.set_ylim(max(heights, default=-1) + 0.6, -0.6)
    axes.set_yticks(heights, list(names))
    axes.tick_params(axis="y", length=0)


def apart(groups: Sequence[Any], gap: float = 0.6) -> list[float]:
    """Places of rows, one beneath the other, with a gap wherever the group changes."""
    changes = [group != other for group, other in zip(groups[1:], groups, strict=False)]
    return [place + gap * sum(changes[:place]) for place in range(len(groups))]


def rounds_axis(axes: Axes, last: int) -> None:
    """Rounds from 1 along x, each with a tick where there is room."""
    axes.set_xlim(0.7, last + 0.3)
    axes.set_xticks(range(1, last + 1, -(-last // 8)))


def shares_axis(axes: Axes) -> None:
    """A share from 0 to 1 along x."""
    axes.set_xlim(0.0, 1.0)
    axes.set_xticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0", "0.25", "0.5", "0.75", "1"])


def divide(axes: Axes, places: Iterable[float]) -> None:
    """Faint lines between groups of rows."""
    for place in places:
        axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)


def swatch(mark: Mark) -> Patch:
    """An entry of a legend: an area."""
    return Patch(
        facecolor=mark.colour, hatch=mark.hatch, edgecolor="white", linewidth=0.4, label=mark.name
    )


def key_of(mark: Mark, filled: bool = True, line: bool = True) -> Line2D:
    """An entry of a legend: a mark, with its line or without."""
    return Line2D(
        [],
        [],
        color=mark.colour,
        linestyle=mark.line if line else "none",
        linewidth=1.0,
        marker=mark.marker,
        markerfacecolor=mark.colour if filled else "white",
        markersize=4.0,
        markeredgewidth=_THIN,
        label=mark.name,
    )


def fill_key(filled: str, hollow: str, marker: str = "o") -> list[Line2D]:
    """Two entries of a legend: what filled marks are, and what hollow ones are."""
    names = {True: filled, False: hollow}
    return [
        key_of(Mark(name, INK, marker), filled=is_filled, line=False)
        for is_filled, name in names.items()
    ]


#: Of marks that are filled where their contrast is significant after adjustment.
AFTER_HOLM = ("significant after Holm", "not significant")


def legend(
    parent: Axes | Figure,
    entries: Iterable[Artist],
    columns: int | None = None,
    right: bool = False,
) -> None:
    """One legend above a panel or a whole figure.

    Parameters
    ----------
    entries : each with its label.
    columns : entries in a row; all where None.
    right : whether it ends at the right end of what it is above.
    """
    handles = list(entries)
    side = "right" if right else "left"
    where: dict[str, Any] = (
        {"loc": f"lower {side}", "bbox_to_anchor": (float(right), 1.0), "handlelength": 1.4}
        if isinstance(parent, Axes)
        # Room for dashes, of which a panel has none to spare.
        else {"loc": f"outside upper {side}", "handlelength": 2.2}
    )
    parent.legend(
        handles=handles,
        ncols=columns or len(handles),
        frameon=False,
        fontsize=7,
        handletextpad=0.5,
        borderaxespad=0.2,
        columnspacing=1.0,
        **where,
    )


#: Beyond as many, dots become an image: ten thousand shapes are megabytes of SVG.
CROWD = 1000

#: Lines that a crowd gets at most.
LINES = 400


def dots(n: int, size: float, alpha: float) -> dict[str, Any]:
    """How each of n dots is drawn: a crowd's are smaller and fainter, to show where it is dense.

    Parameters
    ----------
    n : dots in the cloud.
    size : in points, of the dots of a few.
    alpha : opacity of the dots of a few.
    """
    crowd = max(n / CROWD, 1.0)
    return {
        "markersize": size / min(crowd, 2.5) ** 0.5,
        "markeredgewidth": 0,
        "alpha": max(alpha / crowd**0.75, 0.01),
        "rasterized": n > CROWD,
    }


def threads(axes: Axes, places: Sequence[float], rows: Array, width: float) -> None:
    """A thin line a row through the places; of a crowd, every so many get one.

    Parameters
    ----------
    places : where each column stands, left to right.
    rows : values, shape (draws, places), in the order of the draws, which is random.
    width : in points.
    """
    rows = rows[:: stride(len(rows))]
    axes.plot(*joined(places, rows), color=FAINT, linewidth=width, zorder=1)


def stride(n: int) -> int:
    """Of how many draws one gets a line: more than some hundreds of lines are a grey block."""
    return 1 if n <= CROWD else -(-n // LINES)
