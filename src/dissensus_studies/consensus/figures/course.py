"""Figure 4: the share of debates that have agreed by each round, every arm before the reference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dissensus.design.declared import ALL
from dissensus.report.claims.ranked import Ranked
from dissensus.report.facts import Row
from dissensus.report.forms import course, multiples, rounds_axis
from dissensus.report.labels import listed
from dissensus.report.style import GREY, INK, new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from ..inference import BY_ROUND
from .forest import domains_of, joined_planted, key, looks
from .words import (
    DOTTED,
    attrition,
    percent_of,
    planted_words,
    with_share,
)

_ACROSS = 5
#: How the planted course is drawn.
PLANTED: dict[str, Any] = {"linewidth": 1.0, "linestyle": (0, (1, 1.2))}


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a panel for each arm, with a line for each domain and the reference in grey."""
    estimates, planted = artefacts.frames("estimates", "planted")
    rows = joined_planted(estimates, planted, "true")
    rows = rows[rows["outcome"].str.startswith(BY_ROUND) & rows["estimate"].notna()]
    rows = rows.assign(round=rows["outcome"].str.removeprefix(BY_ROUND).astype(int))
    rows = rows[rows["arm"].isin(view.arms)]
    facts = {
        **describe(artefacts, view),
        "planted": planted_words(rows["planted"], DOTTED),
        "attrition": attrition(artefacts, arm=view.arms),
    }
    if rows.empty:
        return Drawn(notice("No debate came through.", view.simulated), facts)
    figure = new_figure(1.25 * -(-len(view.arms) // _ACROSS) + 0.5, view.simulated)
    base = rows[(rows["arm"] == view.reference) & (rows["domain"] == ALL)]
    for arm, axes in multiples(figure, view.arms, _ACROSS, "round", "% agreed"):
        _panel(axes, rows[rows["arm"] == arm], base, view)
        axes.set_title(view.arm(arm), weight="normal", size=7.5, pad=3)
    planted_too = bool(rows["planted"].notna().any())
    line = Line2D([], [], color=INK, label="planted", **PLANTED)
    shown = {"arm": view.arms, "outcome": sorted(set(rows["outcome"]))}
    key(figure, view, [line] if planted_too else [], artefacts.facts("estimates"), **shown)
    return Drawn(figure, facts)


def _panel(axes: Axes, rows: pd.DataFrame, base: pd.DataFrame, view: View) -> None:
    axes.plot(base["round"], 100 * base["estimate"], color=GREY, linewidth=0.9, zorder=1)
    for domain, mark in looks(view).items():
        of_domain = rows[rows["domain"] == domain].sort_values("round")
        course(axes, of_domain, mark, scale=100.0)
        axes.plot(of_domain["round"], 100 * of_domain["planted"], color=mark.colour, **PLANTED)
    rounds_axis(axes, int(view["rounds"]))
    axes.set_ylim(-4, 104)


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says of the last round."""
    estimates, last = artefacts.facts("estimates"), f"{BY_ROUND}{view['rounds']}"
    shares = [
        row
        for row in estimates.rows(outcome=last, arm=view.arms)
        if row["estimate"] == row["estimate"]
    ]

    def share(arm: str) -> str:
        parts = [
            f"{percent_of(row)} in {row['domain']}"
            for row in shares
            if row["arm"] == arm and row["domain"] in domains_of(view)
        ]
        return " and ".join(parts) or "none"

    most = [
        f"in {domain} {words}"
        for domain in domains_of(view)
        if (words := Ranked.most(_of(shares, domain)).words(partial(with_share, view), view.arm_of))
    ]
    return {
        "reference": view.arm(view.reference),
        "level": view.level,
        "last": str(view.fact("rounds")),
        "base": share(view.reference),
        "most": listed(most) or "none",
    }


def _of(rows: Sequence[Row], domain: str) -> list[Row]:
    return [row for row in rows if row["domain"] == domain]
