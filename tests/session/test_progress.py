"""What the processes of a run have counted, and what whoever adds it up makes of it."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from dissensus.llm.call import Reply
from dissensus.llm.journal import Journal
from dissensus.session import progress, runner
from dissensus.session.progress import Counts, Progress, Published, clear
from dissensus.session.runner import run_session
from fake_client import FakeClient, in_turn
from scripted import LIMITS, toy_debate

TIMEOUT = Reply("", error="timeout", finish_reason="error")

#: A process of a run: counts as it is told and ends by itself.
COUNTER = """
import sys
from pathlib import Path
from dissensus.session.progress import PROGRESS_COUNTS

PROGRESS_COUNTS.begin(Path(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    PROGRESS_COUNTS.count(calls=1, answers=2)
PROGRESS_COUNTS.count(begun=1, ended=1)
"""

#: A process that forks once it has counted something.
FORKED = """
import os, sys
from pathlib import Path
from dissensus.session.progress import PROGRESS_COUNTS

PROGRESS_COUNTS.begin(Path(sys.argv[1]))
PROGRESS_COUNTS.count(calls=5)
child = os.fork()
if not child:
    PROGRESS_COUNTS.count(calls=7)
    PROGRESS_COUNTS.publish()
    os._exit(0)
os.waitpid(child, 0)
"""


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Progress:
    """The tally of a process that has done nothing yet, in place of this one's."""
    fresh = Progress()
    fresh.begin(tmp_path / "progress")
    monkeypatch.setattr(progress, "PROGRESS_COUNTS", fresh)
    monkeypatch.setattr(runner, "PROGRESS_COUNTS", fresh)
    return fresh


def published(counted: Progress, tmp_path: Path) -> Counts:
    counted.publish()
    return Published(tmp_path / "progress").total()


def hold(tmp_path: Path, *replies: str | Reply, **limits: int) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    models = {"m": FakeClient(in_turn(*replies))}
    run_session(1, toy_debate("A", "B"), models, journal, replace(LIMITS, **limits))


def test_a_session_is_counted_call_by_call(counted: Progress, tmp_path: Path) -> None:
    hold(tmp_path, "one", "bad", "two")
    assert published(counted, tmp_path) == Counts(begun=1, ended=1, answers=3, calls=3, repairs=1)


def test_what_the_journal_answers_is_no_call(counted: Progress, tmp_path: Path) -> None:
    hold(tmp_path, "one", "two")
    hold(tmp_path)
    total = published(counted, tmp_path)
    assert total == Counts(begun=2, ended=2, answers=4, calls=2)
    assert (total.replayed, total.under_way) == (2, 0)


def test_reruns_and_failures_for_good(counted: Progress, tmp_path: Path) -> None:
    hold(tmp_path, "one", TIMEOUT, TIMEOUT, TIMEOUT, session_attempts=3)
    assert published(counted, tmp_path) == Counts(
        begun=1, ended=1, failed=1, answers=4, calls=4, reruns=2
    )


def test_threads_lose_nothing(counted: Progress, tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(8):
            pool.submit(lambda: [counted.count(calls=1, answers=1) for _ in range(2_000)])
    assert published(counted, tmp_path) == Counts(calls=16_000, answers=16_000)


def test_processes_add_up(tmp_path: Path) -> None:
    runs = [
        subprocess.Popen([sys.executable, "-c", COUNTER, str(tmp_path), str(calls)])
        for calls in (10, 200, 3_000)
    ]
    assert [run.wait(60) for run in runs] == [0, 0, 0]
    assert len(list(tmp_path.iterdir())) == 3
    assert Published(tmp_path).total() == Counts(begun=3, ended=3, answers=6_420, calls=3_210)


def test_a_fork_counts_from_nothing(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", FORKED, str(tmp_path)], check=True, timeout=60)
    assert len(list(tmp_path.iterdir())) == 2
    assert Published(tmp_path).total().calls == 12


def test_rubbish_is_passed_over(tmp_path: Path) -> None:
    good = asdict(Counts(begun=2, ended=1, calls=9))
    (tmp_path / "good.json").write_text(json.dumps(good))
    rubbish = {
        "empty": b"",
        "torn": json.dumps(good).encode()[:-9],
        "binary": b"\x00\xff\xfe",
        "list": b"[1, 2]",
        "nested": b"[" * 100_000,
        "foreign": b'{"calls": 7}',
        "more": json.dumps({**good, "host": 1}).encode(),
        "negative": json.dumps({**good, "calls": -1}).encode(),
        "text": json.dumps({**good, "calls": "9"}).encode(),
        "truth": json.dumps({**good, "calls": True}).encode(),
    }
    for name, content in rubbish.items():
        (tmp_path / f"{name}.json").write_bytes(content)
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "half.part").write_text(json.dumps(good))
    assert Published(tmp_path).total() == Counts(begun=2, ended=1, calls=9)


def test_of_a_file_that_is_torn_the_last_state_counts(tmp_path: Path) -> None:
    path, reader = tmp_path / "one.json", Published(tmp_path)
    path.write_text(json.dumps(asdict(Counts(calls=3))))
    assert reader.total().calls == 3
    path.write_text('{"calls": ')
    assert reader.total().calls == 3
    path.write_text(json.dumps(asdict(Counts(calls=4))))
    assert reader.total().calls == 4


def test_no_folder_is_no_session() -> None:
    assert Published(Path("/nowhere/at/all")).total() == Counts()


def test_a_folder_that_cannot_be_written_fails_no_session(
    counted: Progress, tmp_path: Path
) -> None:
    (tmp_path / "progress").write_text("a file in its place")
    hold(tmp_path, "one", "two")
    counted.publish()
    (tmp_path / "progress").unlink()
    assert published(counted, tmp_path) == Counts(begun=1, ended=1, answers=2, calls=2)


def test_an_earlier_run_is_cleared_away(counted: Progress, tmp_path: Path) -> None:
    counted.count(calls=1)
    assert published(counted, tmp_path).calls == 1
    (tmp_path / "progress" / "mine.txt").touch()
    clear(tmp_path / "progress")
    assert [path.name for path in (tmp_path / "progress").iterdir()] == ["mine.txt"]
    clear(tmp_path / "nowhere")
