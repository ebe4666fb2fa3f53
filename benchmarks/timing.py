"""What a command takes: seconds, processor time and memory, of all that it starts too."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import psutil

#: Where bytecode is not kept, every start would compile the project anew.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
#: Bytes in what the tables call a MB.
MB = 2**20
#: Of Linux: what outlives its parent becomes a child of the process that asks for it.
_PR_SET_CHILD_SUBREAPER = 36
#: Seconds in which what a command has left is to end by itself.
_ORPHANS_S = 60.0
#: Seconds between two looks at a command's memory: at first, and at most.
_SHORTEST_S, _LONGEST_S = 0.1, 1.0


class Failed(Exception):
    """A command failed, or did something other than what is to be measured."""


@dataclass(frozen=True)
class Took:
    """What a command and all that it started took."""

    seconds: float
    """Wall clock."""
    cpu_s: float
    """User and system, of its processes that were waited for; see :func:`adopt_orphans`."""
    largest_mb: float = 0.0
    """Highest resident memory of its largest process."""
    together_mb: float = 0.0
    """Highest sum of the resident memory of its processes; pages that they share count twice."""
    stdout: str = ""
    """What it wrote to its standard output."""
    stderr: str = ""
    """What it wrote to its standard error."""

    def without(self, start: Took) -> Took:
        """The same without the time of a start; memory is not a sum, and stays."""
        seconds, cpu_s = self.seconds - start.seconds, self.cpu_s - start.cpu_s
        return Took(seconds, cpu_s, self.largest_mb, self.together_mb)


def took(
    command: Sequence[str], folder: Path, *, limit_s: float = 600.0, **environment: str
) -> Took:
    """Run a command to its end and measure it.

    Parameters
    ----------
    command : with its arguments.
    folder : where it runs.
    limit_s : seconds after which it is ended, with all that it started.
    environment : variables besides this process's own.

    Raises
    ------
    Failed : it ended with an error, or was still running at the limit.

    Notes
    -----
    Linux counts the memory that a process has from its parent before it becomes a program of its
    own. What calls this must be small, then, and import nothing large.
    """
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        others, cpu_before = {*psutil.Process().children()}, _cpu_of_children()
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=ENVIRONMENT | environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )
        watch = _Watch(process.pid, limit_s)
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            _end(process.pid)
            raise
        finally:
            seconds = time.perf_counter() - started
            watch.stop()
        process.returncode = os.waitstatus_to_exitcode(status)
        _wait_for_orphans(others)
        cpu_s = _cpu_of_children() - cpu_before
        words = " ".join(command[1:])[:120]
        if watch.too_long:
            raise Failed(f"`{words}` was ended after {limit_s:,.0f} s")
        texts = []
        for stream in (stdout, stderr):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
        if process.returncode:
            end = "".join(texts).strip()[-3000:]
            raise Failed(f"`{words}` ended with {process.returncode}: {end}")
    largest = used.ru_maxrss * 1024 / MB
    together = max(largest, watch.together / MB)
    return Took(seconds, cpu_s, largest, together, *texts)


def in_turn(runs: int, **measured: Callable[[], Took]) -> dict[str, list[Took]]:
    """Measure several things one after the other, again and again.

    What is compared is measured in the same minutes, so that a busy machine strikes all alike.
    """
    found: dict[str, list[Took]] = {name: [] for name in measured}
    for _ in range(runs):
        for name, measure in measured.items():
            found[name].append(measure())
    return found


class _Watch:
    """Adds up a process tree's memory from time to time, and ends the tree at a limit.

    Attributes
    ----------
    together : highest sum of resident memory, in bytes.
    too_long : whether the tree was ended at its limit.
    """

    def __init__(self, pid: int, limit_s: float) -> None:
        self.together = 0
        self.too_long = False
        self._pid = pid
        self._limit_s = limit_s
        self._over = Event()
        self._thread = Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        started = time.monotonic()
        pause = _SHORTEST_S
        while not self._over.wait(pause):
            self.together = max(self.together, sum(map(_resident, _tree(self._pid))))
            run_for = time.monotonic() - started
            pause = min(_LONGEST_S, max(_SHORTEST_S, run_for / 20))
            if run_for > self._limit_s:
                self.too_long = True
                _end(self._pid)
                return


def adopt_orphans() -> None:
    """From now on have this process be the parent of all those whose own has ended, on Linux.

    It is for a process that does nothing but measure: who adopts must wait for what it adopts.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _wait_for_orphans(others: set[psutil.Process]) -> None:
    """Wait for what a command has left, such as its server of scripts, which ends with it.

    Parameters
    ----------
    others : children of this process that were there before the command.
    """
    while left := {*psutil.Process().children()} - others:
        _, alive = psutil.wait_procs(left, timeout=_ORPHANS_S)
        for process in alive:
            _end(process.pid)


def _cpu_of_children() -> float:
    """Seconds of user and system, of all children that were waited for, and theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _end(pid: int) -> None:
    for process in _tree(pid):
        with suppress(psutil.Error):
            process.kill()
