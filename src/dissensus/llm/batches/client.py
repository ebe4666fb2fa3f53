"""The requests about a batch: create it once, find it again, wait for its end, read its results."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, TypeVar

from dissensus.errors import DissensusError, ProviderError
from dissensus.llm.batches.files import Plan
from dissensus.llm.batches.interface import BatchInterface, Found, Line, Sought, State
from dissensus.llm.exchange import Terms
from dissensus.llm.journal import IN_FLIGHT
from dissensus.llm.limits import RateLimiter
from dissensus.llm.outcomes import RULES, outcome_of, stopped

Result = TypeVar("Result")

#: Requests after which a batch that the provider does not list, or a line that its results leave
#: out, is taken for lost: a new batch may not be listed everywhere at once.
_MAX_ATTEMPTS = 3
#: Seconds after which what waits checks whether the run is stopping.
_POLL_S = 1.0
#: The longest wait before a batch that was refused for now is sent again.
_MAX_BACKOFF_S = 600.0


class BatchLost(Exception):
    """The provider does not know the batch, or has lost its results."""


class BatchRefused(Exception):
    """The provider took none of a batch; ``again`` where it may be sent again later."""

    def __init__(self, message: str, again: bool) -> None:
        super().__init__(message)
        self.again = again


async def sleep(seconds: float) -> None:
    """Sleep; raise Stopped as soon as the run is stopping."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        await asyncio.sleep(min(left, _POLL_S))
        IN_FLIGHT.check()


class BatchClient:
    """The requests about a provider's batches.

    Each counts under the limits of requests a minute. The tokens of the batches do not: providers
    limit them apart.
    """

    def __init__(self, terms: Terms, interface: BatchInterface, rate_limiter: RateLimiter) -> None:
        self._terms = terms
        self._interface = interface
        self._rate_limiter = rate_limiter

    def backoff(self, failures: int) -> float:
        """Seconds to wait after so many failures in a row."""
        return min(self._terms.batch_poll_s * 2.0 ** (failures - 1), _MAX_BACKOFF_S)

    async def create(
        self,
        plan: Plan,
        bodies: Mapping[str, Any],
        others: Collection[str],
        not_created: Callable[[], None],
    ) -> str:
        """Have the provider create a batch, once; its id.

        Parameters
        ----------
        others : the provider's ids of our other batches.
        not_created : called before an error is raised where surely no batch was created.

        Raises
        ------
        DissensusError : what stops the run.
        """
        failures = 0
        while True:
            try:
                await sleep(self.backoff(failures) if failures else 0.0)
                await self._wait_for_rate()
            except DissensusError:
                not_created()
                raise
            try:
                return await self._interface.submit(plan.own, bodies)
            except Exception as error:
                failures += 1
                is_free = self._is_free(error, failures, not_created)
            if not is_free and (created := await self.find(plan, others)):
                return created

    async def find(self, plan: Plan, others: Collection[str]) -> str:
        """The provider's id of a batch that may have been created; "" where it was not."""
        sought = Sought(plan.own, len(plan.calls), plan.made, others)
        attempts = 0
        while True:
            try:
                search = await self._retry(lambda: self._interface.find(sought))
            except BatchLost:
                search = Found()
            attempts += not search.unsettled
            if search.id or attempts == _MAX_ATTEMPTS:
                return search.id
            await sleep(self._terms.batch_poll_s)

    async def lines(self, plan: Plan) -> Mapping[str, Line]:
        """Wait until a batch is over; the result of each call, by custom id.

        Raises
        ------
        BatchLost : the provider does not know the batch any more.
        BatchRefused : the provider took none of it.
        DissensusError : what stops the run.
        """
        while not (state := await self._retry(lambda: self._interface.state(plan.id))).over:
            await sleep(self._terms.batch_poll_s)
        if state.refused:
            raise BatchRefused(state.refused, state.again)
        lines = await self._results(plan, state)
        left_out = Line(
            outcome=state.missing or "malformed",
            message="the results of its batch leave it out",
            billed=not state.missing,
        )
        return {custom_id: lines.get(custom_id, left_out) for custom_id in plan.calls}

    async def _results(self, plan: Plan, state: State) -> Mapping[str, Line]:
        attempts = 0
        while True:
            lines = await self._retry(lambda: self._interface.results(plan.id))
            attempts += 1
            if state.missing or lines.keys() >= plan.calls.keys() or attempts == _MAX_ATTEMPTS:
                return lines
            await sleep(self._terms.batch_poll_s)

    def _is_free(self, error: Exception, failures: int, not_created: Callable[[], None]) -> bool:
        """Whether surely no batch was created; DissensusError where trying again is of no use."""
        status = _status(error)
        sure = status is not None and status < 500 and status not in (408, 409)
        try:
            outcome = self._outcome(error)
            if sure and outcome not in ("rate_limit", "overload"):
                raise ProviderError(
                    f"providers.{self._terms.name} takes no batch ({_message(error)}); mend "
                    "that, or set its batch to false, and start again: the run goes on where it "
                    "stopped."
                )
            self._give_up_after(failures, error)
        except DissensusError:
            if sure:
                not_created()
            raise
        return sure

    async def _wait_for_rate(self) -> None:
        while wait := self._rate_limiter.take(0):
            await sleep(wait)
        IN_FLIGHT.check()

    async def _retry(self, ask: Callable[[], Awaitable[Result]]) -> Result:
        """Send a request that may be sent twice, until it is answered.

        Raises
        ------
        BatchLost : the provider answers several times that there is no such thing.
        DissensusError : what stops the run.
        """
        failures = missed = 0
        while True:
            await self._wait_for_rate()
            try:
                return await ask()
            except Exception as error:
                failures += 1
                missed = missed + 1 if _status(error) == 404 else 0
                if missed == _MAX_ATTEMPTS:
                    raise BatchLost from None
                self._outcome(error)
                self._give_up_after(failures, error)
            await sleep(self._terms.batch_poll_s)

    def _outcome(self, error: Exception) -> str:
        """The outcome of a failed request; DissensusError where that stops the run."""
        for cause in (error, error.__cause__):
            if isinstance(cause, DissensusError):
                raise cause
        status = _status(error)
        outcome = "connection" if status is None else outcome_of(status, getattr(error, "body", ""))
        if RULES[outcome].stops:
            raise stopped(self._terms.name, outcome, _message(error))
        return outcome

    def _give_up_after(self, failures: int, error: Exception) -> None:
        if failures > self._terms.retries:
            raise ProviderError(
                f"providers.{self._terms.name} does not answer about its batches, after "
                f"{failures} tries ({_message(error)}); start again later: the run goes on where "
                "it stopped."
            ) from error


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _message(error: Exception) -> str:
    """The provider's message, or else the kind of error."""
    return " ".join(str(error).split())[:300] or type(error).__name__
