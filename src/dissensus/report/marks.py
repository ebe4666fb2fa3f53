"""Marks of figures that stand for debates, so that a page can link each to its debate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dissensus.tables.artefact import Column, Schema
from dissensus.tables.common import share, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE_MARKS = Schema(
    name="figure_marks",
    row="mark of a figure that stands for a debate or a draw",
    columns={
        "figure": text("Name of the figure."),
        "mark": Column("int", "Number of the mark in the figure, from 1."),
        "x": share("Place from the left of the picture."),
        "y": share("Place from the top of the picture."),
        "target": text("The session_id or draw_id that the mark stands for."),
    },
    key=("figure", "mark"),
)


@dataclass(frozen=True)
class Marks:
    """Marks in one panel: their places in its data, and the debate or draw of each."""

    axes: Axes
    x: Sequence[float]
    y: Sequence[float]
    targets: Sequence[str]


def mark_rows(figure: str, panels: Sequence[Marks]) -> Iterator[dict[str, Any]]:
    """Rows of :data:`FIGURE_MARKS`, once the figure has been drawn and its layout is found."""
    number = 0
    for panel in panels:
        picture = panel.axes.figure.bbox
        for x, y, target in zip(panel.x, panel.y, panel.targets, strict=True):
            number += 1
            across, up = panel.axes.transData.transform((x, y))
            yield {
                "figure": figure,
                "mark": number,
                "x": min(max(float(across / picture.width), 0.0), 1.0),
                "y": min(max(1.0 - float(up / picture.height), 0.0), 1.0),
                "target": target,
            }
