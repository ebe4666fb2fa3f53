"""Every test has one mark, so that each is in exactly one of the suites that can be asked for."""

from __future__ import annotations

import pytest

from marking import MARKS, called_for, mark_called_for, marks, thorough_but


def test_every_test_has_exactly_one_mark(request: pytest.FixtureRequest) -> None:
    wrong = {item.nodeid: marks(item) for item in request.session.items if len(marks(item)) != 1}
    assert not wrong


def test_no_test_names_a_quicker_mark_than_what_it_uses(request: pytest.FixtureRequest) -> None:
    wrong = {
        item.nodeid: marks(item)
        for item in request.session.items
        if MARKS.index(marks(item)[0]) > MARKS.index(mark_called_for(item))
    }
    assert not wrong


def test_of_a_parameter_s_values_all_but_those_kept_are_thorough() -> None:
    one, *others = thorough_but(["a", "b", "c"], "a")
    assert one == "a" and [each.values for each in others] == [("b",), ("c",)]
    assert {mark.name for each in others for mark in each.marks} == {"thorough"}


@pytest.mark.parametrize(
    ("folder", "fixtures", "names", "mark"),
    [
        ("stats", ["tmp_path"], ["np", "pytest"], "unit"),
        ("serve", ["tmp_path"], ["serving", "Server"], "slow"),
        ("union", ["browser", "tmp_path"], ["pytest"], "slow"),
        ("tests", ["copied", "tmp_path"], ["pytest"], "run"),
        ("tests", ["made"], ["Project", "serving"], "run"),
        ("slurm", ["slurm"], ["Project", "serving"], "cluster"),
    ],
)
def test_the_mark_follows_from_folder_fixtures_and_imports(
    folder: str, fixtures: list[str], names: list[str], mark: str
) -> None:
    assert called_for(folder, fixtures, names) == mark
