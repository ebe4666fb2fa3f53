"""A plan is written once, before any session, and what a run does otherwise is listed."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from html import unescape
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dissensus.errors import ResourceError
from dissensus.plan.deviations import DATA, Deviation, deviations, deviations_text
from dissensus.plan.materials import Material
from dissensus.plan.plan_pages import as_html, as_markdown, plan_sections
from dissensus.plan.preregistration import PAGE, TEXT, register
from dissensus.plan.registered import Plan
from dissensus.study.study import Registered
from support import Project

SAID = Registered("A trial.", ("The mean difference.",), "The index.", ("Sign flips.", "Beside."))
FILES = {
    "own/prompt.yaml": Material("prompt", "1" * 64, "Say why.\nBe brief.\n"),
    "own/study.py": Material("code", "2" * 64, "x = 1\n"),
    "src/a.py": Material("code", "3" * 64),
    "src/same.py": Material("code", "a" * 64, None, "b" * 64),
    "pool.parquet": Material("data", "4" * 64),
}
SETTINGS = {"a.b": 1, "a.c": ["x"], "models.m.temperature": 0}
PLAN = Plan("demo", "language", 7, "abc", 4, 8, "0f", SETTINGS, SAID, (), FILES)


def as_text(plan: Plan, question: str) -> str:
    return as_markdown("Preregistration: a plan", plan_sections(plan, question))


def test_a_plan_is_text_for_people_with_every_setting() -> None:
    text = as_text(PLAN, "Does it?")
    for part in (
        *("# Preregistration: a plan", "## Question\nDoes it?"),
        *("- A trial.", "4 draws, 8 sessions, seed 7", "commit `abc`"),
        *(
            "## Confirmatory: the primary outcome\nThe index.",
            "- Sign flips.\n- Beside.",
            '    a.b: 1\n    a.c: ["x"]',
        ),
    ):
        assert part in text
    places = [text.index(f"\n## What {words}") for words in ("is fixed", "is free", "had been")]
    assert places == sorted(places)
    # What nobody reads stands last.
    assert text.index("## Digests") > places[-1] and "0f  data  rows of the manifest" in text
    assert "No direction is registered" in text and "## Confirmatory" in text
    # It promises no power analysis that there is none of.
    assert "## Power" not in text


def test_a_plan_is_written_once_and_only_before_any_session(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="2 sessions have begun, such as d001-en"):
        register(tmp_path, PLAN, "Does it?", ["d002-en", "d001-en"])
    assert not list(tmp_path.iterdir())
    register(tmp_path, PLAN, "Does it?", [])
    written = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert {path.name for path in written} == {TEXT, DATA, PAGE}
    assert "# Preregistration: the language study, run demo" in (tmp_path / TEXT).read_text("utf-8")
    other = replace(PLAN, seed=8)
    said = register(tmp_path, other, "Does it?", ["d001-en"])
    assert said == [f"{tmp_path / TEXT} is there and is not written again.", "seed was 7 and is 8."]
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == written


def test_the_plan_holds_prompts_and_code_and_says_what_is_in_no_commit() -> None:
    text = as_text(replace(PLAN, uncommitted=("src/a.py",)), "Does it?")
    assert "with changes that are in no commit: `src/a.py`" in text
    assert f"{'3' * 64}  code  src/a.py" in text
    assert "### own/prompt.yaml\n\n    Say why.\n    Be brief." in text
    assert "### src/a.py" not in text


def test_the_page_to_print_says_the_same_and_runs_nothing() -> None:
    attack = {
        "own/p.yaml": Material("prompt", "1" * 64, "<script>alert(1)</script>\n```\n# Head\n")
    }
    sections = plan_sections(replace(PLAN, materials=attack), "Does it?")
    page, text = as_html("A plan", sections), as_markdown("A plan", sections)
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page and "@page" in page
    assert "\n    <script>alert(1)</script>\n    ```\n    # Head" in text
    for section in sections:
        assert all(sentence in unescape(page) for sentence in section.sentences)


def test_every_deviation_is_of_a_kind_and_a_sentence(tmp_path: Path) -> None:
    register(tmp_path, PLAN, "Does it?", [])
    assert deviations(tmp_path, PLAN) == []
    changed = {
        **FILES,
        "own/prompt.yaml": Material("prompt", "5" * 64, "Say why.\nBe long.\n"),
        "src/a.py": Material("code", "6" * 64),
        "pool.parquet": Material("data", "7" * 64),
        "src/b.py": Material("code", "8" * 64),
        "src/same.py": Material("code", "9" * 64, None, "b" * 64),
    }
    del changed["own/study.py"]
    now = replace(
        PLAN,
        sessions=6,
        manifest_sha256="1f",
        settings={"a.b": 2, "a.d": None, "models.m.temperature": 1},
        analysis=replace(SAID, primary="Another.", power=("Other power.",)),
        materials=changed,
    )
    got = deviations(tmp_path, now)
    assert [(each.kind, each.sentence) for each in got] == [
        ("design", "sessions was 8 and is 6."),
        ("design", 'manifest sha256 was "0f" and is "1f".'),
        ("setting", "a.b was 1 and is 2."),
        ("setting", 'a.c was ["x"] and is no longer set.'),
        ("model", "models.m.temperature was 0 and is 1."),
        ("setting", "a.d was not set and is null."),
        ("design", "primary is said in other words."),
        ("prompt", "own/prompt.yaml has changed."),
        ("code", "own/study.py is no longer used."),
        ("data", f"pool.parquet has changed (SHA-256 {'4' * 12}, now {'7' * 12})."),
        (
            "code",
            "2 files of dissensus' own code, without comments, are not as registered: src/a.py, "
            "src/b.py.",
        ),
    ]
    assert got[-1].diff == "src/a.py has changed\nsrc/b.py is new"
    prompt = next(each for each in got if each.kind == "prompt")
    assert prompt.diff.splitlines()[-2:] == ["-Be brief.", "+Be long."]
    page = deviations_text(got)
    assert page.index("## Design") < page.index("## Setting") < page.index("## Code")
    assert "      -Be brief.\n      +Be long." in page
    assert "None: settings" in deviations_text([])


def test_a_text_that_attacks_stays_code_on_the_page() -> None:
    attack = Deviation("prompt", "p", "p has changed.", "-# A heading\n+```\n+<script>")
    lines = deviations_text([attack]).splitlines()
    assert all(line.startswith("      ") for line in lines if "<script>" in line or "```" in line)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"settings": 3}'])
def test_a_damaged_plan_is_a_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / DATA).write_text(content, encoding="utf-8")
    with pytest.raises(ResourceError, match="is no plan that this program wrote"):
        deviations(tmp_path, PLAN)


@pytest.mark.thorough
def test_a_run_made_after_its_plan_lists_what_it_does_otherwise(project: Project) -> None:
    project.succeed("preregistration")
    folder = project.results()
    plan = json.loads((folder / DATA).read_text(encoding="utf-8"))
    assert (plan["draws"], plan["sessions"]) == (4, 8)
    assert not (folder / "journal").exists()
    assert plan["looked_at"] == [
        "No other run in the same folder has replies of this study.",
        "The author states nothing else: no pilot, no other run, no other's results.",
    ]
    assert plan["analysis"]["noise_floor"].startswith("None is planned")
    # It is part of the default run from now on.
    assert project.planned()["list_deviations"] == 1
    project.configure({"language": {"draws": 2, "block_size": 2}})
    project.succeed("results/demo/language/deviations.md")
    text = (folder / "deviations.md").read_text(encoding="utf-8")
    assert "- language.draws was 4 and is 2." in text and "- sessions was 8 and is 4." in text
    rows = pq.read_table(folder / "deviations.parquet").to_pylist()
    assert {"setting", "design"} == {row["kind"] for row in rows}
    # What is made under the plan names it.
    made = json.loads(pq.read_schema(folder / "deviations.parquet").metadata[b"dissensus"])
    assert made["plan_sha256"] == sha256((folder / DATA).read_bytes()).hexdigest()
    # And a file of prompts that is edited afterwards is one more.
    prompts = project.folder / "studies/language/prompts/en.yaml"
    before = prompts.read_text("utf-8")
    prompts.write_text(f"{before}# A remark.\n", "utf-8")
    project.succeed("results/demo/language/deviations.md")
    assert "## Prompt" not in (folder / "deviations.md").read_text(encoding="utf-8")
    prompts.write_text(before.replace("Do not greet anyone.", "Greet nobody.", 1), "utf-8")
    project.succeed("results/demo/language/deviations.md")
    text = (folder / "deviations.md").read_text(encoding="utf-8")
    assert "## Prompt" in text and "studies/language/prompts/en.yaml has changed." in text
