"""What a figure's reader can see of its words."""

from __future__ import annotations

from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from dissensus.report.facts import unmarked
from dissensus.report.tables import Table
from dissensus.report.view import Drawn


def said_by(made: Drawn | Table) -> dict[str, str]:
    """What a figure or a table says in its caption, without the marks of its numbers' origins."""
    return {name: unmarked(text) for name, text in made.facts.items()}


#: Words and the boxes that they take, in pixels.
Placed = list[tuple[str, Bbox]]


def visible_texts(figure: Figure) -> Placed:
    """Every word drawn, with the box that it takes."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    # Everything is put into its place; no pixel is painted.
    figure.draw_without_rendering()
    hidden = undrawn_ticks(figure)
    return [
        (unmarked(text.get_text()), text.get_window_extent(renderer))
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden
    ]


def undrawn_ticks(figure: Figure) -> set[int]:
    """Tick labels beyond the ends of their axis or on axes switched off: they exist, unseen."""
    found = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not axes.axison or not low <= tick.get_loc() <= high:
                    found |= {id(tick.label1), id(tick.label2)}
    return found


def overlaps(texts: Placed) -> list[tuple[str, str]]:
    """Pairs of texts whose boxes meet by more than a pixel."""
    found = []
    for (one, a), (other, b) in combinations(texts, 2):
        width = min(a.x1, b.x1) - max(a.x0, b.x0)
        height = min(a.y1, b.y1) - max(a.y0, b.y0)
        if width > 1 and height > 1:
            found.append((one, other))
    return found


def outside(texts: Placed, figure: Figure) -> list[str]:
    """Texts that the page cuts off."""
    width, height = figure.canvas.get_width_height()
    return [
        text
        for text, box in texts
        if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1
    ]
