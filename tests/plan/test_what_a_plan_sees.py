"""What a plan notices: each thing that results depend on, and nothing that changes none."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as some

from dissensus.plan.deviations import DATA, deviations
from dissensus.plan.materials import Material, materials_of
from dissensus.plan.order import changed_pages
from dissensus.plan.plan_pages import as_markdown, plan_sections
from dissensus.plan.preregistration import PAGE, TEXT, register
from dissensus.plan.registered import Plan
from dissensus.plan.registering.bare_text import without_comments, without_layout
from dissensus.plan.registering.settings import defaults_of, registered_settings, triggers, versions
from dissensus.study.configuration import Configuration, load
from dissensus.study.study import Registered
from scripted import default_configuration

PLAN = Plan("demo", "trial", 7, "abc", 4, 8, "0f", {"trial.a": 1}, Registered("A trial."))


def otherwise(folder: Path, then: Plan, now: Plan) -> list[str]:
    """The sentences of what a run does otherwise than its plan."""
    register(folder, then, "Does it?", [])
    return [each.sentence for each in deviations(folder, now)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1  # one\n\n\ny = 2\n", "x = 1\ny = 2   \n# the end\n"),
        ('a = "# no comment"\n', 'a = "# no comment"  # a comment\n'),
        ("def f():\n    # why\n    return 1\n", "def f():\n\n    return 1\n"),
    ],
)
def test_a_comment_changes_nothing(before: str, after: str) -> None:
    assert without_comments(before) == without_comments(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "x = 2\n"),
        ('a = "# one"\n', 'a = "# two"\n'),
        ('p = """Say.\n\n# Head\n"""\n', 'p = """Say.\n# Head\n"""\n'),
        ('p = """Say. \nMore"""\n', 'p = """Say.\nMore"""\n'),
        ("if x:\n    y()\nz()\n", "if x:\n    y()\n    z()\n"),
        ("x = (", "x = ( # not code"),
    ],
)
def test_all_else_does(before: str, after: str) -> None:
    assert without_comments(before) != without_comments(after)


@given(some.lists(some.text("ab#'\"\\ \n=1", max_size=12), max_size=5))
def test_code_without_comments_means_the_same(pieces: list[str]) -> None:
    source = "".join(f"v{number} = {piece!r}\n# {piece!r}\n" for number, piece in enumerate(pieces))
    bare = without_comments(source)
    assert ast.dump(ast.parse(bare)) == ast.dump(ast.parse(source))


def test_prompts_of_a_study_count_by_their_values() -> None:
    assert without_layout("a: [1]  # one\n") == without_layout("a:\n  - 1\n")
    assert without_layout("a: Say why.") != without_layout("a: Say how.")
    assert without_layout("a: [") == "a: ["


def test_settings_of_a_later_version_at_their_defaults_are_no_deviation(tmp_path: Path) -> None:
    more = {**PLAN.settings, "trial.new": 5, "trial.other": 6, "trial.block_size": 4}
    more |= {"providers.host.interface": "openai"}
    now = replace(PLAN, settings=more, defaults={"trial.new": 5, "trial.other": 1})
    assert otherwise(tmp_path, PLAN, now) == ["trial.other was not set and is 6."]


def test_where_models_are_reached_and_blocks_are_seen_as_themselves(tmp_path: Path) -> None:
    set_to = {"trial.block_size": 4, "providers.host.base_url": "http://one"}
    other = {"trial.block_size": 2, "providers.host.base_url": "http://two"}
    then, now = (replace(PLAN, settings=each) for each in (set_to, other))
    register(tmp_path, then, "Does it?", [])
    assert [(each.kind, each.sentence) for each in deviations(tmp_path, now)] == [
        ("setting", "trial.block_size was 4 and is 2."),
        ("model", 'providers.host.base_url was "http://one" and is "http://two".'),
    ]


def test_packages_and_their_lock_are_seen(tmp_path: Path) -> None:
    then = replace(PLAN, versions={"numpy": "2.0", "requirements.lock (SHA-256)": "a"})
    now = replace(PLAN, versions={"numpy": "2.1", "requirements.lock (SHA-256)": "b"})
    assert otherwise(tmp_path, then, now) == [
        "numpy was 2.0 and is 2.1.",
        "requirements.lock (SHA-256) was a and is b.",
    ]
    assert {"python", "numpy", "dissensus"} <= versions().keys()


def test_an_archives_pins_beside_the_projects_own_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("requirements.txt").write_text("dissensus==0.3.0\n", "utf-8")
    before = versions()
    assert "requirements.txt (SHA-256)" in before
    Path("requirements-run.txt").write_text("dissensus==0.3.0\nnumpy==2.0\n", "utf-8")
    assert versions() == before


def test_a_file_that_was_changed_where_nothing_was_drawn_is_no_deviation(tmp_path: Path) -> None:
    rows = Material("data", "1" * 64, whole_sha256="2" * 64)
    pool = Material("data", "3" * 64, feeds="pool.parquet")
    then = replace(PLAN, materials={"pool.parquet": rows, "pool.csv": pool})
    longer = {"pool.parquet": replace(rows, whole_sha256="4" * 64)}
    now = replace(then, materials={**longer, "pool.csv": replace(pool, sha256="5" * 64)})
    assert otherwise(tmp_path, then, now) == []
    drawn = {"pool.parquet": replace(rows, sha256="6" * 64, whole_sha256="7" * 64)}
    now = replace(then, materials={**now.materials, **drawn})
    assert {each.name for each in deviations(tmp_path, now)} == {"pool.csv", "pool.parquet"}


def test_a_hypothesis_that_turns_is_a_deviation(tmp_path: Path) -> None:
    then = replace(PLAN, hypothesis={"direction": "greater"})
    (said,) = otherwise(tmp_path, then, replace(PLAN, hypothesis={"direction": "less"}))
    assert said.startswith("hypothesis was") and "greater" in said and "less" in said


def test_a_plan_says_what_is_expected_and_what_is_exploratory() -> None:
    said = {"hypothesis": "More agree.", "direction": "greater"}
    plan = replace(PLAN, hypothesis=said, exploratory=("words", "turns"))
    text = as_markdown("A plan", plan_sections(plan, "Does it?"))
    for part in (
        "### Hypothesis\n- More agree.\n- Expected direction: the difference of the primary "
        "outcome is above 0.",
        "### Exploratory\n- Outcomes other than the primary one: words, turns.",
    ):
        assert part in text
    order = ["### Hypothesis", "### Confirmatory", "### Exploratory", "## Digests"]
    assert [text.index(each) for each in order] == sorted(text.index(each) for each in order)


@pytest.mark.parametrize("name", [TEXT, PAGE])
def test_the_texts_of_a_plan_are_known_by_its_data(tmp_path: Path, name: str) -> None:
    register(tmp_path, PLAN, "Does it?", [])
    assert changed_pages(tmp_path) == []
    path = tmp_path / name
    path.write_text(path.read_text("utf-8").replace("A trial.", "Another."), "utf-8")
    assert changed_pages(tmp_path) == [path]
    path.unlink()
    assert changed_pages(tmp_path) == [path]
    # One of an earlier version does not say how they were.
    plan = json.loads((tmp_path / DATA).read_text("utf-8"))
    del plan["shown_sha256"]
    (tmp_path / DATA).write_text(json.dumps(plan), "utf-8")
    assert changed_pages(tmp_path) == []


@pytest.fixture
def speaker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a behaviour of one's own."""
    path = tmp_path / "parrots.py"
    path.write_text("def speak(messages, settings, rng):\n    return '0.433'\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("dissensus.digests.PACKAGES", {"dissensus", "dissensus_studies", "parrots"})
    yield path
    sys.modules.pop("parrots", None)


def materials(**speech: Any) -> dict[str, Material]:
    """What the language study is made of, with a model of one's own and two items of three."""
    study = load(default_configuration()).study("language")
    rows = {f"d{number}": {study.source.key: str(number)} for number in (1, 2)}
    items = {str(number): {study.source.key: str(number), "text": "x"} for number in (1, 2, 3)}
    sessions = SimpleNamespace(study=study, rows=rows, items={**items, **speech.pop("items", {})})
    agent = {"provider": "simulated", "behaviour": "parrots", "speech": speech}
    importlib.invalidate_caches()
    return materials_of(cast(Any, sessions), {"parrot": agent})


def test_a_behaviour_that_is_edited_after_its_plan_is_seen(speaker: Path) -> None:
    then = materials()
    (name,) = [each for each in then if each.endswith("parrots.py")]
    speaker.write_text(speaker.read_text("utf-8") + "# A remark.\n", "utf-8")
    assert materials()[name].bare_sha256 == then[name].bare_sha256
    speaker.write_text(speaker.read_text("utf-8").replace("0.433", "0.567"), "utf-8")
    assert materials()[name].bare_sha256 != then[name].bare_sha256


@pytest.mark.thorough
def test_files_that_a_behaviour_reads_are_seen(speaker: Path) -> None:
    folder = speaker.parent / "words"
    folder.mkdir()
    (folder / "a.tsv").write_text("one", "utf-8")
    name = str(folder)
    then = materials(of=[name])[name]
    assert materials(of=[name])[name] == then
    (folder / "a.tsv").write_text("two", "utf-8")
    assert materials(of=[name])[name] != then


@pytest.mark.thorough
def test_items_beyond_those_that_were_drawn_are_no_part_of_a_plan(speaker: Path) -> None:
    then = materials()["pool.parquet"]
    more = materials(items={"4": {"motion_id": "4", "text": "y"}})["pool.parquet"]
    assert then.sha256 == more.sha256 and then.whole_sha256 != more.whole_sha256
    drawn = materials(items={"1": {"motion_id": "1", "text": "y"}})["pool.parquet"]
    assert then.sha256 != drawn.sha256


def configured(**more: Any) -> Configuration:
    return load({**default_configuration(), "studies": ["language"], **more})


def test_every_setting_has_its_own_line_and_those_left_alone_are_known_to_be() -> None:
    settings = configured()
    registered = registered_settings(settings, "language")
    assert "language.block_size" in registered
    defaults = defaults_of(settings, "language")
    assert defaults["language.draws"] == registered["language.draws"]
    assert defaults["language.stop"] is None


def test_where_a_real_model_is_reached_is_registered() -> None:
    given = default_configuration()
    hosts = {"own": {"interface": "openai", "base_url": "https://host/v1"}}
    for use in load(given).study("language").models():
        for name in use.models:
            given["models"][name] = {"provider": "own", "model": name}
    registered = registered_settings(
        configured(models=given["models"], providers=hosts), "language"
    )
    assert registered["providers.own.base_url"] == "https://host/v1"
    assert registered["providers.own.interface"] == "openai"


@pytest.mark.thorough
def test_a_commit_has_deviations_listed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = triggers(configured(), "language")
    assert triggers(configured(), "language") == before
    monkeypatch.setattr("dissensus.plan.registering.settings.code_commit", lambda: "another")
    assert triggers(configured(), "language") != before
