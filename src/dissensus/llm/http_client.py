"""The way to a provider: one connection pool, one queue and one set of limits for all sessions.

The providers' own packages build requests, sign them, and retry with backoff and jitter. Between
them and the network stands :class:`HttpClient`, the HTTP client that every try of every call goes
through. It lets a try go when the limits and the budget allow, gives it a deadline, reads what came
back, and tells the package whether to try again, by the header that the packages obey.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
import httpx2
import openai

from dissensus.errors import DissensusError, ProviderError, ResourceError
from dissensus.llm.concurrency import ConcurrencyLimit
from dissensus.llm.exchange import (
    EXCHANGE,
    UNREADABLE,
    Answer,
    Exchange,
    Terms,
    Usage,
    first_cause,
    label,
)
from dissensus.llm.journal import IN_FLIGHT
from dissensus.llm.ledger import Ledger
from dissensus.llm.outcomes import RULES, message_of, outcome_of, status_of, stopped
from dissensus.llm.rate_limiter import Pace
from dissensus.llm.secret import Secret

#: Said by ``dissensus serve`` in every answer, so that nobody takes its words for a real model's.
SIMULATED_HEADER = "x-dissensus-simulated"

#: Seconds after which a call that waits looks whether the run is ending.
_LOOK_UP_S = 1.0
#: The most of an answer to one call that is read: embeddings of 256 texts take a few megabytes.
_MOST_BYTES = 20_000_000


class HttpClient(openai.DefaultAioHttpClient):
    """The HTTP client that a provider's package is given.

    Parameters
    ----------
    terms : the provider's settings.
    pace : its limits a minute.
    places : its limit of calls at once.
    ledger : what the run has spent.
    key : struck out of all that the provider sends, should it ever echo it.
    """

    def __init__(
        self, terms: Terms, pace: Pace, places: ConcurrencyLimit, ledger: Ledger, key: str
    ) -> None:
        # Redirects would carry the key to wherever they point.
        super().__init__(
            timeout=None,
            follow_redirects=False,
            limits=httpx2.Limits(max_connections=terms.concurrency + 8),
        )
        self._terms = terms
        self._pace = pace
        self._ledger = ledger
        self._secret = Secret(key)
        self._secret.guard_logs()
        self._places = places
        self._head_of_line = asyncio.Lock()

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """One try: what went wrong is an answer too, one that says whether to try again."""
        exchange = EXCHANGE.get()
        if exchange is None:
            return await self._look_up(request, options)
        try:
            with exchange.queueing():
                place = await self._places.acquire(self._may_go)
            try:
                with exchange.queueing():
                    await self._turn(exchange.most.total)
                exchange.started = exchange.started or time.monotonic()
                return await self._try(request, options, exchange)
            finally:
                self._places.release(place)
        except DissensusError as error:
            exchange.stop = error
            return _verdict(request, 402, again=False)

    async def _turn(self, tokens: int) -> None:
        """Wait for the limits, first come, first served; what has not left when a run stops stays.

        Raises
        ------
        DissensusError : the budget is reached, or the run is ending.
        """
        async with self._head_of_line:
            self._may_go()
            while wait := self._pace.take(tokens):
                await asyncio.sleep(min(wait, _LOOK_UP_S))
                self._may_go()

    def _may_go(self) -> None:
        IN_FLIGHT.check()
        self._ledger.check()

    async def _look_up(self, request: httpx2.Request, options: dict[str, Any]) -> httpx2.Response:
        """A request that is no call: the package hears of its failure, less what nobody may."""
        try:
            response, body = await self._fetch(request, options)
        except TimeoutError:
            raise httpx2.ReadTimeout("no answer in time", request=request) from None
        except httpx2.DecodingError:
            raise httpx2.DecodingError("unreadable", request=request) from None
        except Exception as error:
            said = label(self._secret.strike(first_cause(error)))
            raise httpx2.ConnectError(said, request=request) from None
        if response.is_success and (wrong := self._undeclared(response)):
            raise wrong
        return self._clean(response, body)

    async def _fetch(
        self, request: httpx2.Request, options: dict[str, Any], most: int | None = None
    ) -> tuple[httpx2.Response, bytes]:
        """An answer with its body, or as much of that as says that it is too long."""
        async with asyncio.timeout(self._terms.timeout_s):
            response = await super().send(request, **{**options, "stream": True})
            try:
                chunks, size = [], 0
                async for chunk in response.aiter_bytes():
                    chunks.append(chunk)
                    size += len(chunk)
                    if most is not None and size > most:
                        break
            finally:
                await response.aclose()
        return response, self._secret.strike_bytes(b"".join(chunks))

    def _clean(self, response: httpx2.Response, body: bytes) -> httpx2.Response:
        """The same answer with its body read, and without the key."""
        transport = ("content-encoding", "content-length", "transfer-encoding")
        headers = [
            (name, self._secret.strike(value))
            for name, value in response.headers.multi_items()
            if name.lower() not in transport
        ]
        return httpx2.Response(
            response.status_code, headers=headers, content=body, request=response.request
        )

    async def _try(
        self, request: httpx2.Request, options: dict[str, Any], exchange: Exchange
    ) -> httpx2.Response:
        try:
            response, body = await self._fetch(request, options, _MOST_BYTES)
        except asyncio.CancelledError:
            self._failed(exchange, "timeout")
            raise
        except Exception as error:
            outcome, reached = _what_broke(error)
            exchange.reached |= reached
            exchange.said = type(error).__name__
            again = self._failed(exchange, outcome, reached=reached)
            return _verdict(request, 408 if outcome == "timeout" else 503, again=again)
        exchange.reached = True
        wrong = self._undeclared(response)
        if wrong and (response.is_success or not self._terms.simulated):
            exchange.stop = wrong
            return _verdict(request, 402, again=False)
        if not response.is_success:
            return self._refused(response, body, response.status_code, exchange)
        return self._answered(response, body, exchange)

    def _answered(
        self, response: httpx2.Response, body: bytes, exchange: Exchange
    ) -> httpx2.Response:
        try:
            if len(body) > _MOST_BYTES:
                raise ValueError("no answer is so long")
            said = self._secret.parse(body)
            if not isinstance(said, dict):
                raise ValueError("an answer is an object")
            if said.get("error"):
                # Some gateways answer 200 with what their own provider refused.
                return self._refused(response, body, status_of(said), exchange)
            answer = exchange.read(said)
        except UNREADABLE:
            exchange.said = "its answer holds no answer"
            return _verdict(response.request, 502, again=self._failed(exchange, "malformed"))
        identifier = self._secret.strike(_request_id(response)) or answer.request_id
        exchange.answer = replace(answer, request_id=identifier)
        used = answer.usage if exchange.price is None or _is_told(answer) else None
        if answer.fault:
            again = self._failed(exchange, answer.fault, used)
            return _verdict(response.request, 502, again=again)
        exchange.cost_usd = self._book(exchange, used or exchange.most, sure=used is not None)
        return _verdict(response.request, 200, again=False)

    def _refused(
        self, response: httpx2.Response, body: bytes, status: int, exchange: Exchange
    ) -> httpx2.Response:
        """An answer that says no: what that means, and whether its like may be asked again."""
        page = body[:4000].decode(errors="replace")
        try:
            error = self._secret.parse(body)
        except (ValueError, RecursionError):
            error = page
        said = label(message_of(error) or page, 300)
        exchange.said = said or f"status {response.status_code}"
        again = self._failed(exchange, outcome_of(status, error))
        if again:
            self._heed(retry_after(response.headers), exchange)
        return _verdict(response.request, max(status, 400), again=again and not exchange.stop)

    def _heed(self, seconds: float, exchange: Exchange) -> None:
        """Hold every session's calls back as long as the provider asks for."""
        if seconds > self._terms.deadline_s:
            exchange.stop = ProviderError(
                f"providers.{self._terms.name} asks to wait {seconds:,.0f} s, longer than its "
                f"deadline_s of {self._terms.deadline_s:g}; start again then, and the run goes on "
                "where it stopped."
            )
        elif seconds > 0:
            self._pace.pause(seconds)

    def _failed(
        self, exchange: Exchange, outcome: str, usage: Usage | None = None, *, reached: bool = True
    ) -> bool:
        """Record a failed try; whether the call may be tried again."""
        rule = RULES[outcome]
        exchange.faults.append(outcome)
        if usage is not None or (rule.billed and reached):
            # Nobody says what an answer that never came has cost: at most this much.
            cost = self._book(exchange, usage or exchange.most, sure=usage is not None)
            exchange.faults_usd += cost or 0.0
        else:
            self._settle(exchange, 0)
        if rule.stops:
            said = f"models.{exchange.model}: {exchange.said}"
            exchange.stop = stopped(self._terms.name, outcome, said)
        tries = exchange.faults.count(outcome)
        return not rule.stops and (rule.tries is None or tries < rule.tries)

    def _book(self, exchange: Exchange, usage: Usage, *, sure: bool) -> float | None:
        self._settle(exchange, usage.total)
        cost = exchange.cost(usage)
        self._ledger.add(
            exchange.model, cost or 0.0, usage.input_tokens, usage.output_tokens, sure=sure
        )
        return cost

    def _settle(self, exchange: Exchange, used: int) -> None:
        # An answer that came is not lost for a file that cannot be written; the next call stops.
        with suppress(ResourceError):
            self._pace.settle(exchange.most.total, used)

    def _undeclared(self, response: httpx2.Response) -> ProviderError | None:
        """What to say where simulated words would pass for real ones, or real for simulated."""
        says = SIMULATED_HEADER in response.headers
        if says == self._terms.simulated:
            return None
        found = "simulated models" if says else "no simulated models"
        return ProviderError(
            f"providers.{self._terms.name}.simulated is {str(self._terms.simulated).lower()}, and "
            f"{found} answer at its address; set it to {str(says).lower()}, since every table and "
            "figure says which they show."
        )


def retry_after(headers: httpx2.Headers) -> float:
    """Seconds that an answer asks to wait, as a number or a date; 0 where it does not say."""
    for name, in_a_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) / in_a_second
            return seconds if 0.0 < seconds < float("inf") else 0.0
    with suppress(ValueError, TypeError, OverflowError):
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, date.timestamp() - time.time())
    return 0.0


def _what_broke(error: Exception) -> tuple[str, bool]:
    """The outcome of a try without an answer, and whether the request may have got through."""
    cause = error.__cause__ or error
    if isinstance(error, TimeoutError) or isinstance(cause, TimeoutError):
        return "timeout", True
    if isinstance(error, httpx2.DecodingError | aiohttp.ClientResponseError):
        # Compressed, or framed as HTTP, by rules of its own.
        return "malformed", True
    return "connection", not isinstance(cause, aiohttp.ClientConnectorError)


def _is_told(answer: Answer) -> bool:
    """Whether the provider says what an answer has used, as it always does where it charges."""
    usage = answer.usage
    return usage.input_tokens > 0 and (usage.output_tokens > 0 or not answer.text)


def _request_id(response: httpx2.Response) -> str:
    return label(response.headers.get("x-request-id") or response.headers.get("request-id"))


def _verdict(request: httpx2.Request, status: int, *, again: bool) -> httpx2.Response:
    """A failure, and whether the package shall try again: it sleeps with backoff if so."""
    headers = {"x-should-retry": "true" if again else "false"}
    return httpx2.Response(status, headers=headers, request=request)
