"""A file has one user at a time, in one process as among several."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dissensus.llm.shared import SharedFile, claimed, unchanging

COUNTING = """
import sys
from pathlib import Path
from dissensus.llm.shared import SharedFile
import os

file = SharedFile(Path(sys.argv[1]))
for _ in range(500):
    with file as descriptor:
        count = int(os.pread(descriptor, 20, 0) or b"0")
        os.pwrite(descriptor, b"%d" % (count + 1), 0)
"""


def add(path: Path, times: int) -> None:
    """Count up, each time through a descriptor that is opened and closed anew."""
    for _ in range(times):
        file = SharedFile(path)
        with file as descriptor:
            count = int(os.pread(descriptor, 20, 0) or b"0")
            os.pwrite(descriptor, b"%d" % (count + 1), 0)
        file.close()
        file.close()


def test_no_count_is_lost_among_threads_and_processes(tmp_path: Path):
    path = tmp_path / "folder" / "count"
    other = subprocess.Popen([sys.executable, "-c", COUNTING, str(path)])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, [path] * 4, [250] * 4))
    assert other.wait(60) == 0
    assert path.read_text() == "1500"


DEBATING = COUNTING.replace("count =", "print('held', flush=True); sys.stdin.read(); count =")


def test_a_lock_dies_with_its_process(tmp_path: Path):
    command = [sys.executable, "-c", DEBATING, str(tmp_path / "count")]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGKILL)
    holder.communicate(timeout=30)
    add(tmp_path / "count", 1)
    assert (tmp_path / "count").read_text() == "1"


def test_a_file_is_read_when_its_writer_has_ended(tmp_path: Path):
    """What the writer does while it has the lock is seen whole, with nothing of it missing."""
    path = tmp_path / "count"
    command = [sys.executable, "-c", DEBATING, str(path)]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert writer.stdout.readline() == "held\n"
    descriptor = os.open(path, os.O_RDONLY)

    def read() -> bytes:
        with unchanging(descriptor):
            return os.pread(descriptor, 20, 0)

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        with pytest.raises(TimeoutError):
            reading.result(0.3)
        # One of its 500 rounds is done; it counts on, the lock its own each time.
        writer.communicate("", timeout=60)
        assert int(reading.result(60)) >= 1
    os.close(descriptor)


def test_several_read_at_the_same_time(tmp_path: Path):
    (tmp_path / "count").write_text("7")
    command = [sys.executable, "-c", READING, str(tmp_path / "count")]
    readers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    # Both have the file while neither has let go of it.
    assert [reader.stdout.readline() for reader in readers] == ["7\n", "7\n"]
    for reader in readers:
        reader.communicate("", timeout=60)


READING = """
import os
import sys
from dissensus.llm.shared import unchanging

descriptor = os.open(sys.argv[1], os.O_RDONLY)
with unchanging(descriptor):
    print(os.pread(descriptor, 20, 0).decode(), flush=True)
    sys.stdin.read()
"""

CLAIMING = """
import sys
from pathlib import Path
from dissensus.llm.shared import claimed

print("here", flush=True)
with claimed(Path(sys.argv[1])):
    print("claimed", flush=True)
    sys.stdin.read()
"""


def claiming(path: Path) -> subprocess.Popen[str]:
    """A process that claims a file until its input is closed."""
    command = [sys.executable, "-c", CLAIMING, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "here\n"
    return process


@pytest.mark.parametrize("end", ["close", "kill"])
def test_who_comes_second_waits_for_the_first(tmp_path: Path, end: str):
    path = tmp_path / "folder" / "journal.jsonl"
    first = claiming(path)
    assert first.stdout.readline() == "claimed\n"
    second = claiming(path)
    with ThreadPoolExecutor(1) as pool:
        heard = pool.submit(second.stdout.readline)
        with pytest.raises(TimeoutError):
            heard.result(0.3)
        first.kill() if end == "kill" else first.stdin.close()
        assert heard.result(60) == "claimed\n"
    first.wait(60)
    second.communicate("", timeout=60)
    with claimed(path):
        assert path.read_bytes() == b""


def test_a_claim_keeps_threads_apart_and_other_files_free(tmp_path: Path):
    path = tmp_path / "count"
    path.write_text("0")

    def add_claimed(times: int) -> None:
        for _ in range(times):
            with claimed(path), claimed(tmp_path / "other"):
                path.write_text(str(int(path.read_text()) + 1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add_claimed, [50] * 4))
    assert path.read_text() == "200"


@pytest.mark.parametrize("error", [errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK])
def test_a_file_system_without_locks_is_used_without(tmp_path: Path, monkeypatch, error: int):
    def refuse(*_: object) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(fcntl, "lockf", refuse)
    with claimed(tmp_path / "journal"):
        (tmp_path / "journal").write_text("7")
    descriptor = os.open(tmp_path / "journal", os.O_RDONLY)
    with unchanging(descriptor):
        assert os.pread(descriptor, 20, 0) == b"7"
    os.close(descriptor)


def test_a_claim_that_fails_is_told(tmp_path: Path, monkeypatch):
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    open_before = len(list(Path("/proc/self/fd").iterdir()))
    with monkeypatch.context() as patch, pytest.raises(OSError, match="Input/output"):
        patch.setattr(fcntl, "flock", fail)
        with claimed(tmp_path / "journal"):
            pytest.fail("claimed without a lock")
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before


def test_what_cannot_be_written_is_used_without_a_claim(tmp_path: Path):
    (tmp_path / "file").touch()
    with claimed(tmp_path / "file" / "journal"), claimed(tmp_path / "file" / "journal"):
        pass
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]
