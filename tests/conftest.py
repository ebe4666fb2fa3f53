"""Fixtures that whole-run tests share."""

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what waits longest, the cluster and the whole runs, so that none of it is last."""

    def rank(item: pytest.Item) -> int:
        folder = item.path.parent
        return 0 if folder == TESTS / "slurm" else 1 if folder == TESTS else 2

    items.sort(key=rank)


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
