"""The HTTP client that every call to a provider goes through.

For each try at a call it waits for the limits and the budget, sets a deadline, reads the response
and books what it cost. Tries that failed are repeated after a while, as the rule of their outcome
allows; while the provider is out, calls wait for it.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from contextlib import suppress
from typing import Any

import aiohttp

from dissensus.llm.call import Reply
from dissensus.llm.codec import UNREADABLE, Codec
from dissensus.llm.connection import Connection, Secret
from dissensus.llm.exchange import Exchange, Failure, Post, Terms, first_cause
from dissensus.llm.journal import IN_FLIGHT
from dissensus.llm.ledger import Ledger
from dissensus.llm.limits import ConcurrencyLimit, RateLimiter
from dissensus.llm.outage import Outage, Rejections
from dissensus.llm.outcomes import RULES, label
from dissensus.llm.providers.broken_off import is_garbled
from dissensus.llm.sender import Sender, TryFailed, mislabelled, words_of

#: Seconds after which a call that waits checks whether the run is stopping, or has money again.
_POLL_S = 1.0
_MONEY_POLL_S = 0.05
#: Seconds before a call is tried again: at first, and at most; twice as long each time, and up to a
#: quarter less by chance, so that calls that failed together do not come back together.
FIRST_BACKOFF_S = 0.5
#: Ends of a short question that do not show that a model takes calls.
_TELL_NOTHING = {name for name, rule in RULES.items() if rule.fault != "session"} | {"rejected"}
MOST_BACKOFF_S = 8.0


class Refused(Exception):
    """A request that is no call got an error; ``status_code`` is its status."""

    def __init__(self, status_code: int, words: str) -> None:
        super().__init__(words)
        self.status_code = status_code


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
        self._rejections = Rejections(terms.name)
        # Model -> the last call that it answered.
        self._taken: dict[str, Post] = {}
        self._sender = Sender(terms, connection, rate_limiter, ledger, secret, self._outage)

    async def call(
        self,
        exchange: Exchange,
        post: Post,
        patience_s: float | None = None,
    ) -> Reply:
        """Make a call, as often as its rules, its deadline and the state of the provider allow.

        Parameters
        ----------
        exchange : takes the tries that failed, and the seconds.
        post : what to send where.
        patience_s : the seconds that its session has left for it; None for no such limit.

        Returns
        -------
        The reply; with an error where none came that can be used.

        Raises
        ------
        DissensusError : what stops the whole run.
        """
        try:
            before = 0
            while (answer := await self._round(exchange, post, patience_s)) is None:
                first = exchange.failures[min(before, len(exchange.failures) - 1)].at
                before = len(exchange.failures)
                if await self._is_rejected_with_all(exchange, first):
                    continue
                is_providers = RULES[exchange.faults[-1]].fault == "provider"
                if not is_providers or self._outage.answered_sent > exchange.failing_since:
                    return exchange.failed()
                # Nothing that was asked meanwhile was answered: the session is not at fault.
                self._outage.begin()
            return answer
        finally:
            exchange.end()

    async def _is_rejected_with_all(self, exchange: Exchange, since: float) -> bool:
        """Whether a call's model rejected all that it was asked, and takes calls again.

        A model that never answered in this run is not asked to tell: the run stops at once.

        Parameters
        ----------
        since : when the call was rejected for the first time in this round.

        Raises
        ------
        ProviderError : it goes on to reject everything.
        """
        model = exchange.model
        if exchange.faults[-1] != "rejected" or exchange.hello is None:
            return False
        if self._rejections.last_taken(model) < 0.0 and not self._ledger.answered(model):
            return False

        hello = exchange.hello

        async def ask() -> bool:
            taken = self._taken.get(model)
            asked = await self._asked_another(exchange, taken or hello(), is_call=taken is not None)
            return not asked.failures or asked.faults[-1] not in _TELL_NOTHING

        began = time.monotonic()
        try:
            return await self._rejections.are_of_all(
                model, since, exchange.message, ask, self._check
            )
        finally:
            exchange.queued_s += time.monotonic() - began

    async def _round(
        self,
        exchange: Exchange,
        post: Post,
        patience_s: float | None,
    ) -> Reply | None:
        """The answer within one deadline; None where the call is given up."""
        deadline_s = self._terms.deadline_s
        limit_s = deadline_s if patience_s is None else min(patience_s, deadline_s)
        exchange.until = time.monotonic() + limit_s
        tries, is_told = 0, False
        while True:
            pause = 0.0
            try:
                answer = await self._try(exchange, post)
                if exchange.hello is not None:
                    self._taken[exchange.model] = post
                return answer
            except TryFailed as failed:
                if exchange.until <= time.monotonic():
                    break
                if is_told:
                    return None
                if self._outage.is_on and failed.rule.fault == "provider":
                    # That costs the call none of its tries.
                    if not self._outage.waiting:
                        is_told = await self._answers_something_else(exchange)
                else:
                    tries += 1
                    if not failed.again or tries > self._terms.retries:
                        return None
                    pause = _backoff(tries)
            left = exchange.until - time.monotonic()
            await asyncio.sleep(max(0.0, min(pause, left)))
            if left <= pause:
                break
        is_impatient = limit_s < deadline_s
        if is_impatient and exchange.faults[-1] == "timeout" and not self._outage.is_on:
            return exchange.failed()
        return None

    async def _answers_something_else(self, exchange: Exchange) -> bool:
        """Tell an outage from a call that is never answered, where no other call is left to tell.

        A short question is asked, and paid, as any other. Embeddings need it not: what they come to
        is no session's failure.
        """
        if exchange.hello is None:
            return False
        hello, until = exchange.hello(), exchange.until
        await self._asked_another(exchange, hello, is_call=False, until=until)
        return not self._outage.is_on

    async def _asked_another(
        self, exchange: Exchange, post: Post, *, is_call: bool, until: float = math.inf
    ) -> Exchange:
        """Another call to the same model, asked once even while all wait.

        Parameters
        ----------
        is_call : whether it is a call of a session that the model took before.
        until : when its deadline is over (monotonic clock).
        """
        asked = Exchange(
            exchange.model,
            exchange.parse,
            exchange.price,
            exchange.max_usage,
            exchange.asked_tier,
            until=until,
        )
        with suppress(TryFailed):
            await self._try(asked, post, at_once=True, is_call=is_call)
        return asked

    async def _try(
        self,
        exchange: Exchange,
        post: Post,
        *,
        at_once: bool = False,
        is_call: bool = True,
    ) -> Reply:
        """The answer to one try, sent as soon as limits, budget and provider allow.

        Parameters
        ----------
        at_once : even while the provider is out.
        is_call : whether it is a call of a session, and tells whether the model takes these.

        Raises
        ------
        TryFailed : there is none.
        DissensusError : and no other call could fare better.
        """
        waiting_since = time.monotonic()
        slot = await self._concurrency.acquire(self._check)
        is_probe = False
        try:
            if not at_once:
                is_probe = await self._outage.admit(IN_FLIGHT.check)
            reservation = await self._admit(exchange)
            if exchange.until <= waiting_since:
                self._ledger.release(reservation)
                exchange.failures.append(Failure("timeout", reached=False))
                raise TryFailed("timeout", again=False)
            exchange.begin(waiting_since)
            try:
                answer = await self._sender.send(exchange, post, reservation)
            except TryFailed as failed:
                is_taken = failed.rule.fault == "session" and exchange.faults[-1] != "rejected"
                if is_taken and is_call:
                    self._rejections.taken(exchange.model, exchange.sent)
                raise
            if is_call:
                self._rejections.taken(exchange.model, exchange.sent)
            return answer
        finally:
            self._concurrency.release(slot)
            if is_probe:
                self._outage.probed()

    async def _admit(self, exchange: Exchange) -> str:
        """Wait for the budget and the limits a minute, first come, first served.

        Returns
        -------
        What the ledger calls the money that it reserves for the try.

        Raises
        ------
        DissensusError : the budget is reached, or the run is stopping.
        """
        most = exchange.max_usage
        async with self._queue:
            self._check()
            usd = 0.0 if self._ledger.budget_usd is None else exchange.most()
            while (reservation := self._ledger.reserve(exchange.model, usd)) is None:
                await asyncio.sleep(_MONEY_POLL_S)
                self._check()
            try:
                while wait := self._rate_limiter.take(most.total):
                    await asyncio.sleep(min(wait, _POLL_S))
                    self._check()
            except BaseException:
                self._ledger.release(reservation)
                raise
            return reservation

    def _check(self) -> None:
        """Raise a DissensusError where no further try may be sent."""
        IN_FLIGHT.check()
        self._ledger.check()

    async def get(self, path: str) -> Any:
        """The JSON that a request which costs nothing is answered with; None for what is none.

        Raises
        ------
        Refused : the answer is an error.
        ProviderError : simulated models answer for real ones, or real ones for simulated.
        TimeoutError, ConnectionError : there is no answer.
        """
        try:
            response = await self._connection.fetch("GET", path)
        except (aiohttp.ClientError, OSError) as error:
            if isinstance(error, TimeoutError):
                raise TimeoutError("no answer in time") from None
            if is_garbled(error):
                return None
            words = label(self._secret.strike(first_cause(error)))
            if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
                words = f"the proxy {self._connection.proxy}, which the environment names: {words}"
            raise ConnectionError(words) from None
        if not response.is_success:
            raise Refused(response.status, words_of(response, self._secret))
        if wrong := mislabelled(self._terms, response.headers):
            raise wrong
        try:
            return self._secret.parse(response.body)
        except (ValueError, RecursionError):
            return None

    async def has_model(self, codec: Codec, model: str) -> bool | None:
        """Whether the provider has a model; None where it does not tell. Costs nothing.

        Parameters
        ----------
        codec : says where its models are listed, and reads the list.

        Raises
        ------
        Refused : the answer is an error other than 404.
        ProviderError, TimeoutError, ConnectionError : as :meth:`get`.
        """
        try:
            if model in codec.listed(await self.get(codec.models_path)):
                return True
        except Refused as refused:
            if refused.status_code == 404:
                return None
            raise
        except UNREADABLE:
            return None
        # Lists come in pages, and leave out a model's other names.
        try:
            await self.get(codec.model_path(model))
        except Refused as refused:
            if refused.status_code == 404:
                return False
            raise
        return True

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()


def _backoff(tries: int) -> float:
    """Seconds before the next try, after so many."""
    longest = min(FIRST_BACKOFF_S * 2.0 ** (tries - 1), MOST_BACKOFF_S)
    return longest * random.uniform(0.75, 1.0)
