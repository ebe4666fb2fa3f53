"""How many calls a provider is sent at once, by all processes of a run together."""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dissensus.errors import ResourceError

#: Seconds after which a call that found all places taken looks again, at most.
_LOOK_S = 0.2
#: How many places are tried at each look: on a network file system each is a message.
_TRIES = 32


class ConcurrencyLimit:
    """A number of places that calls take and give back.

    A place is one byte of a file that the processes share, locked by whoever has it: the kind of
    lock that network file systems keep too, and that dies with its process.

    Parameters
    ----------
    path : the file; None for the places of this process alone.
    number : of places, above 0.

    Used on one event loop.
    """

    def __init__(self, path: Path | None, number: int) -> None:
        self._path = path
        self._number = number
        self._mine = asyncio.Semaphore(number)
        self._looking = asyncio.Lock()
        self._taken: set[int] = set()
        self._descriptor = -1
        # Processes begin to look in different places, so that they seldom try one that is taken.
        self._next = random.randrange(number)

    async def acquire(self, may_go: Callable[[], None]) -> int:
        """Wait for a place, and take it.

        Parameters
        ----------
        may_go : asked whenever places were looked for in vain; what it raises ends the wait.

        Returns
        -------
        The place, for :meth:`release`.

        Raises
        ------
        ResourceError : the file cannot be written and locked.
        """
        await self._mine.acquire()
        try:
            async with self._looking:
                while (place := self._find()) is None:
                    await asyncio.sleep(random.uniform(0.1, 1.0) * _LOOK_S)
                    may_go()
                self._taken.add(place)
        except BaseException:
            self._mine.release()
            raise
        return place

    def release(self, place: int) -> None:
        """Give a place back."""
        self._taken.discard(place)
        if self._descriptor >= 0:
            with suppress(OSError):
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, place)
        self._mine.release()

    def _find(self) -> int | None:
        around = ((self._next + step) % self._number for step in range(self._number))
        free = [place for place in around if place not in self._taken][:_TRIES]
        for place in free:
            self._next = (place + 1) % self._number
            if self._lock(place):
                return place
        return None

    def _lock(self, place: int) -> bool:
        if self._path is None:
            return True
        try:
            if self._descriptor < 0:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except BlockingIOError:
            return False
        except OSError as error:
            raise ResourceError(
                f"{self._path} cannot be written and locked ({error.strerror}); make its folder "
                "one that the run may write to, with file locks switched on."
            ) from None
        return True
