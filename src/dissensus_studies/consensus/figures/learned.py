"""Figure 11 in its shape: how many debates agree, and how soon, by what was learned from."""

from __future__ import annotations

from dissensus.report.labels import listed
from dissensus.report.style import new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from ..outcomes import OUTCOMES
from .forest import domains_of, forest, joined_planted, key, tick
from .learned_tables import learned_arms
from .words import TICK, attrition, panel, percent_of, planted_words

#: What is drawn, a panel each.
SHOWN = ("consensus", "consensus_round")
NOTHING = "No arm of this run learns, or no debate of one came through."


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw two forests side by side, the reference first and CCAgent last."""
    estimates, planted = artefacts.frames("estimates", "planted")
    arms = learned_arms(view)
    rows = joined_planted(estimates, planted, "true")
    rows = rows[rows["arm"].isin(arms) & rows["outcome"].isin(list(SHOWN))]
    reached = [
        f"{percent_of(row, 0)} in {row['domain']} ({view.arm(row['arm'])})"
        for row in artefacts.facts("estimates").rows(
            outcome="consensus", domain=domains_of(view), arm=[arms[0], arms[-1]]
        )
    ]
    facts = {
        "level": view.level,
        "planted": planted_words(rows["planted"], TICK),
        "attrition": attrition(artefacts, arm=arms),
        "reached": listed(reached) or "undefined",
    }
    if len(arms) < 2 or not rows["estimate"].notna().any():
        return Drawn(notice(NOTHING, view.simulated), facts)
    figure = new_figure(0.26 * len(arms) + 1.1, view.simulated)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, outcome, letter in zip(panels, SHOWN, "ab", strict=True):
        title, scale = panel(outcome, letter, "%" * OUTCOMES[outcome].in_percent)
        forest(axes, rows[rows["outcome"] == outcome], arms, view, scale)
        axes.set_title(title)
    shown = {"arm": arms, "outcome": list(SHOWN)}
    key(figure, view, tick(rows["planted"]), artefacts.facts("estimates"), **shown)
    return Drawn(figure, facts)
