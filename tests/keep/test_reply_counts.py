"""What became of a run's turns: counted by hand over sessions that went well and badly."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.cli import main
from dissensus.errors import ArtefactError
from dissensus.keep.reply_counts import reply_page
from dissensus.llm.call import Reply
from dissensus.llm.journal import Journal
from dissensus.session.record import SessionPaths, rows_of, write_session
from dissensus.session.runner import run_session
from dissensus_studies.language.design.manifest import MANIFEST
from fake_client import FakeClient, in_turn
from scripted import LIMITS, toy_debate

LOST = Reply("", error="timeout", finish_reason="error")


def hold(folder: Path, name: str, *replies: str | Reply) -> None:
    provider = FakeClient(in_turn(*replies), name="provider")
    journal = Journal(folder / f"{name}.jsonl")
    session = run_session(1, toy_debate("A", "B"), {"m": provider}, journal, LIMITS)
    ids = {"session_id": name, "draw_id": "d001", "language": "en"}
    rows = rows_of(session, ids)
    write_session(
        SessionPaths.of(folder, name), rows, MANIFEST.pick(*ids), {"settings_sha256": "0" * 64}
    )


def test_turns_are_counted_by_how_they_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results/mine/language"
    # Read at once, and repaired once; then never read; then lost for good after three attempts.
    hold(folder, "d001-en", "one", "bad", "two")
    hold(folder, "d002-en", "bad", "bad", "bad", "two")
    hold(folder, "d003-en", LOST, "one", LOST, LOST)
    assert main(["replies", "mine"]) == 0
    table, _, note = capsys.readouterr().out.partition("\n\n")
    cells = [cell.strip() for cell in table.splitlines()[-1].strip("|").split("|")]
    # Eight turns: three at once, one repaired, one unread, three without a text.
    assert cells == ["language", "debate", "8", "38%", "12%", "12%", "38%"]
    assert note.endswith("Sessions lost for good: language 1 of 3.\n")
    # As in a shard that is under way, whose file is still to be written.
    for kind in ("calls", "sessions"):
        (folder / f"{kind}/d002-en.parquet").unlink()
    assert main(["replies", "mine"]) == 0
    table, _, note = capsys.readouterr().out.partition("\n\n")
    cells = [cell.strip() for cell in table.splitlines()[-1].strip("|").split("|")]
    assert cells == ["language", "debate", "6", "33%", "17%", "0%", "50%"]
    assert note.endswith("Left out, since their shards are under way: 1 session.\n")


def test_a_run_that_has_no_session_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ArtefactError, match="has no session that has ended; run it first"):
        reply_page(tmp_path)
