"""All sessions side by side, those that failed for good among them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from dissensus.errors import ArtefactError
from dissensus.llm.call import Reply
from dissensus.llm.journal import Journal
from dissensus.session.record import SessionRows, rows_of
from dissensus.session.runner import run_session
from dissensus.study.gather import (
    check_sessions,
    check_some_complete,
    gather,
    outcomes_schema,
    turns_schema,
)
from dissensus.tables.artefact import read, write
from dissensus_studies.language.design.manifest import MANIFEST
from fake_client import FakeClient, in_turn
from scripted import LIMITS, toy_debate

FAILED = Reply("", error="empty")
TYPES = MANIFEST.pick("session_id", "draw_id", "language")
TURNS, OUTCOMES = turns_schema(TYPES), outcomes_schema(TYPES)


def session(folder: Path, name: str, *replies: str | Reply) -> SessionRows:
    """Run a session of two turns; what it left."""
    draw, language = name.split("-")
    provider, journal = FakeClient(in_turn(*replies)), Journal(folder / f"{name}.jsonl")
    made = run_session(1, toy_debate("A", "B"), {"m": provider}, journal, LIMITS)
    return rows_of(made, {"session_id": name, "draw_id": draw, "language": language})


def test_turns_and_outcomes(tmp_path: Path):
    sessions = [
        session(tmp_path, "d001-en", "one", "two"),
        session(tmp_path, "d001-zh", *[FAILED] * 3),
        session(tmp_path, "d002-en", "bad", "one", "bad", "bad", "bad"),
        session(tmp_path, "d002-zh", "one", FAILED, "un", "deux"),
    ]
    turns, outcomes, calls, attempts = gather(sessions)
    assert len(calls) == len(attempts) == 2 + 3 + 5 + 4
    assert {*attempts[0]} - {*calls[0]} == {"started", "ended", "text", "violations", "accepted"}
    names = [made.ids["session_id"] for made in sessions]
    check_sessions(
        "manifest.parquet", names, pa.Table.from_pylist(turns), pa.Table.from_pylist(outcomes)
    )
    assert [(t["session_id"], t["turn"], t["text"]) for t in turns] == [
        ("d001-en", 1, "one"),
        ("d001-en", 2, "two"),
        ("d002-en", 1, "one"),
        ("d002-en", 2, "bad"),
        ("d002-zh", 1, "un"),
        ("d002-zh", 2, "deux"),
    ]
    columns = ("session_id", "complete", "attempts", "repairs", "compliant", "failure")
    assert [tuple(row[name] for name in columns) for row in outcomes] == [
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
    turns, outcomes, *_ = gather([session(tmp_path, "d001-en", *[FAILED] * 3)])
    assert turns == []
    assert [row["complete"] for row in outcomes] == [False]
    write(tmp_path / "turns.parquet", TURNS, turns, {})
    assert read(tmp_path / "turns.parquet", TURNS).num_rows == 0


@pytest.mark.parametrize(
    ("sessions", "kept", "named"),
    [
        (["d001-en"], 4, "d001-zh"),
        (["d001-en", "d001-zh", "d002-en"], 4, "d002-en"),
        (["d001-en", "d001-zh"], 2, "d001-zh"),
    ],
    ids=["one too many", "one is lacking", "one has no turns"],
)
def test_shards_of_other_sessions_than_the_manifest_s_are_refused(
    tmp_path: Path, sessions: list[str], kept: int, named: str
):
    made = [session(tmp_path, name, "one", "two") for name in ("d001-en", "d001-zh")]
    turns, outcomes, *_ = gather(made)
    with pytest.raises(
        ArtefactError, match=rf"manifest\.parquet .+ \(1 sessions, such as {named}\)"
    ):
        check_sessions(
            "manifest.parquet",
            sessions,
            pa.Table.from_pylist(turns[:kept]),
            pa.Table.from_pylist(outcomes),
        )


def test_a_study_without_a_complete_session_is_a_sentence() -> None:
    def outcomes(*failures: str) -> pa.Table:
        return pa.table({"failure": list(failures)})

    check_some_complete("results/demo/language/manifest.parquet", outcomes("", "turn 1: length"))
    with pytest.raises(ArtefactError) as said:
        check_some_complete(
            "results/demo/language/manifest.parquet",
            outcomes("turn 1: length", "turn 2: timeout", "turn 1: length"),
        )
    assert str(said.value).startswith(
        "results/demo/language has no session to be measured: all 3 failed for good: "
        "turn 1: length (2); turn 2: timeout (1). Change what that comes from"
    )
