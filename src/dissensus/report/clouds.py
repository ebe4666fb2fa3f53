"""Dots and lines of many draws, drawn so that thousands stay readable and the picture light."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from dissensus.report.frames import Array, joined
from dissensus.report.style import FAINT

#: Beyond as many, dots become an image: ten thousand shapes are megabytes of SVG.
CROWD = 1000

#: Lines that a crowd gets at most.
LINES = 400


def dots(n: int, size: float, alpha: float) -> dict[str, Any]:
    """How each of n dots is drawn: a crowd's are smaller and fainter, to show where it is dense.

    Parameters
    ----------
    n : dots in the cloud.
    size : in points, of the dots of a few.
    alpha : opacity of the dots of a few.
    """
    crowd = max(n / CROWD, 1.0)
    return {
        "markersize": size / min(crowd, 2.5) ** 0.5,
        "markeredgewidth": 0,
        "alpha": max(alpha / crowd**0.75, 0.01),
        "rasterized": n > CROWD,
    }


def threads(axes: Axes, places: Sequence[float], rows: Array, width: float) -> None:
    """A thin line a row through the places; of a crowd, every so many get one.

    Parameters
    ----------
    places : where each column stands, left to right.
    rows : values, shape (draws, places), in the order of the draws, which is random.
    width : in points.
    """
    rows = rows[:: stride(len(rows))]
    axes.plot(*joined(places, rows), color=FAINT, linewidth=width, zorder=1)


def stride(n: int) -> int:
    """Of how many draws one gets a line: more than some hundreds of lines are a grey block."""
    return 1 if n <= CROWD else -(-n // LINES)
