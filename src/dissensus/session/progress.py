"""The progress of a run's sessions: counted in each process, added up by the progress board."""

from __future__ import annotations

import atexit
import json
import os
import platform
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from threading import Event, RLock, Thread
from typing import Any

#: Seconds between two times that a process writes down what it counted.
_EVERY_S = 1.0


@dataclass
class Counts:
    """What was done since the run began.

    Attributes
    ----------
    begun : sessions.
    ended : sessions that were completed, or that failed for good.
    failed : those among them that failed for good.
    answers : replies of models and of journals.
    calls : replies of models.
    repairs : replies to being asked again within a turn.
    reruns : attempts at a session beyond its first.
    unused : replies in the journals of sessions that ended, which these asked nothing for any more.
    """

    begun: int = 0
    ended: int = 0
    failed: int = 0
    answers: int = 0
    calls: int = 0
    repairs: int = 0
    reruns: int = 0
    unused: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in _NAMES))

    @property
    def under_way(self) -> int:
        """Sessions that have begun and not ended."""
        return max(0, self.begun - self.ended)

    @property
    def replayed(self) -> int:
        """Replies that journals gave."""
        return max(0, self.answers - self.calls)


_NAMES = tuple(field.name for field in fields(Counts))


class Progress:
    """The counts of this process, written to a file of its own about once a second.

    A thread writes them, so that no session waits for the disk. What cannot be written is left for
    the next time, since progress must not make a session fail. A process that ends by ``os._exit``
    calls :meth:`publish` first, or its last second is not counted.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._start_over()

    def _start_over(self) -> None:
        self._counts = Counts()
        self._published = Counts()
        self._lock = RLock()
        self._publishing = RLock()
        self._publisher: Thread | None = None
        self._name = f"{platform.node()}-{os.getpid()}-{time.time_ns()}"

    def begin(self, folder: Path) -> None:
        """Publish in a folder from now on; it is made when there is something to publish."""
        self._folder = folder

    def count(self, **more: int) -> None:
        """Add to the counts, by the names of :class:`Counts`."""
        with self._lock:
            for name, number in more.items():
                setattr(self._counts, name, getattr(self._counts, name) + number)
            if self._publisher is None and self._folder is not None:
                self._publisher = Thread(target=self._publish_on, daemon=True)
                self._publisher.start()

    def publish(self) -> None:
        """Write down what was counted since the last time."""
        with self._publishing:
            with self._lock:
                counts = Counts(**asdict(self._counts))
            if self._folder is None or counts == self._published:
                return
            path = self._folder / f"{self._name}.json"
            part = path.with_suffix(".part")
            with suppress(OSError):
                self._folder.mkdir(parents=True, exist_ok=True)
                part.write_text(json.dumps(asdict(counts)), encoding="ascii")
                part.replace(path)
                self._published = counts

    def _publish_on(self) -> None:
        while True:
            Event().wait(_EVERY_S)
            self.publish()


#: The counts of this process.
PROGRESS_COUNTS = Progress()
atexit.register(PROGRESS_COUNTS.publish)
# A forked child has done nothing yet, and has no thread that publishes.
os.register_at_fork(after_in_child=PROGRESS_COUNTS._start_over)


def clear(folder: Path) -> None:
    """Delete what an earlier run's processes have published."""
    for pattern in ("*.json", "*.part"):
        for path in folder.glob(pattern):
            with suppress(OSError):
                path.unlink()


class Published:
    """The counts that all processes of a run have published in a folder.

    Other files there are ignored. Of a torn file, the state read before counts.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, tuple[tuple[int, int], Counts]] = {}

    def total(self) -> Counts:
        """All counts, added up."""
        for path in self._folder.glob("*.json"):
            with suppress(OSError):
                self._read(path)
        return sum((counts for _, counts in self._known.values()), Counts())

    def _read(self, path: Path) -> None:
        state = path.stat()
        version = state.st_ino, state.st_mtime_ns
        kept = self._known.get(path.name)
        if kept and kept[0] == version:
            return
        counts = _parsed(path.read_bytes())
        if counts:
            self._known[path.name] = version, counts


def _parsed(raw: bytes) -> Counts | None:
    """The counts in a file; None where it holds none."""
    try:
        members: Any = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(members, dict) or set(members) != set(_NAMES):
        return None
    if not all(type(number) is int and number >= 0 for number in members.values()):
        return None
    return Counts(**members)
