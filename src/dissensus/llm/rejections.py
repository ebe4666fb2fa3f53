"""Rejections: whether a model rejects what one call asks, or whatever it is asked.

A request that a provider rejects is its session's failure where the model answers others. From some
moment on a model may reject every call: it was retired, an account reached its limit, a firewall
stands between. No list of words tells the two apart, but a call that the model took before does,
asked once more; where this process has none, a short question. While the model rejects that too,
its calls wait, and none of this is written down as a session's failure.
"""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import Awaitable, Callable

from dissensus.errors import ProviderError

#: Seconds before the model is asked again, each twice the one before, and for how long in all.
FIRST_S = 1.0
LIMIT_S = 60.0
#: So many calls in a row that are rejected are no accident, even where a short question is taken.
IN_A_ROW = 4
#: Seconds after which a call that waits looks whether the run is stopping.
_POLL_S = 0.5


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
        limit_s: float = LIMIT_S,
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
        self._taken[model] = max(self.last_taken(model), sent)
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
            began, interval = self._clock(), FIRST_S
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
        if self._in_a_row[model] >= IN_A_ROW:
            raise ProviderError(
                f"models.{model}: providers.{self._provider} rejected {IN_A_ROW} calls in a row "
                f"and takes a short question only ({words}); mend that and start again: the run "
                "goes on where it stopped."
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
