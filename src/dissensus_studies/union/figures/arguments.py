"""What is argued: the claims of each motion by how alike they are, and the clusters among them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.escaping import label
from dissensus.report.forms import dots
from dissensus.report.frames import Record, records
from dissensus.report.labels import counted, percent, wrapped
from dissensus.report.style import FAINT, GREY, INK, new_figure, notice, says, styled
from dissensus.report.view import Artefacts, Drawn, View

from ..map.colours import colour_of
from .frames import MOST_MOTIONS, left_out, motion_words, motions_of

NONE = "No claim was found, so that there is no map of arguments."
#: Clusters of a motion that are numbered; the map itself has all.
_MOST_CLUSTERS = 8


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a row a motion: its claims at the left, its largest clusters by name at the right."""
    claims, clusters, names = artefacts.frames("map", "clusters", "cluster_names")
    facts = describe(artefacts)
    motions = motions_of(claims)[:MOST_MOTIONS]
    if not motions:
        return Drawn(notice(NONE, view.simulated), facts)
    named = dict(zip(names["cluster"], names["name"], strict=True))
    shown = {motion: _largest(clusters, motion) for motion in motions}
    heights = [0.5 + 0.32 * _rows(largest) for largest in shown.values()]
    figure = new_figure(sum(heights) + 0.3, view.simulated)
    panels = figure.subplots(
        len(motions), 2, squeeze=False, width_ratios=[1, 1.5], height_ratios=heights
    )
    for (left, right), (motion, largest) in zip(panels, shown.items(), strict=True):
        _cloud(left, claims[claims["motion_id"] == motion], largest, named)
        left.set_title(motion_words(motion))
        _list(right, largest, named)
    return Drawn(figure, facts)


def _largest(clusters: pd.DataFrame, motion: str) -> list[Record]:
    """The clusters of a motion that are numbered, those with most claims first."""
    of_motion = clusters[clusters["motion_id"] == motion]
    return records(
        of_motion.sort_values("claims", ascending=False, kind="stable").head(_MOST_CLUSTERS)
    )


def _cloud(axes: Axes, claims: pd.DataFrame, largest: list[Record], named: dict[int, str]) -> None:
    """A dot a claim, in the colour of its cluster, and the number of each cluster in its middle."""
    look = {"marker": "o", "linestyle": "none", **dots(len(claims), 2.4, 0.5)}
    rest = claims[~claims["cluster"].isin([row["cluster"] for row in largest])]
    axes.plot(rest["x"], rest["y"], color=FAINT, zorder=1, **look)
    for row in largest:
        number, colour = row["cluster"], colour_of(row["cluster"])
        members = claims[claims["cluster"] == row["cluster"]]
        axes.plot(members["x"], members["y"], color=colour, zorder=2, **look)
        middle = np.median(members["x"]), np.median(members["y"])
        (disc,) = axes.plot(
            *middle, "o", markersize=10, color="white", markeredgecolor=colour, zorder=3
        )
        says(disc, f"{number} {label(named.get(row['cluster'], ''))}: {_worth(row)}")
        axes.text(*middle, str(number), ha="center", va="center_baseline", size=6.5, zorder=4)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_color(FAINT)
    axes.spines[:].set_visible(True)
    axes.margins(0.08)


def _rows(largest: list[Record]) -> int:
    """How many rows of the list there is room for, so that a cloud of few is not flat."""
    return max(len(largest), 5)


def _list(axes: Axes, largest: list[Record], named: dict[int, str]) -> None:
    """The numbered clusters: name, claims, debates, and how many of the claims survive."""
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(_rows(largest) - 0.4, -0.6))
    for place, row in enumerate(largest):
        name = wrapped(label(named.get(row["cluster"], ""), 122), 42)
        axes.text(0.0, place, f"{row['cluster']}", va="center", size=7, color=INK)
        axes.text(0.035, place, name, va="center", size=7, color=INK, linespacing=1.1)
        axes.text(1.0, place, _worth(row), va="center", ha="right", size=6.3, color=GREY)


def _worth(row: Record) -> str:
    """Such as "679 claims in 40 debates, 82% survive"."""
    claims = f"{counted(row['claims'], 'claim')} in {counted(row['debates'], 'debate')}"
    return f"{claims}, {percent(row['survives'], 0)} survive"


def describe(artefacts: Artefacts) -> dict[str, str]:
    """What the caption says."""
    claims, clusters = artefacts.facts("map"), artefacts.facts("clusters")
    return {
        "claims": counted(claims.over("count", "claim_id"), "claim"),
        "debates": counted(claims.over("distinct", "session_id"), "debate"),
        "clusters": counted(clusters.over("count", "claims"), "cluster"),
        "alone": counted(claims.over("count", "claim_id", cluster=-1), "claim"),
        "left": left_out(motions_of(claims.frame)),
    }
