"""Outages: when a provider answers no call at all, its calls wait, and one at a time probes it.

What fails while a provider is out is not the fault of the session that asks, so it is not written
down as its failure: when the provider answers again, the call is made again.

Rejections: a request that a provider rejects is its session's failure where the model answers
others. From some moment on a model may reject every call: it was retired, an account reached its
limit, a firewall stands between. No list of words tells the two apart, but a call that the model
took before does, asked once more; where this process has none, a short question. While the model
rejects that too, its calls wait, and none of this is written down as a session's failure.
"""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Awaitable, Callable

from dissensus.errors import ProviderError

#: A provider is out once so many tries in a row have failed by its own fault.
IN_A_ROW = 20
#: Seconds before the first probe, and the most between two; each interval is twice the one before.
FIRST_PROBE_S = 1.0
MOST_PROBE_S = 60.0
#: Seconds after which a call that waits looks again.
_POLL_S = 0.5
#: Seconds before a model that rejects all is asked again, each twice the one before; how long in
#: all.
REJECTED_FIRST_S = 1.0
REJECTED_LIMIT_S = 60.0
#: So many calls in a row that are rejected are no accident, even where a short question is taken.
REJECTED_IN_A_ROW = 4


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
    is_on : whether the provider is out.
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
        self.is_on = False
        self.waiting = 0
        self._failed = 0
        self._why = ""
        self._since = 0.0
        self._interval = FIRST_PROBE_S
        self._next_probe = 0.0
        self._probing = False

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
            self.is_on = False
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
        self.is_on, self._since = True, self._clock()
        self._check_limit()
        self._interval = FIRST_PROBE_S
        self._next_probe = self._since + self._interval
        self._say(
            f"answers no call ({self._why}). Calls wait, and it is probed for up to "
            f"{self._limit_s:,.0f} s."
        )

    def _check_limit(self) -> None:
        out_for = self._clock() - self._since
        if out_for >= self._limit_s:
            tried = f"{self._failed} tries in a row failed, the last by {self._why}"
            raise ProviderError(
                f"providers.{self._provider} has answered no call for {out_for:,.0f} s ({tried}); "
                "start again when it does: the run goes on where it stopped, and no session counts "
                "as failed for it."
            )

    def _say(self, words: str) -> None:
        print(f"providers.{self._provider} {words}", file=sys.stderr, flush=True)


class Rejections:
    """What a provider's models made of the calls of this process.

    Parameters
    ----------
    provider : its name in the configuration.
    limit_s : for how long a model that rejects everything is asked again before the run stops.
    clock : seconds; for tests.

    Used on one event loop.
    """

    def __init__(
        self,
        provider: str,
        limit_s: float = REJECTED_LIMIT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self._limit_s = limit_s
        self._clock = clock
        self._locks: dict[str, asyncio.Lock] = {}
        # Model -> when the last try that it took had been sent; when it last took up answering.
        self._taken: dict[str, float] = {}
        self._back: dict[str, float] = {}
        # Model -> how many calls it rejected since it last took one.
        self._in_a_row: dict[str, int] = {}

    def taken(self, model: str, sent: float) -> None:
        """Take note that a model did not reject a try of a call, by when that was sent."""
        self._taken[model] = max(self._taken.get(model, sent), sent)
        self._in_a_row[model] = 0

    def last_taken(self, model: str) -> float:
        """When the last try that a model did not reject was sent; minus infinity for none."""
        return self._taken.get(model, -math.inf)

    async def are_of_all(
        self,
        model: str,
        since: float,
        words: str,
        ask: Callable[[], Awaitable[bool]],
        check: Callable[[], None],
    ) -> bool:
        """Whether a call was rejected as every other was, so that it is to be made again.

        Parameters
        ----------
        model : that rejected it.
        since : when it was rejected for the first time.
        words : the provider's own about it.
        ask : asks the model a call that it took before, or a short question; whether it was taken.
        check : called while the model is out; what it raises ends the wait.

        Returns
        -------
        False where the model takes others, so that this one is at fault; True once a model that
        rejected everything answers again.

        Raises
        ------
        ProviderError : it rejects everything for too long.
        """
        async with self._locks.setdefault(model, asyncio.Lock()):
            if self._back.get(model, -math.inf) > since:
                return True
            if self.last_taken(model) > since:
                return False
            if await ask():
                self._count(model, since, words)
                return False
            began, interval = self._clock(), REJECTED_FIRST_S
            self._say(f"rejects all calls to models.{model} ({words}). They wait.")
            while not await self._asked_after(interval, began, ask, check):
                if self._clock() - began >= self._limit_s:
                    raise ProviderError(
                        f"models.{model}: providers.{self._provider} rejects whatever it is asked "
                        f"({words}); mend that and start again: the run goes on where it stopped, "
                        "and no session counts as failed for it."
                    )
                interval *= 2
            self._back[model] = self._clock()
            self._say(f"takes calls to models.{model} again.")
            return True

    def _count(self, model: str, since: float, words: str) -> None:
        """Count a call that was rejected where a question was taken; stop after some in a row."""
        if self.last_taken(model) > since:
            return
        self._in_a_row[model] = self._in_a_row.get(model, 0) + 1
        if self._in_a_row[model] >= REJECTED_IN_A_ROW:
            raise ProviderError(
                f"models.{model}: providers.{self._provider} rejected {REJECTED_IN_A_ROW} calls in "
                f"a row and takes a short question only ({words}); mend that and start again: the "
                "run goes on where it stopped."
            )

    async def _asked_after(
        self,
        interval: float,
        began: float,
        ask: Callable[[], Awaitable[bool]],
        check: Callable[[], None],
    ) -> bool:
        until = min(self._clock() + interval, began + self._limit_s)
        while (left := until - self._clock()) > 0:
            check()
            await asyncio.sleep(min(left, _POLL_S))
        return await ask()

    def _say(self, words: str) -> None:
        print(f"providers.{self._provider} {words}", file=sys.stderr, flush=True)
