"""The words that stand for a figure: what its panels are, its series, and the run's main number."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from dissensus.report.alternative import alternative, main_sentence
from dissensus.report.pages.files import _words
from dissensus.report.style import new_figure, notice, save_svg

CAPTION = (
    "Means by arm (**a**) with 95% intervals. The largest gain is full, +0.80 "
    "([0.51, 1.09], p < 0.001 after Holm). Another is pid, +0.10 ([−0.10, 0.30]).\n\n"
    "*Simulated models.*"
)
SVG = "{http://www.w3.org/2000/svg}"


def panels() -> Figure:
    figure = new_figure(2.0, simulated=True)
    left, right = figure.subplots(1, 2)
    left.set_title("a  Gains", loc="left")
    left.set_xlabel("arm − reference,\nshare")
    left.barh([0, 1], [0.8, 0.1], label="blind")
    left.set_yticks([0, 1], ["full", "pid"])
    left.legend()
    right.set_ylabel("rounds")
    right.set_xlabel("draw")
    return figure


def test_it_says_panels_axes_rows_series_and_the_main_number() -> None:
    assert alternative("Arms", panels(), CAPTION, "95%") == (
        "Arms. Panels: a Gains: arm − reference, share of full, pid; rounds against draw. Shown "
        "separately: blind. The largest gain is full, +0.80 ([0.51, 1.09], p < 0.001 after Holm). "
        "The numbers are in the tables of the study."
    )


@pytest.mark.parametrize(
    ("caption", "sentence"),
    [
        ("Of 24 draws. The gain is +0.1 [0.0, 0.2].", "The gain is +0.1 [0.0, 0.2]."),
        ("With 95% intervals. Of 24 draws.", "Of 24 draws."),
        ("With 95% intervals. No draw was complete.", ""),
        ("With 95% intervals. Of 24 draws. **b**: 30% of them.", "b: 30% of them."),
        ("Of all teams.\n\nteam-a: +0.1 [0.0, 0.2].", "team-a: +0.1 [0.0, 0.2]."),
        ("*\\ A* is b. It is\\ 3.", "It is 3."),
    ],
)
def test_the_main_sentence_has_an_estimate_or_else_a_number(caption: str, sentence: str) -> None:
    assert main_sentence(caption, "95%") == sentence


def test_it_is_of_a_bearable_length() -> None:
    words = alternative("Arms", panels(), f"It is 3 {'and more ' * 500}.", "95%")
    assert len(words) <= 900 and words.endswith("… The numbers are in the tables of the study.")


def test_a_figure_of_one_sentence_has_no_panels() -> None:
    words = alternative("Arms", notice("None came through.", True), "None came through.", "95%")
    assert words == "Arms. The numbers are in the tables of the study."


def test_the_picture_holds_it_as_text_whatever_the_words_are(tmp_path: Path) -> None:
    """A browser reads no mark out of them, and the results page finds them again."""
    path, words = tmp_path / "f.svg", 'A <script>&amp;</desc> "b" ]]> of 3.'
    save_svg(panels(), path, "<Arms>", words)
    root = ElementTree.parse(path).getroot()
    assert root.get("role") == "img"
    assert (root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")) == ("<Arms>", words)
    assert _words(path) == words
