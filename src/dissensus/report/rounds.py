"""Outcomes by round: the courses of the arms, what they differ in at each round, and a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from dissensus.design.contrasts import HEADLINE
from dissensus.report.arms import (
    METHOD,
    difference_of,
    estimate_columns,
    is_unpaired,
    keys_of,
    looks_of_contrasts,
    panel_title,
    title_of_contrasts,
    with_flips,
)
from dissensus.report.forms import course, key_of, legend
from dissensus.report.frames import Column, tabulate
from dissensus.report.labels import MISSING, range_of
from dissensus.report.style import Mark, marks, new_figure, notice, styled, zero_line
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, Drawn, View

#: Inches of a panel.
_HEIGHT = 1.75
_MOST_TICKS = 8
_AREA = "area"
#: What a caption says of a time to an event.
_CURVES = (
    " A curve of the time to an event is that of Kaplan and Meier: the share of sessions without "
    "it yet. A session that ended before it came counts until it ended. Its intervals are from a "
    "bootstrap of whole clusters."
)


@styled
def plot(artefacts: Artefacts, view: View) -> Drawn:
    """A row an outcome: the mean of every arm by round, and its contrasts."""
    rows = artefacts.frame("contrasts_by_round")
    rows = rows[(rows["method"] == HEADLINE) & rows["estimate"].notna() & (rows["factor"] == "")]
    titles = view["outcomes_by_round"]
    shown = [name for name in titles if (rows["outcome"] == name).any()]
    facts = {"level": view.level, "cluster": view["cluster"], "n": MISSING}
    what = "differences of means" if is_unpaired(view) else "paired differences"
    facts["compared"] = f"Right: {what} at each round." if view["contrasts"] else ""
    if set(shown) & set(view.settings.get("statistics", ())):
        facts["compared"] += _CURVES
    if not shown:
        return Drawn(notice("No session has an outcome by round.", view.simulated), facts)
    figure = new_figure(_HEIGHT * len(shown) + 0.3, view.simulated)
    looks = marks(view["arms"], view["arms"][0])
    grid = figure.add_gridspec(len(shown), 2)
    for place, name in enumerate(shown):
        some = rows[rows["outcome"] == name]
        differences = some[some["reference"] != ""]
        left = figure.add_subplot(grid[place, 0] if len(differences) else grid[place, :])
        means = some[some["reference"] == ""]
        _courses(left, [(looks[arm], means[means["arm"] == arm]) for arm in looks])
        left.set_title(panel_title(titles[name], beside=bool(len(differences))))
        left.set_ylabel("Share" if name in view.settings.get("statistics", ()) else "Mean")
        if len(differences):
            right = figure.add_subplot(grid[place, 1])
            keyed = differences.set_index(["arm", "reference"]).sort_index()
            compared = looks_of_contrasts(view).items()
            _courses(
                right, [(mark, keyed.loc[[key]]) for key, mark in compared if key in keyed.index]
            )
            zero_line(right)
            right.set_title(title_of_contrasts(view))
            right.set_ylabel(difference_of(view))
    if keys := keys_of(view):
        legend(figure, [key_of(mark) for mark in keys])
    counted = artefacts.facts("contrasts_by_round").rows(
        method=HEADLINE, outcome=shown, reference="", factor=""
    )
    facts["n"] = range_of(row["n"] for row in counted if row["n"])
    return Drawn(figure, facts)


def _courses(axes: Axes, series: Iterable[tuple[Mark, pd.DataFrame]]) -> None:
    """Courses over the rounds; below each round, how many they rest on."""
    counts: dict[int, list[int]] = {}
    for mark, rows in series:
        course(axes, rows.sort_values("round"), mark)
        for round_, n in zip(rows["round"], rows["n"], strict=True):
            counts.setdefault(int(round_), []).append(int(n))
    rounds = sorted(counts)
    ticks = rounds[:: -(-len(rounds) // _MOST_TICKS)]
    axes.set_xticks(ticks, [f"{each}\nn {_span(counts[each])}" for each in ticks])
    axes.set_xlim(rounds[0] - 0.3, rounds[-1] + 0.3)
    axes.set_xlabel("Round")


def _span(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def table(artefacts: Artefacts, view: View) -> Table:
    """Means and contrasts by round, and the areas between the courses."""
    names: dict[str, Any] = view["outcomes_by_round"]
    columns = (
        Column("Outcome", "outcome", lambda name: str(names[name])),
        Column(
            "Arm or contrast", ("arm", "reference"), lambda arm, of: f"{arm} − {of}" if of else arm
        ),
        Column("Round", "round"),
        *estimate_columns(view, "reference"),
    )
    note = (
        "A session counts in the rounds that it has; where it ended early, no value is carried "
        "forward, and n says how many are left. An area is that between two courses (trapezium), "
        f"per round. {METHOD} Holm's adjustment is over all contrasts and rounds of an outcome; an "
        "area is among all contrasts of the study that are not primary."
    )
    by_round, contrasts = artefacts.frames("contrasts_by_round", "contrasts")
    by_round = by_round[by_round["factor"] == ""]
    rows = []
    for name in names:
        some = by_round[by_round["outcome"] == name].sort_values("round", kind="stable")
        every = with_flips(some, "arm", "reference", "round")
        of_outcome = contrasts[contrasts["outcome"] == name]
        if name in view.settings.get("statistics", ()):
            # What a curve comes to has a table of its own.
            of_outcome = of_outcome.iloc[:0]
        areas = with_flips(of_outcome, "arm", "reference")
        for arm, reference in dict.fromkeys((row["arm"], row["reference"]) for row in every):
            of_these = [row for row in every if (row["arm"], row["reference"]) == (arm, reference)]
            rows += [{**row, "round": str(row["round"])} for row in of_these]
            rows += [
                {**row, "round": _AREA}
                for row in areas
                if (row["arm"], row["reference"]) == (arm, reference)
            ]
    return tabulate("table_rounds", "Outcomes by round", columns, rows, note, view)


def levels(artefacts: Artefacts, view: View) -> Table:
    """Means by round and level, and what levels change at each round."""
    names: dict[str, Any] = view["outcomes_by_round"]
    every = "all arms" if len(view["arms"]) > 1 else view["arms"][0]
    columns = (
        Column("Outcome", "outcome", lambda name: str(names[name])),
        Column("Factor", "factor"),
        Column("Level or effect", ("level", "base"), lambda n, of: f"{n} − {of}" if of else n),
        Column("Arm", "arm", lambda arm: arm or every),
        Column("Round", "round"),
        *estimate_columns(view, "is_effect"),
    )
    note = (
        "Means at each level of a factor by round, and what a level changes against the first in "
        f"the mean of the arms that have the factor. {METHOD} Holm's adjustment is over all these "
        "effects and rounds of an outcome."
    )
    by_round = artefacts.frame("contrasts_by_round")
    rows = []
    for name in names:
        some = by_round[(by_round["outcome"] == name) & (by_round["factor"] != "")]
        for row in with_flips(some, "arm", "factor", "level", "base", "round"):
            is_effect = row["base"] or not row["arm"]
            rows.append({**row, "round": str(row["round"]), "is_effect": is_effect})
    return tabulate("table_rounds_levels", "Outcomes by round and level", columns, rows, note, view)
