"""Where the project lies, and where it may write."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support import Project


def planned(project: Project, **environment: str) -> subprocess.CompletedProcess[str]:
    """A dry run up to the manifest."""
    return subprocess.run(
        project.command("--dry-run", "results/demo/language/manifest.parquet"),
        cwd=project.folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.thorough
def test_braces_in_the_project_s_path_are_one_sentence(tmp_path: Path) -> None:
    done = planned(Project(tmp_path / "a{b}c"))
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1].startswith(f"the project is in {tmp_path}/a{{b}}c, and")
    assert "Traceback" not in done.stderr


@pytest.mark.thorough
def test_a_home_that_cannot_be_written_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    home = {"HOME": str(tmp_path / "file"), "XDG_CACHE_HOME": "", "MPLCONFIGDIR": str(tmp_path)}
    done = planned(Project(tmp_path / "project"), **home)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Draw the manifest of the language study" in done.stdout + done.stderr
