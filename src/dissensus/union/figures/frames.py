"""The words and looks that the study's figures and tables share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.escaping import label
from dissensus.report.labels import counted
from dissensus.report.style import FAINT
from dissensus.union.tables import CONTESTED, SIDES

#: What stands in a column for all motions, arms or judges together.
ALL = "all"
#: More motions than these are in the tables alone.
MOST_MOTIONS = 4


@dataclass(frozen=True)
class Look:
    """How one thing is drawn; any two of a figure differ in grey and in shape or hatching too."""

    colour: str
    marker: str
    hatch: str = ""
    line: Any = "-"


#: A side, or that nobody won.
VERDICTS = {
    SIDES[0]: Look("#0b3c6f", "o"),
    CONTESTED: Look("#bdbdbd", "s", "////"),
    SIDES[1]: Look("#e08a00", "D"),
}
ARMS = {
    "coached": Look("#0b3c6f", "o"),
    "control": Look("#8a8a8a", "s", line=(0, (4, 1.5))),
}
FATES = {
    "survives": Look("#3f9b7a", "o"),
    "contested": Look("#d9d9d9", "s", "////"),
    "demolished": Look("#8c2d04", "D", "xxxx"),
}
BIASES = {
    "position": "Position",
    "verbosity": "Length",
    "side": "Side prior",
}
#: What a judge without the bias shows.
UNBIASED = {"position": 0.5, "verbosity": 0.0, "side": 0.5}
LAYERS = {"panel": "panel", "annotation": "annotation", "rubric": "rubric", "audit": "audit"}


def motion_words(motion: str) -> str:
    """A motion's name for readers."""
    return "all motions" if motion == ALL else label(motion, 28)


def kind_words(kind: str) -> str:
    """Such as "evidence-backed" for evidence_backed."""
    return kind.replace("_", "-")


def motions_of(frame: pd.DataFrame) -> list[str]:
    """The motions in their order, with all of them together last where there are several."""
    found = sorted(set(frame["motion_id"]) - {ALL})
    return [*found, ALL] if ALL in set(frame["motion_id"]) else found


def footnotes(notes: Iterable[str]) -> tuple[dict[str, str], str]:
    """A mark for each different note of a table's rows, and the notes with their marks.

    Long notes that many rows share would make a table that nobody can read.
    """
    marks = {"": ""}
    for note in notes:
        marks.setdefault(note, str(len(marks)))
    text = "".join(f" ({mark}) {note}" for note, mark in marks.items() if note)
    return marks, f" Notes:{text}" if text else ""


def attrition(verdicts: pd.DataFrame, manifest: pd.DataFrame) -> str:
    """How many debates came through, as "79 of 80 debates"."""
    return f"{len(verdicts)} of {counted(int((manifest['kind'] == 'debate').sum()), 'debate')}"


def stack(
    axes: Axes,
    place: float,
    shares: Mapping[str, float],
    looks: Mapping[str, Look],
    height: float = 0.62,
    words: Mapping[str, str] | None = None,
) -> None:
    """One bar of shares that sum to 1, each with its words in it where it is wide enough."""
    left = 0.0
    for name, look in looks.items():
        share = shares.get(name, 0.0)
        axes.barh(
            place,
            share,
            height,
            left,
            color=look.colour,
            hatch=look.hatch,
            edgecolor="white",
            linewidth=0.4,
        )
        text = (words or {}).get(name, "")
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


def rows_axis(axes: Axes, names: Sequence[str]) -> None:
    """A row for each name, the first at the top."""
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(range(len(names)), list(names))
    axes.tick_params(axis="y", length=0)


def shares_axis(axes: Axes) -> None:
    """A share from 0 to 1 along x."""
    axes.set_xlim(0.0, 1.0)
    axes.set_xticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0", ".25", ".5", ".75", "1"])


def whisker(axes: Axes, row: Mapping[str, Any], place: float, look: Look, filled: bool) -> None:
    """A dot with its interval; a limit that is not known is the panel's edge."""
    estimate = row["estimate"]
    if not np.isfinite(estimate):
        axes.text(0.02, place, "–", transform=axes.get_yaxis_transform(), va="center", size=7)
        return
    if np.isfinite(row["ci_low"]) and np.isfinite(row["ci_high"]):
        axes.plot([row["ci_low"], row["ci_high"]], [place, place], color=look.colour, lw=1.0)
    axes.plot(
        estimate,
        place,
        look.marker,
        color=look.colour,
        markerfacecolor=look.colour if filled else "white",
        markersize=4.0,
        markeredgewidth=0.9,
    )


def divide(axes: Axes, places: Iterable[float]) -> None:
    """Faint lines between groups of rows."""
    for place in places:
        axes.axhline(place, color=FAINT, linewidth=0.6, zorder=0)


def legend(axes: Axes, looks: Mapping[str, Look], right: bool = False) -> None:
    """Swatches in a row above a panel, from its left end or up to its right end."""
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=look.colour, hatch=look.hatch, edgecolor="white", linewidth=0.4)
        for look in looks.values()
    ]
    axes.legend(
        handles,
        list(looks),
        loc="lower right" if right else "lower left",
        bbox_to_anchor=(1.0 if right else 0.0, 1.0),
        ncols=len(looks),
        frameon=False,
        fontsize=6.8,
        handlelength=1.2,
        handletextpad=0.5,
        borderaxespad=0.2,
        columnspacing=0.9,
    )
