"""The limits that all processes of a run keep together: calls a minute, and calls at once.

Both are kept in a file that is locked while it is read and written.
"""

from __future__ import annotations

import asyncio
import fcntl
import math
import os
import random
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Semaphore

from dissensus.errors import ResourceError, SettingError
from dissensus.llm.shared import SharedFile

#: How far ahead of the schedule a request may be sent, so that a caller who wakes late by less than
#: this catches up: a third of 1% of a minute, which leaves room for the steps of clocks.
_AHEAD_S = 0.199
#: Seconds over which a minute's limit is spread, so that requests sent ahead keep it too.
_MINUTE_S = 60.6
#: The longest wait for tokens before looking again: other calls may give some back.
_RECHECK_S = 0.3
#: Shorter than any clock can measure.
_RESOLUTION_S = 1e-6
#: The time of day when this process began, that of a clock that nobody sets being nought.
_BEGAN = time.time() - time.monotonic()


def _steady() -> float:
    """Seconds since 1970, which go on evenly whatever the machine's clock is set to meanwhile."""
    return _BEGAN + time.monotonic()


@dataclass(slots=True)
class _Schedule:
    """When the next request and the next token are due, until when all calls pause, and when it
    was written; all in seconds of the clock that those who share it have together.
    """

    requests: float = -math.inf
    tokens: float = -math.inf
    until: float = -math.inf
    written: float = -math.inf


_FIELDS = struct.Struct("<4d")
_SUM = struct.Struct("<I")
_SIZE = _FIELDS.size + _SUM.size


class RateLimiter:
    """The requests and tokens a minute of one provider.

    The generic cell rate algorithm in its virtual scheduling form (ITU-T Recommendation I.371;
    ATM Forum, Traffic Management Specification 4.0, 1996): each request moves the time at which the
    next is due, and may be sent when that time is no more than a tolerance ahead. With a minute's
    limit spread over 60.6 s and a tolerance of 0.2 s, no 60 s have more requests than the limit,
    and 99% of it can be used. A request may take any number of tokens once tokens are due, and the
    next waits the longer: 60 s have less than the limit plus one request.

    Parameters
    ----------
    path : the file that the processes share; None, or no limit at all, for this one alone.
    requests_per_minute, tokens_per_minute : above 0, None for no limit.
    clock : seconds since a fixed date. Those of two machines may differ by any time: what another
        wrote was written before it is read, so that a clock which shows less is behind, and goes
        on from there. All go by the one that is furthest ahead; the first request of one that is
        further ahead than any before may be early.

    Raises
    ------
    SettingError : a limit is not above 0.
    ResourceError : the file cannot be used, when it is first needed.
    """

    def __init__(
        self,
        path: Path | None,
        requests_per_minute: float | None,
        tokens_per_minute: float | None,
        clock: Callable[[], float] = _steady,
    ) -> None:
        self._per_request = _seconds_each("requests_per_minute", requests_per_minute)
        self._per_token = _seconds_each("tokens_per_minute", tokens_per_minute)
        self._clock = clock
        self._behind = 0.0
        self._is_limited = self._per_request > 0.0 or self._per_token > 0.0
        self._file = SharedFile(path) if path is not None and self._is_limited else None
        self._turn: AbstractContextManager[int] = self._file or Lock()
        self._alone = _Schedule()

    def take(self, tokens: int) -> float:
        """Book a request of ``tokens``, where the limits allow it now.

        Returns
        -------
        0.0 where it is booked; otherwise the seconds after which to ask again.
        """
        if not self._is_limited and self._alone.until == -math.inf:
            return 0.0
        with self._turn as descriptor:
            schedule = self._read(descriptor)
            now = self._now(schedule)
            tokens_wait = schedule.tokens - _AHEAD_S - now
            wait = max(
                schedule.until - now,
                schedule.requests - _AHEAD_S - now,
                min(tokens_wait, _RECHECK_S),
            )
            if wait > _RESOLUTION_S:
                return wait
            if self._per_request:
                schedule.requests = max(schedule.requests, now) + self._per_request
            if self._per_token:
                schedule.tokens = max(schedule.tokens, now) + self._worth(tokens)
            self._write(descriptor, schedule, now)
            return 0.0

    def settle(self, booked: int, used: int) -> None:
        """Correct what :meth:`take` booked, once it is known how many tokens were used.

        It raises no error for a file that cannot be written: an answer that came is not lost for
        it, and the next call stops.
        """
        if booked == used or not self._per_token:
            return
        with suppress(ResourceError), self._turn as descriptor:
            schedule = self._read(descriptor)
            now = self._now(schedule)
            due = schedule.tokens + self._worth(used) - self._worth(booked)
            schedule.tokens = min(due, now + _AHEAD_S + _MINUTE_S)
            self._write(descriptor, schedule, now)

    def pause(self, seconds: float) -> None:
        """Let no request be sent for so many seconds; a longer pause stays as it is."""
        if not (math.isfinite(seconds) and seconds > 0.0):
            return
        with self._turn as descriptor:
            schedule = self._read(descriptor)
            now = self._now(schedule)
            if now + seconds > schedule.until:
                schedule.until = now + seconds
                self._write(descriptor, schedule, now)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._file is not None:
            self._file.close()

    def _worth(self, tokens: int) -> float:
        """The seconds that tokens take up, at most a minute's limit."""
        return min(max(tokens, 0) * self._per_token, _MINUTE_S)

    def _now(self, schedule: _Schedule) -> float:
        """The time by the clock that all have together; what no clock can have booked is capped.

        A run of before may have had other limits.
        """
        clock = self._clock()
        if schedule.written > clock + self._behind:
            self._behind = schedule.written - clock
        now = clock + self._behind
        schedule.requests = min(schedule.requests, now + _AHEAD_S + self._per_request)
        schedule.tokens = min(schedule.tokens, now + _AHEAD_S + _MINUTE_S)
        return now

    def _read(self, descriptor: int) -> _Schedule:
        """The schedule in the file; an empty one where there is none, or a torn one."""
        if self._file is None:
            return self._alone
        stored = os.pread(descriptor, _SIZE, 0)
        if (
            len(stored) < _SIZE
            or zlib.crc32(stored[: _FIELDS.size]) != _SUM.unpack_from(stored, 32)[0]
        ):
            return _Schedule()
        return _Schedule(*_FIELDS.unpack_from(stored))

    def _write(self, descriptor: int, schedule: _Schedule, now: float) -> None:
        schedule.written = now
        if self._file is None:
            return
        fields = _FIELDS.pack(schedule.requests, schedule.tokens, schedule.until, now)
        try:
            os.pwrite(descriptor, fields + _SUM.pack(zlib.crc32(fields)), 0)
        except OSError as error:
            raise ResourceError(
                f"{self._file.path} cannot be written ({error.strerror}), and without it the "
                "limits a minute would not be kept; free some space and start again: the run goes "
                "on where it stopped."
            ) from None


def _seconds_each(setting: str, limit: float | None) -> float:
    """Seconds between two requests or tokens of a limit a minute; 0.0 where there is none."""
    if limit is None:
        return 0.0
    if not limit > 0.0:
        raise SettingError(
            f"{setting} is {limit}; a limit must be above 0, or null where there is none."
        )
    return _MINUTE_S / limit


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
        first, tries = self._next, 0
        for step in range(self._number):
            slot = (first + step) % self._number
            if slot in self._taken:
                continue
            self._next = (slot + 1) % self._number
            try:
                if self._path is not None:
                    if self._descriptor < 0:
                        self._open(self._path)
                    fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
                self._taken.add(slot)
                return slot
            except BlockingIOError:
                tries += 1
                if tries == _MAX_TRIES:
                    break
            except OSError as error:
                raise ResourceError(
                    f"{self._path} cannot be written and locked ({error.strerror}); make its "
                    "folder one that the run may write to, with file locks switched on."
                ) from None
        return None

    def _open(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def give_back(self, slot: int) -> None:
        """Let others have a slot."""
        self._taken.discard(slot)
        if self._descriptor >= 0:
            with suppress(OSError):
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, slot)


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
