"""What coaching changes: the students' shares by epoch and arm, and coached less control."""

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
    "student_demolitions": "Students’ rebuttals that demolish",
}
_TITLES = ("Claims that survive", "Blind votes", "Rebuttals that demolish")
MEAN, DIFFERENCE, IN_DIFFERENCES = "mean", "difference", "difference_in_differences"
RANDOMISATION = "paired_randomisation"
#: What stands for all coached epochs together.
COACHED_EPOCHS = 0

NONE = "No debate has a student whose claims, votes or rebuttals could be counted."


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw the outcomes: means by arm above, coached less control beneath."""
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
        above.set_title(f"{letter}  {_TITLES[list(OUTCOMES).index(outcome)]}")
        gains = own[(own["contrast"] == DIFFERENCE) & (own["method"] == RANDOMISATION)]
        last = int(own["epoch"].max())
        _gains(beneath, gains, last + 1, 1.0 - view.confidence)
        under = chr(ord("a") + len(outcomes) + column)
        beneath.set_title(f"{under}  Coached − control", size=7.5)
        several = [f"2–{last}"] if last > 2 else ["2"] if last > 1 else []
        above.set_xlim(0.6, last + (2.1 if last > 1 else 0.4))
        above.set_xticks(
            range(1, last + 1 + len(several)), [*map(str, range(1, last + 1)), *several]
        )
        beneath.set_xlabel("epoch")
        above.tick_params(labelbottom=False, bottom=False)
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
    # Not across the axis, where shares are near 0.
    heights = spread([max(float(end["estimate"]), 0.1) for end in ends.values()], 0.11)
    for (arm, end), height in zip(ends.items(), heights, strict=True):
        axes.annotate(
            arm,
            (float(end["epoch"]) + 0.14, height),
            va="center",
            size=7,
            color=ARMS[arm].colour if arm == "coached" else "#5f5f5f",
            annotation_clip=False,
        )


def _gains(axes: Axes, rows: pd.DataFrame, end: int, alpha: float) -> None:
    """A dot with its interval for each epoch, at the end a diamond for all coached ones together;
    filled where significant after adjustment.
    """
    zero_line(axes)
    look = ARMS["coached"]
    for row in records(rows):
        is_pooled = row["epoch"] == COACHED_EPOCHS
        if is_pooled and end == 2:
            continue
        place = end if is_pooled else row["epoch"]
        if not np.isfinite(row["estimate"]):
            axes.text(place, 0.0, "–", ha="center", va="bottom", size=7)
            continue
        found = row["p_adjusted"] < alpha
        if np.isfinite(row["ci_low"]) and np.isfinite(row["ci_high"]):
            axes.plot([place, place], [row["ci_low"], row["ci_high"]], color=look.colour, lw=1.0)
        axes.plot(
            place,
            row["estimate"],
            "D" if is_pooled else "o",
            color=look.colour,
            markerfacecolor=look.colour if found else "white",
            markersize=4.0,
            markeredgewidth=0.9,
        )
        if is_pooled:
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
    of = {
        (row["outcome"], row["contrast"], row["epoch"]): row
        for row in records(rows[rows["method"] == RANDOMISATION])
    }
    pooled = [of.get((name, DIFFERENCE, COACHED_EPOCHS)) for name in OUTCOMES]
    known = [row for row in pooled if row and np.isfinite(row["estimate"])]
    head = next((row for row in pooled if row and row["headline"]), None)
    if head is None or not np.isfinite(head["estimate"]):
        none = "The headline, the gain in surviving claims, is not defined."
        said = {"headline": none, "beside": "", "power": ""}
        return {"level": view.level, **said, "note": head["note"] if head else ""}
    last = int(rows["epoch"].max())
    return {
        "level": view.level,
        "headline": _headline(head, last, view),
        "beside": _beside(
            [row for row in known if not row["headline"]],
            of.get((head["outcome"], IN_DIFFERENCES, last)),
            view,
        ),
        "power": _power(known),
        "note": head["note"],
    }


def _headline(row: Record, last: int, view: View) -> str:
    return (
        "Coached less control, over all coached epochs "
        f"({f'2 to {last}' if last > 2 else '2'}), in the share of the students’ claims that "
        f"survive: {_found(row, view)}, {row['n']} of {row['assigned']} draws)."
    )


def _found(row: Record, view: View) -> str:
    """Such as "+0.12 (95% interval [0.03, 0.20], p = 0.012; 0.024 after Holm over outcomes"."""
    limits = interval(row["ci_low"], row["ci_high"], 2, "−")
    holm = f"; {p_clause(row['p_adjusted'])} after Holm over outcomes"
    return (
        f"{signed(row['estimate'], 2)} ({view.level} interval {limits}, {p_clause(row['p_value'])}"
        f"{holm if np.isfinite(row['p_adjusted']) else ''}"
    )


def _beside(others: list[Record], gain: Record | None, view: View) -> str:
    """The other outcomes, and the last epoch less the first."""
    said = [f"{OUTCOMES[row['outcome']].lower()} {_found(row, view)})" for row in others]
    text = f"Beside it: {'; '.join(said)}." if said else ""
    if gain and np.isfinite(gain["estimate"]):
        text += (
            f" In claims that survive, epoch {gain['epoch']} less epoch 1, from fewer draws: "
            f"{_found(gain, view)})."
        )
    return text.strip()


def _power(rows: list[Record]) -> str:
    """The smallest gains that so many draws find, and the power for given ones."""
    said = []
    for row in rows:
        gains = {
            float(name.removeprefix("power_")): value
            for name, value in row.items()
            if name.startswith("power_") and value is not None and np.isfinite(value)
        }
        powers = [f"{percent(value, 0)} for {gain:g}" for gain, value in gains.items() if gain]
        if powers and np.isfinite(row["mde_80"]):
            least = number(row["mde_80"], 2)
            said.append(f"{OUTCOMES[row['outcome']].lower()} {least} ({', '.join(powers)})")
    if not said:
        return ""
    return f"The smallest gains found with 80% power (and the power for a gain): {'; '.join(said)}."
