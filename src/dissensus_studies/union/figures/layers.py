"""How far the judges agree among themselves, and the layers of judging with each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.forms import divide, forest, legend, rows_axis, shares_axis, stack, swatch
from dissensus.report.frames import Record, records
from dissensus.report.labels import MISSING, counted, interval, number
from dissensus.report.style import GREY, Mark, beside, new_figure, notice, styled, zero_line
from dissensus.report.view import Artefacts, Drawn, View

from ..tables import ALL, LAYERS
from .frames import VERDICTS, judge_words

NONE = "No debate was judged, so that no agreement can be measured."

_MARK = Mark("agreement", "#0b3c6f", "o")


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a forest of alpha and kappa, and what each layer alone would say."""
    judges, verdicts = artefacts.frames("judges", "verdicts")
    rows = judges[(judges["bias"] == "agreement")]
    # Of judges first, then of layers.
    named = {_name(row): row for row in records(rows)}
    facts = describe(artefacts, view)
    if verdicts.empty or not named:
        return Drawn(notice(NONE, view.simulated), facts)
    figure = new_figure(1.0 + 0.24 * len(named), view.simulated)
    panels: Any = figure.subplots(1, 2, width_ratios=[1, 1.05])
    _forest(panels[0], named)
    _verdicts(panels[1], verdicts)
    return Drawn(figure, facts)


def _name(row: Record) -> str:
    if row["level"] == "layers":
        return f"{row['judge']} – {row['compared']}"
    words = judge_words(row["judge"])
    return words if row["judge"] == ALL else f"{words}, itself"


def _forest(axes: Axes, named: dict[str, Record]) -> None:
    forest(axes, {name: name for name in named}, [(_MARK, named)])
    for place, row in enumerate(named.values()):
        text = number(row["estimate"], 2, "−")
        limits = interval(row["ci_low"], row["ci_high"], 2, "−")
        beside(axes, place, f"{text} {limits}".replace(" –", ""), gap=4, size=6.3)
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
    for place, layer in enumerate(LAYERS):
        counts = verdicts[layer].value_counts()
        number_of = {mark.name: int(counts.get(mark.name, 0)) for mark in VERDICTS}
        total = max(sum(number_of.values()), 1)
        shares = {name: count / total for name, count in number_of.items()}
        stack(axes, place, shares, VERDICTS, {name: str(n) for name, n in number_of.items() if n})
    rows_axis(axes, LAYERS)
    shares_axis(axes)
    axes.set_xlabel("share of debates")
    axes.set_title("b  What each layer says alone", pad=16)
    legend(axes, map(swatch, VERDICTS), right=True)


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    verdicts = artefacts.facts("verdicts")
    first, *others = LAYERS
    same = verdicts.over("sum", " & ".join(f"({first} == {other})" for other in others))
    debates = verdicts.over("count", "session_id")
    return {
        "level": view.level,
        "alpha": _alpha(artefacts),
        "same": f"{same} of {counted(debates, 'debate')}",
    }


def _alpha(artefacts: Artefacts) -> str:
    """Krippendorff's alpha of all judges, with its interval."""
    judges = artefacts.facts("judges")
    if judges.frame.empty:
        return MISSING
    row = judges.row(level=ALL, judge=ALL, compared="", statistic="krippendorff_alpha")
    return f"{number(row['estimate'], 2, '−')} {interval(row['ci_low'], row['ci_high'], 2, '−')}"
