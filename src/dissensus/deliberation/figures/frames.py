"""What every figure and table is told besides its frames, and the words for what they show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from dissensus.report.frames import Array
from dissensus.report.labels import counted, wrapped
from dissensus.report.style import FAINT, new_figure

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


@dataclass(frozen=True)
class View:
    """What every figure and table is told besides its frames.

    Attributes
    ----------
    reference : the arm that the others are compared with.
    confidence : level of the intervals.
    arms : all arms, the reference first.
    schedules : schedule of those whose debaters are told how contentious to be, in that order.
    simulated : whether the words came from simulated models.
    """

    reference: str
    confidence: float
    arms: tuple[str, ...]
    schedules: Mapping[str, str]
    simulated: bool

    @classmethod
    def of(cls, settings: Mapping[str, Any], simulated: bool) -> View:
        """From settings with ``arms`` (arm -> what it sets), ``reference`` and ``confidence``."""
        reference, arms = settings["reference"], settings["arms"]
        ordered = (reference, *(arm for arm in arms if arm != reference))
        schedules = {arm: arms[arm]["schedule"] for arm in ordered if arms[arm].get("schedule")}
        return cls(reference, settings["confidence"], ordered, schedules, simulated)

    @property
    def scheduled(self) -> tuple[str, ...]:
        """The arms with a schedule."""
        return tuple(self.schedules)

    @property
    def level(self) -> str:
        """Of the intervals, such as "95%"."""
        return f"{100 * self.confidence:g}%"


def arm_words(arm: str) -> str:
    """An arm's name for readers."""
    return arm.replace("_", " ")


def contrast_words(arm: str, reference: str, common: str) -> str:
    """An arm, with what it is compared with where that is not the common reference."""
    return arm_words(arm) if reference == common else f"{arm_words(arm)} − {arm_words(reference)}"


def complete(metrics: pd.DataFrame) -> pd.DataFrame:
    """The sessions that were held to their end."""
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


def grid(axes: Axes, values: Iterable[float]) -> None:
    """Faint level lines behind the data."""
    for value in values:
        axes.axhline(value, color=FAINT, linewidth=0.5, zorder=0)


def notice(sentence: str, simulated: bool) -> Figure:
    """A figure of one sentence, where there is nothing to draw."""
    figure = new_figure(1.0, simulated)
    axes = figure.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, wrapped(sentence, 100), ha="center", va="center", size=8.5)
    return figure
