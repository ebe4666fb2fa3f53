"""The page that reads a run from raw rows: every block runs, and comes to the run's own numbers."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.util import find_spec
from typing import Any

import pandas as pd
import pytest

from support import ROOT, Project
from test_reproduced import reproduced  # noqa: F401

PAGE = (ROOT / "docs/analysis.md").read_text("utf-8")
#: Heading -> the blocks below it.
BLOCKS = {
    part.splitlines()[0].removeprefix("## "): re.findall(r"```(python|r)\n(.*?)```", part, re.S)
    for part in PAGE.split("\n## ")[1:]
}


def played(heading: str, monkeypatch: pytest.MonkeyPatch, run: Project) -> dict[str, Any]:
    """The names that the one block below a heading leaves."""
    monkeypatch.chdir(run.folder)
    ((_, code),) = BLOCKS[heading]
    names: dict[str, Any] = {}
    exec(compile(code, heading, "exec"), names)
    return names


def test_the_paired_effect(reproduced: Project, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    names = played("language", monkeypatch, reproduced)
    assert names["difference"].mean() == pytest.approx(names["said"]["estimate"].item())


def test_shares_of_right_answers(reproduced: Project, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    names = played("identity", monkeypatch, reproduced)
    # Baselines hold no debate, and have their shares in another artefact.
    accuracy = names["accuracy"].drop(["refined", "sampled"], level="condition", errors="ignore")
    said = names["said"].reindex(accuracy.index)
    pd.testing.assert_series_equal(accuracy, said, check_names=False)


def test_changes_of_stance(reproduced: Project, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    both = played("deliberation", monkeypatch, reproduced)["both"]
    assert len(both) > 1
    assert (both.iloc[:, 0] == both.iloc[:, 1]).all()


def test_votes_that_follow_the_slot(
    reproduced: Project,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = played("union", monkeypatch, reproduced)
    said = names["said"]
    assert len(said)
    pd.testing.assert_series_equal(names["followed"], said["followed"], check_names=False)
    # Where no vote follows the slot, there is no share of these.
    counted = said["estimate"].dropna()
    pd.testing.assert_series_equal(names["for_a"][counted.index], counted, check_names=False)


def test_the_largest_group(reproduced: Project, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    names = played("consensus", monkeypatch, reproduced)
    complete = names["metrics"]["agreement"].dropna()
    assert len(complete)
    pd.testing.assert_series_equal(
        names["share"].reindex(complete.index), complete, check_names=False
    )


def test_what_a_file_says_of_itself(
    reproduced: Project,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    played("What a file says of itself", monkeypatch, reproduced)
    assert "'simulated': True" in capsys.readouterr().out


def runnable(language: str, code: str) -> bool:
    """Whether what a block needs is on this machine; dissensus itself needs none of it."""
    needs = next((name for name in ("polars", "duckdb") if f"import {name}" in code), "")
    return shutil.which("Rscript") is not None if language == "r" else find_spec(needs) is not None


def test_other_tools_that_are_here_come_to_the_same(
    reproduced: Project,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    expected = played("language", monkeypatch, reproduced)["difference"].mean()
    blocks = BLOCKS["The same in other tools"]
    assert [language for language, _ in blocks] == ["python", "python", "r"]
    for language, code in blocks:
        capsys.readouterr()
        if not runnable(language, code):
            # Compiled at least: pandas reads Parquet here, and no other tool is a dependency.
            assert language == "r" or compile(code, "page", "exec")
            continue
        if language == "r":
            command = ["Rscript", "-e", code]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        else:
            exec(compile(code, "page", "exec"), {})
            printed = capsys.readouterr().out
        assert float(printed) == pytest.approx(expected, abs=1e-5)
