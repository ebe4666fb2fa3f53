"""How a run ends before its time: with one sentence, and with every paid reply kept."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

import psutil

from dissensus.talk.journal import IN_FLIGHT

#: Seconds that calls in flight are waited for: more than any has with its usual deadline.
_LONGEST_S = 900.0

_ending = threading.Lock()


def refuse(error: object) -> NoReturn:
    """End with the error's sentence alone; a traceback would bury it."""
    _leave(1, error)


def stop(error: object) -> NoReturn:
    """End as :func:`refuse` does, once the calls in flight are in their journals.

    Of several threads that find the same, the first is heard.
    """
    _ending.acquire()  # and never given back
    IN_FLIGHT.close()
    IN_FLIGHT.drain(_LONGEST_S)
    refuse(error)


def heed_signals() -> None:
    """Let Ctrl-C and SIGTERM end the run as an error does, and a second one at once.

    Snakemake's own handler of SIGTERM takes a lock that the thread it interrupts may hold.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupted)


def _interrupted(number: int, _: FrameType | None) -> None:
    if _ending.locked():
        _leave(128 + number)
    threading.Thread(target=_stop_for, args=(number,), daemon=True).start()


def _stop_for(number: int) -> None:
    print("Stopping: the calls in flight are finished and kept.", file=sys.stderr, flush=True)
    stop(f"Stopped by {signal.Signals(number).name}; start again, and the run goes on from here.")


def _leave(status: int, last_words: object = "") -> NoReturn:
    """End this process, and with it the scripts that it runs."""
    for child in psutil.Process().children(recursive=True):
        try:
            child.terminate()
        except psutil.Error:
            continue
    if last_words:
        print(last_words, file=sys.stderr, flush=True)
    os._exit(status)
