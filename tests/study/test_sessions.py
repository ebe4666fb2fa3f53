"""Which sessions are still to be held, and what of a grown study is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.language.design.manifest import Drawing, draw_manifest
from dissensus.language.design.pool import build_pool
from dissensus.language.session import Debates
from dissensus.study import jobs
from dissensus.study.configuration import Configuration, load_file
from dissensus.study.sessions import ARTEFACTS, Sessions, journal_in, paths_in
from support import ROOT


@pytest.fixture(scope="module")
def settings() -> Configuration:
    return load_file(ROOT / "config.yaml")


@pytest.fixture
def study(settings: Configuration, tmp_path: Path) -> tuple[Sessions, list[dict[str, Any]], Any]:
    """The sessions of two draws, none of them held; their rows; the models."""
    language = settings.language
    pool, _ = build_pool(language.pool, language.languages)
    rows = draw_manifest(pool, Drawing(1, 2, 25, list(language.languages), language.panel))
    motions = {row["motion_id"]: row for row in pool}
    by_id = {row["session_id"]: row for row in rows}
    known = dict.fromkeys(language.panel, "0")
    sessions = Sessions(Debates(tmp_path, language, by_id, motions, known))
    return sessions, rows, settings.registry(tmp_path, "run_session", language.panel)


def ids(rows: list[Any]) -> list[str]:
    return [row["session_id"] for row in rows]


def test_a_bundle_holds_what_is_not_held(study: tuple[Sessions, list[Any], Any]):
    sessions, rows, models = study
    assert sessions.pending(rows) == rows
    sessions.hold(rows[1], models)
    before = {path: path.stat().st_mtime_ns for path in sessions.folder.rglob("*.*")}
    assert ids(sessions.pending(rows)) == ["d001-en", "d002-en", "d002-zh"]
    assert sessions.run_bundle(rows, models, at_once=2) == {}
    assert sessions.pending(rows) == []
    assert all(path.stat().st_mtime_ns == moment for path, moment in before.items())


def test_a_missing_artefact_or_another_specification_makes_a_session_one_to_hold(
    study: tuple[Sessions, list[Any], Any],
):
    sessions, rows, models = study
    sessions.run_bundle(rows, models, at_once=1)
    for kind, name in zip(ARTEFACTS, ids(rows), strict=False):
        (sessions.folder / kind / f"{name}.parquet").unlink()
    paths_in(sessions.folder, "d002-zh").held.write_text("0" * 64)
    assert ids(sessions.pending(rows)) == ids(rows)


def times(sessions: Sessions) -> dict[str, float]:
    return {path.name: path.stat().st_mtime for path in (sessions.folder / "specs").iterdir()}


def test_a_note_is_new_where_a_session_is_to_be_held_and_old_where_it_is(
    study: tuple[Sessions, list[Any], Any],
):
    sessions, rows, models = study
    sessions.hold(rows[0], models)
    assert ids(sessions.note()) == ids(rows)[1:]
    first = times(sessions)
    assert first.pop("d001-en") == 0.0
    assert min(first.values()) > 0.0
    sessions.run_bundle(rows, models, at_once=1)
    assert sessions.note() == []
    assert times(sessions) == {**first, "d001-en": 0.0}
    # Another code of a model makes others of its sessions; and back again, before any is held.
    known = sessions.debates.identities
    changed = Sessions(replace(sessions.debates, identities={**known, rows[0]["P1"]: "1"}))
    assert ids(changed.note()) == ids(rows)
    assert min(times(sessions).values()) > 0.0
    assert sessions.note() == []
    assert set(times(sessions).values()) == {0.0}


def test_the_mark_of_a_bundle_goes_with_an_artefact_of_it(
    study: tuple[Sessions, list[Any], Any],
):
    sessions, rows, models = study
    sessions.run_bundle(rows, models, at_once=1)
    marks = sessions.folder / "bundles"
    marks.mkdir()
    for name in jobs.bundles(rows, 2):
        (marks / name).touch()
    sessions.note()
    assert sorted(path.name for path in marks.iterdir()) == ["d001_d001", "d002_d002"]
    paths_in(sessions.folder, "d002-zh").transcript.unlink()
    assert ids(sessions.note()) == ["d002-zh"]
    assert [path.name for path in marks.iterdir()] == ["d001_d001"]


def test_journals_come_along_when_ids_grow_wider(tmp_path: Path):
    old = tmp_path / "journal/d007-en.jsonl"
    old.parent.mkdir()
    old.write_text("kept")
    assert journal_in(tmp_path, "d007-en") == old
    wider = journal_in(tmp_path, "d00007-en")
    assert wider.name == "d00007-en.jsonl"
    assert wider.read_text() == "kept"
    assert not old.exists()
    assert journal_in(tmp_path, "d0007-en").name == "d0007-en.jsonl"
    assert wider.exists()


def test_journals_of_ids_without_numbers_stay_where_they_are(tmp_path: Path):
    name = "deferring-4-choice-007-vanilla"
    assert journal_in(tmp_path, name) == tmp_path / f"journal/{name}.jsonl"
