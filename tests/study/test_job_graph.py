"""Which files each job reads: in order, run again when something changed, and nothing written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
import yaml

from dissensus.errors import ResourceError
from dissensus.language.design.manifest import MANIFEST, draw
from dissensus.language.design.pool import POOL, build_pool
from dissensus.study.configuration import Configuration, load, load_file
from dissensus.study.job_graph import JobGraph
from dissensus.study.kept import kept_configuration
from dissensus.study.session_tables import paths_in
from dissensus.study.sessions import Sessions
from dissensus.study.study import Needs, pick, plain
from dissensus.tables.artefact import write
from support import ROOT


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def settings(**changes: Any) -> Configuration:
    values = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    values["language"] |= {"draws": 4, "block_size": 2}
    return load(values | changes)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A run's folder with the manifest of four draws in two blocks."""
    return draw_manifest(settings(), tmp_path)


def draw_manifest(run: Configuration, results: Path) -> Path:
    folder = results / "language"
    pool, _ = build_pool(run.language.pool, run.language.languages)
    items = {row["motion_id"]: row for row in pool}
    chosen = plain(pick(run.language, run.study("language").manifest.settings))
    write(folder / "pool.parquet", POOL, pool, {})
    write(folder / "manifest.parquet", MANIFEST, draw(items, chosen, 1), {})
    return results


def graph(results: Path, runs_here: bool = True, **changes: Any) -> JobGraph:
    """The files of a run that has a job a session unless the changes say otherwise."""
    changed = settings(**{"sessions_per_job": 1, **changes})
    return JobGraph(changed, results, is_main=True, runs_here=runs_here)


def run_all(results: Path) -> None:
    run = settings()
    sessions = Sessions.read(run, results / "language")
    sessions.run_bundle(
        list(sessions.rows.values()), run.registry(results, "run_session", run.used), 1
    )


def later(graph: JobGraph, position: int) -> str:
    rows = graph.drawn("language").sessions.rows.values()
    return next(row["session_id"] for row in rows if row["position"] == position)


def test_a_session_waits_for_its_turn(results: Path) -> None:
    made = graph(results)
    assert len(made.session_inputs("language", later(made, 1))) == 1
    second = later(made, 2)
    first = made.drawn("language").sessions.before(made.row("language", second))[0]
    waits, changed = made.session_inputs("language", second)
    assert waits == paths_in(results / "language", first).transcript
    assert changed.exists() and results not in changed.parents


def test_what_is_complete_is_left_alone_and_what_changed_is_not(results: Path) -> None:
    run_all(results)
    made = graph(results)
    for name in made.drawn("language").sessions.rows:
        assert made.session_inputs("language", name) == []
    assert made.drawn("language").pending == frozenset()
    paths_in(results / "language", "d002-en").calls.unlink()
    again = graph(results)
    assert again.drawn("language").pending == {"d002-en"}
    assert again.session_inputs("language", "d002-en")[-1].suffix == ".changed"
    # Whichever of the two comes first, the other is complete and waits for nothing.
    assert again.session_inputs("language", "d002-zh") == []
    # The same of a bundle: it runs again if one of its sessions is pending.
    assert again.bundle_inputs("language", "d002_d002")[-1].suffix == ".changed"
    assert again.bundle_inputs("language", "d001_d001") == []
    warmer = settings().language.model_dump()
    warmer["protocol"]["temperature"] = 0.1
    assert len(graph(results, language=warmer).drawn("language").pending) == 8


def test_a_study_is_pending_until_all_its_sessions_are_complete(results: Path) -> None:
    made = graph(results, studies=["language", "identity"])
    assert made.pending_studies() == ["language", "identity"]
    assert len(made.drawn("language").pending) == 8 and made.done() == 0
    assert made.pending_studies() == ["language", "identity"]
    run_all(results)
    # What was planned stays; what is complete now is counted.
    assert made.pending_studies() == ["language", "identity"]
    assert made.done() == 8
    again = graph(results, studies=["language"])
    assert again.drawn("language").pending == frozenset()
    assert again.pending_studies() == []


def test_what_a_session_reads_is_among_its_inputs_and_its_age_matters(results: Path) -> None:
    made = graph(results)
    study = made.drawn("language").sessions.study
    study.needs = lambda row: Needs((), ("memos/1.txt",) if row["draw_id"] == "d001" else ())
    memo = results / "language/memos/1.txt"
    assert memo in made.session_inputs("language", "d001-en")
    assert memo not in made.session_inputs("language", "d002-en")
    assert memo in made.bundle_inputs("language", "d001_d002")
    assert memo not in made.bundle_inputs("language", "d003_d004")


def test_planning_writes_nothing_in_the_run_s_folder(results: Path) -> None:
    run_all(results)
    (results / "language/bundles").mkdir()
    (results / "language/bundles/d001_d001").touch()
    paths_in(results / "language", "d001-en").transcript.unlink()
    before = {path: path.stat().st_mtime_ns for path in results.rglob("*")}
    made = graph(results)
    for name in made.drawn("language").sessions.rows:
        made.session_inputs("language", name)
    made.bundle_inputs("language", "d001_d001")
    made.all_sessions("language")
    assert {path: path.stat().st_mtime_ns for path in results.rglob("*")} == before


def test_the_note_of_changes_goes_with_the_process(results: Path) -> None:
    made = graph(results)
    note = made.session_inputs("language", later(made, 1))[-1]
    assert note.exists()
    made.close()
    assert not note.exists()


def test_shards_gather_sessions_or_bundles(results: Path) -> None:
    one, two = graph(results), graph(results, sessions_per_job=4)
    assert len(one.shard_inputs("language", "1")) == 4
    assert [path.name for path in two.shard_inputs("language", "1")] == ["d001_d002"]
    assert len(one.all_sessions("language")) == 8
    assert [path.name for path in two.all_sessions("language")] == ["d001_d002", "d003_d004"]
    assert [str(path.relative_to(results)) for path in one.shard_files("language", "turns")] == [
        "language/shards/1/turns.parquet",
        "language/shards/2/turns.parquet",
    ]


@pytest.mark.parametrize("per_job", [1, 4])
@pytest.mark.parametrize("kind", ["calls", "transcripts"])
def test_a_shard_is_gathered_again_where_a_file_of_its_sessions_changed(
    results: Path, per_job: int, kind: str
) -> None:
    run_all(results)
    gathered = results / "language/shards/1/calls.parquet"
    gathered.parent.mkdir(parents=True)
    gathered.touch()
    before = graph(results, sessions_per_job=per_job).shard_inputs("language", "1")
    later_ns = gathered.stat().st_mtime_ns + 1_000_000
    os.utime(results / f"language/{kind}/d001-zh.parquet", ns=(later_ns, later_ns))
    made = graph(results, sessions_per_job=per_job)
    *others, note = made.shard_inputs("language", "1")
    assert others == before and note.suffix == ".changed"
    assert made.shard_inputs("language", "2")[-1].suffix != ".changed"


def test_shards_have_no_names_before_the_manifest_is_there(results: Path) -> None:
    assert graph(results).shard_names("language") == ["1", "2"]
    (results / "language/pool.parquet").unlink()
    assert graph(results).shard_names("language") == []
    assert graph(results / "nowhere").shard_names("language") == []


def test_how_many_sessions_a_job_runs(results: Path) -> None:
    assert graph(results, sessions_per_job=3).per_job("language") == 3
    # Where none is set: simulated sessions are over sooner than a job of their own is planned.
    assert graph(results, sessions_per_job=None).per_job("language") == 100
    assert graph(results).cores("language", "d001_d002") == 1
    assert graph(results).at_once("language", "d001_d002", 1) == 2
    changed = {
        **{"studies": ["language"], "models": {"real": {"provider": "openai"}}},
        **{"language": {**settings().language.model_dump(), "panel": ["real"] * 4}},
        "sessions_per_job": None,
    }
    draw_manifest(settings(**changed), results)
    assert graph(results, **changed).per_job("language") == 1
    assert graph(results, **changed, few_sessions=7).per_job("language") == 100
    assert graph(results, runs_here=False, **changed).per_job("language") == 100
    assert graph(results, **changed).cores("language", "d001_d002") == 4


def test_an_unknown_session_is_a_sentence(results: Path) -> None:
    with pytest.raises(ResourceError, match="d009-en is no session of run demo, which has d001-en"):
        graph(results).row("language", "d009-en")


def test_a_manifest_that_is_drawn_again_is_read_again(results: Path) -> None:
    run = load_file(ROOT / "config.yaml")
    counted: list[tuple[str, int, int]] = []
    made = JobGraph(
        run, results, is_main=True, runs_here=True, expect=lambda *row: counted.append(row)
    )
    assert len(made.drawn("language").sessions.rows) == 8
    folder = results / "language"
    rows = [row for row in made.drawn("language").sessions.rows.values() if row["block"] == 1]
    write(folder / "manifest.parquet", MANIFEST, rows, {})
    assert len(made.drawn("language").sessions.rows) == 4
    assert counted == [("language", 8, 0), ("language", 4, 0)]


def test_the_configuration_is_kept_beside_the_first_session_that_is_run(results: Path) -> None:
    run, given = settings(), {"seed": 7}
    made = JobGraph(run, results, is_main=True, runs_here=True, configuration=given)
    name = next(iter(made.drawn("language").sessions.rows))
    assert kept_configuration(results / "language") is None
    registry = run.registry(results, "run_session", run.used)
    made.run_session("language", name, registry, str(results / "log"))
    assert (results / "log").read_text("utf-8") == f"{name}: complete\n"
    assert kept_configuration(results / "language") == (given, ANY)


def test_sessions_begin_by_study_and_block(results: Path) -> None:
    by_order = {}
    for studies in (["language", "identity"], ["identity", "language"]):
        made = graph(results, studies=studies)
        rows = made.drawn("language").sessions.rows
        by_order[studies[0]] = {name: made.priority("language", [name]) for name in rows}
        assert all(0 < value < 2 for value in by_order[studies[0]].values())
        blocks = {name: row["block"] for name, row in rows.items()}
        early, late = (
            [v for n, v in by_order[studies[0]].items() if blocks[n] == b] for b in (1, 2)
        )
        assert min(early) > max(late)
    assert min(by_order["language"].values()) > 1 > max(by_order["identity"].values())
