"""Figure 4: the share of debates that have agreed by each round, every arm before the reference."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dissensus.consensus.figures.forest import (
    arm_words,
    arms_of,
    domains_of,
    joined_planted,
    key,
    looks,
    titles_of,
)
from dissensus.consensus.figures.words import attrition, percent_of
from dissensus.consensus.inference import ALL, BY_ROUND
from dissensus.report.artefacts import Artefacts
from dissensus.report.style import GREY, INK, new_figure, notice, styled
from dissensus.report.view import Drawn, View

_ACROSS = 5
#: How the planted course is drawn.
PLANTED: dict[str, Any] = {"linewidth": 1.0, "linestyle": (0, (1, 1.2))}


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a panel for each arm, with a line for each domain and the reference in grey."""
    estimates, planted, metrics, manifest = artefacts.frames(
        "estimates", "planted", "metrics", "manifest"
    )
    rows = joined_planted(estimates, planted, "true")
    rows = rows[rows["outcome"].str.startswith(BY_ROUND) & rows["estimate"].notna()]
    rows = rows.assign(round=rows["outcome"].str.removeprefix(BY_ROUND).astype(int))
    facts = describe(rows, view) | {"attrition": attrition(metrics, manifest)}
    if rows.empty:
        return Drawn(notice("No debate came through.", view.simulated), facts)
    arms = arms_of(view)
    across = min(_ACROSS, len(arms))
    deep = -(-len(arms) // across)
    figure = new_figure(1.25 * deep + 0.5, view.simulated)
    panels = figure.subplots(deep, across, sharex=True, sharey=True, squeeze=False)
    base = rows[(rows["arm"] == view.reference) & (rows["domain"] == ALL)]
    for index, axes in enumerate(panels.ravel()):
        if index >= len(arms):
            axes.set_axis_off()
            continue
        _panel(axes, rows[rows["arm"] == arms[index]], base, view)
        axes.set_title(arm_words(arms[index]), weight="normal", size=7.5, pad=3)
        if index % across == 0:
            axes.set_ylabel("% agreed")
        if index + across >= len(arms):
            axes.set_xlabel("round")
            axes.tick_params(labelbottom=True)
    planted_too = bool(rows["planted"].notna().any())
    key(
        figure, view, titles_of(view), Line2D([], [], color=INK, **PLANTED) if planted_too else None
    )
    return Drawn(figure, facts)


def _panel(axes: Axes, rows: pd.DataFrame, base: pd.DataFrame, view: View) -> None:
    axes.plot(base["round"], 100 * base["estimate"], color=GREY, linewidth=0.9, zorder=1)
    for domain, mark in looks(view).items():
        own = rows[rows["domain"] == domain].sort_values("round")
        low, high = 100 * own["ci_low"], 100 * own["ci_high"]
        axes.fill_between(own["round"], low, high, color=mark.colour, alpha=0.15, linewidth=0)
        axes.plot(
            own["round"],
            100 * own["estimate"],
            marker=mark.marker,
            linestyle=mark.line,
            color=mark.colour,
            markersize=2.6,
            linewidth=1.0,
        )
        axes.plot(own["round"], 100 * own["planted"], color=mark.colour, **PLANTED)
    last = int(view["rounds"])
    axes.set_xlim(0.7, last + 0.3)
    axes.set_ylim(-4, 104)
    axes.set_xticks(range(1, last + 1, -(-last // 8)))


def describe(rows: pd.DataFrame, view: View) -> dict[str, str]:
    """What the caption says of the last round."""
    last = rows[rows["round"] == int(view["rounds"])]

    def share(arm: str) -> str:
        own = last[last["arm"] == arm]
        parts = [
            f"{percent_of(row)} in {row['domain']}"
            for _, row in own[own["domain"].isin(domains_of(view))].iterrows()
        ]
        return " and ".join(parts) or "none"

    together = last[last["domain"] == ALL].sort_values("estimate")
    best = str(together.iloc[-1]["arm"]) if len(together) else view.reference
    return {
        "reference": arm_words(view.reference),
        "level": view.level,
        "last": str(view["rounds"]),
        "base": share(view.reference),
        "best": arm_words(best),
        "best_share": share(best),
    }
