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

from dissensus.design.declared import ALL
from dissensus.report import forms
from dissensus.report.escaping import label
from dissensus.report.facts import Facts
from dissensus.report.frames import Record, keyed
from dissensus.report.labels import listed, signed
from dissensus.report.style import FAINT, INK, Mark, beside, marks
from dissensus.report.view import View

#: All domains together.
OVERALL = Mark("all domains", INK, "s")
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
    overall: bool = False,
) -> None:
    """One outcome of every arm in every domain.

    Parameters
    ----------
    rows : with domain, arm, estimate, ci_low, ci_high and planted.
    arms : from top to bottom.
    scale, filled : as in :func:`dissensus.report.forms.forest`.
    overall : whether the estimate over all domains stands beneath, with its number at the right.
    """
    for place in range(1, len(arms), 2):
        axes.axhspan(place - 0.5, place + 0.5, color=FAINT, alpha=0.25, linewidth=0)
    series = [
        (mark, keyed(rows[rows["domain"] == domain], "arm")) for domain, mark in looks(view).items()
    ]
    if overall and len(series) > 1:
        of_all = keyed(rows[rows["domain"] == ALL], "arm")
        series.append((OVERALL, of_all))
        for place, arm in enumerate(arms):
            if arm in of_all and np.isfinite(of_all[arm]["estimate"]):
                weight = "bold" if filled(of_all[arm]) else "normal"
                text = signed(scale * float(of_all[arm]["estimate"]), 1 if scale > 1.0 else 2)
                beside(axes, place, text, weight=weight)
    forms.forest(axes, {arm: view.arm(arm) for arm in arms}, series, filled, scale)
    for (_, by_arm), offset in zip(series, forms.offsets(len(series)), strict=True):
        for place, arm in enumerate(arms):
            if arm in by_arm and np.isfinite(by_arm[arm]["planted"]):
                at = scale * by_arm[arm]["planted"]
                axes.plot(at, place + offset, "|", zorder=4, **_PLANTED)


def key(figure: Figure, view: View, more: Sequence[Line2D], estimates: Facts, **shown: Any) -> None:
    """The legend above all panels, with the statements behind each domain.

    Parameters
    ----------
    more : entries behind those of the domains.
    estimates, shown : with n_clusters, and which of their rows are drawn.
    """
    entries = []
    for domain, mark in looks(view).items():
        sizes = [row["n_clusters"] for row in estimates.rows(domain=domain, **shown)]
        name = f"{mark.name} (n = {max(sizes, default=0)})"
        entries.append(forms.key_of(replace(mark, name=name)))
    forms.legend(figure, [*entries, *more], 4)


def overall_key(view: View) -> list[Line2D]:
    """The entry of all domains together, where there are several."""
    return [forms.key_of(OVERALL)] if len(domains_of(view)) > 1 else []


def domains_drawn(view: View) -> str:
    """Which estimates stand in a row, for a caption."""
    several = ", and over all of them (squares, with the numbers at the right)"
    return f"{listed(domains_of(view))}{several if len(domains_of(view)) > 1 else ''}"


def tick(planted: pd.Series[float]) -> list[Line2D]:
    """How a forest marks planted values; nothing where there are none."""
    if not planted.notna().any():
        return []
    return [Line2D([], [], marker="|", linestyle="none", label="planted", **_PLANTED)]
