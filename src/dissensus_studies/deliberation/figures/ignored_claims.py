"""Which claims are never taken up, and how long the others wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from dissensus.report.claims.ranked import Ranked, spread
from dissensus.report.escaping import label
from dissensus.report.forms import legend, rows_axis, stack, swatch, whisker
from dissensus.report.frames import Record, records
from dissensus.report.labels import percent, percents
from dissensus.report.style import GREY, INK, Mark, new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from ..inference.unanswered import ARM as BY_ARM
from ..inference.unanswered import MODEL, WAITS
from .frames import ARM

NONE = "No claim could have been answered in a later round, so that none was ignored."

#: From answered at once to never; greys of print fall in the same order.
_WAITS = (
    Mark("after 1 round", "#0b3c6f", ""),
    Mark("after 2 rounds", "#4f86b8", ""),
    Mark("after 3 or more", "#a9c9e0", ""),
    Mark("not answered", "#f2e6cf", ""),
)


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw shares never engaged at the left and waiting times at the right, by arm and by model."""
    frame = artefacts.frame("unanswered")
    facts = describe(artefacts, view)
    if frame.empty:
        return Drawn(notice(NONE, view.simulated), facts)
    arms, models = (records(frame[frame["by"] == by]) for by in (BY_ARM, MODEL))
    figure = new_figure(1.6 + 0.19 * (len(arms) + len(models)), view.simulated)
    panels = figure.subplots(
        2, 2, sharey="row", width_ratios=[1, 1.35], height_ratios=[len(arms) + 1, len(models) + 1]
    )
    reach = [limit for row in (*arms, *models) for limit in (row["estimate"], row["ci_high"])]
    most = float(np.nanmax([0.1, *reach]))
    for row, groups in zip(panels, (arms, models), strict=True):
        _never(row[0], groups, view, min(1.03, 1.06 * most))
        _waits(row[1], groups)
        rows_axis(row[0], [_name(view, group) for group in groups])
        row[1].tick_params(axis="y", length=0)
    panels[0, 0].set_title("a  Never engaged, by arm")
    panels[0, 1].set_title("b  Rounds until first engaged, by arm")
    panels[1, 0].set_title("c  Never engaged, by model")
    panels[1, 1].set_title("d  Rounds until first engaged, by model")
    panels[1, 0].set_xlabel("share of claims")
    panels[1, 1].set_xlabel("share of claims (Kaplan-Meier)")
    legend(figure, map(swatch, _WAITS), right=True)
    return Drawn(figure, facts)


def _never(axes: Axes, groups: Sequence[Record], view: View, most: float) -> None:
    """A dot and an interval for each group."""
    for place, row in enumerate(groups):
        limits = (row["estimate"], max(row["ci_low"], 0.0), row["ci_high"])
        whisker(axes, limits, place, ARM, words=_name(view, row))
    axes.grid(axis="x", color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlim(0.0, most)
    # The last number would meet the first of the panel at the right.
    axes.xaxis.set_major_locator(MaxNLocator(5, prune="upper"))


def _waits(axes: Axes, groups: Sequence[Record]) -> None:
    """A bar for each group, from answered at once to never."""
    for place, row in enumerate(groups):
        shares = {mark.name: row[wait] for mark, wait in zip(_WAITS, WAITS, strict=True)}
        stack(axes, place, shares, _WAITS)
        axes.text(1.015, place, f"{row['n']:,}", va="center", size=6.5, color=GREY)
        if row[WAITS[-1]] > 0.08:
            left = percent(row[WAITS[-1]], 0)
            axes.text(0.985, place, left, va="center", ha="right", size=6.5, color=INK)
    axes.set_xlim(0.0, 1.1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    waiting, claims = artefacts.facts("unanswered"), artefacts.facts("claims")
    arms, models = waiting.rows(by=BY_ARM), waiting.rows(by=MODEL)
    if not arms:
        return {"text": NONE}
    open_to, made = (
        waiting.over("sum", "n", by=BY_ARM),
        claims.over("count", "claim_id", arm=view.arms),
    )
    most, least = (
        ranked.words(partial(_of_model, view), partial(_name, view))
        for ranked in (Ranked.most(models), Ranked.least(models))
    )
    text = (
        f"Claims that another agent could still have answered, {open_to:,} of {made:,} "
        "(the last round's cannot be). Left: share never engaged by any other agent, mean over "
        f"sessions with {view.level} intervals over draws. Right: rounds until the first "
        "engagement; later claims had fewer rounds, which the Kaplan-Meier estimate allows for; "
        "the number at the right counts claims, the percentage those left without answer. "
        f"Never engaged, per cent with limits: {_clause(view, arms[0])}"
    )
    others = spread(arms[1:], partial(_clause, view))
    text += f"; of the other arms {others}. " if others else ". "
    if most != least:
        text += f"By model, most of the claims of {most}, and fewest of those of {least}. "
    return {
        "text": text + "Every engagement counts that names a claim, whether it agrees or objects."
    }


def _of_model(view: View, row: Mapping[str, Any]) -> str:
    return f"{_name(view, row)}, {percent(row['estimate'], 0)}"


def _name(view: View, row: Mapping[str, Any]) -> str:
    """An arm or a model for readers."""
    return view.arm(row["group"]) if row["by"] == BY_ARM else label(row["group"])


def _clause(view: View, row: Record) -> str:
    limits = percents(row["ci_low"], row["ci_high"])
    return f"{percent(row['estimate'], 0)} {limits} in {_name(view, row)}"
