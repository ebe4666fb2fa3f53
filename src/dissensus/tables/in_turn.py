"""What hundreds of sessions have to write, written by one thread, one after the other.

Sessions that end together would make their files at the same moment, and wait for each other in the
folder that they share. Arrow besides keeps a heap for every thread that has ever asked it for
memory.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_here = threading.local()


def _begin() -> None:
    _here.writes = True


def _one_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "artefacts", initializer=_begin)


_WRITER = _one_thread()


def _start_over() -> None:
    """In a process made by fork, which has none of its parent's threads."""
    global _WRITER
    _WRITER = _one_thread()
    _here.writes = False


os.register_at_fork(after_in_child=_start_over)


def in_turn(function: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> T:
    """What a function returns or raises that is called by the thread that writes."""
    if getattr(_here, "writes", False):
        return function(*arguments, **named)
    try:
        called = _WRITER.submit(function, *arguments, **named)
    except RuntimeError:
        # A process that is ending takes no more work, but its last sessions have something to keep.
        return function(*arguments, **named)
    return called.result()
