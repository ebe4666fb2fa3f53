"""``dissensus new``: what it writes, and what it refuses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dissensus.cli import main
from dissensus.project.making import designs
from dissensus.study.configuration import load_file
from marking import thorough_but


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])


def test_the_gallery_has_its_eleven() -> None:
    assert len(designs()) == 11


@pytest.mark.parametrize("design", thorough_but(designs(), "labels", "personas"))
def test_a_project_like_a_design_is_that_design_under_another_name(
    design: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"my_{design}"
    assert main(["new", name, "--like", design]) == 0
    monkeypatch.chdir(tmp_path / name)
    settings = load_file(Path("config.yaml"))
    assert settings.studies == [name] and settings.simulated
    assert f'name = "{name}"' in Path(name, "study.py").read_text("utf-8")
    files = {"README.md", ".gitignore", "requirements.txt", "config.schema.json"}
    assert {path.name for path in Path().iterdir()} == files | {name, "config.yaml", "tests"}
    assert {path.name for path in Path("tests").iterdir()} == {f"test_{name}.py", "planted.csv"}
    assert f"results/{settings.run}/" in Path("README.md").read_text("utf-8")
    assert "echo" not in Path("README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("two words", "letters"),
        ("1st", "no digit first"),
        ("class", "word of Python's"),
        ("language", "dissensus has something of that name"),
        ("numpy", "a package of that name is installed"),
        ("there", "something of that name is in this folder"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused_with_its_reason(
    name: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("there").mkdir()
    assert main(["new", name]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"{name!r} cannot be the name of a project: ") and problem in said
    assert [path.name for path in Path().iterdir()] == ["there"]


def test_a_design_that_is_none_and_two_beginnings_are_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["new", "mine", "--like", "nothing"]) == 1
    assert "--like holds 'nothing'; the gallery has flips, " in capsys.readouterr().err
    assert main(["new", "mine", "--like", "flips", "--from", "a.csv"]) == 1
    assert "leave one out" in capsys.readouterr().err
    assert main(["new", "mine", "--from", "nowhere.csv"]) == 1
    assert "--from holds nowhere.csv: No such file" in capsys.readouterr().err
    assert [*Path().iterdir()] == []
