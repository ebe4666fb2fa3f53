"""What a job's log says of its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.study.job_log import failure_in, write_failure


@pytest.mark.parametrize(
    ("sentence", "details"),
    [("a.csv, row 2: wrong.", ""), ("one.\ntwo.", "Traceback\n\nmore"), ("", "")],
)
def test_the_sentence_is_found_without_its_details(
    tmp_path: Path, sentence: str, details: str
) -> None:
    log = tmp_path / "a.log"
    write_failure(log, sentence, details)
    assert failure_in(log) == sentence
    assert details in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [None, b"", b"done\n", b"why\n", b"\xff", b"failed to write\n"])
def test_a_log_of_something_else_has_none(tmp_path: Path, content: bytes | None) -> None:
    log = tmp_path / "a.log"
    if content is not None:
        log.write_bytes(content)
    assert failure_in(log) is None
