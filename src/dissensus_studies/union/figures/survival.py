"""What becomes of claims: shares that survive, are contested, are demolished, by type of claim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.escaping import label
from dissensus.report.forms import apart, legend, rows_axis, shares_axis, stack, swatch
from dissensus.report.frames import Record, records
from dissensus.report.labels import counted, percent, percents
from dissensus.report.style import INK, beside, new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from ..tables import ALL, FATES
from .frames import FATE_MARKS, kind_words, motions_of

NONE = "No claim was found, so that none survives."

#: Title of each panel -> what its claims are grouped by.
_PANELS = {
    "a  By what the claim is": ("kind", "specific", "side"),
    "b  By where it stands": ("speech", "student"),
}
_FLAGS = {"specific": ("specific", "not specific"), "student": ("student", "expert")}


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a bar of three shares for each group, with the interval of what survives."""
    survival = artefacts.frame("survival")
    facts = describe(artefacts, view)
    motions = motions_of(survival)
    if not motions:
        return Drawn(notice(NONE, view.simulated), facts)
    rows = survival[(survival["motion_id"] == motions[-1]) & (survival["arm"] == ALL)]
    panels = [_bars(rows, groups) for groups in _PANELS.values()]
    rows_deep = max(apart([by for by, _ in bars])[-1] + 1 for bars in panels)
    figure = new_figure(1.0 + 0.23 * rows_deep, view.simulated)
    drawn: Any = figure.subplots(1, 2)
    for axes, bars, title in zip(drawn, panels, _PANELS, strict=True):
        _panel(axes, bars)
        axes.set_title(title, pad=16)
    legend(drawn[0], map(swatch, FATE_MARKS))
    return Drawn(figure, facts)


#: What claims are grouped by, and the group -> fate -> row.
Bars = dict[tuple[str, str], dict[str, Record]]


def _bars(rows: pd.DataFrame, groups: tuple[str, ...]) -> Bars:
    bars: Bars = {}
    for by in groups:
        for row in records(rows[rows["by"] == by]):
            bars.setdefault((by, row["group"]), {})[row["fate"]] = row
    return bars


def _panel(axes: Axes, bars: Bars) -> None:
    places = apart([by for by, _ in bars])
    for place, fates in zip(places, bars.values(), strict=True):
        shares = {name: float(row["estimate"]) for name, row in fates.items()}
        if all(np.isfinite(value) for value in shares.values()):
            stack(axes, place, shares, FATE_MARKS)
            survives = fates[FATES[0]]
            if np.isfinite(survives["ci_low"]):
                ends = [survives["ci_low"], survives["ci_high"]]
                axes.plot(ends, [place, place], color=INK, linewidth=1.1, solid_capstyle="butt")
        claims = max(row["n"] for row in fates.values())
        beside(axes, place, f"{claims:,}", gap=4, size=6.3)
    rows_axis(axes, [_words(*key) for key in bars], places)
    shares_axis(axes)
    axes.set_xlabel("share of claims (their number at the right)")


def _words(by: str, group: str) -> str:
    if by == "kind":
        return kind_words(group)
    if by in _FLAGS:
        return _FLAGS[by][group != "yes"]
    return f"speech {group}" if by == "speech" else label(group, 24)


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    survival = artefacts.facts("survival")
    motions = motions_of(survival.frame)
    whole = {"arm": ALL, "by": ALL, "group": ALL}
    fates = [survival.row(motion_id=motions[-1], fate=fate, **whole) for fate in FATES if motions]
    words = dict(zip(FATES, ("survive", "are contested", "are demolished"), strict=True))
    shares = [
        f"{percent(row['estimate'], 0)} {words[row['fate']]} "
        f"{percents(row['ci_low'], row['ci_high'])}"
        for row in fates
        if np.isfinite(row["estimate"])
    ]
    # Every fate's share is of the same claims.
    claims = [
        f"{counted(row['n'], 'claim')} of {counted(row['n_clusters'], 'debate')}" for row in fates
    ]
    return {
        "level": view.level,
        "claims": claims[0] if claims else "no claim of no debate",
        "shares": ", ".join(shares) or "nothing can be said",
    }
