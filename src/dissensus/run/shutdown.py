"""How a run ends before its time: with one sentence, and with every paid reply kept."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import NoReturn, ParamSpec, TypeVar

import psutil

from dissensus.errors import DissensusError, Stopped
from dissensus.llm.journal import IN_FLIGHT
from dissensus.report.escaping import complain, message
from dissensus.run.run_folder import has_ended, is_abandoned
from dissensus.tables.artefact import replacing

#: Seconds that calls in flight are waited for: more than any has with its usual deadline.
_MAX_WAIT_S = 900.0
#: How often the processes of a run look whether another has stopped it.
_POLL_S = 1.0
#: How often a process that ends looks whether those that it has started have ended.
_LOOK_S = 0.01
#: How long a job that found why the run must stop waits for the run to end it.
_STOP_WAIT_S = 3 * _POLL_S
_NOTICE = ".stopped"


P = ParamSpec("P")
T = TypeVar("T")

_stopping = threading.Lock()
#: That a signal has told this run to stop.
_signalled = threading.Event()
_before_exit: list[Callable[[], object]] = []
_last_words: dict[str, None] = {}


def before_exit(act: Callable[[], object]) -> None:
    """Have something done before a run says why it ends, such as leaving the line in use."""
    _before_exit.append(act)


def say_last(sentence: str) -> None:
    """Keep a sentence for the end of the run: it is said once, however often it is found."""
    _last_words[message(sentence)] = None


def last_words() -> str:
    """All that was kept for the end, a line each; kept no longer."""
    words = "".join(f"{sentence}\n" for sentence in _last_words)
    _last_words.clear()
    return words


def exit_with(error: object) -> NoReturn:
    """End with the error's sentence alone; a traceback would bury it."""
    _leave(1, error)


def exit_on_user_error(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, ending the process with a user's error as its sentence alone."""

    @wraps(function)
    def guarded(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return function(*arguments, **named)
        except DissensusError as error:
            exit_with(error)

    return guarded


def stop(error: object) -> NoReturn:
    """End as :func:`exit_with` does, once the calls in flight are in their journals.

    Of several threads that find the same, the first is heard.
    """
    _stopping.acquire()  # and never given back
    # Python waits for this thread where Snakemake ends first, all of its jobs having ended.
    last = threading.Thread(target=_drain_and_exit, args=(error,), daemon=False)
    last.start()
    last.join()
    raise SystemExit(1)


def _drain_and_exit(error: object) -> NoReturn:
    IN_FLIGHT.close()
    IN_FLIGHT.drain(_MAX_WAIT_S)
    exit_with(error)


def is_stopping() -> bool:
    """Whether this process is about to end: what its jobs come to meanwhile is no news."""
    return _stopping.locked()


def cancel_cluster_jobs(error: object) -> None:
    """End a run with jobs on a cluster: Snakemake cancels them, and they finish their calls.

    Needs :func:`cancel_on_signals`.
    """
    complain(error)
    # It wakes the main thread, wherever that waits. A shell's background jobs never see SIGINT.
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def _heeded() -> tuple[signal.Signals, ...]:
    """Signals that end a run: a lost terminal's too, unless it was started not to mind (nohup)."""
    kept = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if not kept else ()))


def cancel_on_signals() -> None:
    """Let SIGTERM and SIGHUP do what Ctrl-C does to a run with jobs on a cluster.

    Snakemake's own handler of it waits until all of them have ended by themselves.
    """
    for number in _heeded():
        signal.signal(number, signal.default_int_handler)


def stop_on_signals() -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP end the run as an error does.

    A second Ctrl-C or SIGTERM ends it at once; a terminal that goes may say so more than once.
    Snakemake's own handler of SIGTERM takes a lock that the thread it interrupts may hold.
    """
    for number in _heeded():
        signal.signal(number, _interrupted)


def watch_for_stop(folder: Path, end: Callable[[str], object]) -> None:
    """Have a run ended, from a thread of its own, when one of its jobs posts why it must stop.

    Parameters
    ----------
    folder : the run's; a notice of an earlier time is taken away.
    end : what ends it; takes the job's sentence.
    """
    (folder / _NOTICE).unlink(missing_ok=True)

    def watch() -> None:
        while not (sentence := _notice(folder)):
            threading.Event().wait(_POLL_S)
        end(sentence)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def stopping_with(folder: Path) -> Iterator[None]:
    """Let a job end with its run: calls in flight are finished, and no further one is begun.

    That is what SIGTERM, SIGHUP and SIGINT do (a second Ctrl-C ends it at once), and the run's end.
    What stops this job is posted in the run's folder, so that it stops the others.

    Raises
    ------
    Stopped : the run has ended this job, and says why by itself.
    """
    done = threading.Event()

    def watch() -> None:
        while not (_notice(folder) or is_abandoned(folder)):
            if done.wait(_POLL_S):
                return
        IN_FLIGHT.close()

    def interrupted(number: int, _: FrameType | None) -> None:
        # Slurm sends SIGTERM twice at a time limit, within milliseconds.
        if signalled.is_set() and number == signal.SIGINT:
            os._exit(128 + number)
        signalled.set()
        threading.Thread(target=IN_FLIGHT.close, daemon=True).start()

    signalled = threading.Event()
    before = {number: signal.signal(number, interrupted) for number in _heeded()}
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except DissensusError as error:
        if not isinstance(error, Stopped):
            _post(folder, str(error))
        if not is_abandoned(folder) and signalled.wait(_STOP_WAIT_S):
            raise Stopped(str(error)) from None
        raise
    finally:
        done.set()
        for number, handler in before.items():
            signal.signal(number, handler)


def _post(folder: Path, sentence: str) -> None:
    with suppress(OSError), replacing(folder / _NOTICE) as part:
        part.write_text(sentence, encoding="utf-8")


def _notice(folder: Path) -> str:
    try:
        return (folder / _NOTICE).read_text(encoding="utf-8")
    except OSError:
        return ""


def _interrupted(number: int, _: FrameType | None) -> None:
    # Noted here, and not by the thread: a second signal may come before that has begun.
    is_second = _stopping.locked() or _signalled.is_set()
    _signalled.set()
    if not is_second:
        threading.Thread(target=_stop_for, args=(number,), daemon=True).start()
    elif number != signal.SIGHUP:
        _leave(128 + number, wait_s=0.0)


def _stop_for(number: int) -> None:
    _print("Stopping: the calls in flight are finished and kept.\n")
    stop(f"Stopped by {signal.Signals(number).name}; start again, and the run goes on from here.")


def _leave(status: int, message: object = "", wait_s: float = _MAX_WAIT_S) -> NoReturn:
    """End this process, and with it the scripts that it runs; some have calls to finish."""
    children = psutil.Process().children(recursive=True)
    for child in children:
        with suppress(psutil.Error):
            child.terminate()
    deadline = time.monotonic() + wait_s
    while not all(has_ended(child.pid) for child in children) and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
    for act in _before_exit:
        act()
    if message:
        say_last(str(message))
    _print(last_words())
    os._exit(status)


def _print(words: str) -> None:
    """Say something, if there is still a terminal to say it in."""
    with suppress(OSError, ValueError):
        print(words, file=sys.stderr, end="", flush=True)
