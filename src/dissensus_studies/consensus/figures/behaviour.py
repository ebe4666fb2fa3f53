"""Figure 3: how often agents follow the mode, and how many never move and end outside it."""

from __future__ import annotations

from functools import partial

from dissensus.report.claims.ranked import Ranked
from dissensus.report.labels import listed
from dissensus.report.style import new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from .forest import domains_of, forest, joined_planted, key, tick
from .words import (
    TICK,
    attrition,
    panel,
    planted_words,
    with_share,
)

SHOWN = ("sycophancy", "dogmatic")


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw two forests side by side."""
    estimates, planted = artefacts.frames("estimates", "planted")
    arms = view.arms
    rows = joined_planted(estimates, planted, "true")
    rows = rows[rows["arm"].isin(arms) & rows["outcome"].isin(list(SHOWN))]
    facts = {
        **describe(artefacts, view),
        "planted": planted_words(rows["planted"], TICK),
        "attrition": attrition(artefacts, arm=arms),
    }
    if not rows["estimate"].notna().any():
        return Drawn(notice("No debate came through.", view.simulated), facts)
    figure = new_figure(0.26 * len(arms) + 1.1, view.simulated)
    panels = figure.subplots(1, len(SHOWN), sharey=True)
    for axes, outcome, letter in zip(panels, SHOWN, "ab", strict=True):
        title, scale = panel(outcome, letter, "%")
        forest(axes, rows[rows["outcome"] == outcome], arms, view, scale)
        axes.set_title(title)
        axes.set_xlim(left=-2.0)
    shown = {"arm": arms, "outcome": list(SHOWN)}
    key(figure, view, tick(rows["planted"]), artefacts.facts("estimates"), **shown)
    return Drawn(figure, facts)


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says: the lowest and the highest drawn arm of each measure and domain."""
    estimates = artefacts.facts("estimates")
    sentences = {}
    for outcome in SHOWN:
        parts = []
        for domain in domains_of(view):
            rows = estimates.rows(outcome=outcome, domain=domain, arm=view.arms)
            lowest, highest = (
                ranked.words(partial(with_share, view), view.arm_of)
                for ranked in (Ranked.least(rows), Ranked.most(rows))
            )
            if lowest:
                parts.append(f"in {domain} from {lowest} to {highest}")
        sentences[outcome] = listed(parts) or "undefined"
    return sentences | {"level": view.level}
