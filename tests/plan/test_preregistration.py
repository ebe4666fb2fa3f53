"""A plan is written once, before any session, and what a run does otherwise is listed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.plan.preregistration import (
    DATA,
    TEXT,
    Plan,
    as_text,
    deviations,
    deviations_text,
    register,
)
from dissensus.study.study import Registered
from support import Project

SAID = Registered("A trial.", ("The mean difference.",), "The index.", ("Sign flips.", "Beside."))
PLAN = Plan("demo", "language", 7, "abc", 4, 8, "0f", {"a.b": 1, "a.c": ["x"]})


def test_a_plan_is_text_for_people_with_every_setting() -> None:
    text = as_text(PLAN, SAID, "Does it?")
    for part in (
        *("# Preregistration: the language study, run demo", "## Question\nDoes it?"),
        *("- A trial.", "4 draws, 8 sessions, seed 7", "`0f`", "commit `abc`"),
        *("## Primary outcome\nThe index.", "- Sign flips.\n- Beside.", 'a.b: 1\na.c: ["x"]'),
    ):
        assert part in text
    # It promises no power analysis that there is none of.
    assert "## Power" not in text


def test_a_plan_is_written_once_and_only_before_any_session(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="2 sessions have begun, such as d001-en"):
        register(tmp_path, PLAN, SAID, "Does it?", ["d002-en", "d001-en"])
    assert not list(tmp_path.iterdir())
    register(tmp_path, PLAN, SAID, "Does it?", [])
    written = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert {path.name for path in written} == {TEXT, DATA}
    other = replace(PLAN, seed=8)
    said = register(tmp_path, other, SAID, "Does it?", ["d001-en"])
    assert said == [f"{tmp_path / TEXT} is there and is not written again.", "seed was 7 and is 8."]
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == written


def test_every_deviation_is_a_sentence(tmp_path: Path) -> None:
    register(tmp_path, PLAN, SAID, "Does it?", [])
    assert deviations(tmp_path, PLAN) == []
    now = replace(PLAN, sessions=6, manifest_sha256="1f", settings={"a.b": 2, "a.d": None})
    said = deviations(tmp_path, now)
    assert said == [
        "sessions was 8 and is 6.",
        'manifest sha256 was "0f" and is "1f".',
        "a.b was 1 and is 2.",
        'a.c was ["x"] and is no longer set.',
        "a.d was not set and is null.",
    ]
    assert deviations_text(said).count("\n- ") == 5
    assert "None: settings" in deviations_text([])


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"settings": 3}'])
def test_a_damaged_plan_is_a_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / DATA).write_text(content, encoding="utf-8")
    with pytest.raises(ResourceError, match="is no plan that this program wrote"):
        deviations(tmp_path, PLAN)


def test_a_run_made_after_its_plan_lists_what_it_does_otherwise(project: Project) -> None:
    project.succeed("preregistration")
    folder = project.results()
    plan = json.loads((folder / DATA).read_text(encoding="utf-8"))
    assert (plan["draws"], plan["sessions"]) == (4, 8)
    assert not (folder / "journal").exists()
    # It is part of the default run from now on.
    assert project.planned()["list_deviations"] == 1
    project.configure({"language": {"draws": 2, "block_size": 2}})
    project.succeed("results/demo/language/deviations.md")
    text = (folder / "deviations.md").read_text(encoding="utf-8")
    assert "- language.draws was 4 and is 2." in text and "- sessions was 8 and is 4." in text
