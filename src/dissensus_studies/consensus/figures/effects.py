"""Figure 5: what each strategy changes against the reference, one domain beside the other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from dissensus.design.contrasts import HEADLINE
from dissensus.design.declared import ALL
from dissensus.report.claims.ranked import Ranked, together
from dissensus.report.facts import Row
from dissensus.report.forms import AFTER_HOLM, fill_key
from dissensus.report.frames import significant
from dissensus.report.labels import listed, p_clause, percents, signed
from dissensus.report.style import new_figure, notice, styled, zero_line
from dissensus.report.view import Artefacts, Drawn, View

from ..outcomes import OUTCOMES, PRIMARY
from .forest import (
    domains_drawn,
    forest,
    joined_planted,
    key,
    overall_key,
    tick,
)
from .words import TICK, panel, planted_words

#: What is drawn, a panel each.
SHOWN = (PRIMARY, "consensus_round", "compromise", "match")


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw four forests; a dot is filled where its contrast is significant after Holm."""
    contrasts, planted = artefacts.frames("contrasts", "planted")
    arms, stated = view.arms[1:], contrasts[contrasts["method"] == HEADLINE]
    facts = {} if contrasts.empty else describe(artefacts, view)
    if not arms or not stated["estimate"].notna().any():
        none = "No arm has a debate in common with the reference, so that nothing can be compared."
        return Drawn(notice(none, view.simulated), {"planted": "", **facts})
    rows = joined_planted(stated, planted, "effect")
    facts |= {"planted": planted_words(rows["planted"], TICK)}
    figure = new_figure(2 * (0.3 * len(arms) + 0.55) + 0.5, view.simulated)
    panels = figure.subplots(2, 2, sharey=True)
    for axes, outcome, letter in zip(panels.ravel(), SHOWN, "abcd", strict=True):
        title, scale = panel(outcome, letter, OUTCOMES[outcome].points)
        of_outcome = rows[rows["outcome"] == outcome]
        forest(
            axes,
            within(of_outcome) if scale > 1.0 else of_outcome,
            arms,
            view,
            scale,
            significant(view),
            overall=True,
        )
        zero_line(axes, vertical=True)
        axes.set_title(title)
    for axes in panels[-1]:
        axes.set_xlabel(f"arm − {view.arm(view.reference)}")
    shown = {"arm": arms, "outcome": list(SHOWN), "method": HEADLINE}
    more = [*overall_key(view), *fill_key(*AFTER_HOLM), *tick(rows["planted"])]
    key(figure, view, more, artefacts.facts("contrasts"), **shown)
    return Drawn(figure, facts)


def compared(artefacts: Artefacts, view: View) -> list[Row]:
    """The contrasts of the primary outcome over all domains that are drawn and are defined.

    Returns
    -------
    Each with its planted value, where there is one.
    """
    of_all = {"outcome": PRIMARY, "domain": ALL, "arm": view.arms[1:]}
    planted = artefacts.facts("planted").rows(**of_all)
    effects = {row["arm"]: row["effect"] for row in planted}
    rows = artefacts.facts("contrasts").rows(**of_all, reference=view.reference, method=HEADLINE)
    for row in rows:
        row["planted"] = effects.get(row["arm"], math.nan)
    return [row for row in rows if row["estimate"] == row["estimate"]]


def within(rows: pd.DataFrame) -> pd.DataFrame:
    """Differences of shares whose intervals end where shares do, as the caption says."""
    low, high = rows["ci_low"].clip(lower=-1.0), rows["ci_high"].clip(upper=1.0)
    return rows.assign(ci_low=low, ci_high=high)


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says: the headline of every arm, over all domains."""
    rows = compared(artefacts, view)
    significant_rows = [row for row in rows if row["p_adjusted"] < view.alpha]
    nulls = [row for row in rows if row["arm"] in view.same_as_reference]
    return {
        "reference": view.arm(view.reference),
        "level": view.level,
        "noun": OUTCOMES[PRIMARY].named,
        "unit": OUTCOMES[PRIMARY].points,
        "largest": Ranked.largest(rows).words(partial(worded_together, view), view.arm_of)
        or "no contrast is defined",
        "found": listed(map(view.arm_of, significant_rows)) or "none",
        "null": listed(worded(view, row) for row in nulls) or "this run has none",
        "domains": domains_drawn(view),
    }


def worded_together(view: View, row: Mapping[str, Any]) -> str:
    """The same with the limits that hold for all arms together, as one that is picked has them."""
    return worded(view, together(row))


def worded(view: View, row: Mapping[str, Any]) -> str:
    """A contrast in agreement as captions have it."""
    limits = percents(row["ci_low"], row["ci_high"], 1, "−")
    planted = (
        f", planted {signed(100 * row['planted'], 1)}" if row["planted"] == row["planted"] else ""
    )
    return (
        f"{view.arm(row['arm'])} {signed(100 * row['estimate'], 1)} ({limits}{planted}, "
        f"{p_clause(row['p_adjusted'])} after Holm)"
    )
