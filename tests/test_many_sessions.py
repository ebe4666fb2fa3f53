"""Whole runs of a study with more than few sessions, whose bundles keep what sessions tried."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from snakemake.utils import update_config

from dissensus.study.configuration import load
from dissensus.study.reading import read_session
from dissensus.study.verify import verify
from support import SMALL, Project, built_once

STUDY = "results/demo/language"
TURNS, METRICS = f"{STUDY}/turns.parquet", f"{STUDY}/metrics.parquet"
#: Eight sessions are many here, in bundles of two.
MANY: dict[str, Any] = {**SMALL, "sessions_per_job": 2, "few_sessions": 7}
CLOCK = {"started", "ended"}


def many(project: Project, **more: Any) -> Project:
    project.configure({**MANY, **more})
    return project


@pytest.fixture(scope="session")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run of many sessions, measured, for tests that only look."""

    def build(folder: Path) -> None:
        many(Project(folder)).succeed(METRICS)

    return Project.at(built_once(tmp_path_factory, "many", build))


@pytest.fixture
def ended_copy(ended: Project, tmp_path: Path) -> Project:
    """The same, to change at will."""
    return ended.copy(tmp_path / "project")


def tables(project: Project) -> list[Path]:
    return sorted((project.results() / "bundles").glob("*.parquet"))


def without_clock(path: Path) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in row.items() if name not in CLOCK}
        for row in pq.read_table(path).to_pylist()
    ]


def written(project: Project, since: float) -> set[str]:
    """What was written of sessions after a moment."""
    return {
        str(path.relative_to(project.results()))
        for kind in ("sessions", "calls", "transcripts", "journal", "bundles")
        for path in (project.results() / kind).glob("*")
        if path.stat().st_mtime > since
    }


def test_a_session_leaves_its_transcript_and_its_journal(finished: Project, ended: Project) -> None:
    made, single = ended.digests(), finished.digests()
    shared = {name for name in made if not name.startswith("bundles/")}
    assert {"metrics.parquet", "transcripts/d004-zh.parquet"} <= shared
    assert {name: made[name] for name in shared} == {name: single[name] for name in shared}
    folders = {path.name for path in ended.results().iterdir() if path.is_dir()}
    assert folders == {"transcripts", "journal", "bundles", "shards", "logs"}
    assert not list((ended.results() / "logs/run_session").glob("*"))
    assert [path.stem for path in tables(ended)] == [f"d00{n}_d00{n}" for n in range(1, 5)]
    assert ended.planned(METRICS) == {}


def test_a_bundle_keeps_what_files_of_single_sessions_hold(
    finished: Project, ended: Project
) -> None:
    tried = [row for path in tables(ended) for row in without_clock(path)]
    alone = []
    for name in dict.fromkeys(row["session_id"] for row in tried):
        attempts = without_clock(finished.results() / f"sessions/{name}.parquet")
        calls = without_clock(finished.results() / f"calls/{name}.parquet")
        alone += [{**a, **c} for a, c in zip(attempts, calls, strict=True)]
        own, other = (read_session(each.results(), name) for each in (ended, finished))
        assert own.attempts == other.attempts and len(own.calls) == len(other.calls)
    assert tried == alone and len(tried) > 60


def test_a_session_s_own_files_are_made_where_they_are_named(
    finished: Project, ended_copy: Project
) -> None:
    moment, before = time.time(), ended_copy.requests()
    ended_copy.succeed(f"{STUDY}/calls/d003-zh.parquet")
    assert written(ended_copy, moment) == {"calls/d003-zh.parquet", "sessions/d003-zh.parquet"}
    for kind in ("calls", "sessions"):
        path = f"{kind}/d003-zh.parquet"
        assert without_clock(ended_copy.results() / path) == without_clock(
            finished.results() / path
        )
    assert ended_copy.requests() == before
    assert ended_copy.planned(METRICS) == {}
    # They go where the session is run again with others, rather than grow old.
    prompt = ended_copy.folder / "resources/prompts/language/zh.yaml"
    text = prompt.read_text(encoding="utf-8")
    prompt.write_text(text.replace("Deliver your statement now.", "Deliver it now."), "utf-8")
    ended_copy.succeed(TURNS)
    assert not list(ended_copy.results().glob("calls/*"))


@pytest.mark.parametrize("kind", ["transcripts", "sessions"])
def test_a_session_can_be_named_and_runs_alone(project: Project, kind: str) -> None:
    many(project).succeed(f"{STUDY}/manifest.parquet")
    rows = pq.read_table(project.results() / "manifest.parquet").to_pylist()
    first = next(r["session_id"] for r in rows if r["position"] == 1 and r["draw_id"] == "d002")
    project.succeed(f"{STUDY}/{kind}/{first}.parquet")
    assert [path.stem for path in project.results().glob("transcripts/*")] == [first]
    # Its bundle takes it as it is.
    project.succeed(TURNS)
    assert set(project.requests().values()) == {1}
    assert project.planned(TURNS) == {}


def test_a_bundle_s_file_is_no_target_and_stays_as_it_is(ended_copy: Project) -> None:
    (ended_copy.results() / "bundles/d001_d001").unlink()
    path = ended_copy.results() / "bundles/d001_d001.parquet"
    before = path.read_bytes()
    path.touch()
    done = ended_copy.run(f"{STUDY}/bundles/d001_d001.parquet", "--force")
    assert done.returncode != 0 and path.read_bytes() == before


def test_what_is_deleted_is_made_again_and_nothing_else(ended_copy: Project) -> None:
    sound, before = ended_copy.digests(), ended_copy.requests()
    results = ended_copy.results()
    (results / "transcripts/d003-zh.parquet").unlink()
    (results / "bundles/d001_d001.parquet").unlink()
    moment = time.time()
    assert ended_copy.planned(TURNS)["run_bundle"] == 2
    ended_copy.succeed(TURNS)
    assert written(ended_copy, moment) == {
        "transcripts/d003-zh.parquet",
        *(f"bundles/{n}{end}" for n in ("d001_d001", "d003_d003") for end in ("", ".parquet")),
    }
    assert ended_copy.requests() == before
    assert ended_copy.digests() == sound
    assert ended_copy.planned(TURNS) == {}


def test_a_session_that_ran_alone_with_other_words_is_gathered_again(ended_copy: Project) -> None:
    """Its bundle, which has its earlier calls, takes the new ones from its journal."""
    prompt = ended_copy.folder / "resources/prompts/language/zh.yaml"
    text = prompt.read_text(encoding="utf-8")
    prompt.write_text(text.replace("Deliver your statement now.", "Deliver it now."), "utf-8")
    names = [f"d00{draw}-zh" for draw in range(1, 5)]
    ended_copy.succeed(*(f"{STUDY}/transcripts/{name}.parquet" for name in names))
    for kind in ("sessions", "calls"):
        for path in (ended_copy.results() / kind).iterdir():
            path.unlink()
    assert ended_copy.planned(TURNS)["run_bundle"] == 4
    ended_copy.succeed(TURNS)
    assert re.search(r"all as they were made\.", ended_copy.succeed("verify"))


def test_an_edited_file_of_a_bundle_is_seen(ended_copy: Project) -> None:
    path = ended_copy.results() / "bundles/d002_d002.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    done = ended_copy.run(METRICS)
    assert done.returncode != 0
    assert f"{STUDY}/bundles/d002_d002.parquet is damaged (" in done.stderr
    path.unlink()
    ended_copy.succeed(METRICS)
    assert re.search(r"all as they were made\.", ended_copy.succeed("verify"))


def test_an_edited_transcript_is_seen_though_its_bundle_has_noted_it(ended_copy: Project) -> None:
    path = ended_copy.results() / "transcripts/d002-en.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    done = ended_copy.run(METRICS)
    assert done.returncode != 0
    assert f"{STUDY}/transcripts/d002-en.parquet is damaged (" in done.stderr
    # Of the same size and age, `verify` alone sees it.
    noted = (ended_copy.results() / "bundles/d002_d002").read_text("utf-8").splitlines()
    changed = next(int(line.split("\t")[3]) for line in noted if line.startswith("d002-en"))
    os.utime(path, ns=(changed, changed))
    assert "d002-en.parquet is damaged (" in ended_copy.run("verify").stderr


def test_damage_in_any_file_is_found(ended_copy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ended_copy.folder)
    values = ended_copy.settings()
    update_config(values, yaml.safe_load(Path("more.yaml").read_text("utf-8")))
    settings, run = load(values), Path("results/demo")
    found = verify(settings, run)
    assert (found.findings, found.sessions, found.missing) == ({}, 8, 2)
    places = [
        *(Path(STUDY) / "bundles").glob("d002*"),
        Path(STUDY) / "transcripts/d002-en.parquet",
        Path(STUDY) / "journal/d002-en.jsonl",
    ]
    assert len(places) == 4
    for path in places:
        sound = path.read_bytes()
        for harmed in (sound[:-40], sound[:90] + bytes([sound[90] ^ 1]) + sound[91:]):
            path.write_bytes(harmed)
            assert str(path) in "\n".join(verify(settings, run).findings.values()), path
        path.write_bytes(sound)
    (Path(STUDY) / "bundles/d002_d002.parquet").unlink()
    found = verify(settings, run)
    assert (found.findings, found.sessions, found.pending) == ({}, 6, 2)


def test_a_study_that_grows_beyond_few_keeps_what_it_has(copied: Project) -> None:
    """Sessions that ran alone stay as they are; bundles gather what they tried."""
    sound, before = copied.digests(), copied.requests()
    many(copied).succeed(METRICS)
    assert copied.requests() == before
    after = {n: data for n, data in copied.digests().items() if not n.startswith("bundles/")}
    assert after == sound
    assert len(tables(copied)) == 4
    # And back, where each session has its own files.
    for kind in ("sessions", "calls"):
        (copied.results() / f"{kind}/d001-en.parquet").unlink()
    copied.configure(SMALL)
    copied.succeed(METRICS)
    assert (copied.results() / "calls/d001-en.parquet").exists()
    assert copied.requests() == before


@pytest.mark.parametrize("when", ["sessions", "bundles"])
def test_a_killed_run_goes_on_and_asks_nothing_twice(
    ended: Project, project: Project, when: str
) -> None:
    many(project)
    kinds = {"sessions": "transcripts/*.parquet", "bundles": "bundles/*.parquet"}

    def begun() -> bool:
        return len(list(project.results().glob(kinds[when]))) >= 1

    project.kill_when(begun, TURNS)
    project.succeed(TURNS)
    assert set(project.requests().values()) == {1}
    for path in (*project.results().glob("transcripts/*"), project.results() / "turns.parquet"):
        told = ended.results() / path.relative_to(project.results())
        assert path.read_bytes() == told.read_bytes(), path
    assert [without_clock(path) for path in tables(project)] == [
        without_clock(path) for path in tables(ended)
    ]


def test_a_lost_journal_of_a_session_that_has_ended_is_a_sentence(ended_copy: Project) -> None:
    """What it tried cannot be told, and nothing is paid again unasked."""
    (ended_copy.results() / "journal/d001-en.jsonl").unlink()
    (ended_copy.results() / "bundles/d001_d001.parquet").unlink()
    done = ended_copy.run(TURNS)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    said = done.stdout + done.stderr
    print(said)
    assert f"{STUDY}/journal/d001-en.jsonl lacks a reply that d001-en was made from" in said
    (ended_copy.results() / "transcripts/d001-en.parquet").unlink()
    ended_copy.succeed(TURNS)
    assert ended_copy.planned(TURNS) == {}
