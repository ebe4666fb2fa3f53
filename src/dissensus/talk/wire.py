"""The way to a provider: one connection pool, one queue and one set of limits for all sessions.

The providers' own packages build requests, sign them, and retry with backoff and jitter. Between
them and the network stands :class:`Wire`, the HTTP client that every try of every call goes
through. It lets a try go when the limits and the budget allow, gives it a deadline, reads what came
back, and tells the package whether to try again, by the header that the packages obey.
"""

from __future__ import annotations

import asyncio
import json
import time
from contextvars import ContextVar
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

import aiohttp
import httpx2
import openai

from dissensus.errors import DissensusError, ProviderError
from dissensus.talk.exchange import Exchange, Usage
from dissensus.talk.journal import IN_FLIGHT
from dissensus.talk.ledger import Ledger
from dissensus.talk.limits import Pace
from dissensus.talk.outcomes import RULES, outcome_of

#: Said by ``dissensus serve`` in every answer, so that nobody takes its words for a real model's.
SIMULATED_HEADER = "x-dissensus-simulated"

#: Seconds after which a call that waits looks whether the run is ending.
_LOOK_UP_S = 1.0

#: The call that the running task makes; none while it asks for a list of models or a batch's state.
EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@dataclass(frozen=True)
class Terms:
    """On what terms a provider is called; see its settings."""

    name: str
    concurrency: int
    timeout_s: float
    deadline_s: float
    simulated: bool


class Wire(openai.DefaultAioHttpClient):
    """The HTTP client that a provider's package is given.

    Parameters
    ----------
    terms : the provider's settings.
    pace : its limits a minute.
    ledger : what the run has spent.
    key : struck out of all that the provider sends, should it ever echo it.
    """

    def __init__(self, terms: Terms, pace: Pace, ledger: Ledger, key: str) -> None:
        # Redirects would carry the key to wherever they point.
        super().__init__(
            timeout=None,
            follow_redirects=False,
            limits=httpx2.Limits(max_connections=terms.concurrency + 8),
        )
        self._terms = terms
        self._pace = pace
        self._ledger = ledger
        self._key = key.encode()
        self._places = asyncio.Semaphore(terms.concurrency)
        self._head_of_line = asyncio.Lock()

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """One try: what went wrong is an answer too, one that says whether to try again."""
        exchange = EXCHANGE.get()
        if exchange is None:
            response, body = await self._fetch(request, options)
            if response.is_success and (wrong := self._undeclared(response)):
                raise wrong
            return response if body is response.content else _like(response, body)
        with exchange.queueing():
            await self._places.acquire()
        try:
            with exchange.queueing():
                await self._turn(exchange.most.total)
            exchange.started = exchange.started or time.monotonic()
            return await self._try(request, options, exchange)
        except DissensusError as error:
            exchange.stop = error
            return _verdict(request, 402, again=False)
        finally:
            self._places.release()

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

    async def _fetch(
        self, request: httpx2.Request, options: dict[str, Any]
    ) -> tuple[httpx2.Response, bytes]:
        async with asyncio.timeout(self._terms.timeout_s):
            response = await super().send(request, **options)
            body = await response.aread()
        if self._key and self._key in body:
            body = body.replace(self._key, b"[key]")
        return response, body

    async def _try(
        self, request: httpx2.Request, options: dict[str, Any], exchange: Exchange
    ) -> httpx2.Response:
        try:
            response, body = await self._fetch(request, options)
        except asyncio.CancelledError:
            self._failed(exchange, "timeout")
            raise
        except Exception as error:
            outcome, reached = _what_broke(error)
            exchange.said = f"{type(error).__name__}"
            again = self._failed(exchange, outcome, reached=reached)
            return _verdict(request, 408 if outcome == "timeout" else 503, again=again)
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
            said = json.loads(body)
            if not isinstance(said, dict):
                raise ValueError("an answer is an object")
            if said.get("error"):
                # Some gateways answer 200 with what their own provider refused.
                return self._refused(response, body, _status_in(said["error"]), exchange)
            answer = exchange.read(said)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            exchange.said = "its answer holds no answer"
            return _verdict(response.request, 502, again=self._failed(exchange, "malformed"))
        identifier = _request_id(response) or answer.request_id
        exchange.answer = replace(answer, request_id=identifier)
        if answer.fault:
            again = self._failed(exchange, answer.fault, answer.usage)
            return _verdict(response.request, 502, again=again)
        exchange.cost_usd = self._book(exchange, answer.usage, sure=True)
        return response

    def _refused(
        self, response: httpx2.Response, body: bytes, status: int, exchange: Exchange
    ) -> httpx2.Response:
        """An answer that says no: what that means, and whether its like may be asked again."""
        exchange.said = " ".join(body[:4000].decode(errors="replace").split())[:300]
        try:
            error = json.loads(body)
        except ValueError:
            error = exchange.said
        outcome = outcome_of(status, error)
        again = self._failed(exchange, outcome)
        if outcome in ("rate_limit", "overload"):
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
            self._pace.settle(exchange.most.total, 0)
        if rule.stops:
            exchange.stop = self._stopped(outcome, exchange)
        tries = exchange.faults.count(outcome)
        return not rule.stops and (rule.tries is None or tries < rule.tries)

    def _stopped(self, outcome: str, exchange: Exchange) -> ProviderError:
        why = {
            "authentication": "does not accept the key, or not for this model",
            "credit": "says that its account has no credit left",
        }[outcome]
        return ProviderError(
            f"providers.{self._terms.name} {why} (models.{exchange.model}: {exchange.said}); "
            "mend that and start again: the run goes on where it stopped."
        )

    def _book(self, exchange: Exchange, usage: Usage, *, sure: bool) -> float | None:
        self._pace.settle(exchange.most.total, usage.total)
        cost = exchange.cost(usage)
        self._ledger.add(
            exchange.model, cost or 0.0, usage.input_tokens, usage.output_tokens, sure=sure
        )
        return cost

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
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        told = headers.get("retry-after", "0")
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(told).timestamp() - time.time())
    except (ValueError, TypeError):
        return 0.0


def _what_broke(error: Exception) -> tuple[str, bool]:
    """The outcome of a try without an answer, and whether the request may have got through."""
    cause = error.__cause__ or error
    if isinstance(error, TimeoutError) or isinstance(cause, TimeoutError):
        return "timeout", True
    return "connection", not isinstance(cause, aiohttp.ClientConnectorError)


def _status_in(error: Any) -> int:
    """The status that an error inside a good answer speaks of."""
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 502


def _request_id(response: httpx2.Response) -> str:
    return str(response.headers.get("x-request-id") or response.headers.get("request-id") or "")


def _like(response: httpx2.Response, body: bytes) -> httpx2.Response:
    """The same answer with its body read."""
    headers = {"content-type": response.headers.get("content-type", "application/json")}
    return httpx2.Response(
        response.status_code, headers=headers, content=body, request=response.request
    )


def _verdict(request: httpx2.Request, status: int, *, again: bool) -> httpx2.Response:
    """A failure, and whether the package shall try again: it sleeps with backoff if so."""
    headers = {"x-should-retry": "true" if again else "false"}
    return httpx2.Response(status, headers=headers, json={}, request=request)
