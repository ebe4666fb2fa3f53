"""Whole runs: what a shard's job keeps of its sessions, makes again, and loses to no kill."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet as pq
import pytest
from snakemake.utils import update_config

from dissensus.keep.reading import read_session
from dissensus.keep.verify import verify
from dissensus.study.configuration import load
from dissensus.user_files import read_yaml
from forked import Forked
from marking import thorough_but
from support import SMALL, Project

STUDY = "results/demo/language"
TURNS, METRICS = f"{STUDY}/turns.parquet", f"{STUDY}/metrics.parquet"
CLOCK = {"started", "ended"}


def without_clock(path: Path) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.items() if name not in CLOCK}
        for row in pq.read_table(path).to_pylist()
    ]


def tried(project: Project) -> list[Path]:
    return sorted(project.results().glob("shards/*/attempts.parquet"))


def other_words(project: Project) -> None:
    """Change the prompt of the sessions in Chinese."""
    prompt = project.folder / "studies/language/prompts/zh.yaml"
    text = prompt.read_text(encoding="utf-8")
    prompt.write_text(text.replace("Deliver your statement now.", "Deliver it now."), "utf-8")


def test_a_session_leaves_its_transcript_and_its_journal(finished: Project) -> None:
    folders = {path.name for path in finished.results().iterdir() if path.is_dir()}
    assert {"transcripts", "journal", "shards"} <= folders
    assert not {"sessions", "calls"} & folders
    assert [path.parent.name for path in tried(finished)] == ["1", "2"]


@pytest.mark.thorough
def test_a_session_s_own_files_are_made_where_they_are_named(copied: Project) -> None:
    asked, moment = copied.requests(), time.time()
    copied.succeed(f"{STUDY}/calls/d003-zh.parquet")
    assert copied.sessions_written(moment) <= {"d003-zh"} and copied.requests() == asked
    whole = {row["session_id"]: [] for path in tried(copied) for row in without_clock(path)}
    for path in tried(copied):
        for row in without_clock(path):
            whole[row["session_id"]].append(row)
    alone = [
        {**attempt, **call}
        for attempt, call in zip(
            *(
                without_clock(copied.results() / f"{kind}/d003-zh.parquet")
                for kind in ("sessions", "calls")
            ),
            strict=True,
        )
    ]
    assert alone == whole["d003-zh"]
    read = read_session(copied.results(), "d003-zh")
    assert len(read.calls) == len(alone) == len(read.attempts)
    assert copied.planned(METRICS) == {}
    # They go where the session is run again with others, rather than grow old.
    other_words(copied)
    copied.succeed(TURNS)
    assert not list(copied.results().glob("calls/*"))


@pytest.mark.parametrize("kind", thorough_but(["transcripts", "sessions"], "transcripts"))
def test_a_session_can_be_named_and_runs_alone(project: Project, kind: str) -> None:
    project.succeed(f"{STUDY}/manifest.parquet")
    rows = pq.read_table(project.results() / "manifest.parquet").to_pylist()
    first = next(r["session_id"] for r in rows if r["position"] == 1 and r["draw_id"] == "d002")
    project.succeed(f"{STUDY}/{kind}/{first}.parquet")
    assert [path.stem for path in project.results().glob("transcripts/*")] == [first]
    # Its shard takes it as it is.
    project.succeed(TURNS)
    assert set(project.requests().values()) == {1}
    assert project.planned(TURNS) == {}


def test_a_session_is_read_before_its_shard_is_gathered(copied: Project, monkeypatch: Any) -> None:
    monkeypatch.chdir(copied.folder)
    whole = read_session(Path(STUDY), "d002-en")
    for name in ("attempts.parquet", "sessions"):
        (Path(STUDY) / "shards/2" / name).unlink()
    alone = read_session(Path(STUDY), "d002-en")
    assert (alone.attempts, alone.calls) == (whole.attempts, whole.calls)


@pytest.mark.thorough
def test_what_is_deleted_is_made_again_and_nothing_else(copied: Project) -> None:
    sound, asked = copied.digests(), copied.requests()
    (copied.results() / "transcripts/d003-zh.parquet").unlink()
    (copied.results() / "shards/1/attempts.parquet").unlink()
    (copied.results() / "shards/1/sessions").unlink()
    snapshot, moment = copied.snapshot(), time.time()
    planned = copied.planned(METRICS)
    assert copied.snapshot() == snapshot, "a dry run writes nothing"
    assert planned["run_sessions"] == planned["embed_turns"] == 2
    assert copied.sessions_planned(METRICS) == 1
    copied.succeed(METRICS)
    assert copied.sessions_written(moment) == {"d003-zh"}
    assert copied.requests() == asked
    assert copied.digests() == sound
    assert copied.planned(METRICS) == {}


@pytest.mark.thorough
def test_a_session_that_ran_alone_with_other_words_is_gathered_again(copied: Project) -> None:
    """Its shard, which has its earlier calls, takes the new ones from its journal."""
    other_words(copied)
    names = [f"d00{draw}-zh" for draw in range(1, 5)]
    copied.succeed(*(f"{STUDY}/transcripts/{name}.parquet" for name in names))
    asked = copied.requests()
    assert copied.planned(TURNS)["run_sessions"] == 2
    copied.succeed(TURNS, f"{STUDY}/spending.parquet")
    assert copied.requests() == asked
    assert re.search(r"all as they were made\.", copied.succeed("verify"))


def test_other_shards_run_no_session_again(copied: Project) -> None:
    moment, sound = (
        time.time(),
        {
            name: pq.read_table(copied.results() / f"{name}.parquet").to_pylist()
            for name in ("turns", "outcomes", "metrics")
        },
    )
    copied.configure({**SMALL, "shards": 1})
    copied.succeed(METRICS)
    assert copied.sessions_written(moment) == set()
    for name in ("turns", "outcomes", "metrics"):
        again = pq.read_table(copied.results() / f"{name}.parquet").to_pylist()
        assert again == sound[name], name
    assert len(tried(copied)) == 2, "what another division made stays, and counts nowhere"


def test_damage_in_any_file_is_found(copied: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copied.folder)
    values = copied.settings()
    update_config(values, read_yaml(Path("more.yaml")))
    settings, run = load(values), Path("results/demo")
    for path in (
        Path(STUDY) / "shards/2/attempts.parquet",
        Path(STUDY) / "shards/2/sessions",
        Path(STUDY) / "transcripts/d002-en.parquet",
        Path(STUDY) / "journal/d002-en.jsonl",
    ):
        sound = path.read_bytes()
        for harmed in (sound[:-40], sound[:90] + bytes([sound[90] ^ 1]) + sound[91:]):
            path.write_bytes(harmed)
            assert str(path) in "\n".join(verify(settings, run).findings.values()), path
        path.write_bytes(sound)


def test_a_session_that_fails_for_good_is_attrition_and_its_job_goes_on(project: Project) -> None:
    models = project.settings()["models"]
    for name in models:
        models[name]["empty_rate"] = 0.0
        models[name]["timeout_rate"] = 0.3 if name == "simulated-a" else 0.0
    language = {**SMALL["language"], "protocol": {"session_attempts": 1}}
    project.configure({**SMALL, "models": models, "language": language, "shards": 1})
    said = project.succeed(TURNS)
    assert re.search(r"d00\d-\w\w: failed for good, turn \d: timeout", said)
    assert len(list(project.results().glob("transcripts/*.parquet"))) == 8


@pytest.mark.parametrize("whom", thorough_but(["run", "job"], "run"))
def test_a_killed_run_goes_on_and_asks_nothing_twice(
    finished: Project, project: Project, whom: str
) -> None:
    def two_begun() -> bool:
        return len(list(project.results().glob("journal/*.jsonl"))) >= 2

    if whom == "run":
        project.kill_when(two_begun, TURNS)
    else:
        ended = project.disturb_when(two_begun, kill_jobs, TURNS)
        assert "was ended by SIGKILL" in ended.stderr
    project.succeed(TURNS)
    for path in (*project.results().glob("transcripts/*"), project.results() / "turns.parquet"):
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


@pytest.mark.thorough
def test_a_lost_journal_of_a_session_that_has_ended_is_a_sentence(copied: Project) -> None:
    """What it tried cannot be told, and nothing is paid again unasked."""
    (copied.results() / "journal/d001-en.jsonl").unlink()
    (copied.results() / "shards/1/sessions").unlink()
    done = copied.run(TURNS)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    said = done.stdout + done.stderr
    assert f"{STUDY}/journal/d001-en.jsonl lacks a reply that d001-en was made from" in said
    (copied.results() / "transcripts/d001-en.parquet").unlink()
    copied.succeed(TURNS)
    assert copied.planned(TURNS) == {}
