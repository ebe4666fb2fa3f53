"""Figure 3: how often agents follow the mode, and how many never move and end outside it."""

from __future__ import annotations

import pandas as pd

from dissensus.consensus.figures.forest import domains_of, forest, joined_planted, key, tick
from dissensus.consensus.figures.words import attrition, percent_of
from dissensus.report.artefacts import Artefacts
from dissensus.report.labels import arm_words, listed
from dissensus.report.style import new_figure, notice, styled
from dissensus.report.view import Drawn, View

PANELS = {
    "sycophancy": "a  Sycophancy, % of opportunities",
    "dogmatic": "b  Dogmatic agents, %",
}


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw two forests side by side."""
    estimates, planted, metrics, manifest = artefacts.frames(
        "estimates", "planted", "metrics", "manifest"
    )
    rows = joined_planted(estimates, planted, "true")
    facts = describe(rows, view) | {"attrition": attrition(metrics, manifest)}
    if not rows["estimate"].notna().any():
        return Drawn(notice("No debate came through.", view.simulated), facts)
    arms = view.arms
    figure = new_figure(0.26 * len(arms) + 1.1, view.simulated)
    for axes, (outcome, title) in zip(
        figure.subplots(1, len(PANELS), sharey=True), PANELS.items(), strict=True
    ):
        forest(axes, rows[rows["outcome"] == outcome], arms, view, scale=100.0)
        axes.set_title(title)
        axes.set_xlim(left=-2.0)
    key(figure, view, tick(rows["planted"]), rows)
    return Drawn(figure, facts)


def describe(rows: pd.DataFrame, view: View) -> dict[str, str]:
    """What the caption says: the lowest and the highest arm of each measure and domain."""
    said = {}
    for outcome in PANELS:
        parts = []
        for domain in domains_of(view):
            estimated = rows[(rows["outcome"] == outcome) & (rows["domain"] == domain)]
            estimated = estimated[estimated["estimate"].notna()].sort_values("estimate")
            if len(estimated):
                ends = [estimated.iloc[0], estimated.iloc[-1]]
                lowest, highest = (f"{arm_words(row['arm'])} {percent_of(row)}" for row in ends)
                parts.append(f"in {domain} from {lowest} to {highest}")
        said[outcome] = listed(parts) or "undefined"
    return said | {"level": view.level}
