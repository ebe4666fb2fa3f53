"""What each part of CCAgent is worth, and what carries over to another domain."""

from __future__ import annotations

from functools import partial

import pandas as pd

from dissensus.design.contrasts import HEADLINE
from dissensus.design.declared import ALL
from dissensus.report.claims.ranked import Ranked
from dissensus.report.facts import Row
from dissensus.report.forms import AFTER_HOLM, fill_key
from dissensus.report.frames import significant
from dissensus.report.labels import listed, p_value
from dissensus.report.style import new_figure, notice, styled, zero_line
from dissensus.report.view import Artefacts, Drawn, View

from ..learning.inference import ABLATION, TRANSFER
from ..outcomes import OUTCOMES, PRIMARY
from .effects import worded, worded_together
from .forest import domains_drawn, forest, key, overall_key, tick
from .learned import NOTHING
from .words import TICK, claimed, panel, planted_words

SHOWN = (PRIMARY, "consensus_round")


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw two forests of arms minus CCAgent; filled where significant after Holm."""
    frame = artefacts.frame("ablations").rename(columns={"true": "planted"})
    frame = frame[(frame["method"] == HEADLINE) & frame["question"].isin([ABLATION, TRANSFER])]
    facts = describe(artefacts, view) | {"planted": planted_words(frame["planted"], TICK)}
    full = frame.loc[frame["question"] == ABLATION, "reference"].unique()
    rows = frame[frame["reference"].isin(full) & frame["outcome"].isin(list(SHOWN))]
    if not rows["estimate"].notna().any():
        return Drawn(notice(NOTHING, view.simulated), facts)
    arms = [str(arm) for arm in pd.unique(rows["arm"])]
    figure = new_figure(0.3 * len(arms) + 1.4, view.simulated)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, outcome, letter in zip(panels, SHOWN, "ab", strict=True):
        title, scale = panel(outcome, letter, OUTCOMES[outcome].points)
        of_outcome = rows[rows["outcome"] == outcome]
        forest(axes, of_outcome, arms, view, scale, significant(view), overall=True)
        zero_line(axes, vertical=True)
        axes.set_title(title)
        axes.set_xlabel(f"arm − {view.arm(str(full[0]))}")
    shown = {"arm": arms, "outcome": list(SHOWN), "method": HEADLINE}
    more = [*overall_key(view), *fill_key(*AFTER_HOLM), *tick(rows["planted"])]
    key(figure, view, more, artefacts.facts("ablations"), **shown)
    return Drawn(figure, facts)


def worth(artefacts: Artefacts, question: str) -> list[Row]:
    """The contrasts of a question in agreement over all domains, each with its planted value."""
    rows = artefacts.facts("ablations").rows(
        question=question, domain=ALL, outcome=PRIMARY, method=HEADLINE
    )
    for row in rows:
        row["planted"] = row["true"]
    return [row for row in rows if row["estimate"] == row["estimate"]]


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says, over all domains."""
    parts = worth(artefacts, ABLATION)
    # What is drawn stands before CCAgent alone.
    full = {row["reference"] for row in parts}
    moved = [row for row in worth(artefacts, TRANSFER) if row["reference"] in full]
    claim, largest = claimed(artefacts), Ranked.largest(parts)
    least = [row["detectable"] for row in parts if row["detectable"] == row["detectable"]]
    return {
        "noun": OUTCOMES[PRIMARY].named,
        "unit": OUTCOMES[PRIMARY].points,
        "level": view.level,
        "domains": domains_drawn(view),
        "largest": largest.words(partial(worded_together, view), view.arm_of)
        or "no contrast is defined",
        "others": listed(worded(view, row) for row in parts if row not in largest.first) or "none",
        "transfer": listed(worded(view, row) for row in moved) or "none",
        "claim": "undefined" if claim is None else p_value(claim),
        "statements": str(max((row["n_clusters"] for row in (*parts, *moved)), default=0)),
        "detectable": f"{100 * max(least):.0f}" if least else "no",
    }
