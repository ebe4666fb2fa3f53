"""What a stage made can be checked from its log, by us and by sha256sum."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dissensus.digests import file_digest
from dissensus.study.stage_log import read_log, write_done, write_failed


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


@pytest.mark.parametrize("position", [0, 3, 5, 8, 72, -1])
def test_a_changed_log_is_refused_or_names_other_digests(log: Path, position: int):
    before, text = read_log(log), bytearray(log.read_bytes())
    text[position] ^= 1
    log.write_bytes(text)
    try:
        assert read_log(log) != before
    except ValueError:
        return
