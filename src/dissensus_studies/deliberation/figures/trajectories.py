"""How disagreement goes round by round, every arm before the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.ticker import MaxNLocator

from dissensus.report.claims.ranked import spread
from dissensus.report.facts import Facts
from dissensus.report.forms import course, multiples, rounds_axis
from dissensus.report.frames import attrition
from dissensus.report.labels import interval, listed, number
from dissensus.report.style import ALARM, new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from .frames import ACROSS, ARM, REFERENCE

#: What is drawn: measure -> title and what its axis counts.
PANELS = {
    "entropy": ("a  Stance entropy", "bits"),
    "retention": ("b  Retention of disagreement", "JS / first JS"),
}


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw entropy above and retention below, a panel for each arm."""
    rounds, followed = artefacts.frames("rounds", "trajectories")
    facts = {} if followed.empty else describe(artefacts, view)
    if rounds.empty or not (followed["n"] > 0).any():
        none = "No session came through, so that there is no trajectory."
        return Drawn(notice(none, view.simulated), facts)
    levels = {"retention": alerts(rounds)}
    deep = -(-len(view.arms) // ACROSS)
    figure = new_figure(2 * (0.42 + 1.05 * deep) + 0.2, view.simulated)
    parts: Any = figure.subfigures(2, 1)
    for part, (measure, (title, unit)) in zip(parts, PANELS.items(), strict=True):
        part.suptitle(title, x=0.01, ha="left", size=8.5, weight="bold")
        _block(part, artefacts.facts("trajectories"), measure, levels.get(measure, []), unit, view)
    return Drawn(figure, facts)


def alerts(rounds: pd.DataFrame) -> list[float]:
    """The levels of retention at which an alert was raised in any session, highest first."""
    return sorted({float(level) for level in rounds["alert"] if level}, reverse=True)


def _raised(artefacts: Artefacts, view: View) -> list[str]:
    """The same for readers."""
    raised = alerts(artefacts.frame("rounds"))
    return [f"{level:g}" for level in view.fact("alerts") if float(level) in raised]


def _block(
    part: SubFigure, followed: Facts, measure: str, levels: Sequence[float], unit: str, view: View
) -> None:
    """One measure in small multiples, the reference in grey in each."""
    rows = followed.frame[followed.frame["measure"] == measure]
    drawn, last = rows[rows["n"] > 0], int(rows["round"].max())
    for arm, axes in multiples(part, view.arms, ACROSS, "round", unit):
        _alerts(axes, levels, last, labelled=arm == view.reference)
        reference = replace(REFERENCE, name=view.arm(view.reference))
        course(axes, drawn[drawn["arm"] == view.reference], reference)
        if arm != view.reference:
            course(axes, drawn[drawn["arm"] == arm], replace(ARM, name=view.arm(arm)))
        rounds_axis(axes, last)
        sizes = [row["n"] for row in followed.rows(measure=measure, arm=arm)]
        axes.set_title(
            f"{view.arm(arm)} (n = {max(sizes, default=0)})", weight="normal", size=7.5, pad=3
        )
        axes.yaxis.set_major_locator(MaxNLocator(3))


def _alerts(axes: Axes, levels: Sequence[float], last: int, labelled: bool) -> None:
    for level in levels:
        axes.axhline(level, color=ALARM, linewidth=0.5, linestyle=(0, (1, 2)), zorder=0)
        if labelled:
            axes.text(
                last + 0.25, level, f"{level:g}", size=6, color=ALARM, ha="right", va="bottom"
            )


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    followed, rounds = artefacts.facts("trajectories"), artefacts.facts("rounds")
    last = followed.over("max", "round")

    def ends(measure: str) -> str:
        of_round = followed.rows(measure=measure, round=int(last), arm=view.arms)
        rows = {row["arm"]: row for row in of_round}
        first = rows[view.reference]
        others = [rows[arm] for arm in view.arms[1:] if arm in rows and rows[arm]["n"]]
        text = (
            f"{number(first['estimate'], 2)} in {view.arm(view.reference)} "
            f"({interval(first['ci_low'], first['ci_high'], 2, '−')})"
        )
        if not others:
            return text
        return f"{text}; elsewhere " + spread(
            others, lambda row: f"{number(row['estimate'], 2)} in {view.arm(row['arm'])}"
        )

    undefined = rounds.over("sum", "retention != retention", round=int(last), arm=view.arms)
    return {
        "reference": view.arm(view.reference),
        "level": view.level,
        "last": str(last),
        "entropy": ends("entropy"),
        "retention": ends("retention"),
        "alerts": listed(_raised(artefacts, view)) or "none raised",
        "undefined": str(undefined),
        "attrition": attrition(artefacts, "session", "metrics", arm=view.arms),
    }
