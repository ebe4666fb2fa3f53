"""Win shares by speaker and by the place of the speech, which is drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.artefacts import Artefacts
from dissensus.report.escaping import label
from dissensus.report.frames import records
from dissensus.report.labels import counted, listed, p_clause, signed
from dissensus.report.style import GREY, new_figure, notice, styled
from dissensus.report.view import Drawn, View
from dissensus.union.figures.frames import (
    ALL,
    MOST_MOTIONS,
    Look,
    divide,
    motion_words,
    motions_of,
    shares_axis,
)

NONE = "No debate ran to its end, so that nobody won."

#: Place on the side -> look.
_PLACES = (
    Look("#0b3c6f", "o"),
    Look("#c96f00", "D"),
    Look("#3f9b7a", "s"),
    Look("#b56bb0", "^"),
    Look("#5f5f5f", "v"),
)


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a panel for each motion: a row for each speaker, a dot for each place."""
    wins = artefacts.frame("wins")
    facts = describe(wins, view)
    rows = wins[(wins["by"] == "place") & (wins["motion_id"] != ALL)]
    motions = motions_of(rows)[:MOST_MOTIONS]
    if not motions:
        return Drawn(notice(NONE, view.simulated), facts)
    across = min(2, len(motions))
    deep = -(-len(motions) // across)
    most = max(_speakers(rows[rows["motion_id"] == name]).__len__() for name in motions)
    figure = new_figure(deep * (0.8 + 0.36 * most) + 0.1, view.simulated)
    panels: Any = figure.subplots(deep, across, squeeze=False)
    for index, axes in enumerate(panels.ravel()):
        if index >= len(motions):
            axes.set_axis_off()
            continue
        own = rows[rows["motion_id"] == motions[index]]
        _panel(axes, own, 1.0 - view.confidence)
        axes.set_title(f"{chr(ord('a') + index)}  {motion_words(motions[index])}", pad=16)
        if index == 0:
            _legend(axes, int(own["place"].max()))
    return Drawn(figure, facts)


def _speakers(rows: pd.DataFrame) -> list[str]:
    """By base rate, which the speakers of one side share, and then by name."""
    bases = rows.groupby("speaker")["base"].mean()
    return sorted(map(str, bases.index), key=lambda name: (float(bases[name]), name))


def _panel(axes: Axes, rows: pd.DataFrame, alpha: float) -> None:
    speakers = _speakers(rows)
    places = int(rows["place"].max())
    step = 0.62 / max(places, 1)
    edges = []
    for at, name in enumerate(speakers):
        own = rows[rows["speaker"] == name]
        base = float(own["base"].iloc[0])
        axes.plot([base, base], [at - 0.42, at + 0.42], color=GREY, linewidth=1.0, zorder=0)
        if at and not np.isclose(
            base, float(rows[rows["speaker"] == speakers[at - 1]]["base"].iloc[0])
        ):
            edges.append(at - 0.5)
        for row in records(own):
            look = _PLACES[(row["place"] - 1) % len(_PLACES)]
            height = at + (row["place"] - (places + 1) / 2) * step
            axes.plot(
                [row["won_low"], row["won_high"]], [height, height], color=look.colour, lw=0.9
            )
            found = row["p_adjusted"] < alpha
            axes.plot(
                row["won"],
                height,
                look.marker,
                color=look.colour,
                markerfacecolor=look.colour if found else "white",
                markersize=3.6,
                markeredgewidth=0.9,
            )
    axes.set_ylim(len(speakers) - 0.45, -0.55)
    axes.set_yticks(range(len(speakers)), [label(name, 26) for name in speakers])
    axes.tick_params(axis="y", length=0)
    shares_axis(axes)
    axes.set_xlabel("share of debates won")
    divide(axes, edges)


def _legend(axes: Axes, places: int) -> None:
    from matplotlib.lines import Line2D

    ordinals = ("first", "second", "third")
    shown = range(min(places, len(_PLACES)))
    handles = [
        Line2D([], [], marker=_PLACES[place].marker, color=_PLACES[place].colour, linewidth=0.9,
               markersize=3.6, markerfacecolor="white")
        for place in shown
    ]  # fmt: skip
    names = [ordinals[place] if place < len(ordinals) else f"{place + 1}th" for place in shown]
    axes.legend(
        [*handles, Line2D([], [], color=GREY, linewidth=1.0)],
        [*names, "side’s base rate"],
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=len(names) + 1,
        frameon=False,
        fontsize=6.5,
        handlelength=1.4,
        borderaxespad=0.2,
        columnspacing=0.9,
    )


def describe(wins: pd.DataFrame, view: View) -> dict[str, str]:
    """What the caption says."""
    rows = wins[(wins["by"] == "place") & (wins["motion_id"] != ALL)]
    found = records(rows[rows["p_adjusted"] < 1.0 - view.confidence])
    tested = int(rows["p_value"].notna().sum())
    said = [
        f"{label(row['speaker'], 26)} in place {row['place']} on {motion_words(row['motion_id'])} "
        f"({signed(row['lift'], 2)}, {p_clause(row['p_adjusted'])})"
        for row in found
    ]
    left = len(motions_of(rows)) - MOST_MOTIONS
    return {
        "level": view.level,
        "tested": counted(tested, "lift"),
        "found": listed(said) or "none",
        "left": f" {counted(left, 'further motion')} only in the tables." if left > 0 else "",
    }
