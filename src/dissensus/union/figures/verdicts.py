"""Who wins: shares of debates won by each side and contested, by motion, arm and epoch."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.artefacts import Artefacts
from dissensus.report.frames import Record, records
from dissensus.report.labels import counted, interval, percent
from dissensus.report.style import new_figure, notice, styled
from dissensus.report.view import Drawn, View
from dissensus.union.figures.frames import (
    ALL,
    MOST_MOTIONS,
    VERDICTS,
    attrition,
    divide,
    legend,
    motion_words,
    motions_of,
    rows_axis,
    shares_axis,
    stack,
)
from dissensus.union.tables import CONTESTED, LAYERS, SIDES

NONE = "No debate ran to its end, so that there is no verdict."

#: What the column of a share is in the row of the proposition.
_COLUMNS = {SIDES[0]: "won", CONTESTED: "contested", SIDES[1]: "lost"}


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw shares with intervals by motion, and counts by arm and epoch."""
    verdicts, wins, manifest = artefacts.frames("verdicts", "wins", "manifest")
    facts = describe(verdicts, wins, manifest, view)
    if verdicts.empty:
        return Drawn(notice(NONE, view.simulated), facts)
    shown = _shown(wins)
    cells = _cells(verdicts)
    height = 0.95 + 0.23 * max(len(shown), len(cells) + len({arm for arm, _ in cells}))
    figure = new_figure(max(height, 1.9), view.simulated)
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.15])
    _shares(left, shown)
    _counts(right, cells)
    return Drawn(figure, facts)


def _of_proposition(wins: pd.DataFrame) -> dict[str, Record]:
    rows = wins[(wins["by"] == "side") & (wins["side"] == SIDES[0])]
    return {row["motion_id"]: row for row in records(rows)}


def _shown(wins: pd.DataFrame) -> dict[str, Record]:
    """The first motions, and all together."""
    found = _of_proposition(wins)
    motions = [name for name in motions_of(wins) if name in found]
    kept = [name for name in motions if name != ALL][:MOST_MOTIONS]
    return {name: found[name] for name in [*kept, *(name for name in motions if name == ALL)]}


def _shares(axes: Axes, shown: dict[str, Record]) -> None:
    """The three shares of each motion, one beneath the other, with their intervals."""
    apart = {SIDES[0]: -0.24, CONTESTED: 0.0, SIDES[1]: 0.24}
    for place, row in enumerate(shown.values()):
        for verdict, look in VERDICTS.items():
            name, at = _COLUMNS[verdict], place + apart[verdict]
            ends = [row[f"{name}_low"], row[f"{name}_high"]]
            colour = "#6b6b6b" if verdict == CONTESTED else look.colour
            axes.plot(ends, [at, at], color=colour, linewidth=1.0)
            axes.plot(row[name], at, look.marker, color=colour, markersize=4.0)
    rows_axis(axes, [motion_words(name) for name in shown])
    shares_axis(axes)
    axes.set_xlabel("share of debates")
    axes.set_title("a  By motion, both arms", pad=16)
    divide(axes, [place + 0.5 for place in range(len(shown) - 1)])
    _marks(axes)


def _marks(axes: Axes) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker=look.marker, linestyle="-", markersize=4, linewidth=1.0,
               color="#6b6b6b" if name == CONTESTED else look.colour)
        for name, look in VERDICTS.items()
    ]  # fmt: skip
    axes.legend(
        handles,
        list(VERDICTS),
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=3,
        frameon=False,
        fontsize=7,
        handlelength=1.6,
        borderaxespad=0.2,
        columnspacing=1.0,
    )


def _cells(verdicts: pd.DataFrame) -> dict[tuple[str, int], dict[str, int]]:
    """(arm, epoch) -> verdict -> debates."""
    found: dict[tuple[str, int], dict[str, int]] = {}
    for row in records(verdicts):
        cell = found.setdefault((row["arm"], row["epoch"]), {})
        cell[row["winner"]] = cell.get(row["winner"], 0) + 1
    return dict(sorted(found.items()))


def _counts(axes: Axes, cells: dict[tuple[str, int], dict[str, int]]) -> None:
    """A bar for each arm and epoch, with the numbers of debates in it."""
    names, places, edges, place = [], [], [], 0.0
    last = ""
    for (arm, epoch), counts in cells.items():
        if last and arm != last:
            edges.append(place - 0.25)
            place += 0.5
        last = arm
        total = sum(counts.values())
        shares = {name: number / total for name, number in counts.items()}
        words = {name: str(number) for name, number in counts.items()}
        stack(axes, place, shares, VERDICTS, words=words)
        names.append(f"{arm}, epoch {epoch}")
        places.append(place)
        place += 1.0
    axes.set_ylim(place - 0.4, -0.6)
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)
    shares_axis(axes)
    axes.set_xlabel("share of debates (number in the bar)")
    axes.set_title("b  By arm and epoch", pad=16)
    divide(axes, edges)
    legend(axes, VERDICTS)


def describe(
    verdicts: pd.DataFrame, wins: pd.DataFrame, manifest: pd.DataFrame, view: View
) -> dict[str, str]:
    """What the caption says."""
    found = _of_proposition(wins)
    motions = [name for name in motions_of(wins) if name in found]
    whole = found.get(motions[-1]) if motions else None
    decided = verdicts["decided_by"].value_counts()
    layers = [f"{name} {decided[name]}" for name in (*LAYERS, "none") if int(decided.get(name, 0))]
    left = len([name for name in motions if name != ALL]) - MOST_MOTIONS
    return {
        "attrition": attrition(verdicts, manifest),
        "level": view.level,
        "contested": _share(whole, "contested"),
        "proposition": _share(whole, "won"),
        "opposition": _share(whole, "lost"),
        "layers": ", ".join(layers) or "none",
        "left": f" {counted(left, 'further motion')} only in the tables." if left > 0 else "",
    }


def _share(row: Record | None, name: str) -> str:
    """Such as "19% [12, 29]"."""
    if row is None:
        return "no debate"
    limits = interval(100 * row[f"{name}_low"], 100 * row[f"{name}_high"], 0)
    return f"{percent(row[name], 0)} {limits}"
