"""What all figures share in their looks."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from dissensus.report.forms import forest
from dissensus.report.style import Mark, marks, new_figure, save_svg, spread


def test_the_looks_of_languages_differ_in_grey_and_in_shape() -> None:
    looks = list(marks(["en", "zh", "fr", "de"], "en").values())
    assert len({look.marker for look in looks}) == len({look.hatch for look in looks}) == 4

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    greys = [luminance(look.colour) for look in looks[:3]]
    # The two languages of the paper must be far apart, a third at least told from either.
    assert greys[1] / greys[0] > 5
    assert min(abs(a - b) for a, b in combinations(greys, 2)) > 0.05


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 12, 13])
def test_the_mark_of_simulated_models_lies_across_no_row(tmp_path: Path, rows: int) -> None:
    figure = new_figure(0.6 + 0.26 * rows, simulated=True)
    axes, plain = figure.subplots(1, 2)
    forest(axes, {n: f"arm {n}" for n in range(rows)}, [(Mark("x", "#0b3c6f", "o"), {})])
    plain.plot([0, 1], [0, 1])
    save_svg(figure, tmp_path / "a.svg")
    heights = []
    for panel in (axes, plain):
        (mark,) = [text for text in panel.texts if text.get_gid() == "simulated"]
        heights.append(mark.get_position()[1])
    low, high = axes.get_ylim()
    places = [(low - row) / (low - high) for row in range(rows)]
    # Midway between two rows, or between the last and the end of the panel.
    nearest = min(abs(place - heights[0]) for place in places)
    apart = 0.5 if rows > 1 else 0.3
    assert nearest >= apart / (rows + 0.2) - 1e-6
    assert abs(heights[0] - 0.5) < 0.3 and heights[1] == 0.5


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([0.0, 1.0], [0.0, 1.0]),
        ([0.0, 0.0], [-0.25, 0.25]),
        ([1.0, 0.9, 5.0], [1.2, 0.7, 5.0]),
        ([0.0, 0.0, 0.0], [-0.5, 0.0, 0.5]),
    ],
)
def test_spread_moves_labels_apart_and_no_further(
    places: list[float], expected: list[float]
) -> None:
    assert spread(places, 0.5) == pytest.approx(expected)
