"""Forms of figures: every mark stands where its number is, and what is missing leaves no mark."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from dissensus.report import forms, style
from dissensus.report.style import Mark

ONE, OTHER = Mark("one", "#0b3c6f", "o"), Mark("other", "#e08a00", "D")
NAN = float("nan")


@pytest.fixture
def axes() -> Axes:
    return Figure().subplots()


def row(estimate: float, low: float = NAN, high: float = NAN) -> dict[str, float]:
    return {"estimate": estimate, "ci_low": low, "ci_high": high}


def points(axes: Axes) -> set[tuple[float, float]]:
    lines = [line for line in axes.lines if len(line.get_xdata()) == 1]
    return {(float(one.get_xdata()[0]), float(one.get_ydata()[0])) for one in lines}


def spans(axes: Axes) -> list[tuple[list[float], list[float]]]:
    lines = [line for line in axes.lines if len(line.get_xdata()) == 2]
    return [(list(one.get_xdata()), list(one.get_ydata())) for one in lines]


def test_a_whisker_is_a_mark_on_its_interval(axes: Axes) -> None:
    forms.whisker(axes, (0.5, 0.25, 1.0), 3, ONE, scale=100.0)
    assert points(axes) == {(50.0, 3.0)} and spans(axes) == [([25.0, 100.0], [3, 3])]
    assert axes.lines[-1].get_markerfacecolor() == ONE.colour


def test_values_that_rounding_parts_from_zero_stand_at_it(axes: Axes) -> None:
    axes.plot([0.0, 1e-17], [0, 1], "o")
    forms.value_margins(axes)
    assert axes.get_xlim() == (-0.05, 0.05)
    axes.plot([0.3, 0.4], [2, 3], "o")
    axes.autoscale()
    forms.value_margins(axes)
    assert axes.get_xlim() == pytest.approx((-0.032, 0.432))


def test_an_upright_whisker_has_its_place_along_x(axes: Axes) -> None:
    forms.whisker(axes, (0.5, 0.0, 1.0), 3, ONE, upright=True, filled=False)
    assert points(axes) == {(3.0, 0.5)} and spans(axes) == [([3, 3], [0.0, 1.0])]
    assert axes.lines[-1].get_markerfacecolor() == "white"


@pytest.mark.parametrize("limits", [(NAN, 1.0), (0.0, NAN), (-np.inf, 1.0), (NAN, NAN)])
def test_without_both_limits_a_mark_stands_alone(axes: Axes, limits: tuple[float, float]) -> None:
    forms.whisker(axes, (0.5, *limits), 0, ONE)
    assert points(axes) == {(0.5, 0.0)} and spans(axes) == []


def test_without_an_estimate_nothing_is_drawn(axes: Axes) -> None:
    forms.whisker(axes, (NAN, 0.0, 1.0), 0, ONE)
    assert not axes.lines


def test_a_forest_has_a_row_for_each_name_and_a_dash_for_what_is_missing(axes: Axes) -> None:
    rows = {"a": row(1.0, 0.0, 2.0), "b": row(NAN)}
    forms.forest(axes, {"a": "A", "b": "B", "c": "C"}, [(ONE, rows)], lambda one: False)
    assert points(axes) == {(1.0, 0.0)}
    assert [(text.get_text(), text.get_position()[1]) for text in axes.texts] == [
        ("–", 1),
        ("–", 2),
    ]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["A", "B", "C"]
    low, high = axes.get_ylim()
    assert low > 2 and high < 0


def test_the_reference_of_a_forest_says_so_at_no_difference(axes: Axes) -> None:
    names = {"a": "A", "b": "B", "c": "C"}
    forms.forest(axes, names, [(ONE, {"b": row(-5.0, -6.0, -4.0)})], reference="a")
    said = [(text.get_text(), *text.get_position()) for text in axes.texts]
    assert said == [("reference", 0.0, 0), ("–", 0.02, 2)]
    assert points(axes) == {(-5.0, 1.0)}


def test_series_of_a_forest_stand_beside_each_other(axes: Axes) -> None:
    forms.forest(axes, {"a": "A"}, [(ONE, {"a": row(1.0)}), (OTHER, {"a": row(1.0)})])
    (_, first), (_, second) = sorted(points(axes))
    assert first == -second != 0.0 and not axes.texts


def test_a_course_joins_means_in_a_band(axes: Axes) -> None:
    rows = pd.DataFrame(
        {"round": [1, 2], "estimate": [0.5, 0.25], "ci_low": [0.4, 0.2], "ci_high": [0.6, 0.3]}
    )
    forms.course(axes, rows, ONE, scale=100.0, label="x")
    assert list(axes.lines[0].get_ydata()) == [50.0, 25.0]
    band = axes.collections[0].get_paths()[0].vertices
    assert {(1.0, 40.0), (1.0, 60.0), (2.0, 20.0), (2.0, 30.0)} <= {tuple(v) for v in band.tolist()}


def test_stacked_shares_follow_each_other_with_words_where_there_is_room(axes: Axes) -> None:
    shares = {"one": 0.97, "other": 0.03}
    forms.stack(axes, 2.0, shares, (ONE, OTHER), {"one": "97", "other": "3"})
    bars = [one for one in axes.patches if isinstance(one, Rectangle)]
    assert [bar.get_x() for bar in bars] == [0.0, 0.97]
    assert [bar.get_width() for bar in bars] == pytest.approx([0.97, 0.03])
    assert [text.get_text() for text in axes.texts] == ["97"]


@pytest.mark.parametrize(("count", "deep", "across"), [(1, 1, 1), (4, 1, 4), (5, 2, 4), (9, 3, 4)])
def test_small_multiples_are_named_beneath_and_at_the_left(
    count: int, deep: int, across: int
) -> None:
    figure = Figure()
    names = [f"n{number}" for number in range(count)]
    panels = list(forms.multiples(figure, names, 4, "round", "share"))
    assert [name for name, _ in panels] == names
    assert len(figure.axes) == deep * across
    assert sum(axes.axison for axes in figure.axes) == count
    assert sum(axes.get_ylabel() == "share" for _, axes in panels) == deep
    assert sum(axes.get_xlabel() == "round" for _, axes in panels) == across


def test_rows_are_apart_where_the_group_changes() -> None:
    assert forms.apart(["a", "a", "b", "c"], gap=0.5) == [0.0, 1.0, 2.5, 4.0]
    assert forms.apart([]) == []


def test_a_legend_has_every_entry_in_its_order() -> None:
    figure = Figure(layout="constrained")
    axes = figure.subplots()
    forms.legend(axes, [forms.swatch(ONE), forms.key_of(OTHER, filled=False, line=False)])
    forms.legend(figure, [forms.key_of(ONE)], right=True)
    for made, names in ((axes.get_legend(), ["one", "other"]), (figure.legends[0], ["one"])):
        assert [text.get_text() for text in made.get_texts()] == names


def test_marks_say_what_is_estimated_and_its_numbers(tmp_path: Path) -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    rows = {"a": row(0.5, -0.25, 1.0), "b": row(NAN)}
    forms.forest(left, {"a": "Arm a", "b": "Arm b"}, [(ONE, rows), (OTHER, {"b": row(-0.5)})])
    by_round = pd.DataFrame({"round": [1, 2], **{name: [0.5, NAN] for name in row(0)}})
    forms.course(right, by_round, ONE, scale=100.0)
    forms.stack(right, 0, {"one": 0.25, "other": 0.75}, [ONE, OTHER], {"other": "3"})
    style.save_svg(figure, tmp_path / "a.svg")
    said = re.findall("<title>(.*?)</title>", (tmp_path / "a.svg").read_text("utf-8"))
    assert set(said) == {
        *("Arm a, one: 0.500 [−0.250, 1.000]", "Arm b, other: −0.500"),
        *("one, round 1: 50.0 [50.0, 50.0]", "one: 25%", "other: 75% (3)"),
    }


def test_one_course_has_a_band_and_others_beside_it_a_whisker_at_their_end(axes: Axes) -> None:
    """Five bands over each other are one mud."""
    mark = style.Mark("dashed", "#0b3c6f", "o", (0, (4, 1.5)))
    by_round = pd.DataFrame(
        {"round": [1, 2], "estimate": [0.5, 0.6], "ci_low": [0.1, 0.2], "ci_high": [0.8, 0.9]}
    )
    forms.course(axes, by_round, mark, banded=False)
    (whisker,) = axes.collections
    assert whisker.get_segments()[0].tolist() == [[2.0, 0.2], [2.0, 0.9]]
    forms.course(axes, by_round, mark)
    assert len(axes.collections) == 2 and isinstance(axes.collections[1], PolyCollection)


def test_filled_and_hollow_are_explained_by_two_entries() -> None:
    filled, hollow = forms.fill_key("found", "not found")
    assert (filled.get_label(), hollow.get_label()) == ("found", "not found")
    assert filled.get_markerfacecolor() != hollow.get_markerfacecolor() == "white"
