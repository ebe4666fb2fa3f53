"""How much is under way at once, in all processes of a run together: calls, and sessions."""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import Lock, Semaphore

from dissensus.errors import ResourceError

#: The longest time before one that found no free slot looks again, in seconds.
_POLL_S = 0.2
#: The most slots tried at each look: on a network file system each try is a message.
_MAX_TRIES = 32


class Slots:
    """A number of slots that all processes of a run share.

    A slot is one byte of a shared file, locked by the process that has it. Network file systems
    keep this kind of lock too, and it ends with its process. Used by one thread at a time.

    Parameters
    ----------
    path : the file; None for slots of this process alone.
    number : of slots, above 0.
    """

    def __init__(self, path: Path | None, number: int) -> None:
        self._path = path
        self._number = number
        self._taken: set[int] = set()
        self._descriptor = -1
        # Processes begin to look in different slots, so that they seldom try one that is taken.
        self._next = random.randrange(number)

    def take(self) -> int | None:
        """A free slot, which is then taken; None where none was found.

        Raises
        ------
        ResourceError : the file cannot be written and locked.
        """
        first = self._next
        around = ((first + step) % self._number for step in range(self._number))
        free = (slot for slot in around if slot not in self._taken)
        for slot in islice(free, _MAX_TRIES):
            self._next = (slot + 1) % self._number
            if self._lock(slot):
                self._taken.add(slot)
                return slot
        return None

    def give_back(self, slot: int) -> None:
        """Let others have a slot."""
        self._taken.discard(slot)
        if self._descriptor >= 0:
            with suppress(OSError):
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, slot)

    def _lock(self, slot: int) -> bool:
        if self._path is None:
            return True
        try:
            if self._descriptor < 0:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
        except BlockingIOError:
            return False
        except OSError as error:
            raise ResourceError(
                f"{self._path} cannot be written and locked ({error.strerror}); make its folder "
                "one that the run may write to, with file locks switched on."
            ) from None
        return True


class ConcurrencyLimit:
    """How many calls a provider is sent at once, by all processes of a run together.

    Parameters
    ----------
    path : of the slots' file; None for those of this process alone.
    number : of slots, above 0.

    Used on one event loop.
    """

    def __init__(self, path: Path | None, number: int) -> None:
        self._slots = Slots(path, number)
        self._mine = asyncio.Semaphore(number)
        self._looking = asyncio.Lock()

    async def acquire(self, check: Callable[[], None]) -> int:
        """Wait for a free slot, and take it.

        Parameters
        ----------
        check : called each time that no slot was free; what it raises ends the wait.

        Returns
        -------
        The slot, for :meth:`release`.

        Raises
        ------
        ResourceError : the file cannot be written and locked.
        """
        await self._mine.acquire()
        try:
            async with self._looking:
                while (slot := self._slots.take()) is None:
                    await asyncio.sleep(random.uniform(0.1, 1.0) * _POLL_S)
                    check()
        except BaseException:
            self._mine.release()
            raise
        return slot

    def release(self, slot: int) -> None:
        """Give a slot back."""
        self._slots.give_back(slot)
        self._mine.release()


class InFlight:
    """How many sessions are in flight at once, in all jobs of a machine together; for threads.

    Parameters
    ----------
    path : of the slots' file.
    number : of sessions; 0 for any number.
    """

    def __init__(self, path: Path, number: int) -> None:
        self._slots = Slots(path, number) if number else None
        self._mine = Semaphore(max(number, 1))
        self._looking = Lock()

    @contextmanager
    def one_more(self, check: Callable[[], None]) -> Iterator[None]:
        """Wait until one more may begin; it counts while the ``with`` block runs.

        Parameters
        ----------
        check : called each time that none may; what it raises ends the wait.

        Raises
        ------
        ResourceError : the file cannot be written and locked.
        """
        if self._slots is None:
            yield
            return
        with self._mine:
            while (slot := self._take()) is None:
                time.sleep(random.uniform(0.1, 1.0) * _POLL_S)
                check()
            try:
                yield
            finally:
                with self._looking:
                    self._slots.give_back(slot)

    def _take(self) -> int | None:
        # Never held while waiting: who ends must be able to give its slot back.
        with self._looking:
            return self._slots.take() if self._slots else None
