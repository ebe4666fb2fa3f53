"""Which sessions are pending, what they wait for, and what of a grown study is kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.digests import digest
from dissensus.session.record import SessionPaths
from dissensus.study.configuration import Configuration, load_file
from dissensus.study.kind import Needs
from dissensus.study.sessions import Sessions, journal_in
from dissensus_studies.language.design.manifest import Drawing, draw_manifest
from dissensus_studies.language.design.pool import build_pool
from dissensus_studies.language.kinds import LanguageDebate
from dissensus_studies.language.study import Language
from support import ROOT


@pytest.fixture(scope="module")
def settings() -> Configuration:
    return load_file(ROOT / "config.yaml")


@pytest.fixture
def study(settings: Configuration, tmp_path: Path) -> tuple[Sessions, list[dict[str, Any]], Any]:
    """The sessions of two draws, none of them run; their rows; the models."""
    language = settings.language
    pool, _ = build_pool(language.pool, language.languages)
    rows = draw_manifest(pool, Drawing(1, 2, 25, list(language.languages), language.panel))
    motions = {row["motion_id"]: row for row in pool}
    by_id = {row["session_id"]: row for row in rows}
    known = dict.fromkeys(language.panel, "0")
    sessions = Sessions(Language(language), tmp_path, by_id, motions, known)
    return sessions, rows, settings.registry(tmp_path, "run_session", language.panel)


def ids(rows: list[Any]) -> list[str]:
    return [row["session_id"] for row in rows]


def test_a_job_runs_what_is_pending(study: tuple[Sessions, list[Any], Any]):
    sessions, rows, models = study
    assert sessions.pending(rows) == rows
    sessions.run(rows[1], models)
    before = {path: path.stat().st_mtime_ns for path in sessions.folder.rglob("*.*")}
    assert ids(sessions.pending(rows)) == ["d001-en", "d002-en", "d002-zh"]
    left = sessions.run_all(rows, models, at_once=2)
    assert set(left) == {"d001-en", "d002-en", "d002-zh"} and sessions.pending(rows) == []
    # What was there before is told by its journal.
    told = [*sessions.left_by(rows, left, models)]
    assert [made.ids["session_id"] for made in told] == ids(rows)
    assert told[1] == sessions.replay(rows[1], models)
    assert all(path.stat().st_mtime_ns == moment for path, moment in before.items())


def test_a_missing_transcript_or_another_specification_makes_a_session_pending(
    study: tuple[Sessions, list[Any], Any],
):
    sessions, rows, models = study
    sessions.run_all(rows, models, at_once=1)
    assert sessions.pending(rows) == []
    (sessions.folder / "transcripts/d001-en.parquet").unlink()
    other = SessionPaths.of(sessions.folder, "d002-zh").transcript
    digest_of_it = sessions.digest(sessions.rows["d002-zh"]).encode()
    other.write_bytes(other.read_bytes().replace(digest_of_it, b"0" * 64))
    assert ids(sessions.pending(rows)) == ["d001-en", "d002-zh"]


def test_a_session_that_is_named_leaves_files_of_its_own_until_it_runs_with_others(
    study: tuple[Sessions, list[Any], Any],
):
    sessions, rows, models = study
    second = next(row for row in rows if row["position"] == 2)
    leading = sessions.leading_to(second)
    assert [row["position"] for row in leading] == [1, 2] and leading[-1] == second
    sessions.run_all(leading, models, at_once=1, named=second["session_id"])
    paths = SessionPaths.of(sessions.folder, second["session_id"])
    assert [path.stem for path in sessions.folder.glob("calls/*")] == [second["session_id"]]
    assert paths.attempts.exists() and paths.transcript.exists()
    paths.transcript.unlink()
    sessions.run_all(rows, models, at_once=1)
    assert not paths.attempts.exists() and not paths.calls.exists()


def test_a_session_waits_for_the_one_before_it_in_its_draw(
    study: tuple[Sessions, list[Any], Any],
):
    sessions, rows, _ = study
    for row in rows:
        before = sessions.before(row)
        if row["position"] == 1:
            assert before == []
        else:
            (one,) = before
            assert sessions.rows[one]["draw_id"] == row["draw_id"]
            assert sessions.rows[one]["position"] == row["position"] - 1


class Reading(LanguageDebate):
    """Debates of which those in second languages read the first, and a memo."""

    def needs(self, row: Any) -> Needs:
        if row["language"] == "en":
            return Needs()
        return Needs((f"{row['draw_id']}-en",), ("memos/1.txt",))


def test_what_a_session_reads_is_part_of_what_it_depends_on(
    study: tuple[Sessions, list[Any], Any],
):
    plain, rows, _ = study
    reading = Language(plain.study.settings)
    reading.kinds = [Reading(reading.settings)]
    sessions = replace(plain, study=reading)
    first, second = rows[0], rows[1]
    assert "needs" not in sessions.spec(first)
    before = sessions.spec(second)
    assert before["needs"] == {"d001-en": sessions.digest(first)}
    assert before["artefacts"] == {"memos/1.txt": ""}
    # A memo that is there, and another: each makes the session another one.
    memo = sessions.folder / "memos/1.txt"
    memo.parent.mkdir()
    digests = {sessions.digest(second)}
    for text in ("be brief", "be bold"):
        memo.write_text(text)
        digests.add(sessions.digest(second))
    assert len(digests) == 3 and digest(before) in digests
    # So does a change of the session that is read, and nothing of one that is not.
    again = {**sessions.rows, "d001-en": {**first, "seed": 1}}
    assert replace(sessions, rows=again).spec(second)["needs"] != before["needs"]
    assert "d001-en" in sessions.before(second)


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
