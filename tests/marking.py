"""Which mark a test has: how long it waits, and for what."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest

#: Every test has one of these, the longest first.
MARKS = ("cluster", "run", "slow", "unit")
#: Fixtures that are a workflow to run.
_WORKFLOWS = {"project", "finished", "copied", "workflow"}


def thorough_but(values: Iterable[Any], *kept: Any) -> list[Any]:
    """Values of a parameter of which `make test` takes those kept, and `make test-all` the rest."""
    thorough = pytest.mark.thorough
    return [value if value in kept else pytest.param(value, marks=thorough) for value in values]


def marks(item: pytest.Item) -> list[str]:
    """Those of MARKS that a test has."""
    names = {mark.name for mark in item.iter_markers()}
    return [mark for mark in MARKS if mark in names]


def is_thorough(item: pytest.Item) -> bool:
    """Whether `make test` leaves a test out: it says so, or it needs Slurm or a browser."""
    needing = item.path.parent.name == "slurm" or "browser" in getattr(item, "fixturenames", ())
    return needing or item.get_closest_marker("thorough") is not None


def mark_called_for(item: pytest.Item) -> str:
    """The mark that follows from a test's folder, its fixtures and what its module imports."""
    module, fixtures = getattr(item, "module", None), getattr(item, "fixturenames", ())
    return called_for(item.path.parent.name, fixtures, vars(module) if module else ())


def called_for(folder: str, fixtures: Collection[str], names: Collection[str]) -> str:
    """The same from plain values.

    Parameters
    ----------
    folder : that the test's file is in.
    fixtures : that it uses.
    names : of its module. ``Project`` is a workflow to run, ``serving`` a server to start,
        and the fixture ``browser`` a browser.
    """
    if folder == "slurm":
        return "cluster"
    if "Project" in names or not _WORKFLOWS.isdisjoint(fixtures):
        return "run"
    return "slow" if "serving" in names or "browser" in fixtures else "unit"
