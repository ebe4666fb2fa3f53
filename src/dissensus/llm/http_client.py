"""The HTTP client that every call to a provider goes through.

For each try at a call it waits for the limits and the budget, sets a deadline, reads the response
and books what it cost. Tries that failed are repeated after a while, as the rule of their outcome
allows; while the provider is out, calls wait for it.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
from yarl import URL

from dissensus.errors import ProviderError, ResourceError
from dissensus.llm.concurrency import ConcurrencyLimit
from dissensus.llm.connection import MAX_BYTES, Connection, Response
from dissensus.llm.exchange import (
    UNREADABLE,
    Answer,
    Exchange,
    Failure,
    Terms,
    Usage,
    first_cause,
    label,
)
from dissensus.llm.journal import IN_FLIGHT
from dissensus.llm.ledger import Ledger
from dissensus.llm.outage import Outage
from dissensus.llm.outcomes import RULES, message_of, outcome_of, status_of, stopped
from dissensus.llm.rate_limiter import RateLimiter
from dissensus.llm.secret import Secret

#: A header of every answer of ``dissensus serve``, so that nobody takes it for a real model's.
SIMULATED_HEADER = "x-dissensus-simulated"

#: Seconds after which a call that waits checks whether the run is stopping, or has money again.
_POLL_S = 1.0
_MONEY_POLL_S = 0.05
#: Seconds before a call is tried again: at first, and at most; twice as long each time, and up to a
#: quarter less by chance, so that calls that failed together do not come back together.
FIRST_BACKOFF_S = 0.5
MOST_BACKOFF_S = 8.0


@dataclass(frozen=True)
class Target:
    """Where a call is sent: the address with the headers that it needs."""

    url: URL
    headers: Mapping[str, str]


class Refused(Exception):
    """A request that is no call got an error; ``status_code`` is its status."""

    def __init__(self, status_code: int, words: str) -> None:
        super().__init__(words)
        self.status_code = status_code


class _TryFailed(Exception):
    """A try at a call failed; ``again`` where its rule allows another."""

    def __init__(self, outcome: str, again: bool) -> None:
        super().__init__(outcome)
        self.rule = RULES[outcome]
        self.again = again


class HttpClient:
    """The HTTP client of one provider, on the providers' event loop.

    Parameters
    ----------
    terms : the provider's settings.
    connection : to it.
    rate_limiter : its limits a minute.
    concurrency : its limit of calls at once.
    ledger : what the run has spent.
    secret : the key, which no answer may show.
    """

    def __init__(
        self,
        terms: Terms,
        connection: Connection,
        rate_limiter: RateLimiter,
        concurrency: ConcurrencyLimit,
        ledger: Ledger,
        secret: Secret,
    ) -> None:
        self._terms = terms
        self._connection = connection
        self._rate_limiter = rate_limiter
        self._concurrency = concurrency
        self._ledger = ledger
        self._secret = secret
        self._queue = asyncio.Lock()
        self._outage = Outage(terms.name, terms.outage_s)

    async def call(
        self,
        exchange: Exchange,
        target: Target,
        body: Mapping[str, Any],
        patience_s: float | None = None,
    ) -> Answer:
        """Make a call, as often as its rules, its deadline and the state of the provider allow.

        Parameters
        ----------
        exchange : takes the tries that failed, and the seconds.
        target : where to.
        body : the JSON to send.
        patience_s : the seconds that its session has left for it; None for no such limit.

        Returns
        -------
        The answer; with a fault where none came that can be used.

        Raises
        ------
        DissensusError : what stops the whole run.
        """
        before = self._outage.answers
        try:
            while (answer := await self._round(exchange, target, body, patience_s)) is None:
                is_providers = RULES[exchange.faults[-1]].fault == "provider"
                if not is_providers or self._outage.answers > before:
                    return exchange.failed()
                # It answered nobody else either: the session is not at fault.
                self._outage.begin()
            return answer
        finally:
            exchange.end()

    async def _round(
        self,
        exchange: Exchange,
        target: Target,
        body: Mapping[str, Any],
        patience_s: float | None,
    ) -> Answer | None:
        """The answer within one deadline; None where the call is given up."""
        limit_s = self._terms.deadline_s
        is_impatient = patience_s is not None and patience_s < limit_s
        try:
            async with asyncio.timeout(patience_s if is_impatient else limit_s) as deadline:
                exchange.deadline = deadline
                return await self._tries(exchange, target, body)
        except TimeoutError:
            if not exchange.failures:
                # There was no time left to send it.
                exchange.failures.append(Failure("timeout", reached=False))
            if is_impatient and exchange.faults[-1] == "timeout" and not self._outage.is_on:
                return exchange.failed()
            return None

    async def _tries(
        self, exchange: Exchange, target: Target, body: Mapping[str, Any]
    ) -> Answer | None:
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        tries = 0
        while True:
            try:
                return await self._try(exchange, target, content)
            except _TryFailed as failed:
                if self._outage.is_on and failed.rule.fault == "provider":
                    # That costs the call none of its tries.
                    if not self._outage.waiting:
                        await self._ask_something_else(exchange, target, body)
                    continue
                tries += 1
                if not failed.again or tries > self._terms.retries:
                    return None
            await asyncio.sleep(_backoff(tries))

    async def _ask_something_else(
        self, exchange: Exchange, target: Target, body: Mapping[str, Any]
    ) -> None:
        """Tell an outage from a call that is never answered, where no other call is left to tell.

        A short question is asked, and paid, as any other. Embeddings need it not: what they come to
        is no session's failure.
        """
        if "messages" not in body:
            return
        short = {**body, "messages": [{"role": "user", "content": "Hello."}]}
        asked = Exchange(exchange.model, exchange.parse, exchange.price, exchange.max_usage)
        with suppress(_TryFailed):
            await self._send(asked, target, json.dumps(short).encode())

    async def _try(self, exchange: Exchange, target: Target, content: bytes) -> Answer:
        """The answer to one try, sent once the provider answers at all.

        Raises
        ------
        _TryFailed : there is none.
        DissensusError : and no other call could fare better.
        """
        with exchange.queueing():
            is_probe = await self._outage.admit(IN_FLIGHT.check)
        try:
            return await self._send(exchange, target, content)
        finally:
            if is_probe:
                self._outage.probed()

    async def _send(self, exchange: Exchange, target: Target, content: bytes) -> Answer:
        """The answer to one try, sent as soon as limits and budget allow; raises as `_try`."""
        with exchange.queueing():
            slot = await self._concurrency.acquire(self._check)
        try:
            with exchange.queueing():
                hold = await self._admit(exchange)
            exchange.begin()
            return await self._receive(exchange, target, content, hold)
        finally:
            self._concurrency.release(slot)

    async def _admit(self, exchange: Exchange) -> str:
        """Wait for the budget and the limits a minute, first come, first served.

        Returns
        -------
        What the ledger calls the money that it holds for the try.

        Raises
        ------
        DissensusError : the budget is reached, or the run is stopping.
        """
        most = exchange.max_usage
        async with self._queue:
            self._check()
            while (hold := self._ledger.hold(exchange.model, exchange.cost(most) or 0.0)) is None:
                await asyncio.sleep(_MONEY_POLL_S)
                self._check()
            try:
                while wait := self._rate_limiter.take(most.total):
                    await asyncio.sleep(min(wait, _POLL_S))
                    self._check()
            except BaseException:
                self._ledger.release(hold)
                raise
            return hold

    def _check(self) -> None:
        """Raise a DissensusError where no further try may be sent."""
        IN_FLIGHT.check()
        self._ledger.check()

    async def get(self, target: Target) -> Any:
        """The JSON that a request which costs nothing is answered with; None for what is none.

        Raises
        ------
        Refused : the answer is an error.
        ProviderError : simulated models answer for real ones, or real ones for simulated.
        TimeoutError, ConnectionError : there is no answer.
        """
        try:
            response = await self._connection.fetch("GET", target.url, target.headers)
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise TimeoutError("no answer in time") from None
            if _is_garbled(error):
                return None
            raise ConnectionError(label(self._secret.strike(first_cause(error)))) from None
        if not response.is_success:
            raise Refused(response.status, self._words(response))
        if wrong := mislabelled(self._terms, response.headers):
            raise wrong
        try:
            return self._secret.parse(response.body)
        except (ValueError, RecursionError):
            return None

    async def _receive(
        self, exchange: Exchange, target: Target, content: bytes, hold: str
    ) -> Answer:
        """The answer to one try, booked; raises as :meth:`_try` does."""
        try:
            response = await self._connection.fetch("POST", target.url, target.headers, content)
        except asyncio.CancelledError:
            self._record(exchange, hold, "timeout")
            raise
        except Exception as error:
            outcome, reached = _outcome_of_exception(error)
            words = type(error).__name__ if reached else self._secret.strike(first_cause(error))
            raise self._record(exchange, hold, outcome, words, reached=reached) from None
        wrong = mislabelled(self._terms, response.headers)
        if wrong and (response.is_success or not self._terms.simulated):
            self._ledger.release(hold)
            raise wrong
        if not response.is_success:
            raise self._record_error(exchange, hold, response, response.status)
        return self._read(exchange, hold, response)

    def _read(self, exchange: Exchange, hold: str, response: Response) -> Answer:
        """The answer in a response of status 200, booked; raises as :meth:`_try` does."""
        try:
            if len(response.body) > MAX_BYTES:
                raise ValueError("no answer is so long")
            content = self._secret.parse(response.body)
            if not isinstance(content, dict):
                raise ValueError("an answer is an object")
            if content.get("error"):
                # Some gateways answer 200 with what their own provider refused.
                raise self._record_error(exchange, hold, response, status_of(content))
            answer = exchange.parse(content)
        except UNREADABLE:
            words = "its answer holds no answer"
            raise self._record(exchange, hold, "malformed", words) from None
        header = response.headers.get("x-request-id") or response.headers.get("request-id")
        identifier = self._secret.strike(label(header)) or answer.request_id
        answer = replace(answer, request_id=identifier)
        usage = answer.usage if exchange.price is None or _reports_usage(answer) else None
        if answer.fault:
            raise self._record(exchange, hold, answer.fault, answer=answer, usage=usage)
        self._outage.answered()
        return replace(answer, cost_usd=self._book(exchange, hold, usage))

    def _record_error(
        self, exchange: Exchange, hold: str, response: Response, status: int
    ) -> _TryFailed:
        """Record what an error response means, and pause all calls where it asks to wait.

        Raises
        ------
        DissensusError : no other call could fare better, or not before the deadline.
        """
        try:
            error = self._secret.parse(response.body)
        except (ValueError, RecursionError):
            error = response.body[:4000].decode(errors="replace")
        words = self._words(response)
        failed = self._record(exchange, hold, outcome_of(status, error), words, status=status)
        seconds = retry_after(response.headers) if failed.again else 0.0
        if seconds > self._terms.deadline_s:
            raise ProviderError(
                f"providers.{self._terms.name} asks to wait {seconds:,.0f} s, longer than its "
                f"deadline_s of {self._terms.deadline_s:g}; start again then, and the run goes on "
                "where it stopped."
            )
        self._rate_limiter.pause(seconds)
        return failed

    def _words(self, response: Response) -> str:
        """The provider's own words in an error, or its status."""
        page = response.body[:4000].decode(errors="replace")
        try:
            said = message_of(self._secret.parse(response.body)) or page
        except (ValueError, RecursionError):
            said = page
        return label(said, 300) or f"status {response.status}"

    def _record(
        self,
        exchange: Exchange,
        hold: str,
        outcome: str,
        message: str = "",
        *,
        answer: Answer | None = None,
        usage: Usage | None = None,
        reached: bool = True,
        status: int = 0,
    ) -> _TryFailed:
        """Book and record a try that failed.

        Parameters
        ----------
        answer, usage : of an answer that cannot be used; no usage where the provider gives none.

        Raises
        ------
        ProviderError : no other call could fare better, or the provider is out for too long.
        """
        rule, cost = RULES[outcome], None
        if usage is not None or (rule.billed and reached):
            cost = self._book(exchange, hold, usage)
        else:
            self._ledger.release(hold)
            self._settle(exchange, 0)
        exchange.failures.append(Failure(outcome, cost or 0.0, message, answer, reached, status))
        if rule.fault == "account":
            raise stopped(self._terms.name, outcome, f"models.{exchange.model}: {message}")
        if rule.fault == "provider":
            self._outage.failed(f"{outcome}: {message}" if message else outcome)
        else:
            self._outage.answered()
        return _TryFailed(outcome, rule.tries is None or exchange.faults.count(outcome) < rule.tries)

    def _book(self, exchange: Exchange, hold: str, usage: Usage | None) -> float | None:
        """Book a try, at the most that it can have used where the provider does not say."""
        used = usage or exchange.max_usage
        self._settle(exchange, used.total)
        cost = exchange.cost(used)
        tokens = (used.input_tokens, used.output_tokens)
        self._ledger.add(exchange.model, cost or 0.0, *tokens, sure=usage is not None, hold=hold)
        return cost

    def _settle(self, exchange: Exchange, used: int) -> None:
        # An answer that came is not lost for a file that cannot be written; the next call stops.
        with suppress(ResourceError):
            self._rate_limiter.settle(exchange.max_usage.total, used)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()


def mislabelled(terms: Terms, headers: Mapping[str, str]) -> ProviderError | None:
    """The error where simulated words would pass for real ones, or real for simulated."""
    is_simulated = SIMULATED_HEADER in headers
    if is_simulated == terms.simulated:
        return None
    found = "simulated models" if is_simulated else "no simulated models"
    return ProviderError(
        f"providers.{terms.name}.simulated is {str(terms.simulated).lower()}, and {found} answer "
        f"at its address; set it to {str(is_simulated).lower()}, since every table and figure "
        "says which they show."
    )


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that a response asks to wait, as a number or a date; 0 where it does not say."""
    for name, in_a_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) / in_a_second
            return seconds if 0.0 < seconds < float("inf") else 0.0
    with suppress(ValueError, TypeError, OverflowError):
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, date.timestamp() - time.time())
    return 0.0


def _backoff(tries: int) -> float:
    """Seconds before the next try, after so many."""
    longest = min(FIRST_BACKOFF_S * 2.0 ** (tries - 1), MOST_BACKOFF_S)
    return longest * random.uniform(0.75, 1.0)


def _outcome_of_exception(error: Exception) -> tuple[str, bool]:
    """The outcome of a try without a response, and whether the request may have got through."""
    if isinstance(error, TimeoutError):
        return "timeout", True
    if isinstance(error, aiohttp.ClientResponseError) or _is_garbled(error):
        return "malformed", True
    return "connection", not isinstance(error, aiohttp.ClientConnectorError)


def _is_garbled(error: Exception) -> bool:
    """Whether an answer came that is compressed by rules of its own."""
    return isinstance(error.__cause__, aiohttp.http_exceptions.ContentEncodingError)


def _reports_usage(answer: Answer) -> bool:
    """Whether the provider says what an answer has used, as it always does where it charges."""
    usage = answer.usage
    return usage.input_tokens > 0 and (usage.output_tokens > 0 or not answer.text)
