"""Code of a reader's own that never comes to an end is stopped, and its line is named."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from dissensus.errors import ResourceError

#: Seconds after which code that asks nobody, and waits for nothing, is taken to have no end.
MOST_S = 60.0
NOTHING_ASKED = "Nothing was asked of a model yet."
KEPT = "What was paid for is kept."


#: Seconds between two looks at all code that is watched.
_LOOK_S = 0.1


class _Endless(BaseException):
    """Ends code from another thread; no ``except Exception`` of that code keeps it."""


@dataclass(eq=False)
class _Watched:
    """Code that runs on a thread, until when it may, and where it was when that was over."""

    thread: int
    folder: Path
    until: float
    place: str = ""


class _Watcher:
    """One thread that looks at all code that is watched: a thread for each would cost too much."""

    def __init__(self) -> None:
        self._watched: dict[_Watched, None] = {}
        self._lock = threading.Lock()
        self._wakes = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, watched: _Watched) -> None:
        with self._lock:
            self._watched[watched] = None
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._look, name="endless", daemon=True)
                self._thread.start()
        self._wakes.set()

    def end(self, watched: _Watched) -> None:
        with self._lock:
            self._watched.pop(watched, None)
            if watched.place:
                # Where the code ended just then, what was sent to it is taken back.
                _send(watched.thread, None)

    def _look(self) -> None:
        while self._wakes.wait():
            with self._lock:
                late = [each for each in self._watched if each.until < time.monotonic()]
                for each in late:
                    each.place = _place(sys._current_frames().get(each.thread), each.folder)
                    _send(each.thread, _Endless)
                    del self._watched[each]
                if not self._watched:
                    self._wakes.clear()
            time.sleep(_LOOK_S)


_WATCHER = _Watcher()


def _send(thread: int, error: type[BaseException] | None) -> None:
    """Have an error raised on a thread, or take it back where it is not raised yet."""
    sent = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), sent)


@contextmanager
def ending_in_time(folder: Path, what: str, kept: str = NOTHING_ASKED) -> Iterator[None]:
    """Refuse code that goes on for longer than :data:`MOST_S`.

    Parameters
    ----------
    folder : of the code; of lines that it runs, the innermost in a file there is named.
    what : was begun, such as "session d001-alone with assumed replies".
    kept : a sentence of what that cost.

    Raises
    ------
    ResourceError : it has not ended, with the line that it is in.
    """
    watched = _Watched(threading.get_ident(), folder, time.monotonic() + MOST_S)
    _WATCHER.begin(watched)
    try:
        yield
    except _Endless:
        if not watched.place:
            # It is code around this that has not ended.
            raise
        raise ResourceError(
            f"{watched.place}: {what} has not ended after {MOST_S:g} seconds; a loop must end, "
            f"and one of debate must yield a call in every round. {kept}"
        ) from None
    finally:
        _WATCHER.end(watched)


def _place(frame: FrameType | None, folder: Path) -> str:
    """The file and the line of the innermost frame of a folder's."""
    while frame is not None:
        if Path(frame.f_code.co_filename).parent == folder:
            return f"{frame.f_code.co_filename}, line {frame.f_lineno}"
        frame = frame.f_back
    return str(folder)
