"""The HTTP client that every request to a provider goes through.

The providers' own packages build requests, sign them, and retry with backoff and jitter. They are
given :class:`HttpClient`, which does the rest for each try: it waits for the limits and the budget,
sets a deadline, parses the response, books what it cost, and tells the package by a header whether
to try again. A good response carries its parsed answer back through the package to the caller.
"""

from __future__ import annotations

import asyncio
import json
import logging
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
    Failure,
    Terms,
    Usage,
    first_cause,
    label,
)
from dissensus.llm.journal import IN_FLIGHT
from dissensus.llm.ledger import Ledger
from dissensus.llm.outcomes import RULES, message_of, outcome_of, status_of, stopped
from dissensus.llm.rate_limiter import RateLimiter

#: A header of every answer of ``dissensus serve``, so that nobody takes it for a real model's.
SIMULATED_HEADER = "x-dissensus-simulated"

#: Seconds after which a call that waits checks whether the run is stopping.
_POLL_S = 1.0
#: The most of an answer to one call that is read: embeddings of 256 texts take a few megabytes.
_MAX_BYTES = 20_000_000


class _TryFailed(Exception):
    """A try at a call failed; ``again`` where the call may be tried again."""

    def __init__(self, again: bool) -> None:
        self.again = again


class HttpClient(openai.DefaultAioHttpClient):
    """The HTTP client of one provider.

    Parameters
    ----------
    terms : the provider's settings.
    rate_limiter : its limits a minute.
    concurrency : its limit of calls at once.
    ledger : what the run has spent.
    key : struck out of all that the provider sends, should it ever echo it.
    """

    def __init__(
        self,
        terms: Terms,
        rate_limiter: RateLimiter,
        concurrency: ConcurrencyLimit,
        ledger: Ledger,
        key: str,
    ) -> None:
        # Redirects would carry the key to wherever they point.
        super().__init__(
            timeout=None,
            follow_redirects=False,
            limits=httpx2.Limits(max_connections=terms.concurrency + 8),
        )
        self._terms = terms
        self._rate_limiter = rate_limiter
        self._concurrency = concurrency
        self._ledger = ledger
        self._secret = Secret(key)
        self._secret.guard_logs()
        self._queue = asyncio.Lock()

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send one try at a call, or a request that is no call.

        Nothing that befalls a call is raised: the packages would treat it each in its own way.
        """
        exchange = EXCHANGE.get()
        if exchange is None:
            return await self._send_other(request, options)
        again = False
        try:
            with exchange.queueing():
                slot = await self._concurrency.acquire(self._check)
            try:
                with exchange.queueing():
                    await self._wait_for_rate(exchange.max_usage.total)
                exchange.started = exchange.started or time.monotonic()
                answer = await self._try(request, options, exchange)
                return httpx2.Response(200, extensions={"answer": answer}, request=request)
            finally:
                self._concurrency.release(slot)
        except DissensusError as error:
            exchange.stop = error
        except _TryFailed as failed:
            again = failed.again
        headers = {"x-should-retry": "true" if again else "false"}
        return httpx2.Response(503, headers=headers, request=request)

    async def _wait_for_rate(self, tokens: int) -> None:
        """Wait for the limits a minute, first come, first served.

        Raises
        ------
        DissensusError : the budget is reached, or the run is stopping.
        """
        async with self._queue:
            self._check()
            while wait := self._rate_limiter.take(tokens):
                await asyncio.sleep(min(wait, _POLL_S))
                self._check()

    def _check(self) -> None:
        """Raise a DissensusError where no further try may be sent."""
        IN_FLIGHT.check()
        self._ledger.check()

    async def _send_other(
        self, request: httpx2.Request, options: dict[str, Any]
    ) -> httpx2.Response:
        """Send a request that is no call, for models or batches; the package sees its failure."""
        try:
            response, body = await self._fetch(request, options)
        except TimeoutError:
            raise httpx2.ReadTimeout("no answer in time", request=request) from None
        except httpx2.DecodingError:
            raise httpx2.DecodingError("unreadable", request=request) from None
        except Exception as error:
            message = label(self._secret.strike(first_cause(error)))
            raise httpx2.ConnectError(message, request=request) from None
        if response.is_success and (wrong := self._mislabelled(response)):
            raise wrong
        return self._without_key(response, body)

    async def _fetch(
        self, request: httpx2.Request, options: dict[str, Any], max_bytes: int | None = None
    ) -> tuple[httpx2.Response, bytes]:
        """A response with its body, which is cut off soon after ``max_bytes``."""
        async with asyncio.timeout(self._terms.timeout_s):
            response = await super().send(request, **{**options, "stream": True})
            try:
                chunks, size = [], 0
                async for chunk in response.aiter_bytes():
                    chunks.append(chunk)
                    size += len(chunk)
                    if max_bytes is not None and size > max_bytes:
                        break
            finally:
                await response.aclose()
        return response, self._secret.strike_bytes(b"".join(chunks))

    def _without_key(self, response: httpx2.Response, body: bytes) -> httpx2.Response:
        """The same response with its body read, and without the key."""
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
    ) -> Answer:
        """The answer to one try, booked.

        Raises
        ------
        _TryFailed : there is none.
        DissensusError : and no other call could fare better.
        """
        try:
            response, body = await self._fetch(request, options, _MAX_BYTES)
        except asyncio.CancelledError:
            self._record(exchange, "timeout")
            raise
        except Exception as error:
            outcome, reached = _outcome_of_exception(error)
            raise self._record(exchange, outcome, type(error).__name__, reached=reached) from None
        wrong = self._mislabelled(response)
        if wrong and (response.is_success or not self._terms.simulated):
            raise wrong
        if not response.is_success:
            raise self._record_error(response, body, response.status_code, exchange)
        return self._read(response, body, exchange)

    def _read(self, response: httpx2.Response, body: bytes, exchange: Exchange) -> Answer:
        """The answer in a response of status 200, booked; raises as :meth:`_try` does."""
        try:
            if len(body) > _MAX_BYTES:
                raise ValueError("no answer is so long")
            content = self._secret.parse(body)
            if not isinstance(content, dict):
                raise ValueError("an answer is an object")
            if content.get("error"):
                # Some gateways answer 200 with what their own provider refused.
                raise self._record_error(response, body, status_of(content), exchange)
            answer = exchange.parse(content)
        except UNREADABLE:
            raise self._record(exchange, "malformed", "its answer holds no answer") from None
        header = response.headers.get("x-request-id") or response.headers.get("request-id")
        identifier = self._secret.strike(label(header)) or answer.request_id
        answer = replace(answer, request_id=identifier)
        usage = answer.usage if exchange.price is None or _reports_usage(answer) else None
        if answer.fault:
            raise self._record(exchange, answer.fault, answer=answer, usage=usage)
        return replace(answer, cost_usd=self._book(exchange, usage))

    def _record_error(
        self, response: httpx2.Response, body: bytes, status: int, exchange: Exchange
    ) -> _TryFailed:
        """Record what an error response means, and pause all calls where it asks to wait.

        Raises
        ------
        DissensusError : no other call could fare better, or not before the deadline.
        """
        page = body[:4000].decode(errors="replace")
        try:
            error = self._secret.parse(body)
        except (ValueError, RecursionError):
            error = page
        message = label(message_of(error) or page, 300) or f"status {response.status_code}"
        failed = self._record(exchange, outcome_of(status, error), message)
        seconds = retry_after(response.headers) if failed.again else 0.0
        if seconds > self._terms.deadline_s:
            raise ProviderError(
                f"providers.{self._terms.name} asks to wait {seconds:,.0f} s, longer than its "
                f"deadline_s of {self._terms.deadline_s:g}; start again then, and the run goes on "
                "where it stopped."
            )
        self._rate_limiter.pause(seconds)
        return failed

    def _record(
        self,
        exchange: Exchange,
        outcome: str,
        message: str = "",
        *,
        answer: Answer | None = None,
        usage: Usage | None = None,
        reached: bool = True,
    ) -> _TryFailed:
        """Book and record a try that failed.

        Parameters
        ----------
        answer, usage : of an answer that cannot be used; no usage where the provider gives none.

        Raises
        ------
        ProviderError : no other call could fare better.
        """
        rule, cost = RULES[outcome], None
        if usage is not None or (rule.billed and reached):
            cost = self._book(exchange, usage)
        else:
            self._settle(exchange, 0)
        exchange.failures.append(Failure(outcome, cost or 0.0, message, answer, reached))
        if rule.stops:
            raise stopped(self._terms.name, outcome, f"models.{exchange.model}: {message}")
        return _TryFailed(rule.tries is None or exchange.faults.count(outcome) < rule.tries)

    def _book(self, exchange: Exchange, usage: Usage | None) -> float | None:
        """Book a try, at the most that it can have used where the provider does not say."""
        used = usage or exchange.max_usage
        self._settle(exchange, used.total)
        cost = exchange.cost(used)
        tokens = (used.input_tokens, used.output_tokens)
        self._ledger.add(exchange.model, cost or 0.0, *tokens, sure=usage is not None)
        return cost

    def _settle(self, exchange: Exchange, used: int) -> None:
        # An answer that came is not lost for a file that cannot be written; the next call stops.
        with suppress(ResourceError):
            self._rate_limiter.settle(exchange.max_usage.total, used)

    def _mislabelled(self, response: httpx2.Response) -> ProviderError | None:
        """The error where simulated words would pass for real ones, or real for simulated."""
        is_simulated = SIMULATED_HEADER in response.headers
        if is_simulated == self._terms.simulated:
            return None
        found = "simulated models" if is_simulated else "no simulated models"
        return ProviderError(
            f"providers.{self._terms.name}.simulated is {str(self._terms.simulated).lower()}, and "
            f"{found} answer at its address; set it to {str(is_simulated).lower()}, since every "
            "table and figure says which they show."
        )


def answer_of(response: httpx2.Response) -> Answer:
    """The answer that a response of :class:`HttpClient` to a call carries."""
    answer: Answer = response.extensions["answer"]
    return answer


def retry_after(headers: httpx2.Headers) -> float:
    """Seconds that a response asks to wait, as a number or a date; 0 where it does not say."""
    for name, in_a_second in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) / in_a_second
            return seconds if 0.0 < seconds < float("inf") else 0.0
    with suppress(ValueError, TypeError, OverflowError):
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, date.timestamp() - time.time())
    return 0.0


def _outcome_of_exception(error: Exception) -> tuple[str, bool]:
    """The outcome of a try without a response, and whether the request may have got through."""
    cause = error.__cause__ or error
    if isinstance(error, TimeoutError) or isinstance(cause, TimeoutError):
        return "timeout", True
    if isinstance(error, httpx2.DecodingError | aiohttp.ClientResponseError):
        # Compressed, or framed as HTTP, by rules of its own.
        return "malformed", True
    return "connection", not isinstance(cause, aiohttp.ClientConnectorError)


def _reports_usage(answer: Answer) -> bool:
    """Whether the provider says what an answer has used, as it always does where it charges."""
    usage = answer.usage
    return usage.input_tokens > 0 and (usage.output_tokens > 0 or not answer.text)


_STRUCK = "[key]"
#: The packages' loggers that may log what an answer says.
_LOGGERS = (
    *("httpx2", "openai._base_client", "anthropic._base_client"),
    *("aiohttp.client", "aiohttp.internal"),
)


class Secret(logging.Filter):
    """Strikes a key out of whatever a provider sends, should it ever echo it.

    A word that local servers are given for want of a key (``EMPTY``, ``ollama``) is no secret, and
    would be struck out of the models' own words: a key has 12 characters, or 8 that are not all
    letters.
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        self._key = key if len(key) >= (12 if key.isalpha() else 8) else ""
        self._bytes = self._key.encode()
        self._in_json = json.dumps(self._key)[1:-1]

    def guard_logs(self) -> None:
        """Strike it out of what the packages log, too: a status line may hold it."""
        for name in _LOGGERS if self._key else ():
            logging.getLogger(name).addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        if self._key in (message := record.getMessage()):
            record.msg, record.args = self.strike(message), ()
        return True

    def strike(self, text: str) -> str:
        return text.replace(self._key, _STRUCK) if self._key else text

    def strike_bytes(self, body: bytes) -> bytes:
        return body.replace(self._bytes, _STRUCK.encode()) if self._key else body

    def parse(self, body: bytes) -> Any:
        """The value of a JSON text, without the key, however it was escaped there.

        Raises
        ------
        ValueError, RecursionError : it is no JSON, or nested too deeply.
        """
        value = json.loads(self.strike_bytes(body))
        if self._key and b"\\" in body and self._in_json in (text := json.dumps(value)):
            value = json.loads(text.replace(self._in_json, _STRUCK))
        return value

    def __repr__(self) -> str:
        return "Secret()"
