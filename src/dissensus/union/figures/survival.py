"""What becomes of claims: shares that survive, are contested, are demolished, by type of claim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.artefacts import Artefacts
from dissensus.report.escaping import label
from dissensus.report.frames import records
from dissensus.report.labels import counted, interval, percent
from dissensus.report.style import INK, new_figure, notice, styled
from dissensus.report.view import Drawn, View
from dissensus.union.figures.frames import (
    ALL,
    FATES,
    kind_words,
    legend,
    motions_of,
    shares_axis,
    stack,
)

NONE = "No claim was found, so that none survives."

#: Groups on either side of the figure, with their words.
_LEFT = {"kind": "Kind", "specific": "Specific", "side": "Side"}
_RIGHT = {"speech": "Speech", "student": "Student"}


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a bar of three shares for each group, with the interval of what survives."""
    survival = artefacts.frame("survival")
    facts = describe(survival, view)
    motions = motions_of(survival)
    if not motions:
        return Drawn(notice(NONE, view.simulated), facts)
    rows = survival[(survival["motion_id"] == motions[-1]) & (survival["arm"] == ALL)]
    panels = [_bars(rows, groups) for groups in (_LEFT, _RIGHT)]
    rows_deep = max(len(bars) + 0.6 * (len({by for by, *_ in bars}) - 1) for bars in panels)
    figure = new_figure(1.0 + 0.23 * rows_deep, view.simulated)
    made: Any = figure.subplots(1, 2)
    for axes, bars, title in zip(
        made, panels, ("a  By what the claim is", "b  By where it stands"), strict=True
    ):
        _panel(axes, bars)
        axes.set_title(title, pad=16)
    legend(made[0], FATES)
    return Drawn(figure, facts)


#: What it is grouped by, the group, its fates, and claims in it.
Bar = tuple[str, str, dict[str, dict[str, Any]], int]


def _bars(rows: pd.DataFrame, groups: dict[str, str]) -> list[Bar]:
    found = []
    for by in groups:
        own = rows[rows["by"] == by]
        for group in dict.fromkeys(own["group"]):
            fates = {row["fate"]: row for row in records(own[own["group"] == group])}
            found.append((by, str(group), fates, max(row["n"] for row in fates.values())))
    return found


def _panel(axes: Axes, bars: list[Bar]) -> None:
    place, last, places, names = 0.0, "", [], []
    for by, group, fates, claims in bars:
        if last and by != last:
            place += 0.6
        last = by
        shares = {name: float(row["estimate"]) for name, row in fates.items()}
        if all(np.isfinite(value) for value in shares.values()):
            stack(axes, place, shares, FATES)
            survives = fates["survives"]
            if np.isfinite(survives["ci_low"]):
                ends = [survives["ci_low"], survives["ci_high"]]
                axes.plot(ends, [place, place], color=INK, linewidth=1.1, solid_capstyle="butt")
        axes.annotate(
            f"{claims:,}",
            (1.0, place),
            (4, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            size=6.3,
            annotation_clip=False,
        )
        places.append(place)
        names.append(_words(by, group))
        place += 1.0
    axes.set_ylim(place - 0.4, -0.6)
    axes.set_yticks(places, names)
    axes.tick_params(axis="y", length=0)
    shares_axis(axes)
    axes.set_xlabel("share of claims (their number at the right)")


def _words(by: str, group: str) -> str:
    if by == "kind":
        return kind_words(group)
    if by == "specific":
        return "specific" if group == "yes" else "not specific"
    if by == "student":
        return "student" if group == "yes" else "expert"
    return f"speech {group}" if by == "speech" else label(group, 24)


def describe(survival: pd.DataFrame, view: View) -> dict[str, str]:
    """What the caption says."""
    motions = motions_of(survival)
    own = survival[
        (survival["motion_id"] == (motions[-1] if motions else ""))
        & (survival["arm"] == ALL)
        & (survival["by"] == "all")
    ]
    found = {row["fate"]: row for row in records(own)}
    said = [
        f"{percent(row['estimate'], 0)} {words} "
        f"{interval(100 * row['ci_low'], 100 * row['ci_high'], 0)}"
        for name, words in (
            ("survives", "survive"),
            ("contested", "are contested"),
            ("demolished", "are demolished"),
        )
        if (row := found.get(name)) and np.isfinite(row["estimate"])
    ]
    first = next(iter(found.values()), None)
    claims = counted(first["n"], "claim") if first else "no claim"
    debates = counted(first["n_clusters"], "debate") if first else "no debate"
    return {
        "level": view.level,
        "claims": f"{claims} of {debates}",
        "shares": ", ".join(said) or "nothing can be said",
    }
