"""A shared file has one user at a time, in one process as among several."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dissensus.talk.shared import SharedFile

COUNTING = """
import sys
from pathlib import Path
from dissensus.talk.shared import SharedFile
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


HOLDING = COUNTING.replace("count =", "print('held', flush=True); sys.stdin.read(); count =")


def test_a_lock_dies_with_its_process(tmp_path: Path):
    command = [sys.executable, "-c", HOLDING, str(tmp_path / "count")]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGKILL)
    holder.communicate(timeout=30)
    add(tmp_path / "count", 1)
    assert (tmp_path / "count").read_text() == "1"
