"""Figure 11 in its shape, and what each part of CCAgent changes: forests by domain."""

from __future__ import annotations

import pandas as pd

from dissensus.consensus.figures.forest import (
    domains_of,
    forest,
    joined_planted,
    key,
    tick,
)
from dissensus.consensus.figures.learned import learned_arms
from dissensus.consensus.figures.words import attrition, percent_of
from dissensus.consensus.inference import ALL, PRIMARY
from dissensus.consensus.learning.inference import ABLATION, TRANSFER, claim_p
from dissensus.design.contrasts import HEADLINE
from dissensus.report.artefacts import Artefacts
from dissensus.report.frames import Record, records, significant
from dissensus.report.labels import arm_words, interval, listed, p_clause, p_value, signed
from dissensus.report.style import new_figure, notice, styled, zero_line
from dissensus.report.view import Drawn, View

_NOTHING = "No arm of this run learns, or no debate of one came through."
_REACHED = {
    "consensus": ("a  Debates that agree, %", 100.0),
    "consensus_round": ("b  Rounds to consensus", 1.0),
}
_CHANGED = {
    PRIMARY: ("a  Agreement, points of %", 100.0),
    "consensus_round": ("b  Rounds to consensus", 1.0),
}


@styled
def draw_reached(artefacts: Artefacts, view: View) -> Drawn:
    """How many debates agree, and how soon, by what the agents have learned from."""
    estimates, planted, metrics, manifest = artefacts.frames(
        "estimates", "planted", "metrics", "manifest"
    )
    arms = learned_arms(view)
    rows = joined_planted(estimates, planted, "true")
    rows = rows[rows["arm"].isin(arms) & rows["outcome"].isin(list(_REACHED))]
    last = rows[(rows["domain"] != ALL) & (rows["outcome"] == "consensus")]
    ends = [arms[0], arms[-1]]
    facts = {
        "level": view.level,
        "attrition": attrition(metrics, manifest),
        "reached": listed(
            f"{percent_of(row, 0)} in {row['domain']} ({arm_words(row['arm'])})"
            for row in records(last[last["arm"].isin(ends)])
        )
        or "undefined",
    }
    if len(arms) < 2 or not rows["estimate"].notna().any():
        return Drawn(notice(_NOTHING, view.simulated), facts)
    figure = new_figure(0.26 * len(arms) + 1.1, view.simulated)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (outcome, (title, scale)) in zip(panels, _REACHED.items(), strict=True):
        forest(axes, rows[rows["outcome"] == outcome], arms, view, scale)
        axes.set_title(title)
    key(figure, view, tick(rows["planted"]))
    return Drawn(figure, facts)


@styled
def draw_changed(artefacts: Artefacts, view: View) -> Drawn:
    """What leaving a part out, or learning in another domain, changes against CCAgent."""
    frame = artefacts.frame("ablations").rename(columns={"true": "planted"})
    frame = frame[(frame["method"] == HEADLINE) & frame["outcome"].isin(list(_CHANGED))]
    full = frame.loc[frame["question"] == ABLATION, "reference"].unique()
    rows = frame[frame["question"].isin([ABLATION, TRANSFER]) & frame["reference"].isin(full)]
    facts = _describe(artefacts.frame("ablations"), view)
    if not rows["estimate"].notna().any():
        return Drawn(notice(_NOTHING, view.simulated), facts)
    arms = [str(arm) for arm in pd.unique(rows["arm"])]
    figure = new_figure(0.26 * len(arms) + 1.3, view.simulated)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (outcome, (title, scale)) in zip(panels, _CHANGED.items(), strict=True):
        forest(axes, rows[rows["outcome"] == outcome], arms, view, scale, significant(view))
        zero_line(axes, vertical=True)
        axes.set_title(title)
        axes.set_xlabel(f"arm − {arm_words(str(full[0]))}")
    key(figure, view, tick(rows["planted"]))
    return Drawn(figure, facts)


def _describe(frame: pd.DataFrame, view: View) -> dict[str, str]:
    """What the caption says, over all domains."""
    own = frame[(frame["domain"] == ALL) & (frame["method"] == HEADLINE)]
    main = records(own[(own["outcome"] == PRIMARY) & own["estimate"].notna()])
    parts = [row for row in main if row["question"] == ABLATION]
    claim = claim_p(records(own))
    widest = max((row["detectable"] for row in parts if row["detectable"]), default=None)
    return {
        "level": view.level,
        "domains": listed(domains_of(view)),
        "parts": listed(map(_said, parts)) or "none",
        "transfer": listed(_said(row) for row in main if row["question"] == TRANSFER) or "none",
        "claim": "undefined" if claim is None else p_value(claim),
        "statements": str(max((row["n_clusters"] for row in main), default=0)),
        "detectable": "no" if widest is None else f"{100 * widest:.0f}",
    }


def _said(row: Record) -> str:
    limits = interval(100 * row["ci_low"], 100 * row["ci_high"], 1, "−")
    return (
        f"{arm_words(row['arm'])} against {arm_words(row['reference'])} "
        f"{signed(100 * row['estimate'], 1)} ({limits}, {p_clause(row['p_adjusted'])} after Holm)"
    )
