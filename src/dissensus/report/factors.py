"""Factors of a study by its contrasts: levels, what they change, and what arms change in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.gridspec import GridSpec
from scipy import special

from dissensus.design.contrasts import HEADLINE, TWO_WAY
from dissensus.report.arms import (
    FRAME,
    LONGEST,
    METHOD,
    ROW,
    estimate_columns,
    keys_of,
    looks_of_contrasts,
    title_of_contrasts,
    with_flips,
)
from dissensus.report.escaping import label
from dissensus.report.forms import forest, key_of, legend, value_margins
from dissensus.report.frames import Column, Record, keyed, tabulate
from dissensus.report.labels import MISSING, range_of
from dissensus.report.style import INK, Mark, marks, new_figure, notice, styled, zero_line
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, Drawn, View

#: The level of a row that is a slope.
_SLOPE = "slope"
_ALL = Mark("all arms", INK, "o")


@styled
def plot(artefacts: Artefacts, view: View) -> Drawn:
    """A row an outcome and a factor: means by level, what levels change, and in which arms."""
    rows = artefacts.frame("contrasts")
    rows = rows[(rows["factor"] != "") & (rows["method"] == HEADLINE) & rows["estimate"].notna()]
    factors: dict[str, Any] = view["factors"]
    shown = [
        (outcome, factor)
        for outcome in view["outcomes"]
        for factor in factors
        if ((rows["outcome"] == outcome) & (rows["factor"] == factor)).any()
    ]
    facts = {"level": view.level, "cluster": view["cluster"], "n": MISSING}
    in_arms = ", in the mean of all arms, and what it changes in each contrast of arms"
    facts["compared"] = in_arms if view["contrasts"] else ""
    if not shown:
        return Drawn(notice("No session has an outcome.", view.simulated), facts)
    deep = [len(_effects(factors[factor])) for _, factor in shown]
    figure = new_figure(sum(FRAME + ROW * rows for rows in deep) + 0.4, view.simulated)
    across = 3 if view["contrasts"] else 2
    grid = figure.add_gridspec(len(shown), across, height_ratios=[FRAME + ROW * n for n in deep])
    looks = marks(view["arms"], view["arms"][0])
    for place, (outcome, factor) in enumerate(shown):
        of_panel = rows[(rows["outcome"] == outcome) & (rows["factor"] == factor)]
        panels = _panels(figure, grid, place, across)
        _draw(panels, of_panel, (outcome, factor), looks, view)
    if keys := keys_of(view):
        legend(figure, [key_of(mark, line=False) for mark in keys])
    counted = artefacts.facts("contrasts").rows(method=HEADLINE, factor=list(factors), arm="")
    if counts := [row["n"] for row in counted if row["estimate"] == row["estimate"]]:
        facts["n"] = range_of(counts)
    return Drawn(figure, facts)


def _panels(figure: Any, grid: GridSpec, place: int, across: int) -> list[Axes]:
    first = figure.add_subplot(grid[place, 0])
    others = [figure.add_subplot(grid[place, column], sharey=first) for column in range(1, across)]
    for axes in others:
        axes.tick_params(labelleft=False)
    return [first, *others]


def _effects(factor: dict[str, Any]) -> dict[str, str]:
    """Levels in words, and the slope of a numeric factor."""
    names = {level: label(level, LONGEST) for level in factor["levels"]}
    return {**names, _SLOPE: "slope per unit"} if factor["is_numeric"] else names


def _draw(
    panels: list[Axes],
    rows: pd.DataFrame,
    what: tuple[str, str],
    looks: dict[str, Mark],
    view: View,
) -> None:
    outcome, factor = what
    names, base = _effects(view["factors"][factor]), view["factors"][factor]["levels"][0]
    means = rows[(rows["base"] == "") & (rows["level"] != _SLOPE)]
    effects = rows.drop(means.index)
    arms = [(mark, keyed(means[means["arm"] == arm], "level")) for arm, mark in looks.items()]
    forest(panels[0], names, arms)
    title = f"{label(view['outcomes'][outcome], 40)} by {label(factor, LONGEST)}"
    panels[0].set_title(title)
    panels[0].set_xlabel(f"Mean, {view.level} interval")
    over_arms = keyed(effects[effects["arm"] == ""], "level")
    forest(panels[1], names, [(_ALL, over_arms)], reference=base)
    panels[1].set_xlabel(f"Against {label(base, LONGEST)}" + ", all arms" * (len(looks) > 1))
    if len(panels) > 2:
        compared = [
            (mark, keyed(_of(effects, arm, reference), "level"))
            for (arm, reference), mark in looks_of_contrasts(view).items()
        ]
        forest(panels[2], names, compared, reference=base)
        title = title_of_contrasts(view)
        panels[2].set_xlabel(f"Change in the {title[0].lower()}{title[1:]}")
    for axes in panels:
        value_margins(axes)
    for axes in panels[1:]:
        zero_line(axes, vertical=True)


def _of(rows: pd.DataFrame, arm: str, reference: str) -> pd.DataFrame:
    return rows[(rows["arm"] == arm) & (rows["reference"] == reference)]


def table(artefacts: Artefacts, view: View) -> Table:
    """Means by level and arm, what levels change, and what they change in contrasts of arms."""
    every = "all arms" if len(view["arms"]) > 1 else view["arms"][0]

    def arms(arm: str, reference: str) -> str:
        return f"{arm} − {reference}" if reference else arm or every

    columns = (
        Column("Outcome", "outcome", lambda name: str(view["outcomes"][name])),
        Column("Factor", "factor"),
        Column("Level or effect", ("level", "base"), lambda n, of: f"{n} − {of}" if of else n),
        Column("Arm or contrast", ("arm", "reference"), arms),
        *estimate_columns(view, "is_effect"),
    )
    note = (
        "A row with two levels is what the level changes against the first: in the mean of all "
        "arms, or in a contrast of arms (an interaction). A slope is what one unit more changes. "
        f"{METHOD} Slopes, levels that are drawn draw by draw, and levels of outcomes over all "
        "sessions have none. Holm's adjustment is over these and all other contrasts that are not "
        "primary. Where the study has one arm, the slopes of numeric factors and the levels of "
        "others are primary in its first outcome, unless that is over all sessions, "
        "and a family of their own."
    )
    if view.settings.get("interactions"):
        note += (
            " A row of several factors (×) is what they change in each other: the difference of "
            "differences, or the coefficient of a product; it has no test by signs."
        )
    rows = list(_rows(artefacts.frame("contrasts"), view))
    return tabulate("table_factors", "Outcomes by level", columns, rows, note, view)


def _rows(contrasts: pd.DataFrame, view: View) -> Iterator[Record]:
    for outcome in view["outcomes"]:
        for factor in (*view["factors"], *view.settings.get("interactions", ())):
            some = contrasts[(contrasts["outcome"] == outcome) & (contrasts["factor"] == factor)]
            for row in with_flips(some, "arm", "reference", "level", "base"):
                is_effect = row["base"] or _SLOPE in row["level"]
                yield {**row, "is_effect": is_effect}


def sample(artefacts: Artefacts, view: View) -> Table:
    """Contrasts over the clusters alone, and over the levels of a factor that is a sample, too."""
    factor, cluster = view["sample"], view["cluster"]
    count = len(view["factors"][factor]["levels"])
    columns = (
        Column("Outcome", "outcome", lambda name: str(view["outcomes"][name])),
        Column(
            "Arm or contrast", ("arm", "reference"), lambda arm, of: f"{arm} − {of}" if of else arm
        ),
        Column("Over", "over"),
        *estimate_columns(view, "reference"),
    )
    half = float(special.stdtrit(count - 1, 0.5 + (1.0 - view.alpha) / 2.0))
    note = (
        f"Over {cluster} alone, an interval is of these {count} levels of {factor} and no others. "
        "Over both, it is of others like them, as if these were drawn at random: its variance is "
        f"that by {cluster}, and that by {factor}, less that by both (each CR2, "
        f"or for an outcome over all sessions, of a bootstrap). It has "
        f"{count - 1} degrees of freedom or fewer, so that it reaches {half:.1f} standard errors "
        f"or more to each side: {count} levels can show an effect that is about the same in all of "
        "them. They cannot show how much levels differ in general, nor that no other is the other "
        "way round, and say nothing of kinds that are not among them."
    )
    contrasts = artefacts.frame("contrasts")
    contrasts = contrasts[contrasts["factor"] == ""]
    rows = []
    for outcome in view["outcomes"]:
        of = contrasts[contrasts["outcome"] == outcome]
        one, both = (
            keyed(of[of["method"] == method], "arm", "reference") for method in (HEADLINE, TWO_WAY)
        )
        for key, row in both.items():
            rows.append({**one[key], "over": cluster, "flipped": None})
            rows.append({**row, "over": f"{cluster} and {factor}", "flipped": None})
    return tabulate("table_sample", "These levels, and others", columns, rows, note, view)
