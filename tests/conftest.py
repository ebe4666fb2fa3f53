"""Fixtures that whole-run tests share, and the mark that every test has."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from support import Project

TESTS = Path(__file__).parent

# The same examples in every run, however slow the machine: what fails here fails for everybody.
# `pytest --hypothesis-profile default` looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")


#: The marks, each test having one of them; what waits longest is begun first, so that it is not last.
MARKS = ("cluster", "run", "slow", "unit")
#: Fixtures that are a project with its workflow.
PROJECTS = {"project", "finished", "copied"}


def kind(item: pytest.Item) -> str:
    """The mark that a test gets, if it does not bear one: by its folder, module and fixtures."""
    if item.path.parent == TESTS / "slurm":
        return "cluster"
    whole = getattr(getattr(item, "module", None), Project.__name__, None) is Project
    return "run" if whole or PROJECTS & set(getattr(item, "fixturenames", ())) else "unit"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test (before ``-m`` looks at them) and put those that wait longest first."""
    rank = {}
    for item in items:
        if not (borne := marks(item)):
            item.add_marker(kind(item))
        rank[item] = MARKS.index((borne or marks(item))[0])
    items.sort(key=rank.__getitem__)


def marks(item: pytest.Item) -> list[str]:
    """Those of MARKS that a test bears."""
    return [mark for mark in MARKS if item.get_closest_marker(mark)]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh project without results."""
    return Project(tmp_path / "project")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with one whole run, for tests that only look, or that copy it first."""
    made = Project(tmp_path_factory.mktemp("finished") / "project")
    made.succeed()
    return made


@pytest.fixture
def copied(finished: Project, tmp_path: Path) -> Project:
    """The finished run in a folder of its own, to change at will."""
    return finished.copy(tmp_path / "project")
