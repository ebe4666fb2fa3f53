"""A direction that was registered is compared with what came out, and the tests stay two-sided."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dissensus.plan.plan_pages import plan_sections
from dissensus.plan.registered import Plan
from dissensus.plan.registering.direction import TWO_SIDED, direction_of, registered_side
from dissensus.study.study import Registered
from dissensus.tables.artefact import Column, Schema, write
from dissensus.tables.common import common, text
from dissensus.tables.provenance import provenance
from registered_study import register

NONE = float("nan")
ESTIMATES = Schema(
    name="contrasts",
    row="contrast",
    columns={
        **common("contrast", "outcome", "estimate?", "ci_low?", "ci_high?"),
        "headline": Column("bool", "Whether the study is judged by it."),
        "more": text("More."),
    },
    key=("contrast",),
    paths=("contrasts.parquet",),
)


def row(estimate: Any, low: Any, high: Any, contrast: str = "b-a") -> dict[str, Any]:
    limits = {"estimate": estimate, "ci_low": low, "ci_high": high}
    return {"contrast": contrast, "outcome": "score", "headline": True, "more": "", **limits}


def made(folder: Path, rows: list[dict[str, Any]], **hypothesis: str) -> Path:
    """A study's folder with its plan and its estimates."""
    register(folder, 0, hypothesis=hypothesis)
    write(str(folder / "contrasts.parquet"), ESTIMATES, rows, provenance("compare", False, {}))
    return folder


# What each limit says is read off by hand.
CASES = [
    ("greater", (0.3, 0.1, 0.5), "on that side, and so is its whole interval", True),
    ("greater", (0.3, -0.1, 0.5), "on that side, and its interval has 0 in it", True),
    ("greater", (-0.3, -0.5, -0.1), "on the other side, and so is its whole interval", False),
    ("less", (-0.3, -0.5, -0.1), "on that side, and so is its whole interval", True),
    ("less", (0.3, -0.1, 0.5), "on the other side, and its interval has 0 in it", False),
    ("less", (0.0, -0.1, 0.1), "on neither side, and its interval has 0 in it", False),
    ("less", (-0.3, NONE, None), "on that side, and has no interval", True),
]


@pytest.mark.parametrize(("side", "limits", "went", "is_so"), CASES)
def test_an_estimate_is_compared_with_the_registered_side(
    tmp_path: Path, side: str, limits: tuple[Any, Any, Any], went: str, is_so: bool
) -> None:
    folder = made(tmp_path, [row(*limits)], direction=side)
    direction = direction_of(folder, "contrasts")
    assert direction is not None
    first, last = direction.sentences()
    where = {"greater": "above 0", "less": "below 0"}[side]
    assert first.startswith(f"Registered direction: {where}. score, b-a: ")
    assert first.endswith(f" is {went}.") and last == TWO_SIDED
    assert (direction.words == "in the registered direction") is is_so


def test_several_contrasts_are_counted_and_the_noise_floor_is_none_of_them(tmp_path: Path) -> None:
    rows = [
        row(0.2, 0.1, 0.3),
        row(-0.2, -0.3, -0.1, "c-a"),
        row(None, None, None, "d-a"),
        row(0.1, 0.0, 0.2, "a_again-a"),
        {**row(-0.9, -1.0, -0.8, "e-a"), "headline": False},
    ]
    direction = direction_of(made(tmp_path, rows, direction="greater"), "contrasts")
    assert direction is not None
    assert direction.words == "1 of 2 contrasts in the registered direction"
    said = [*direction.sentences()]
    assert said[0] == "Registered direction: above 0. There 1 of 2 contrasts is."
    assert len(said) == 4 and "c-a" in said[2] and "other side" in said[2]


def test_without_a_headline_it_is_said_that_nothing_is_compared(tmp_path: Path) -> None:
    direction = direction_of(made(tmp_path, [], direction="less"), "")
    assert direction is not None
    (sentence,) = direction.sentences()
    assert "nothing is compared with it" in sentence
    assert direction.words == "a direction, with no estimate to compare it with"


def test_without_a_direction_nothing_is_said(tmp_path: Path) -> None:
    assert registered_side(tmp_path) == "" and direction_of(tmp_path, "contrasts") is None
    made(tmp_path, [row(0.3, 0.1, 0.5)], hypothesis="More.")
    assert direction_of(tmp_path, "contrasts") is None


def test_the_plan_says_where_it_is_expected_and_what_the_tests_are() -> None:
    given = ("run", "study", 1, "commit", 1, 1, "0" * 64, {}, Registered("None."))
    plan = Plan(*given, hypothesis={"direction": "less"})
    shown = "\n".join(str(each) for each in plan_sections(plan, "Why?"))
    assert f"the difference of the primary outcome is below 0. {TWO_SIDED}" in shown
