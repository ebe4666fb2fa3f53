"""Which files each job reads: in order, run again when something changed, and nothing written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import ResourceError
from dissensus.run.job_graph import JobGraph
from dissensus.study.completion import note
from dissensus.study.configuration import Configuration, load, load_file
from dissensus.study.kind import Needs, Row
from dissensus.study.sessions import Sessions
from dissensus.study.settings import pick, plain
from dissensus.tables.artefact import write
from dissensus.user_files import read_yaml
from dissensus_studies.language.design.manifest import MANIFEST, draw
from dissensus_studies.language.design.pool import POOL, build_pool
from dissensus_studies.language.kinds import LanguageDebate
from support import ROOT


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def settings(**changes: Any) -> Configuration:
    values = read_yaml(ROOT / "config.yaml")
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


def graph(results: Path, **changes: Any) -> JobGraph:
    """The files of a run."""
    return JobGraph(settings(**changes), results, is_main=True)


def run_all(results: Path) -> None:
    """Run all sessions, and note them as the jobs of their shards do."""
    run = settings()
    sessions = Sessions.read(run, results / "language")
    rows = list(sessions.rows.values())
    sessions.run_all(rows, run.registry(results, "run_session", run.used), 1)
    for shard, some in sessions.shards.items():
        paths = {row["session_id"]: transcript(results, row["session_id"]) for row in some}
        folder = results / f"language/shards/{shard}"
        folder.mkdir(parents=True)
        (folder / "sessions").write_text(note(paths))


def transcript(results: Path, name: str) -> Path:
    return results / f"language/transcripts/{name}.parquet"


def later(graph: JobGraph, position: int) -> str:
    rows = graph.drawn("language").sessions.rows.values()
    return next(row["session_id"] for row in rows if row["position"] == position)


def read(graph: JobGraph, needs: Callable[[Row], Needs]) -> None:
    """Have debates read other sessions and artefacts."""

    class Reading(LanguageDebate):
        def needs(self, row: Row) -> Needs:
            return needs(row)

    study = graph.drawn("language").sessions.study
    study.kinds = [Reading(study.settings)]


def test_a_named_session_runs_with_those_before_it_and_waits_for_no_job(results: Path) -> None:
    made = graph(results)
    for position in (1, 2):
        (changed,) = made.session_inputs("language", later(made, position))
        assert changed.exists() and results not in changed.parents


def test_a_shard_waits_for_those_that_its_sessions_read(results: Path) -> None:
    made = graph(results)
    (changed,) = made.shard_inputs("language", "2")
    assert changed.suffix == ".changed"
    read(made, lambda row: Needs(("d001-en",) if row["block"] == 2 else ()))
    waits, changed = made.shard_inputs("language", "2")
    assert waits == results / "language/shards/1/outcomes.parquet"
    assert len(made.shard_inputs("language", "1")) == 1


def test_what_is_complete_is_left_alone_and_what_changed_is_not(results: Path) -> None:
    run_all(results)
    made = graph(results)
    for name in made.drawn("language").sessions.rows:
        assert made.session_inputs("language", name) == []
    assert made.shard_inputs("language", "1") == made.shard_inputs("language", "2") == []
    assert made.drawn("language").pending == frozenset()
    transcript(results, "d002-en").unlink()
    again = graph(results)
    assert again.drawn("language").pending == {"d002-en"}
    assert again.session_inputs("language", "d002-en")[-1].suffix == ".changed"
    assert again.session_inputs("language", "d003-zh") == []
    # A shard runs again if one of its sessions is pending.
    assert again.shard_inputs("language", "1")[-1].suffix == ".changed"
    assert again.shard_inputs("language", "2") == []
    warmer = settings().language.model_dump()
    warmer["protocol"]["temperature"] = 0.1
    assert len(graph(results, language=warmer).drawn("language").pending) == 8


def test_a_shard_that_has_not_its_sessions_as_they_are_is_gathered_again(results: Path) -> None:
    run_all(results)
    path = results / "language/shards/2/sessions"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    made = graph(results)
    assert made.drawn("language").pending == frozenset()
    assert made.shard_inputs("language", "1") == []
    assert made.shard_inputs("language", "2")[-1].suffix == ".changed"
    # In other shards all are gathered again, and no session runs.
    fewer = graph(results, shards=1)
    assert fewer.drawn("language").pending == frozenset()
    assert fewer.shard_inputs("language", "1")[-1].suffix == ".changed"


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
    read(made, lambda row: Needs((), ("memos/1.txt",) if row["draw_id"] == "d001" else ()))
    memo = results / "language/memos/1.txt"
    assert memo in made.session_inputs("language", "d001-en")
    assert memo not in made.session_inputs("language", "d002-en")
    assert memo in made.shard_inputs("language", "1")
    assert memo not in made.shard_inputs("language", "2")


def test_planning_writes_nothing_in_the_run_s_folder(results: Path) -> None:
    run_all(results)
    transcript(results, "d001-en").unlink()
    before = {path: path.stat().st_mtime_ns for path in results.rglob("*")}
    made = graph(results)
    for name in made.drawn("language").sessions.rows:
        made.session_inputs("language", name)
    made.shard_inputs("language", "1")
    assert {path: path.stat().st_mtime_ns for path in results.rglob("*")} == before


def test_the_note_of_changes_goes_with_the_process(results: Path) -> None:
    made = graph(results)
    note = made.session_inputs("language", later(made, 1))[-1]
    assert note.exists()
    made.close()
    assert not note.exists()


def test_every_shard_has_its_files(results: Path) -> None:
    assert [
        str(path.relative_to(results)) for path in graph(results).shard_files("language", "turns")
    ] == ["language/shards/1/turns.parquet", "language/shards/2/turns.parquet"]


def test_shards_have_no_names_before_the_manifest_is_there(results: Path) -> None:
    assert graph(results).shard_names("language") == ["1", "2"]
    (results / "language/pool.parquet").unlink()
    assert graph(results).shard_names("language") == []
    assert graph(results / "nowhere").shard_names("language") == []


def test_how_many_sessions_run_at_once(results: Path) -> None:
    # Simulated ones compute their words themselves.
    made = graph(results)
    assert (made.at_once("language", "1"), made.cores("language", "1", True)) == (2, 1)
    changed = {
        **{"studies": ["language"], "models": {"real": {"provider": "openai"}}},
        **{"language": {**settings().language.model_dump(), "panel": ["real"] * 4}},
        "shards": 1,
    }
    draw_manifest(settings(**changed), results)
    # Those of real models wait, one of each draw at a time; half of them count as cores.
    made = graph(results, **changed)
    assert (made.at_once("language", "1"), made.cores("language", "1", True)) == (4, 2)
    assert made.cores("language", "1", False) == 1


def test_an_unknown_session_is_a_sentence(results: Path) -> None:
    with pytest.raises(ResourceError, match="d009-en is no session of run demo, which has d001-en"):
        graph(results).row("language", "d009-en")


def test_a_manifest_that_is_drawn_again_is_read_again(results: Path) -> None:
    run = load_file(ROOT / "config.yaml")
    counted: list[tuple[str, int, int]] = []
    made = JobGraph(run, results, is_main=True, expect=lambda *row: counted.append(row))
    assert len(made.drawn("language").sessions.rows) == 8
    folder = results / "language"
    rows = [row for row in made.drawn("language").sessions.rows.values() if row["block"] == 1]
    write(folder / "manifest.parquet", MANIFEST, rows, {})
    assert len(made.drawn("language").sessions.rows) == 4
    assert counted == [("language", 8, 0), ("language", 4, 0)]


def test_sessions_begin_by_study_and_block(results: Path) -> None:
    by_order = {}
    for studies in (["language", "identity"], ["identity", "language"]):
        made = graph(results, studies=studies)
        early, late = (made.priority("language", shard) for shard in "12")
        assert 0 < late < early < 2
        by_order[studies[0]] = early, late
    assert min(by_order["language"]) > 1 > max(by_order["identity"])
