"""Whole runs with many sessions to a job: the same results, and each session's own rerun."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet as pq
import pytest

from forked import Forked
from support import SMALL, Project, built_once

TURNS = "results/demo/language/turns.parquet"
METRICS = "results/demo/language/metrics.parquet"
BUNDLED = {**SMALL, "sessions_per_job": 2}


def bundled(project: Project, **more: Any) -> Project:
    project.configure({**BUNDLED, **more})
    return project


def changed(project: Project, since: float) -> set[str]:
    """The artefacts of sessions that were written after a moment."""
    return {
        str(path.relative_to(project.results()))
        for kind in ("sessions", "calls", "transcripts", "journal")
        for path in (project.results() / kind).iterdir()
        if path.stat().st_mtime > since
    }


@pytest.fixture(scope="session")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run with bundles, measured, for tests that only look."""

    def build(folder: Path) -> None:
        bundled(Project(folder)).succeed(METRICS)

    return Project.at(built_once(tmp_path_factory, "bundled", build))


@pytest.fixture
def ended_copy(ended: Project, tmp_path: Path) -> Project:
    """The same, to change at will."""
    return ended.copy(tmp_path / "project")


def test_bundles_make_the_bytes_that_single_sessions_make(
    finished: Project, ended: Project
) -> None:
    made, single = ended.digests(), finished.digests()
    assert "metrics.parquet" in made
    assert made == {name: single[name] for name in made}
    marks = sorted(path.name for path in (ended.results() / "bundles").iterdir())
    assert marks == ["d001_d001", "d002_d002", "d003_d003", "d004_d004"]
    assert ended.planned(METRICS) == {}


def test_a_deleted_artefact_is_made_again_and_no_other_session_is_touched(
    ended_copy: Project,
) -> None:
    before = ended_copy.digests()
    for kind, name in (("transcripts", "d003-zh"), ("calls", "d001-en"), ("sessions", "d001-zh")):
        (ended_copy.results() / kind / f"{name}.parquet").unlink()
    moment, snapshot = time.time(), ended_copy.snapshot()
    planned = ended_copy.planned(METRICS)
    assert planned["run_bundle"] == 2
    assert ended_copy.snapshot() == snapshot, "a dry run writes nothing"
    # Draws 1 and 3 are in shards of their own, and both are measured again; nothing else is.
    assert planned["gather_shard"] == planned["embed_turns"] == 2
    ended_copy.succeed(TURNS)
    touched = {Path(name).stem for name in changed(ended_copy, moment)}
    assert touched == {"d003-zh", "d001-en", "d001-zh"}
    assert not [name for name in changed(ended_copy, moment) if name.startswith("journal")]
    assert ended_copy.digests() == before
    assert ended_copy.planned(TURNS) == {}


def test_a_single_session_can_be_named_and_runs_alone(project: Project) -> None:
    bundled(project).succeed("results/demo/language/manifest.parquet")
    rows = pq.read_table(project.results() / "manifest.parquet").to_pylist()
    first = next(r["session_id"] for r in rows if r["position"] == 1 and r["draw_id"] == "d002")
    project.succeed(f"results/demo/language/transcripts/{first}.parquet")
    assert [path.stem for path in project.results().glob("transcripts/*")] == [first]


def test_what_a_session_depends_on_runs_it_again_in_either_mode(ended_copy: Project) -> None:
    prompt = ended_copy.folder / "resources/prompts/language/zh.yaml"
    text = prompt.read_text(encoding="utf-8")
    prompt.write_text(text.replace("Deliver your statement now.", "Deliver it now."), "utf-8")
    moment = time.time()
    # A dry run decides nothing.
    ended_copy.planned(TURNS)
    ended_copy.succeed(TURNS)
    touched = {Path(name).stem for name in changed(ended_copy, moment)}
    assert touched == {f"d{draw:03d}-zh" for draw in range(1, 5)}
    # Back to single sessions, of which Snakemake has no record, and the old words.
    prompt.write_text(text, encoding="utf-8")
    ended_copy.configure(SMALL)
    moment = time.time()
    ended_copy.succeed(TURNS)
    stale = {
        Path(name).stem for name in changed(ended_copy, moment) if name.startswith("transcripts")
    }
    assert stale >= {f"d{draw:03d}-zh" for draw in range(1, 5)}


def test_a_session_that_fails_for_good_is_attrition_and_its_bundle_goes_on(
    project: Project,
) -> None:
    models = project.settings()["models"]
    for name in models:
        models[name]["timeout_rate"] = 0.12 if name == "simulated-a" else 0.0
    protocol = {**SMALL["language"], "protocol": {"session_attempts": 1}}
    bundled(project, models=models, language=protocol, sessions_per_job=8)
    said = project.succeed(TURNS)
    assert "failed for good" in said
    assert len(list(project.results().glob("transcripts/*.parquet"))) == 8


@pytest.mark.parametrize("whom", ["run", "job"])
def test_a_killed_run_goes_on_and_asks_nothing_twice(
    finished: Project, project: Project, whom: str
) -> None:
    # A bundle of all that a shard has is still busy when it is to be killed.
    bundled(project, sessions_per_job=4)

    def two_begun() -> bool:
        return len(list(project.results().glob("journal/*.jsonl"))) >= 2

    if whom == "run":
        project.kill_when(two_begun, TURNS)
    else:
        ended = project.disturb_when(two_begun, kill_jobs, TURNS)
        assert "was ended by SIGKILL" in ended.stderr
    project.succeed(TURNS)
    for kind in ("transcripts/*.parquet", "sessions/*.parquet", "turns.parquet"):
        for path in project.results().glob(kind):
            told = finished.results() / path.relative_to(project.results())
            assert path.read_bytes() == told.read_bytes(), path
    assert set(project.requests().values()) == {1}


def kill_jobs(run: Forked) -> None:
    """Kill the processes that run sessions: those that the run's server has forked."""
    for server in psutil.Process(run.pid).children():
        # Any of these may have ended since it was listed.
        with suppress(psutil.NoSuchProcess):
            for script in server.children():
                script.kill()
