"""What a stage made can be checked from its log, by us and by sha256sum."""

from __future__ import annotations

import logging
import subprocess
from pathlib import Path

import pytest

from dissensus.digests import file_digest
from dissensus.run.stage_log import failure_in, forward_warnings, read_log, write_done, write_failed


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("made").mkdir()
    for name in ("a.csv", "二.svg"):
        Path("made", name).write_text(name, encoding="utf-8")
    write_done(Path("stage.log"), ["made/a.csv", "made/二.svg"])
    return Path("stage.log")


def test_files_have_their_digests(log: Path):
    files = [Path("made/a.csv"), Path("made/二.svg")]
    assert read_log(log) == {path: file_digest(path) for path in files}


def test_sha256sum_reads_it(log: Path):
    check = ["sha256sum", "--strict", "--check", str(log)]
    assert subprocess.run(check, capture_output=True, check=False).returncode == 0
    Path("made/a.csv").write_text("b.csv", encoding="utf-8")
    said = subprocess.run(check, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert "made/a.csv: FAILED" in said.stdout


def test_a_stage_that_failed_made_nothing(log: Path):
    write_failed(log, "Traceback")
    assert read_log(log) == {}


def test_any_changed_byte_is_seen(log: Path):
    good = log.read_bytes()
    for position in range(len(good)):
        bad = bytearray(good)
        bad[position] ^= 1 << position % 8
        log.write_bytes(bad)
        with pytest.raises(ValueError, match=r"not as a stage writes it|utf-8"):
            read_log(log)


@pytest.mark.parametrize(
    ("sentence", "details"),
    [("a.csv, row 2: wrong.", ""), ("one.\ntwo.", "Traceback\n\nmore"), ("", "")],
)
def test_the_sentence_is_found_without_its_details(
    tmp_path: Path, sentence: str, details: str
) -> None:
    log = tmp_path / "a.log"
    write_failed(log, sentence, details)
    assert failure_in(log) == sentence
    assert details in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [None, b"", b"done\n", b"why\n", b"\xff", b"failed to write\n"])
def test_a_log_of_something_else_has_none(tmp_path: Path, content: bytes | None) -> None:
    log = tmp_path / "a.log"
    if content is not None:
        log.write_bytes(content)
    assert failure_in(log) is None


def test_what_other_rooms_warn_of_is_shown_where_the_run_shows_its_own(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ours = logging.getLogger("dissensus")
    monkeypatch.setattr(ours, "handlers", [])
    monkeypatch.setattr(ours, "propagate", True)
    forward_warnings(logging.getLogger("of the run"))
    ours.warning("A prompt was cut.")
    # Once: it does not go up by its own name as well.
    assert [(r.name, r.getMessage()) for r in caplog.records] == [
        ("dissensus", "A prompt was cut.")
    ]
