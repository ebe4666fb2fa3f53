"""What a plan says was looked at before: other runs, deleted ones, and the author's word."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.plan.registering.before import looked_at, starts
from scripted import ROOT

LOGS = Path(".snakemake/log")
#: As Snakemake writes them.
RAN = "[Sat Nov 28 18:59:54 2026]\nJob 28: Run the sessions of shard 2 of the {} study\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    LOGS.mkdir(parents=True)


def test_the_rule_has_the_words_that_are_looked_for() -> None:
    rules = (ROOT / "workflow/rules/study.smk").read_text("utf-8")
    assert "Run the sessions of shard {wildcards.shard} of the {wildcards.study} study" in rules


def log(time: str, text: str) -> None:
    (LOGS / f"2026-11-28T{time}.500000.snakemake.log").write_text(text, "utf-8")


def test_runs_whose_results_were_deleted_are_known_by_snakemakes_logs() -> None:
    log("093000", RAN.format("echo") * 2)
    log("101500", RAN.format("echo"))
    log("111500", RAN.format("echoes") + "Job 3: Draw the manifest of the echo study\n")
    (LOGS / "echo.snakemake.log").write_text(RAN.format("echo"), "utf-8")
    assert [f"{when:%H:%M}" for when in starts("echo")] == ["09:30", "10:15"]
    assert [*looked_at("first", "echo", [])][1] == (
        "By Snakemake's logs, sessions of this study were begun in this folder 2 times before, "
        "first on 2026-11-28 at 09:30; their replies may have been deleted."
    )


def test_other_runs_and_the_authors_word_are_named_and_the_run_itself_is_not() -> None:
    for run, session in (("pilot", "d1"), ("pilot", "d2"), ("first", "d1")):
        path = Path(f"results/{run}/echo/journal/{session}.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert [*looked_at("first", "echo", ["A pilot."])] == [
        "Run pilot in the same folder: replies of 2 sessions.",
        "By the author's word: A pilot.",
    ]
    assert [*looked_at("first", "other", [])] == [
        "No other run in the same folder has replies of this study.",
        "The author states nothing else: no pilot, no other run, no other's results.",
    ]
