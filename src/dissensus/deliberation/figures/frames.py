"""The arms as figures and tables show them, and the words for what they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import MultipleLocator

from dissensus.report.frames import Array
from dissensus.report.labels import counted
from dissensus.report.style import FAINT
from dissensus.report.view import View

#: The colour of an arm that stands before the grey of the reference, and of a second line.
ARM, SECOND = "#0b3c6f", "#c96f00"

#: Panels of small multiples in a row.
ACROSS = 4

#: outcome -> what it is, and its short name.
OUTCOMES = {
    "retention_last": ("Retention of disagreement, last round", "Retention"),
    "entropy_last": ("Stance entropy, last round (bits)", "Entropy, last"),
    "entropy_drop": ("Drop in stance entropy (bits)", "Entropy drop"),
    "density_mean": ("Directed rebuttal density", "Rebuttal density"),
    "claim_engagement": ("Share of opposing claims engaged", "Claims engaged"),
    "silent_share": ("Share of exposures met with silence", "Silence"),
    "dominance": ("Dominance (Gini of engagements received)", "Dominance"),
    "ignored_share": ("Share of claims ignored", "Ignored claims"),
    "sycophancy_per_opportunity": ("Moves to the majority per opportunity", "Sycophancy"),
    "quality_last": ("Quality of argument, last round", "Quality"),
    "agreement_last": ("Share on the modal stance, last round", "Agreement"),
    "correct_last": ("Share on the true option, last round", "Correct"),
    "consistency": ("Conclusions that follow from the reasoning", "Consistency"),
    "hint_accepted": ("Valid hints accepted", "Valid hint accepted"),
    "hint_rejected": ("Invalid hints rejected", "Invalid hint rejected"),
    "silence_effect": ("P(moves | silent) − P(moves | engaged)", "Silence effect"),
}


def arms_of(view: View) -> tuple[str, ...]:
    """All arms, the reference first."""
    return (view.reference, *(arm for arm in view["arms"] if arm != view.reference))


def schedules_of(view: View) -> dict[str, str]:
    """Schedule of the arms that set how contentious their debaters are, in their order."""
    found = {arm: view["arms"][arm].get("schedule") for arm in arms_of(view)}
    return {arm: schedule for arm, schedule in found.items() if schedule}


def arm_words(arm: str) -> str:
    """An arm's name for readers."""
    return arm.replace("_", " ")


def contrast_words(arm: str, reference: str, common: str) -> str:
    """An arm, with what it is compared with where that is not the common reference."""
    return arm_words(arm) if reference == common else f"{arm_words(arm)} − {arm_words(reference)}"


def complete(metrics: pd.DataFrame) -> pd.DataFrame:
    """The sessions that ran to their end."""
    return metrics[metrics["complete"].to_numpy(dtype=bool)]


def numbers(values: pd.Series[Any]) -> Array:
    """A column's defined values."""
    found = values.to_numpy(dtype=float, na_value=np.nan)
    return np.asarray(found[~np.isnan(found)])


def attrition(metrics: pd.DataFrame, manifest: pd.DataFrame) -> str:
    """How many sessions came through, as "143 of 144 sessions"."""
    return f"{len(complete(metrics))} of {counted(len(manifest), 'session')}"


def round_ticks(axes: Axes, last: int) -> None:
    """Whole rounds, each with a tick where there is room."""
    axes.set_xlim(0.7, last + 0.3)
    axes.xaxis.set_major_locator(MultipleLocator(-(-last // 8)))


def each_panel(
    parent: Figure | SubFigure, arms: Sequence[str], across: int, last: int, unit: str
) -> Iterator[tuple[str, Axes]]:
    """A panel for each arm, so many in a row, with rounds up to the last along x."""
    across = min(across, len(arms))
    deep = -(-len(arms) // across)
    panels = parent.subplots(deep, across, sharex=True, sharey=True, squeeze=False)
    for index, axes in enumerate(panels.ravel()):
        if index >= len(arms):
            axes.set_axis_off()
            continue
        yield arms[index], axes
        round_ticks(axes, last)
        # A panel above an empty place is the last of its column.
        if index + across >= len(arms):
            axes.set_xlabel("round")
            axes.tick_params(labelbottom=True)
        if index % across == 0:
            axes.set_ylabel(unit)


def course(
    axes: Axes, rows: pd.DataFrame, band: float, colour: str, marker: str, dashes: Any, **look: Any
) -> None:
    """Means by round joined by a line, and their intervals as a band."""
    rows = rows[rows["n"] > 0]
    axes.fill_between(
        rows["round"], rows["ci_low"], rows["ci_high"], color=colour, alpha=band, linewidth=0
    )
    axes.plot(rows["round"], rows["estimate"], marker, linestyle=dashes, color=colour, **look)


def grid(axes: Axes, values: Iterable[float]) -> None:
    """Faint level lines behind the data."""
    for value in values:
        axes.axhline(value, color=FAINT, linewidth=0.5, zorder=0)
