"""A run that is told to end: what is in flight is finished, and one sentence says so."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from marking import thorough_but

# Its tests start processes and wait for their ends.
pytestmark = pytest.mark.slow

#: A run with a script as its child and one call in flight, which takes as long as it is told.
RUN = """
import subprocess, sys, threading, time
from dissensus.run.shutdown import stop_on_signals, stop
from dissensus.errors import BudgetReached
from dissensus.llm.journal import IN_FLIGHT

def call():
    with IN_FLIGHT:
        print("calling", flush=True)
        time.sleep(float(sys.argv[1]))
        print("kept", flush=True)

stop_on_signals()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
threading.Thread(target=call).start()
if sys.argv[2] == "budget":
    for _ in range(3):
        threading.Thread(target=lambda: stop(BudgetReached("The budget is reached."))).start()
# The system may give a signal to the other thread: Python acts on it when this one runs again.
for _ in range(600):
    time.sleep(0.1)
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


@pytest.mark.parametrize(
    "number", thorough_but([signal.SIGTERM, signal.SIGINT, signal.SIGHUP], signal.SIGTERM)
)
def test_a_signal_waits_for_the_calls_in_flight(number: signal.Signals) -> None:
    run = start(0.5)
    child = until_calling(run)
    run.send_signal(number)
    said, complaint = run.communicate(timeout=120)
    assert run.returncode == 1
    assert said == "kept\n"
    assert complaint.splitlines() == [
        "Stopping: the calls in flight are finished and kept.",
        f"Stopped by {number.name}; start again, and the run goes on from here.",
    ]
    assert is_gone(child)


def test_a_terminal_that_goes_says_so_twice_and_takes_what_is_said_with_it() -> None:
    run = start(0.5)
    child = until_calling(run)
    assert run.stderr is not None
    run.stderr.close()
    for _ in range(3):
        run.send_signal(signal.SIGHUP)
        time.sleep(0.05)
    assert run.stdout is not None
    assert run.stdout.read() == "kept\n"
    assert run.wait(20) == 1
    assert is_gone(child)


def test_a_run_that_was_told_not_to_mind_a_lost_terminal_goes_on() -> None:
    run = subprocess.Popen(
        ["nohup", sys.executable, "-c", RUN, "0.5", ""], stdout=subprocess.PIPE, text=True
    )
    until_calling(run)
    run.send_signal(signal.SIGHUP)
    assert run.stdout is not None and run.stdout.readline() == "kept\n"
    assert run.poll() is None
    run.send_signal(signal.SIGTERM)
    assert run.wait(20) == 1


def test_a_second_signal_waits_for_nothing() -> None:
    run = start(30)
    child = until_calling(run)
    run.send_signal(signal.SIGINT)
    assert run.stderr is not None
    assert run.stderr.readline().startswith("Stopping")
    time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 128 + signal.SIGINT
    assert said == ""
    assert is_gone(child)


def test_of_many_that_find_the_same_one_is_heard() -> None:
    run = start(0.3, "budget")
    said, complaint = run.communicate(timeout=120)
    assert run.returncode == 1
    assert said.endswith("kept\n") or "calling" not in said
    assert complaint == "The budget is reached.\n"


#: A job of a run: it makes one call after another until it may not.
JOB = """
import sys, time
from pathlib import Path
from dissensus.run.shutdown import stopping_with
from dissensus.errors import BudgetReached, DissensusError
from dissensus.llm.journal import IN_FLIGHT

folder, seconds = Path(sys.argv[1]), float(sys.argv[2])
try:
    with stopping_with(folder):
        for number in range(int(sys.argv[3])):
            with IN_FLIGHT:
                print("calling", flush=True)
                time.sleep(seconds)
                print("kept", flush=True)
        raise BudgetReached("The budget is reached.")
except DissensusError as error:
    print(error, file=sys.stderr)
    sys.exit(1)
"""


def job(folder: Path, seconds: float, calls: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", JOB, str(folder), str(seconds), str(calls)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def calling(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "calling\n"


def test_a_job_that_is_told_to_end_twice_finishes_its_call_and_begins_no_other(tmp_path: Path):
    process = job(tmp_path, 1.0, 50)
    calling(process)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    said, complaint = process.communicate(timeout=120)
    assert (process.returncode, said) == (1, "kept\n")
    assert complaint.startswith("The run is stopping and makes no further call")
    assert not (tmp_path / ".stopped").exists()


@pytest.mark.thorough
def test_what_stops_one_job_stops_the_others_and_the_run_says_why(tmp_path: Path):
    other = job(tmp_path, 0.5, 50)
    calling(other)
    run = subprocess.Popen(
        [sys.executable, "-c", RUNNING, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    run.stdout.readline()
    _, complaint = job(tmp_path, 0.01, 1).communicate(timeout=120)
    assert complaint == "The budget is reached.\n"
    said, _ = other.communicate(timeout=120)
    assert other.returncode == 1
    assert said.endswith("kept\n")
    assert run.communicate(timeout=120)[1] == "The budget is reached.\n"
    assert run.returncode == 1


#: A run that waits for its jobs; a notice of an earlier time does not end it.
RUNNING = """
import sys, time
from pathlib import Path
from dissensus.run.shutdown import watch_for_stop, stop
folder = Path(sys.argv[1])
(folder / ".stopped").write_text("of yesterday")
watch_for_stop(folder, stop)
print("heeding", flush=True)
time.sleep(60)
"""


CALLED_OFF = """
import signal, sys, threading, time
if sys.argv[1] == "background":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
from dissensus.run.shutdown import cancel_cluster_jobs, cancel_on_signals
cancel_on_signals()
threading.Timer(0.2, cancel_cluster_jobs, ["The budget is reached."]).start()
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("cancelled")
"""


@pytest.mark.parametrize("where", thorough_but(["foreground", "background"], "background"))
def test_a_run_on_a_cluster_is_called_off_wherever_its_shell_has_put_it(where: str) -> None:
    command = [sys.executable, "-c", CALLED_OFF, where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (done.stdout, done.stderr) == ("cancelled\n", "The budget is reached.\n")


def test_a_job_ends_when_its_run_is_gone(tmp_path: Path):
    run = subprocess.Popen(
        [sys.executable, "-c", LOCKED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    run.stdout.readline()
    process = job(tmp_path, 0.3, 50)
    calling(process)
    time.sleep(1.5)
    assert process.poll() is None
    run.kill()
    run.wait()
    process.communicate(timeout=120)
    assert process.returncode == 1


LOCKED = """
import sys, time
from pathlib import Path
from dissensus.run.run_folder import RunLock
RunLock(Path(sys.argv[1])).acquire()
print("locked", flush=True)
time.sleep(60)
"""


#: A run whose child has one of its own, in the place of a container's first process, which adopts
#: what is left and never asks how it ended.
UNASKED = """
import ctypes, subprocess, sys
if sys.argv[1:] == ["run"]:
    from dissensus.run.shutdown import exit_with
    nested = "import subprocess; subprocess.Popen(['sleep', '600']); print(1, flush=True); input()"
    child = subprocess.Popen(
        [sys.executable, "-c", nested], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    child.stdout.readline()
    exit_with("It is over.")
ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER
subprocess.run([sys.executable, "-c", sys.argv[1], "run"], timeout=100)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="no other system has such a parent to be made")
def test_what_nobody_asks_for_is_not_waited_for() -> None:
    command = [sys.executable, "-c", UNASKED, UNASKED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110)
    assert (done.returncode, done.stderr) == (0, "It is over.\n")
