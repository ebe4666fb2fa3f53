"""The tests that a new project begins with: they pass, and fail where what is planted is not so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dissensus.cli import main
from dissensus.project.making import designs
from marking import thorough_but
from support import Project  # noqa: F401  # a run of the workflow for each


def run_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unittest", "discover", "tests"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("design", thorough_but(("", *designs()), "labels"))
def test_what_is_planted_in_a_new_project_is_found_by_its_own_test(
    design: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    # A name of its own: what one project imports stays known to this process.
    name = f"mine_{design}".rstrip("_")
    assert main(["new", name, *(("--like", design) if design else ())]) == 0
    done = run_tests(tmp_path / name)
    assert done.returncode == 0, done.stderr[-2000:]
    assert f"Ran {1 if design else 2} test" in done.stderr
    assert not list((tmp_path / name).glob(".test-*"))


@pytest.mark.thorough
def test_an_estimate_elsewhere_and_one_of_another_name_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert main(["new", "other", "--like", "labels"]) == 0
    planted = tmp_path / "other/tests/planted.csv"
    text = planted.read_text("utf-8")
    planted.write_text(text.replace("above zero", "below zero", 1), "utf-8")
    assert "FAILED (failures=1)" in run_tests(tmp_path / "other").stderr
    planted.write_text(text.replace("own,another", "own,nobody"), "utf-8")
    assert "an estimate has another name now" in run_tests(tmp_path / "other").stderr
