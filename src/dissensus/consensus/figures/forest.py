"""Arms down the side, domains beside each other: a dot, its interval, and what was planted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dissensus.report import forms
from dissensus.report.escaping import label
from dissensus.report.facts import Facts
from dissensus.report.frames import Record, keyed
from dissensus.report.labels import arm_words
from dissensus.report.style import FAINT, INK, Mark, marks
from dissensus.report.view import View

#: How a planted value is marked.
_PLANTED: dict[str, Any] = {"color": INK, "markersize": 7, "markeredgewidth": 1.1}


def domains_of(view: View) -> list[str]:
    """The domains of the configuration, in its order."""
    return [str(name) for name in view["domains"]]


def looks(view: View) -> dict[str, Mark]:
    """How each domain is drawn, by its name for readers."""
    domains = domains_of(view)
    return {
        domain: replace(mark, name=label(domain.replace("_", " "), 30))
        for domain, mark in marks(domains, domains[0]).items()
    }


def joined_planted(rows: pd.DataFrame, planted: pd.DataFrame, column: str) -> pd.DataFrame:
    """Estimates with the planted value of each, NaN where there is none, as a column."""
    keys = ["domain", "arm", "outcome"]
    values = planted[[*keys, column]].rename(columns={column: "planted"})
    joined: pd.DataFrame = rows.merge(values, on=keys, how="left")
    return joined


def forest(
    axes: Axes,
    rows: pd.DataFrame,
    arms: Sequence[str],
    view: View,
    scale: float = 1.0,
    filled: Callable[[Record], bool] = lambda row: True,
) -> None:
    """One outcome of every arm in every domain.

    Parameters
    ----------
    rows : with domain, arm, estimate, ci_low, ci_high and planted.
    arms : from top to bottom.
    scale, filled : as in :func:`dissensus.report.forms.forest`.
    """
    for place in range(1, len(arms), 2):
        axes.axhspan(place - 0.5, place + 0.5, color=FAINT, alpha=0.25, linewidth=0)
    series = [
        (mark, keyed(rows[rows["domain"] == domain], "arm")) for domain, mark in looks(view).items()
    ]
    forms.forest(axes, {arm: arm_words(arm) for arm in arms}, series, filled, scale)
    for (_, by_arm), offset in zip(series, forms.offsets(len(series)), strict=True):
        for place, arm in enumerate(arms):
            if arm in by_arm and np.isfinite(by_arm[arm]["planted"]):
                at = scale * by_arm[arm]["planted"]
                axes.plot(at, place + offset, "|", zorder=4, **_PLANTED)


def key(figure: Figure, view: View, planted: Line2D | None, estimates: Facts, **shown: Any) -> None:
    """The legend above all panels, with the statements behind each domain.

    Parameters
    ----------
    planted : how a planted value is drawn, None for none.
    estimates, shown : with n_clusters, and which of their rows are drawn.
    """
    entries = []
    for domain, mark in looks(view).items():
        sizes = [row["n_clusters"] for row in estimates.rows(domain=domain, **shown)]
        name = f"{mark.name} (n = {max(sizes, default=0)})"
        entries.append(forms.key_of(replace(mark, name=name)))
    forms.legend(figure, entries if planted is None else [*entries, planted])


def tick(planted: pd.Series[float]) -> Line2D | None:
    """How a forest marks planted values; None where there are none."""
    if not planted.notna().any():
        return None
    return Line2D([], [], marker="|", linestyle="none", label="planted", **_PLANTED)
