"""Fixtures that whole-run tests share, and a mark for every test."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.pathlib import ImportMode, import_path
from hypothesis import settings

from browsing import Browser, browsing
from known_studies import studies_as_before
from marking import MARKS, is_thorough, mark_called_for, marks
from support import Project, built_once

pytest_plugins = ("time_budget",)

# The same examples in every run, however slow the machine: what fails here fails for everybody.
# `pytest --hypothesis-profile default` looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("quick", settings.get_profile("same"), max_examples=25)
settings.load_profile("same")
# Whoever starts the tests with nohup has them mind a lost terminal all the same.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples of what names no number of them where thorough tests are left out."""
    is_named = config.getoption("hypothesis_profile")
    if "not thorough" in config.getoption("markexpr") and not is_named:
        settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every test that does not name its mark, before ``-m`` selects, and sort the files.

    Files with what waits longest come first, so that nothing of it is left for the end; where there
    is a limit of minutes, in the order in which they are named.
    """
    longest = dict.fromkeys((item.path for item in items), len(MARKS))
    for item in items:
        if not marks(item):
            item.add_marker(mark_called_for(item))
        if is_thorough(item):
            item.add_marker("thorough")
        longest[item.path] = min(longest[item.path], MARKS.index(marks(item)[0]))
    if config.getoption("minutes") is None:
        items.sort(key=lambda item: longest[item.path])


def pytest_collection(session: pytest.Session) -> None:
    """Have each worker import the files from another one on.

    Whoever comes to a file first rewrites its assertions, and all others find that done: in a fresh
    clone it takes as long as all else of the collection.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    files = sorted({*_files(session.config)})
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for path in (*files[first:], *files[:first]):
        _import(path, session.config.rootpath)


def pytest_collection_finish() -> None:
    """Leave what the collection has made alone: to look for garbage there takes a thirtieth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _files(config: pytest.Config) -> Iterator[Path]:
    for argument in config.args:
        place = config.invocation_params.dir / argument.split("::")[0]
        yield from place.rglob("test_*.py") if place.is_dir() else [place]


def _import(path: Path, root: Path) -> None:
    """Import a file as the collection will; what cannot be imported, that is to say."""
    before = {*sys.modules}
    try:
        import_path(path, mode=ImportMode.importlib, root=root, consider_namespace_packages=False)
    except (Exception, pytest.skip.Exception):
        for name in {*sys.modules} - before:
            if getattr(sys.modules[name], "__file__", None) == str(path):
                del sys.modules[name]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser; tests that use it are skipped where there is none to be had.

    No longer than a module, since no test may run an event loop of its own beside Playwright's.
    """
    with browsing() as found:
        yield found


@pytest.fixture(scope="module", autouse=True)
def _studies_as_before() -> Iterator[None]:
    """Forget the studies that a file's tests make known."""
    with studies_as_before():
        yield


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh project without results."""
    return Project(tmp_path / "project")


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with one whole run, for tests that only look, or that copy it first."""

    def build(folder: Path) -> None:
        Project(folder).succeed()

    return Project.at(built_once(tmp_path_factory, "finished", build))


@pytest.fixture
def copied(finished: Project, tmp_path: Path) -> Project:
    """The finished run in a folder of its own, to change at will."""
    return finished.copy(tmp_path / "project")
