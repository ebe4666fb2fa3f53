"""The lesson of docs/first-hour.md in small: its commands, its counts, and what it reveals."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
import yaml

from dissensus.cli import main
from support import ROOT, Project

PAGE = (ROOT / "docs/first-hour.md").read_text("utf-8")
COUNT, ESTIMATE, AGAIN, REVEAL = re.findall(r"```python\n(.*?)```", PAGE, re.S)
RUN, RUN_TO_TRUTH, RUN_ALL = re.findall(r"^`?(snakemake --cores [^`\n]*)`?", PAGE, re.M)
READ = re.findall(r"^dissensus (read .*)$", PAGE, re.M)
#: What the lines that run have in common.
OPTIONS = "--configfile config/first-hour.yaml --config run=lesson-7 seed=7"


@pytest.fixture
def lesson(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with the lesson's settings, of few questions."""
    settings = yaml.safe_load((ROOT / "config/first-hour.yaml").read_text("utf-8"))
    settings["identity"]["banks"]["choice"] = {"questions": 12}
    settings["identity"]["inference"] = {"resamples": 200, "goodness_resamples": 19}
    (project.folder / "config").mkdir()
    path = project.folder / "config/first-hour.yaml"
    path.write_text(yaml.safe_dump(settings), encoding="utf-8")
    project.configuration = "config/first-hour.yaml"
    monkeypatch.chdir(project.folder)
    return project


def target(line: str) -> str:
    """What a command of the page makes."""
    assert line.startswith("snakemake --cores 2 ") and line.endswith(f" {OPTIONS}")
    return line.removeprefix("snakemake --cores 2 ").removesuffix(f" {OPTIONS}")


@pytest.mark.thorough
@pytest.mark.run
def test_the_lesson_in_small(lesson: Project) -> None:
    own = ("--config", "run=lesson-7", "seed=7")
    lesson.succeed(target(RUN), *own)
    (first, *_) = sorted(lesson.results("lesson-7", "identity").glob("transcripts/red-*-vanilla.*"))
    question = first.stem.removeprefix("red-").removesuffix("-vanilla")
    for command in READ:
        assert main(shlex.split(command.replace("choice-004", question))) == 0
    names: dict[str, Any] = {}
    for code in (COUNT, ESTIMATE, AGAIN):
        exec(code, names)
    # What a student counts is what the run estimates.
    counted, estimates = names["table"]["mean"], names["rows"]["estimate"]
    assert set(counted.index.get_level_values("team")) == {"red", "blue"}
    assert {cell: estimates[cell] for cell in counted.index} == pytest.approx(counted.to_dict())
    lesson.succeed(target(RUN_TO_TRUTH), *own)
    exec(REVEAL, names)
    planted = names["truth"].set_index("effect")["planted"]
    assert planted[planted.index.str.startswith("blue:")].item() == 0
    assert planted[planted.index.str.startswith("red:")].item() == pytest.approx(0.36)
    assert f"snakemake --cores 2 {OPTIONS}" == RUN_ALL
