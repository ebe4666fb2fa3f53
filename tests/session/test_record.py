"""A session's three artefacts, for sessions that went well, badly, and not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.llm.call import Reply
from dissensus.llm.journal import Journal
from dissensus.session.record import (
    ATTEMPTS,
    CALLS,
    SessionPaths,
    is_current,
    made_to,
    rows_of,
    transcript,
    write_session,
)
from dissensus.session.runner import run_session
from dissensus.tables.artefact import provenance_of, read
from dissensus_studies.language.design.manifest import MANIFEST
from fake_client import FakeClient, in_turn
from scripted import LIMITS, toy_debate

IDS = {"session_id": "d001-en", "draw_id": "d001", "language": "en"}
TYPES = MANIFEST.pick(*IDS)
TRANSCRIPT = transcript(TYPES)
DIGEST = "0123456789abcdef" * 4
MADE_BY = {"stage": "test", "settings_sha256": DIGEST}
FAILED = Reply("", error="timeout", finish_reason="error", latency_s=2.5)


@pytest.fixture
def paths(tmp_path: Path) -> SessionPaths:
    return SessionPaths(*(tmp_path / f"{kind}.parquet" for kind in ("a", "t", "c")))


def record(paths: SessionPaths, tmp_path: Path, *replies: str | Reply, steps=("A", "B")) -> None:
    provider = FakeClient(in_turn(*replies), name="provider")
    journal = Journal(tmp_path / "j")
    session = run_session(1, toy_debate(*steps), {"m": provider}, journal, LIMITS)
    write_session(paths, rows_of(session, IDS), TYPES, MADE_BY)


def test_every_attempt_is_kept(paths: SessionPaths, tmp_path: Path):
    record(paths, tmp_path, "one", FAILED, "bad", "un", Reply("deux", cost_usd=0.5, input_tokens=7))
    attempts = read(paths.attempts, ATTEMPTS).to_pylist()
    assert [
        (a["session_attempt"], a["turn"], a["attempt"], a["text"], a["violations"], a["accepted"])
        for a in attempts
    ] == [
        (1, 1, 1, "one", [], True),
        (1, 2, 1, "", [], False),
        (2, 1, 1, "bad", ["bad word"], False),
        (2, 1, 2, "un", [], True),
        (2, 2, 1, "deux", [], True),
    ]
    assert [a["error"] for a in attempts] == ["", "timeout", "", "", ""]
    turns = read(paths.transcript, TRANSCRIPT).to_pylist()
    assert [
        (t["session_id"], t["turn"], t["text"], t["repairs"], t["compliant"]) for t in turns
    ] == [
        ("d001-en", 1, "un", 1, True),
        ("d001-en", 2, "deux", 0, True),
    ]
    calls = read(paths.calls, CALLS).to_pylist()
    assert [c["latency_s"] for c in calls] == [0, 2.5, 0, 0, 0]
    assert [c["cost_usd"] for c in calls] == [None, None, None, None, 0.5]
    assert calls[-1]["input_tokens"] == 7
    assert len({c["request_sha256"] for c in calls}) == 5
    assert provenance_of(paths.transcript) == {
        **IDS,
        **MADE_BY,
        "session_attempts": 2,
        "failure": "",
    }


def test_a_call_keeps_all_that_its_provider_reported(paths: SessionPaths, tmp_path: Path):
    full = Reply(
        "one",
        finish_reason="tool_calls",
        input_tokens=70,
        output_tokens=8,
        cost_usd=0.5,
        latency_s=1.5,
        cached_tokens=64,
        queued_s=0.25,
        answered_by="provider-2025-12-11",
        fingerprint="fp_1",
        thought="hm",
        request_id="r1",
        faults=("timeout", "rate_limit"),
        faults_said=("", "slow down"),
        faults_usd=0.125,
    )
    record(paths, tmp_path, full, Reply("two", answered_by="provider-mini"), "three", steps="ABC")
    first, second, third = read(paths.calls, CALLS).to_pylist()
    assert list(first) == list(CALLS.columns)
    assert first.pop("started") <= first.pop("ended") <= second["started"]
    assert {name: first[name] for name in list(first)[10:]} == {
        "input_tokens": 70,
        "cached_tokens": 64,
        "output_tokens": 8,
        "cost_usd": 0.5,
        "faults": ["timeout", "rate_limit"],
        "faults_said": ["", "slow down"],
        "faults_usd": 0.125,
        "latency_s": 1.5,
        "queued_s": 0.25,
        "finish_reason": "tool_calls",
        "thought": "hm",
        "thought_characters": 2,
        "error": "",
        "answered_by": "provider-2025-12-11",
        "other_model": False,
        "fingerprint": "fp_1",
        "request_id": "r1",
    }
    assert second["other_model"] is True
    assert (third["answered_by"], third["other_model"], third["faults"]) == ("", False, [])


def test_a_failure_for_good_is_an_artefact(paths: SessionPaths, tmp_path: Path):
    record(paths, tmp_path, *[FAILED] * 3)
    assert read(paths.transcript, TRANSCRIPT).num_rows == 0
    said = provenance_of(paths.transcript)
    assert (said["failure"], said["session_attempts"]) == ("turn 1: timeout", 3)
    assert read(paths.attempts, ATTEMPTS).num_rows == read(paths.calls, CALLS).num_rows == 3


def test_a_model_may_speak_twice_in_a_round(paths: SessionPaths, tmp_path: Path):
    record(paths, tmp_path, "a", "b", "c", steps=("ABC",))
    assert [row["speaker"] for row in read(paths.calls, CALLS).to_pylist()] == ["A", "B", "C"]


def test_transcripts_hold_no_clock_reading(paths: SessionPaths, tmp_path: Path):
    written = []
    for latency in (0.1, 7.0):
        folder = tmp_path / str(latency)
        record(paths, folder, Reply("one", latency_s=latency), Reply("two", latency_s=latency))
        written.append([paths.attempts.read_bytes(), paths.transcript.read_bytes()])
    assert written[0] == written[1]


def test_a_transcript_says_to_which_specification_it_was_made(paths: SessionPaths, tmp_path: Path):
    assert made_to(paths.transcript) is None
    assert not is_current(paths.transcript, DIGEST)
    record(paths, tmp_path, "one", "two")
    assert made_to(paths.transcript) == DIGEST
    assert is_current(paths.transcript, DIGEST)
    assert not is_current(paths.transcript, DIGEST[::-1])
    assert not is_current(paths.transcript, DIGEST[:32])
    # As a crash of the machine may leave it, and as another tool does.
    paths.transcript.write_bytes(b"")
    assert not is_current(paths.transcript, DIGEST)
    paths.transcript.write_bytes(b"PAR1")
    assert made_to(paths.transcript) == "" and not is_current(paths.transcript, DIGEST)


@pytest.mark.parametrize("filler", ["", "x" * 40_000])
def test_no_text_of_a_model_is_taken_for_what_a_transcript_was_made_to(
    paths: SessionPaths, tmp_path: Path, filler: str
):
    forged = f'"settings_sha256": "{DIGEST[::-1]}"'
    record(paths, tmp_path, forged, f"{filler}{forged}", forged)
    assert made_to(paths.transcript) == DIGEST
    failed = Reply("", error=f"{forged}{filler}{forged}", finish_reason="error")
    record(paths, tmp_path / "failed", *[failed] * 3)
    assert read(paths.transcript, TRANSCRIPT).num_rows == 0
    assert made_to(paths.transcript) == DIGEST


@pytest.mark.parametrize("blocked", ["attempts", "transcript", "calls"])
def test_nothing_is_complete_until_all_artefacts_are_there(
    paths: SessionPaths, tmp_path: Path, blocked: str
):
    record(paths, tmp_path, "one", "two")
    path = getattr(paths, blocked)
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        record(paths, tmp_path, "one", "two")
    # However the artefact that was not written comes to be there: the others may be newer.
    path.rmdir()
    path.touch()
    assert not is_current(paths.transcript, DIGEST)
