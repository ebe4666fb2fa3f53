"""What coaching changes: the students' shares by epoch and arm, and the difference of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.artefacts import Artefacts
from dissensus.report.frames import Record, records
from dissensus.report.labels import interval, number, p_clause, percent, signed
from dissensus.report.style import INK, new_figure, notice, spread, styled, zero_line
from dissensus.report.view import Drawn, View
from dissensus.union.figures.frames import ARMS

OUTCOMES = {
    "student_survival": "Students’ claims that survive",
    "student_votes": "Blind votes for the students’ side",
}
MEAN, IN_DIFFERENCES = "mean", "difference_in_differences"
RANDOMISATION = "paired_randomisation"

NONE = "No debate has a student whose claims or votes could be counted."


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw both outcomes: means by arm above, differences in differences beneath."""
    rows = artefacts.frame("coaching")
    facts = describe(rows, view)
    means = rows[(rows["contrast"] == MEAN) & rows["estimate"].notna()]
    outcomes = [name for name in OUTCOMES if (means["outcome"] == name).any()]
    if not outcomes:
        return Drawn(notice(NONE, view.simulated), facts)
    figure = new_figure(4.0, view.simulated)
    panels: Any = figure.subplots(
        2, len(outcomes), sharex="col", sharey="row", squeeze=False, height_ratios=[1.25, 1]
    )
    for column, outcome in enumerate(outcomes):
        above, beneath = panels[0, column], panels[1, column]
        own = rows[rows["outcome"] == outcome]
        _means(above, own[own["contrast"] == MEAN])
        letter = chr(ord("a") + column)
        above.set_title(f"{letter}  {OUTCOMES[outcome]}")
        gains = own[(own["contrast"] == IN_DIFFERENCES) & (own["method"] == RANDOMISATION)]
        _gains(beneath, gains, 1.0 - view.confidence)
        beneath.set_title(f"{chr(ord('c') + column)}  Coached − control, less epoch 1", size=7.5)
        last = int(own["epoch"].max())
        above.set_xlim(0.6, last + (0.95 if last > 1 else 0.4))
        above.set_xticks(range(1, last + 1))
        beneath.set_xlabel("epoch")
        above.tick_params(labelbottom=False)
    panels[0, 0].set_ylabel("share")
    panels[1, 0].set_ylabel("difference of shares")
    return Drawn(figure, facts)


def _means(axes: Axes, rows: pd.DataFrame) -> None:
    """A line for each arm, its name at its last point."""
    for arm, look in ARMS.items():
        own = rows[(rows["arm"] == arm) & rows["estimate"].notna()].sort_values("epoch")
        if own.empty:
            continue
        shift = -0.06 if arm == "coached" else 0.06
        places = own["epoch"] + shift
        for place, low, high in zip(places, own["ci_low"], own["ci_high"], strict=True):
            if np.isfinite(low):
                axes.plot([place, place], [low, high], color=look.colour, linewidth=1.0)
        axes.plot(
            places,
            own["estimate"],
            marker=look.marker,
            linestyle=look.line,
            color=look.colour,
            markersize=4.0,
        )
    _names(axes, rows)
    axes.set_ylim(-0.02, 1.02)


def _names(axes: Axes, rows: pd.DataFrame) -> None:
    """Each arm's name beside its last mean, apart where the means are near."""
    ends = {}
    for arm in ARMS:
        own = rows[(rows["arm"] == arm) & rows["estimate"].notna()].sort_values("epoch")
        if len(own):
            ends[arm] = own.iloc[-1]
    heights = spread([float(end["estimate"]) for end in ends.values()], 0.11)
    for (arm, end), height in zip(ends.items(), heights, strict=True):
        axes.annotate(
            arm,
            (float(end["epoch"]) + 0.14, height),
            va="center",
            size=7,
            color=ARMS[arm].colour if arm == "coached" else "#5f5f5f",
            annotation_clip=False,
        )


def _gains(axes: Axes, rows: pd.DataFrame, alpha: float) -> None:
    """A dot with its interval for each epoch, filled where significant after adjustment."""
    zero_line(axes)
    look = ARMS["coached"]
    for row in records(rows):
        place = row["epoch"]
        if not np.isfinite(row["estimate"]):
            axes.text(place, 0.0, "–", ha="center", va="bottom", size=7)
            continue
        found = row["p_adjusted"] < alpha
        if np.isfinite(row["ci_low"]) and np.isfinite(row["ci_high"]):
            axes.plot([place, place], [row["ci_low"], row["ci_high"]], color=look.colour, lw=1.0)
        axes.plot(
            place,
            row["estimate"],
            "o",
            color=look.colour,
            markerfacecolor=look.colour if found else "white",
            markersize=4.0,
            markeredgewidth=0.9,
        )
        axes.annotate(
            signed(row["estimate"], 2),
            (place, row["estimate"]),
            (5, 0),
            textcoords="offset points",
            va="center",
            size=6.5,
            color=INK,
        )


def describe(rows: pd.DataFrame, view: View) -> dict[str, str]:
    """What the caption says."""
    headline = records(rows[rows["headline"].to_numpy(dtype=bool)])
    row = headline[0] if headline else None
    return {
        "level": view.level,
        "headline": _headline(row, view) if row else "There is no contrast of arms.",
        "power": _power(row) if row else "",
        "note": row["note"] if row else "",
    }


def _headline(row: Record, view: View) -> str:
    if not np.isfinite(row["estimate"]):
        return "The headline, the gain in surviving claims, is not defined."
    limits = interval(row["ci_low"], row["ci_high"], 2, "−")
    return (
        f"Headline, the share of the students’ claims that survive, epoch {row['epoch']}: "
        f"{signed(row['estimate'], 2)} ({view.level} interval {limits}, "
        f"{p_clause(row['p_value'])}; {p_clause(row['p_adjusted'])} after Holm over epochs; "
        f"{row['n']} of {row['assigned']} draws)."
    )


def _power(row: Record) -> str:
    """The power that so many runs have, said plainly."""
    gains = {
        float(name.removeprefix("power_")): value
        for name, value in row.items()
        if name.startswith("power_") and value is not None and np.isfinite(value)
    }
    said = [f"{percent(value, 0)} for a gain of {gain:g}" for gain, value in gains.items() if gain]
    if not said:
        return ""
    text = f"Power of so many runs: {', '.join(said)}."
    if np.isfinite(row["mde_80"]):
        text += f" The smallest gain found with 80% power is {number(row['mde_80'], 2)}."
    return text
