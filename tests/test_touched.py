"""Which files of tests a change touches, for `.ci/run`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import touched
from touched import ALL, changed, depends_on, files_of_tests

STUDY = "src/dissensus_studies/consensus"
CHAIN = f"{STUDY}/tests/test_consensus_chain.py"


def test_a_file_depends_on_what_it_and_its_helpers_import_and_no_further() -> None:
    used = depends_on("tests/keep/test_exporting.py")
    assert {"tests/keep/test_exporting.py", "tests/viewers.py", "tests/support.py"} <= used
    # What the helpers of all tests import is no test's own matter.
    assert "src/dissensus/run/warm_scripts.py" not in used
    assert f"{STUDY}/tests/consensus_runs.py" in depends_on(CHAIN)


@pytest.mark.parametrize(
    ("file", "among", "not_among"),
    [
        ("tests/stats/test_power.py", "tests/stats/test_power.py", CHAIN),
        (f"{STUDY}/tests/consensus_runs.py", CHAIN, "tests/stats/test_power.py"),
        (f"{STUDY}/measures.py", CHAIN, "tests/stats/test_power.py"),
        (f"{STUDY}/prompts/debate.yaml", CHAIN, "tests/test_workflow.py"),
        ("src/dissensus/llm/journal.py", "tests/llm/test_journal.py", CHAIN),
        ("docs/new-study.md", "tests/test_new_study.py", CHAIN),
        ("workflow/rules/run.smk", "tests/test_workflow.py", CHAIN),
    ],
)
def test_a_change_touches_the_tests_that_name_it(file: str, among: str, not_among: str) -> None:
    found = touched.touched([file])
    assert among in found and not_among not in found


def test_those_nearest_to_a_change_come_first() -> None:
    files = [f"{STUDY}/measures.py", f"{STUDY}/tests/test_consensus_domains.py"]
    own, named, *others = touched.touched(files)
    assert own == files[1] and named == f"{STUDY}/tests/test_consensus_measures.py"
    # It plays debates, whose measures come by way of its helpers.
    assert CHAIN in others
    every = touched.touched([CHAIN, "conftest.py"])
    assert every[0] == CHAIN and {*every} == {*files_of_tests()}


def test_where_nothing_can_be_told_all_tests_are_touched() -> None:
    assert touched.touched(None) == ALL
    assert {*touched.touched(["README.md", "requirements.lock"])} == {*files_of_tests()}


def test_a_page_that_no_test_names_touches_none() -> None:
    assert touched.touched(["README.md", "CHANGELOG.md"]) == []
    assert set(files_of_tests()) > {CHAIN, "tests/test_touched.py"}


def test_a_change_is_told_against_the_commit_before_and_the_branch_of_origin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@b.org")
        subprocess.run(["git", *named, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def commit(name: str) -> None:
        (tmp_path / name).write_text(name)
        git("add", name)
        git("commit", "-m", name)

    monkeypatch.setattr(touched, "ROOT", tmp_path)
    git("init")
    commit("first")
    assert changed() is None
    commit("second")
    (tmp_path / "new").touch()
    assert changed() == ["second", "new"]
    git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    commit("third")
    assert changed() == ["second", "third", "new"]
