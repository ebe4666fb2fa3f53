"""What all figures share in their looks."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from dissensus.report.forms import forest
from dissensus.report.style import (
    Mark,
    marks,
    new_figure,
    notice,
    or_notice,
    save_svg,
    says,
    sentence_of,
    spread,
)


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


@pytest.mark.parametrize("rows", [1, 13])
def test_the_mark_of_simulated_models_stands_below_all_panels(tmp_path: Path, rows: int) -> None:
    figure = new_figure(0.6 + 0.26 * rows, simulated=True)
    panels = figure.subplots(1, 2)
    forest(panels[0], {n: f"arm {n}" for n in range(rows)}, [(Mark("x", "#0b3c6f", "o"), {})])
    panels[1].plot([0, 1], [0, 1])
    panels[1].set_xlabel("share")
    save_svg(figure, tmp_path / "a.svg")
    (mark,) = [text for text in figure.texts if text.get_text() == "simulated models"]
    top = mark.get_window_extent().y1
    for panel in panels:
        assert panel.get_tightbbox().y0 >= top - 0.5
        assert "simulated models" not in {text.get_text() for text in panel.texts}
    assert (tmp_path / "a.svg").read_text("utf-8").count(">simulated models<") == 1


SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("text", ["a: 1 [0, 2]", '<b>"x" & y</b> ]]> -->', "a\nb", "says: x"])
def test_each_mark_says_its_own_words(tmp_path: Path, text: str) -> None:
    figure = new_figure(2.0, simulated=False)
    axes = figure.subplots()
    (dots,) = axes.plot([0, 1, 2], [2.0, np.nan, 1.0], "o-")
    says(dots, text, "second")
    (bar,) = axes.barh(0, 1)
    says(bar, text)
    save_svg(figure, tmp_path / "a.svg", "Title", "Words")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    held = {parent: parent.find(f"{SVG}title") for parent in root.iter() if parent is not root}
    said = [(parent.tag, title.text) for parent, title in held.items() if title is not None]
    plain = text.replace("\n", " ")
    assert [(tag, (words or "").replace("\n", " ")) for tag, words in said] == [
        (f"{SVG}g", plain),
        (f"{SVG}use", plain),
        (f"{SVG}use", "second"),
    ]
    assert not [one for one in root.iter() if "says: " in one.get("id", "")]


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


def test_digits_that_are_not_written_change_no_byte(tmp_path: Path) -> None:
    texts = []
    for number, apart in enumerate((0.0, 1e-13)):
        figure = new_figure(2.0, simulated=True)
        figure.set_layout_engine("none")
        for low in (0.1, 0.55):
            axes = figure.add_axes((0.1 + apart, low, 0.8, 0.35))
            axes.plot([0, 1], [0, 1])
        save_svg(figure, path := tmp_path / f"{number}.svg")
        texts.append(path.read_text("utf-8"))
    assert texts[0] == texts[1]
    clips = re.findall(r'<clipPath id="(\w+)">', texts[0])
    assert len(set(clips)) == 2 and all(f"url(#{name})" in texts[0] for name in clips)


UNDEFINED = [np.nan, np.nan]
DRAWN = {
    "a line": lambda axes, y: axes.plot([0, 1], y),
    "points": lambda axes, y: axes.scatter([0, 1], y),
    "bars": lambda axes, y: axes.bar([0, 1], y),
    "whiskers": lambda axes, y: axes.errorbar([0, 1], y, yerr=0.1),
    "a band": lambda axes, y: axes.fill_between([0, 1], y, y),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_axes_on_which_nothing_is_defined_become_a_sentence(draw: Any) -> None:
    figure = new_figure(2.0, True)
    empty, other = figure.subplots(1, 2)
    empty.axvline(0.5)
    empty.text(0.5, 0.5, "n = 0")
    draw(other, UNDEFINED)
    said = sentence_of(or_notice(figure, True))
    assert said == "Nothing that this figure draws is defined in this run."
    draw(empty, [0.0, 0.0])
    assert or_notice(figure, True) is figure


def test_a_figure_that_says_why_it_is_empty_keeps_its_sentence() -> None:
    figure = notice("No session has an outcome.", True)
    assert or_notice(figure, True) is figure
