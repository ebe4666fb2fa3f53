"""Outages: when a provider answers no call at all, its calls wait, and one at a time probes it.

What fails while a provider is out is not the fault of the session that asks, so it is not written
down as its failure: when the provider answers again, the call is made again.
"""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Callable

from dissensus.errors import ProviderError

#: A provider is out once so many tries in a row have failed by its own fault.
IN_A_ROW = 20
#: Seconds before the first probe, and the most between two; each interval is twice the one before.
FIRST_PROBE_S = 1.0
MOST_PROBE_S = 60.0
#: Seconds after which a call that waits looks again.
_POLL_S = 0.5


class Outage:
    """Whether a provider answers, as the calls of this process have found.

    Parameters
    ----------
    provider : its name in the configuration.
    limit_s : for how long a provider that is out is probed before the run stops.
    clock : seconds; for tests.

    Attributes
    ----------
    answered_sent : when the last try that was answered had been sent, whatever the answer was.
    waiting : how many calls wait for the provider's next answer.

    Used on one event loop.
    """

    def __init__(
        self, provider: str, limit_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._provider = provider
        self._limit_s = limit_s
        self._clock = clock
        self.answered_sent = -math.inf
        self.waiting = 0
        self._failed = 0
        self._why = ""
        self._since: float | None = None
        self._interval = FIRST_PROBE_S
        self._next_probe = 0.0
        self._probing = False

    @property
    def is_on(self) -> bool:
        """Whether the provider is out."""
        return self._since is not None

    async def admit(self, check: Callable[[], None]) -> bool:
        """Wait until a try may be sent; whether it is a probe, which ends with :meth:`probed`.

        Parameters
        ----------
        check : called while the provider is out; what it raises ends the wait.

        Raises
        ------
        ProviderError : the provider is out for too long.
        """
        if not self.is_on:
            return False
        self.waiting += 1
        try:
            while self.is_on:
                self._check_limit()
                left = self._next_probe - self._clock()
                if not self._probing and left <= 0:
                    self._probing = True
                    return True
                await asyncio.sleep(min(_POLL_S, max(left, 0.01)))
                check()
        finally:
            self.waiting -= 1
        return False

    def probed(self) -> None:
        """End a probe; without an answer, the next one follows after twice the time."""
        self._probing = False
        if self.is_on:
            self._interval = min(2 * self._interval, MOST_PROBE_S)
            self._next_probe = self._clock() + self._interval

    def answered(self, sent: float) -> None:
        """Take note of an answer to a try, by when that was sent, and so of an outage's end."""
        self.answered_sent = max(self.answered_sent, sent)
        self._failed = 0
        if self.is_on:
            self._since = None
            self._say("answers again.")

    def failed(self, why: str) -> None:
        """Take note of a try that failed by the provider's fault; ``why``, in a phrase."""
        self._failed += 1
        self._why = why
        if self._failed >= IN_A_ROW:
            self.begin()

    def begin(self) -> None:
        """Let calls wait until the provider answers again.

        Raises
        ------
        ProviderError : it is not to be probed, since ``limit_s`` is 0.
        """
        if self.is_on:
            return
        self._since = self._clock()
        self._check_limit()
        self._interval = FIRST_PROBE_S
        self._next_probe = self._since + self._interval
        self._say(
            f"answers no call ({self._why}). Calls wait, and it is probed for up to "
            f"{self._limit_s:,.0f} s."
        )

    def _check_limit(self) -> None:
        out_for = self._clock() - (self._since or 0.0)
        if out_for >= self._limit_s:
            tried = f"{self._failed} tries in a row failed, the last by {self._why}"
            raise ProviderError(
                f"providers.{self._provider} has answered no call for {out_for:,.0f} s ({tried}); "
                "start again when it does: the run goes on where it stopped, and no session counts "
                "as failed for it."
            )

    def _say(self, words: str) -> None:
        print(f"providers.{self._provider} {words}", file=sys.stderr, flush=True)
