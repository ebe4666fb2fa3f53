"""What a private run writes, its owner alone may read; what others may write has no say in it."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest
import yaml

from dissensus.run.run_folder import make_private
from support import ROOT, Project

pytestmark = pytest.mark.run


def open_to_others(folder: Path) -> list[str]:
    """The files below a folder that somebody else may read or write; it without its permissions."""
    return [
        path.relative_to(folder).as_posix()
        for path in (folder, *folder.rglob("*"))
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    ]


@pytest.mark.thorough
def test_a_private_run_has_the_permissions_of_its_journals_everywhere(tmp_path: Path) -> None:
    project = Project(tmp_path / "project")
    own = project.folder / "tuned"
    own.mkdir()
    shutil.copy(ROOT / "tests/tuned_study.py", own / "study.py")
    speech = {"word": "heron", "effect": 10.0, "noise": 5.0}
    agent = {"provider": "simulated", "behaviour": "tuned.study", "speech": speech}
    settings = {
        **{"studies": ["tuned"], "study_folders": {"tuned": "tuned"}, "tuned": {"model": "heron"}},
        **{"models": {"heron": agent}, "private": True},
    }
    (project.folder / "more.yaml").write_text(yaml.safe_dump(settings), "utf-8")
    project.succeed("archive")
    results = project.folder / "results/demo"
    names = {path.name for path in results.rglob("*")}
    assert {"index.html", "d001-plain.parquet", "d001-plain.jsonl", "archive.zip"} <= names
    assert (results / "reader/tuned").is_dir()
    assert open_to_others(results) == []


def test_a_run_that_is_marked_later_is_private_from_then_on(tmp_path: Path) -> None:
    (tmp_path / "run/trial").mkdir(parents=True)
    (tmp_path / "run/trial/turns.parquet").write_text("x", "utf-8")
    (tmp_path / "outside").write_text("x", "utf-8")
    (tmp_path / "outside").chmod(0o644)
    (tmp_path / "run/link").symlink_to(tmp_path / "outside")
    assert open_to_others(tmp_path / "run")
    make_private([tmp_path / "run", tmp_path / "none"])
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o644
    (tmp_path / "run/link").unlink()
    assert open_to_others(tmp_path / "run") == []
