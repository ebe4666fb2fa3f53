"""Win shares by speaker and by the place of the speech, which is drawn at random."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dissensus.report.artefacts import Artefacts
from dissensus.report.escaping import label
from dissensus.report.forms import (
    divide,
    key_of,
    legend,
    rows_axis,
    share_of,
    shares_axis,
    whisker,
)
from dissensus.report.frames import records
from dissensus.report.labels import counted, listed, p_clause, signed
from dissensus.report.style import GREY, Mark, new_figure, notice, styled
from dissensus.report.view import Drawn, View
from dissensus.union.figures.frames import MOST_MOTIONS, left_out, motion_words, motions_of
from dissensus.union.tables import ALL

NONE = "No debate ran to its end, so that nobody won."

#: Place on the side, from 1 -> how it is drawn; they come round after five.
_PLACES = (
    Mark("first", "#0b3c6f", "o"),
    Mark("second", "#c96f00", "D"),
    Mark("third", "#3f9b7a", "s"),
    Mark("4th", "#b56bb0", "^"),
    Mark("5th", "#5f5f5f", "v"),
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
    most = max(rows[rows["motion_id"] == name]["speaker"].nunique() for name in motions)
    figure = new_figure(deep * (0.8 + 0.36 * most) + 0.1, view.simulated)
    panels = figure.subplots(deep, across, squeeze=False)
    for spare in panels.flat[len(motions) :]:
        spare.set_axis_off()
    for letter, axes, motion in zip("abcd", panels.flat, motions, strict=False):
        _panel(axes, rows[rows["motion_id"] == motion], view.alpha)
        axes.set_title(f"{letter}  {motion_words(motion)}", pad=16)
    base = Line2D([], [], color=GREY, linewidth=1.0, label="side’s base rate")
    places = int(rows[rows["motion_id"] == motions[0]]["place"].max())
    legend(panels[0, 0], [*(key_of(mark, filled=False) for mark in _PLACES[:places]), base])
    return Drawn(figure, facts)


def _panel(axes: Axes, rows: pd.DataFrame, alpha: float) -> None:
    # By base rate, which the speakers of one side share, and then by name.
    bases = rows.groupby("speaker")["base"].mean().reset_index()
    bases = bases.sort_values(["base", "speaker"], ignore_index=True)
    places = int(rows["place"].max())
    step = 0.62 / max(places, 1)
    for at, speaker, base in bases.itertuples():
        axes.plot([base, base], [at - 0.42, at + 0.42], color=GREY, linewidth=1.0, zorder=0)
        for row in records(rows[rows["speaker"] == speaker]):
            mark = _PLACES[(row["place"] - 1) % len(_PLACES)]
            height = at + (row["place"] - (places + 1) / 2) * step
            whisker(axes, share_of(row, "won"), height, mark, filled=row["p_adjusted"] < alpha)
    rows_axis(axes, [label(name, 26) for name in bases["speaker"]])
    shares_axis(axes)
    axes.set_xlabel("share of debates won")
    divide(axes, np.flatnonzero(~np.isclose(np.diff(bases["base"]), 0.0)) + 0.5)


def describe(wins: pd.DataFrame, view: View) -> dict[str, str]:
    """What the caption says."""
    rows = wins[(wins["by"] == "place") & (wins["motion_id"] != ALL)]
    significant = [
        f"{label(row['speaker'], 26)} in place {row['place']} on {motion_words(row['motion_id'])} "
        f"({signed(row['lift'], 2)}, {p_clause(row['p_adjusted'])})"
        for row in records(rows[rows["p_adjusted"] < view.alpha])
    ]
    return {
        "level": view.level,
        "tested": counted(int(rows["p_value"].notna().sum()), "lift"),
        "found": listed(significant) or "none",
        "left": left_out(motions_of(rows)),
    }
