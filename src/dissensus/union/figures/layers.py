"""How far the judges agree among themselves, and the layers of judging with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.artefacts import Artefacts
from dissensus.report.escaping import label
from dissensus.report.frames import records
from dissensus.report.labels import counted, interval, number
from dissensus.report.style import GREY, new_figure, notice, styled, zero_line
from dissensus.report.view import Drawn, View
from dissensus.union.figures.frames import (
    ALL,
    LAYERS,
    VERDICTS,
    Look,
    divide,
    legend,
    rows_axis,
    shares_axis,
    stack,
    whisker,
)
from dissensus.union.tables import LAYERS as ORDER

NONE = "No debate was judged, so that no agreement can be measured."

_LOOK = Look("#0b3c6f", "o")


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a forest of alpha and kappa, and what each layer alone would say."""
    judges, verdicts = artefacts.frames("judges", "verdicts")
    rows = judges[(judges["bias"] == "agreement")]
    named = agreements(rows)
    facts = describe(rows, verdicts, view)
    if verdicts.empty or not named:
        return Drawn(notice(NONE, view.simulated), facts)
    figure = new_figure(1.0 + 0.24 * len(named), view.simulated)
    panels: Any = figure.subplots(1, 2, width_ratios=[1, 1.05])
    _forest(panels[0], named)
    _verdicts(panels[1], verdicts)
    return Drawn(figure, facts)


def agreements(rows: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Name of an agreement -> its row: of judges first, then of layers."""
    found: dict[str, dict[str, Any]] = {}
    for row in records(rows):
        if row["level"] == "layers":
            found[f"{LAYERS[row['judge']]} – {LAYERS[row['compared']]}"] = row
        else:
            name = "all judges" if row["judge"] == ALL else f"{label(row['judge'], 24)}, itself"
            found[name] = row
    return found


def _forest(axes: Axes, named: dict[str, dict[str, Any]]) -> None:
    for place, row in enumerate(named.values()):
        whisker(axes, row, place, _LOOK, filled=True)
        text = number(row["estimate"], 2, "−")
        axes.annotate(
            f"{text} {interval(row['ci_low'], row['ci_high'], 2, '−')}".replace(" –", ""),
            (1.0, place),
            (4, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            size=6.3,
            annotation_clip=False,
        )
    rows_axis(axes, list(named))
    layers = [row["level"] == "layers" for row in named.values()]
    if any(layers) and not all(layers):
        divide(axes, [layers.index(True) - 0.5])
    zero_line(axes, vertical=True)
    low = min((row["ci_low"] for row in named.values() if np.isfinite(row["ci_low"])), default=0.0)
    axes.set_xlim(min(-0.1, low - 0.05), 1.0)
    axes.axvline(1.0, color=GREY, linewidth=0.6, zorder=0)
    axes.set_xlabel("alpha of votes, kappa of verdicts")
    axes.set_title("a  Agreement beyond chance", pad=16)


def _verdicts(axes: Axes, verdicts: pd.DataFrame) -> None:
    """What each layer says of all debates, those that it cannot decide left out."""
    names = []
    for place, layer in enumerate(ORDER):
        counts = verdicts[layer].value_counts()
        known = {name: int(counts.get(name, 0)) for name in VERDICTS}
        total = sum(known.values())
        shares = {name: value / total for name, value in known.items()} if total else {}
        stack(axes, place, shares, VERDICTS, words={n: str(v) for n, v in known.items() if v})
        names.append(LAYERS[layer])
    rows_axis(axes, names)
    shares_axis(axes)
    axes.set_xlabel("share of debates")
    axes.set_title("b  What each layer says alone", pad=16)
    legend(axes, VERDICTS, right=True)


def describe(rows: pd.DataFrame, verdicts: pd.DataFrame, view: View) -> dict[str, str]:
    """What the caption says."""
    whole = records(rows[(rows["level"] != "layers") & (rows["judge"] == ALL)])
    alpha = whole[0]["estimate"] if whole else float("nan")
    same = verdicts[list(ORDER)].nunique(axis=1) == 1 if len(verdicts) else pd.Series(dtype=bool)
    return {
        "level": view.level,
        "alpha": number(alpha, 2, "−"),
        "same": f"{int(same.sum())} of {counted(len(verdicts), 'debate')}",
    }
