"""The progress board: how many sessions have ended, how many a minute, and what they cost."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, RLock, Thread
from typing import Protocol

from dissensus.session.progress import PROGRESS_COUNTS, Counts, Published

#: Seconds over which the rate is taken. Sessions replayed from a journal are much faster, and must
#: be forgotten soon.
_WINDOW_S = 180.0
#: With fewer sessions, or in a shorter time, a rate would be a guess.
_FEWEST_SESSIONS = 3
_SHORTEST_S = 5.0
#: Seconds between two updates of the counts on a terminal.
_UPDATE_S = 1.0


class Screen(Protocol):
    """Where the progress of a run is shown."""

    def show(self, line: str) -> None:
        """Show the present state; called about once a second."""

    def settle(self, line: str) -> None:
        """Show the last state, which stays on the screen."""


class Throughput:
    """Sessions a minute over the last minutes, and over at least as many sessions as are running.

    Sessions that begin together end together, so fewer than one such wave give no useful rate.

    Parameters
    ----------
    at : seconds of any clock.
    ended : sessions that had ended by then.
    """

    def __init__(self, at: float, ended: int) -> None:
        self._first = self._last = (at, ended)
        self._later: deque[tuple[float, int]] = deque()
        self._wave = _FEWEST_SESSIONS

    def note(self, at: float, ended: int, under_way: int) -> None:
        """Take in how many sessions had ended by a time, and how many are running."""
        if ended != self._last[1]:
            self._later.append((at, ended))
        self._last = at, ended
        self._wave = max(under_way, _FEWEST_SESSIONS)
        while (
            self._later
            and at - self._later[0][0] >= _WINDOW_S
            and ended - self._later[0][1] >= self._wave
        ):
            self._first = self._later.popleft()

    @property
    def per_minute(self) -> float | None:
        """None while there is too little to base it on."""
        seconds = self._last[0] - self._first[0]
        ended = self._last[1] - self._first[1]
        if seconds < _SHORTEST_S or ended < self._wave:
            return None
        return 60.0 * ended / seconds


class Board:
    """Adds up the counts that a run's processes publish, and shows them while sessions run.

    Attributes
    ----------
    screen : where they are shown; None for a process that shows nothing.
    recount : how many sessions are complete by what they left; asked at the end, since a process
        that was killed, or that outlived an earlier run, does not tell of all that it completed.
    planned : words the sessions that would run, from the jobs by rule and the sessions by study.
    """

    def __init__(self) -> None:
        self.screen: Screen | None = None
        self.recount: Callable[[], int] = lambda: 0
        self.planned: Callable[[dict[str, int], dict[str, tuple[int, int]]], str] = lambda *_: ""
        self._expected: dict[str, tuple[int, int]] = {}
        self._ended = Event()
        self._ended.set()
        self._lock = RLock()
        self._throughput: Throughput | None = None
        self._began = 0.0
        self._settled: tuple[Counts, int] | None = None

    def expect(self, study: str, total: int, done: int) -> None:
        """Set how many sessions a study has, and how many of them are done already."""
        self._expected[study] = total, done

    def plan(self, stats: dict[str, int]) -> str:
        """A sentence on the sessions that would run; ``stats``: rule -> jobs."""
        return self.planned(stats, self._expected)

    @property
    def _total(self) -> int:
        return sum(total for total, _ in self._expected.values())

    @property
    def _done_before(self) -> int:
        return sum(done for _, done in self._expected.values())

    def open(self, folder: Path, ledger: Path | None, budget_usd: float | None) -> None:
        """Begin to show the counts that processes publish in a folder.

        Parameters
        ----------
        ledger : of the run; None where it spends nothing.
        budget_usd : of the run; None for no limit.
        """
        if self.screen is None:
            return
        self._published = Published(folder)
        self._money = _money(ledger, budget_usd) if ledger else lambda: ""
        self._ended.clear()
        Thread(target=self._watch, daemon=True).start()

    def close(self) -> None:
        """Show the last state, where any was shown."""
        with self._lock:
            if self._ended.is_set():
                return
            self._ended.set()
            with suppress(OSError):
                self._settle(self._update())

    def _watch(self) -> None:
        while not self._ended.wait(_UPDATE_S):
            with self._lock, suppress(OSError):
                if self._ended.is_set():
                    return
                counts = self._update()
                if self._done(counts) >= self._total and not counts.under_way:
                    self._settle(counts)
                elif self._throughput and self.screen is not None:
                    self.screen.show(self._words(counts, self._done(counts), self._outlook(counts)))

    def _settle(self, counts: Counts) -> None:
        """Show a state that stays on the screen, once. Another study's sessions may follow."""
        if not self._throughput or self.screen is None or self._settled == (counts, self._total):
            return
        self._settled = counts, self._total
        taken = f" in {in_words(time.monotonic() - self._began)}"
        self.screen.settle(self._words(counts, self._complete(counts), taken))

    def _complete(self, counts: Counts) -> int:
        """How many sessions are complete: by the counts, or else by what they left."""
        done = self._done(counts)
        if done < self._total:
            # Whatever is wrong with a file, the run reports.
            with suppress(Exception):
                return max(done, min(self.recount(), self._total))
        return done

    def _update(self) -> Counts:
        PROGRESS_COUNTS.publish()
        counts, now = self._published.total(), time.monotonic()
        if self._throughput is None and counts.begun:
            self._throughput, self._began = Throughput(now, counts.ended), now
        if self._throughput:
            self._throughput.note(now, counts.ended, counts.under_way)
        return counts

    def _done(self, counts: Counts) -> int:
        return min(self._done_before + counts.ended, self._total)

    def _outlook(self, counts: Counts) -> str:
        rate = self._throughput and self._throughput.per_minute
        if not rate or self._done(counts) >= self._total:
            return ""
        # No time left: after the sessions come stages, of which nobody knows how long they take.
        return f"; {_rounded(rate)} a minute"

    def _words(self, counts: Counts, number_done: int, time_words: str) -> str:
        done = f"{number_done:,} of {self._total:,} sessions{time_words}"
        failed = f"{counts.failed:,} failed for good" if counts.failed else ""
        return "; ".join(part for part in (done, failed, self._money(), _work(counts)) if part)


def in_words(seconds: float) -> str:
    """A time rounded up to the second, from a minute to the minute, from a day to the hour."""
    if seconds <= 59.0:
        return f"{math.ceil(max(0.0, seconds))} s"
    minutes = math.ceil(seconds / 60.0)
    if minutes < 24 * 60:
        return _two(*divmod(minutes, 60), "h", "min")
    return _two(*divmod(math.ceil(minutes / 60), 24), "d", "h")


def _two(many: int, few: int, large: str, small: str) -> str:
    return " ".join(f"{n} {unit}" for n, unit in ((many, large), (few, small)) if n)


def _rounded(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10.0 else f"{rate:.2g}"


def _work(counts: Counts) -> str:
    """The number of calls, and of replays, repairs and reruns where there are any."""
    rest = {
        "answer from a journal": counts.replayed,
        "repair": counts.repairs,
        "rerun": counts.reruns,
        "answer in a journal that no prompt asks for any more": counts.unused,
    }
    words = [number(n, thing) for thing, n in rest.items() if n]
    return ", ".join([number(counts.calls, "call"), *words])


def number(n: int, thing: str) -> str:
    """A number with its noun: ``1 call``, ``1,200 calls``, ``2 answers from a journal``."""
    noun, space, rest = thing.partition(" ")
    return f"{n:,} {noun}{'' if n == 1 else 's'}{space}{rest}"


def _money(path: Path, budget_usd: float | None) -> Callable[[], str]:
    """Words for what was spent, "at most" where calls are on their way or their answers never came.

    "" where the ledger cannot be read, since the run reports that.
    """
    from dissensus.errors import DissensusError
    from dissensus.llm.ledger import Ledger

    ledger = Ledger(path, None)
    of = "" if budget_usd is None else f" of {_usd(budget_usd)}"

    def spent() -> str:
        try:
            most, billed = ledger.spent_usd, ledger.sure_usd
            if ledger.unsure_usd:
                return f"at most {_usd(most)}{of} spent, {_usd(billed)} of it billed"
            return f"{_usd(most)}{of} spent"
        except DissensusError:
            return ""

    return spent


def _usd(dollars: float) -> str:
    return f"${dollars:,.4f}" if 0.0 < dollars < 1.0 else f"${dollars:,.2f}"


#: The board of this process; the logging handler sets its screen, the Snakefile the rest.
BOARD = Board()
