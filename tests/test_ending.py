"""A run that is told to end: what is in flight is finished, and one sentence says so."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

#: A run with a script as its child and one call in flight, which takes as long as it is told.
RUN = """
import subprocess, sys, threading, time
from dissensus.ending import heed_signals, stop
from dissensus.errors import BudgetReached
from dissensus.talk.journal import IN_FLIGHT

def call():
    with IN_FLIGHT:
        print("calling", flush=True)
        time.sleep(float(sys.argv[1]))
        print("kept", flush=True)

heed_signals()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
threading.Thread(target=call).start()
if sys.argv[2] == "budget":
    for _ in range(3):
        threading.Thread(target=lambda: stop(BudgetReached("The budget is reached."))).start()
time.sleep(60)
"""


def start(seconds: float, how: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(seconds), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until_calling(run: subprocess.Popen[str]) -> int:
    assert run.stdout is not None
    child = int(run.stdout.readline())
    assert run.stdout.readline() == "calling\n"
    return child


def is_gone(pid: int) -> bool:
    for _ in range(100):
        found = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True
        )
        if found.stdout.strip() in ("", "Z", "Z+"):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_waits_for_the_calls_in_flight(number: signal.Signals) -> None:
    run = start(0.5)
    child = until_calling(run)
    run.send_signal(number)
    said, complaint = run.communicate(timeout=20)
    assert run.returncode == 1
    assert said == "kept\n"
    assert complaint.splitlines() == [
        "Stopping: the calls in flight are finished and kept.",
        f"Stopped by {number.name}; start again, and the run goes on from here.",
    ]
    assert is_gone(child)


def test_a_second_signal_waits_for_nothing() -> None:
    run = start(30)
    child = until_calling(run)
    run.send_signal(signal.SIGINT)
    assert run.stderr is not None
    assert run.stderr.readline().startswith("Stopping")
    time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    said, _ = run.communicate(timeout=20)
    assert run.returncode == 128 + signal.SIGINT
    assert said == ""
    assert is_gone(child)


def test_of_many_that_find_the_same_one_is_heard() -> None:
    run = start(0.3, "budget")
    said, complaint = run.communicate(timeout=20)
    assert run.returncode == 1
    assert said.endswith("kept\n") or "calling" not in said
    assert complaint == "The budget is reached.\n"
