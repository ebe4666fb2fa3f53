"""All sessions side by side, those that failed for good among them."""

from __future__ import annotations

from pathlib import Path

from dissensus.language.design.manifest import MANIFEST
from dissensus.llm.call import Reply
from dissensus.llm.journal import Journal
from dissensus.session.record import SessionPaths, write_session
from dissensus.session.runner import run_session
from dissensus.study.gather import gather, outcomes_schema, turns_schema
from dissensus.tables.artefact import read, write
from fake_client import FakeClient, in_turn
from scripted import LIMITS, toy_debate

FAILED = Reply("", error="empty")
TYPES = MANIFEST.pick("session_id", "draw_id", "language")
TURNS, OUTCOMES = turns_schema(TYPES), outcomes_schema(TYPES)


def transcript(tmp_path: Path, session: str, *replies: str | Reply) -> Path:
    draw, language = session.split("-")
    folder = tmp_path / session
    paths = SessionPaths(*(folder / f"{name}.parquet" for name in "atc"), folder / "held")
    provider = FakeClient(in_turn(*replies))
    made = run_session(1, toy_debate("A", "B"), {"m": provider}, Journal(folder / "j"), LIMITS)
    ids = {"session_id": session, "draw_id": draw, "language": language}
    write_session(paths, made, ids, TYPES, {}, "")
    return paths.transcript


def test_turns_and_outcomes(tmp_path: Path):
    paths = [
        transcript(tmp_path, "d001-en", "one", "two"),
        transcript(tmp_path, "d001-zh", *[FAILED] * 3),
        transcript(tmp_path, "d002-en", "bad", "one", "bad", "bad", "bad"),
        transcript(tmp_path, "d002-zh", "one", FAILED, "un", "deux"),
    ]
    turns, outcomes = gather(paths, TYPES)
    assert [(t["session_id"], t["turn"], t["text"]) for t in turns.to_pylist()] == [
        ("d001-en", 1, "one"),
        ("d001-en", 2, "two"),
        ("d002-en", 1, "one"),
        ("d002-en", 2, "bad"),
        ("d002-zh", 1, "un"),
        ("d002-zh", 2, "deux"),
    ]
    names = ("session_id", "complete", "attempts", "repairs", "compliant", "failure")
    assert [tuple(row[name] for name in names) for row in outcomes] == [
        ("d001-en", True, 1, 0, True, ""),
        ("d001-zh", False, 3, 0, None, "turn 1: empty"),
        ("d002-en", True, 1, 3, False, ""),
        ("d002-zh", True, 2, 0, True, ""),
    ]
    assert {(row["draw_id"], row["language"]) for row in outcomes} == {
        *(("d001", "en"), ("d001", "zh"), ("d002", "en"), ("d002", "zh"))
    }
    write(tmp_path / "turns.parquet", TURNS, turns, {})
    write(tmp_path / "outcomes.parquet", OUTCOMES, outcomes, {})
    assert read(tmp_path / "outcomes.parquet", OUTCOMES).to_pylist() == outcomes


def test_all_may_have_failed(tmp_path: Path):
    turns, outcomes = gather([transcript(tmp_path, "d001-en", *[FAILED] * 3)], TYPES)
    assert turns.num_rows == 0
    assert [row["complete"] for row in outcomes] == [False]
    write(tmp_path / "turns.parquet", TURNS, turns, {})
    assert read(tmp_path / "turns.parquet", TURNS).num_rows == 0
