"""Code of a reader's own that never comes to an end is stopped, and its line is named."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from dissensus.errors import ResourceError

#: Seconds after which code that asks nobody, and waits for nothing, is taken to have no end.
MOST_S = 60.0


class _Endless(BaseException):
    """Ends code from another thread; no ``except Exception`` of that code keeps it."""


@contextmanager
def ending_in_time(folder: Path, what: str, seconds: float | None = None) -> Iterator[None]:
    """Refuse code that goes on for too long.

    Parameters
    ----------
    folder : of the code; of lines that it runs, the innermost in a file there is named.
    what : was begun, such as "session d001-alone with assumed replies".
    seconds : see :data:`MOST_S`.

    Raises
    ------
    ResourceError : it has not ended, with the line that it is in.
    """
    running, ended = threading.get_ident(), threading.Event()
    seconds = MOST_S if seconds is None else seconds
    place: list[str] = []

    def watch() -> None:
        if not ended.wait(seconds):
            place.append(_place(sys._current_frames().get(running), folder))
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(running), ctypes.py_object(_Endless)
            )

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except _Endless:
        raise ResourceError(
            f"{place[0]}: {what} has not ended after {seconds:g} seconds; every round of its loop "
            "must yield a call, and end after some rounds. Nothing was asked of a model yet."
        ) from None
    finally:
        ended.set()
        watcher.join()
        # Where the code ended just then, what was sent to it is taken back.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(running), None)


def _place(frame: FrameType | None, folder: Path) -> str:
    """The file and the line of the innermost frame of a folder's."""
    while frame is not None:
        if Path(frame.f_code.co_filename).parent == folder:
            return f"{frame.f_code.co_filename}, line {frame.f_lineno}"
        frame = frame.f_back
    return str(folder)
