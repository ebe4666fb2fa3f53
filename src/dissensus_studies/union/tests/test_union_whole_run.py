"""Whole runs of the union study: what is killed goes on, and what waits for what."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from both import ran_since, rows
from support import Project, built_once

#: One motion, two epochs of two runs in both arms.
UNION: dict[str, Any] = {
    "studies": ["union"],
    "union": {
        "motions": "motions.yaml",
        "epochs": 2,
        "runs": 2,
        "inference": {"resamples": 100},
        "diagnosis": {"simulations": 2},
    },
}
#: Where these tests stop: before figures, tables and pages.
ESTIMATES = [
    f"results/demo/union/{name}"
    for name in (
        *("outcomes.parquet", "judges.parquet", "coaching.parquet", "map.parquet", "summary.json"),
        *("wins.parquet", "survival.parquet"),
    )
]
KINDS = (".parquet", ".json")
STYLE, MEMO = "lottery-e0-style", "lottery-e2-memo"
DEBATES = {
    f"lottery-e{epoch}-r{run:02d}-{arm}"
    for epoch in (1, 2)
    for run in (1, 2)
    for arm in ("coached", "control")
}


def small(folder: Path) -> Project:
    """A fresh project of the union study alone."""
    made = Project(folder)
    path = made.folder / "resources/motions/union.yaml"
    motions = yaml.safe_load(path.read_text(encoding="utf-8"))["motions"]
    kept = [one for one in motions if one["id"] == "lottery"]
    text = yaml.safe_dump({"motions": kept}, allow_unicode=True)
    (made.folder / "motions.yaml").write_text(text, encoding="utf-8")
    made.configure(UNION)
    return made


def everything(project: Project) -> dict[str, bytes]:
    """The bytes of all results but of those that have clock readings: calls, spending, logs."""
    found = project.digests(KINDS, study="union")
    clocks = ("calls", "spending", "logs", "journal")
    return {name: held for name, held in found.items() if not any(one in name for one in clocks)}


def sessions_with(project: Project, kind: str) -> set[str]:
    """The sessions that have an artefact of a kind."""
    return {path.stem for path in (project.results(study="union") / kind).glob("*")}


@pytest.fixture(scope="session")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run with its estimates, for tests that only look."""

    def build(folder: Path) -> None:
        small(folder).succeed(*ESTIMATES)

    return Project.at(built_once(tmp_path_factory, "union", build))


@pytest.fixture
def ended_copy(ended: Project, tmp_path: Path) -> Project:
    """The same, to change at will."""
    return ended.copy(tmp_path / "project")


def kill_once_begun(project: Project, epoch: int) -> tuple[set[str], set[str]]:
    """Kill a run when it has begun debates of an epoch; what of the epoch had begun and ended."""
    debates = {name for name in DEBATES if f"-e{epoch}-" in name}
    project.kill_when(lambda: bool(debates & sessions_with(project, "journal")), *ESTIMATES)
    begun, complete = (sessions_with(project, kind) for kind in ("journal", "transcripts"))
    return debates & begun, debates & complete


@pytest.mark.thorough
def test_what_is_killed_in_the_middle_of_an_epoch_goes_on_to_the_same_bytes(
    ended: Project, tmp_path: Path
) -> None:
    project = small(tmp_path / "project")
    for epoch in (1, 2):
        begun, complete = kill_once_begun(project, epoch)
        assert begun and len(complete) < 4
        assert not (project.results(study="union") / "turns.parquet").exists()
    project.succeed(*ESTIMATES)
    assert everything(project) == everything(ended)
    # Nobody was asked twice.
    assert project.requests() == ended.requests()
    assert set(project.requests().values()) == {1}
    assert not list(project.folder.glob("results/demo/**/*.part"))
    assert project.planned(*ESTIMATES) == {}


def test_a_run_has_every_session_and_the_estimates_of_all(ended: Project) -> None:
    folder = ended.results(study="union")
    assert sessions_with(ended, "transcripts") == {STYLE, MEMO, *DEBATES}
    verdicts = rows(folder / "verdicts.parquet")
    assert {row["session_id"] for row in verdicts} == DEBATES
    assert Counter(row["speaker"] for row in rows(folder / "speeches.parquet")).total() == 48
    for name in ("judges", "wins", "survival", "coaching", "map", "clusters"):
        assert rows(folder / f"{name}.parquet"), name
    assert ended.planned(*ESTIMATES) == {}


@pytest.mark.parametrize(
    ("target", "needed"),
    [
        # A memo waits for the coached debates of the epoch before, and for nothing else.
        (MEMO, {MEMO, STYLE, "lottery-e1-r01-coached", "lottery-e1-r02-coached"}),
        # Who reads no memo waits for no debate.
        ("lottery-e2-r02-control", {"lottery-e2-r02-control", STYLE}),
    ],
)
def test_a_session_waits_for_what_it_reads_and_for_nothing_else(
    ended: Project, tmp_path: Path, target: str, needed: set[str]
) -> None:
    project = small(tmp_path / "project")
    project.succeed(f"results/demo/union/transcripts/{target}.parquet")
    assert sessions_with(project, "transcripts") == needed
    for name in needed:
        path = f"transcripts/{name}.parquet"
        made, whole = (one.results(study="union") / path for one in (project, ended))
        assert made.read_bytes() == whole.read_bytes()


def test_a_deleted_transcript_is_made_again_and_no_other_session_is_touched(
    ended_copy: Project,
) -> None:
    before, keys = everything(ended_copy), ended_copy.requests()
    lost = "lottery-e1-r02-control"
    (ended_copy.results(study="union") / f"transcripts/{lost}.parquet").unlink()
    moment = time.time()
    ended_copy.succeed(*ESTIMATES)
    assert ran_since(ended_copy, moment) == {lost}
    assert ended_copy.requests() == keys
    assert everything(ended_copy) == before


#: What makes sessions, and what is said and judged in them.
BEFORE = {"run_sessions", "gather_union_turns", "retrieve_passages"}


@pytest.mark.parametrize(
    ("artefact", "runs", "spared"),
    [
        ("judges.parquet", {"audit_judges"}, {"estimate_coaching", "map_claims"}),
        (
            "coaching.parquet",
            {"estimate_coaching"},
            {"audit_judges", "estimate_wins", "map_claims"},
        ),
        ("map.parquet", {"map_claims"}, {"audit_judges", "estimate_wins"}),
        ("votes.parquet", {"reconstruct_union", "audit_judges", "summarise_union"}, set()),
    ],
)
def test_a_deleted_result_runs_only_what_depends_on_it(
    ended_copy: Project, artefact: str, runs: set[str], spared: set[str]
) -> None:
    (ended_copy.results(study="union") / artefact).unlink()
    planned = set(ended_copy.planned(*ESTIMATES, f"results/demo/union/{artefact}"))
    assert runs <= planned
    spared = spared | BEFORE | ({"reconstruct_union"} - runs)
    assert not planned & spared
