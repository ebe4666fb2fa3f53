"""One try at a call: sent, its response read, its outcome found, and its cost booked."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import aiohttp

from dissensus.errors import ProviderError
from dissensus.llm.call import Reply, Usage
from dissensus.llm.codec import UNREADABLE, NoAnswer
from dissensus.llm.connection import MAX_BYTES, Connection, Response, Secret
from dissensus.llm.exchange import Exchange, Failure, Post, Terms, first_cause
from dissensus.llm.ledger import Ledger
from dissensus.llm.limits import RateLimiter
from dissensus.llm.outage import Outage
from dissensus.llm.outcomes import (
    RULES,
    fault_in,
    fault_of_stream,
    label,
    outcome_of,
    sentence_of,
    status_of,
    stopped,
)
from dissensus.llm.providers.broken_off import (
    Bill,
    bill_of,
    outcome_of_exception,
    words_of_exception,
)
from dissensus.llm.providers.faults import is_named
from dissensus.llm.providers.waits import wait_of

#: A header of every answer of ``dissensus serve``, so that nobody takes it for a real model's.
SIMULATED_HEADER = "x-dissensus-simulated"


#: What a proxy answers that wants a name and a password.
_PROXY_STATUS = 407
#: Of an answer whose every word stands where a model thinks.
THOUGHT_ALONE = "it has thought alone, and no text"

#: Types of content of answers that come in pieces.
_STREAMS = ("text/event-stream", "application/x-ndjson")


class TryFailed(Exception):
    """A try at a call failed; ``again`` where its rule allows another."""

    def __init__(self, outcome: str, again: bool) -> None:
        super().__init__(outcome)
        self.rule = RULES[outcome]
        self.again = again


class Sender:
    """Sends the tries of one provider's calls.

    Parameters
    ----------
    terms : the provider's settings.
    connection : to it.
    rate_limiter : its limits a minute, which are told what a try has used.
    ledger : what the run has spent.
    secret : the key, which no answer may show.
    outage : is told what was answered and what was not.
    """

    def __init__(
        self,
        terms: Terms,
        connection: Connection,
        rate_limiter: RateLimiter,
        ledger: Ledger,
        secret: Secret,
        outage: Outage,
    ) -> None:
        self._terms = terms
        self._connection = connection
        self._rate_limiter = rate_limiter
        self._ledger = ledger
        self._secret = secret
        self._outage = outage
        self._told: set[str] = set()

    async def send(self, exchange: Exchange, post: Post, reservation: str) -> Reply:
        """The answer to one try, booked.

        Parameters
        ----------
        exchange : takes the try if it fails.
        post : what to send where.
        reservation : the ledger's name for the money that is reserved for the try.

        Raises
        ------
        TryFailed : there is no answer.
        DissensusError : and no other call could fare better.
        """
        try:
            response = await self._connection.receive(
                "POST", post.path, post.content, exchange.until
            )
        except Exception as error:
            if isinstance(error, aiohttp.ClientHttpProxyError) and error.status == _PROXY_STATUS:
                raise self._proxy_refused(reservation) from None
            raise self._record_exception(exchange, reservation, error) from None
        if response.error is not None:
            bill = await bill_of(response, self._get, exchange.until)
            raise self._record_exception(exchange, reservation, response.error, bill)
        is_success = response.is_success
        wrong = mislabelled(self._terms, response.headers)
        if wrong and (is_success or not self._terms.simulated):
            self._ledger.release(reservation)
            raise wrong
        if response.status == _PROXY_STATUS:
            raise self._proxy_refused(reservation)
        if not is_success:
            raise self._record_error(exchange, reservation, response, response.status)
        return self._read(exchange, reservation, response)

    async def _get(self, path: str, until: float) -> Response:
        return await self._connection.fetch("GET", path, until=until)

    def _record_exception(
        self, exchange: Exchange, reservation: str, error: Exception, bill: Bill | None = None
    ) -> TryFailed:
        """Record a try whose answer did not come, or broke off."""
        outcome, reached = outcome_of_exception(error)
        words = words_of_exception(error) if reached else self._secret.strike(first_cause(error))
        return self._record(exchange, reservation, outcome, words, reached=reached, bill=bill)

    def _proxy_refused(self, reservation: str) -> ProviderError:
        """The error of a proxy that wants a password; nothing was asked."""
        self._ledger.release(reservation)
        proxy = self._connection.proxy
        named = f"the proxy {proxy}, which the environment names," if proxy else "a proxy"
        return ProviderError(
            f"providers.{self._terms.name}: {named} wants a name and a password (status 407); "
            "write them in the proxy's address, as http://name:password@host:port, and start again."
        )

    def _read(self, exchange: Exchange, reservation: str, response: Response) -> Reply:
        """The answer in a response of status 200, booked; raises as :meth:`send` does."""
        reply, used, fault = self._reply_in(exchange, response)
        usage = used if used and (used.input_tokens or used.output_tokens) else None
        if fault is not None:
            # Some gateways answer 200 with what their own provider refused.
            status = status_of(fault)
            raise self._record_error(exchange, reservation, response, status, fault, usage)
        if reply is None:
            self._check_stream(exchange, reservation, response)
            words = "its answer holds no answer"
            raise self._record(exchange, reservation, "malformed", words, usage=usage)
        header = response.headers.get("x-request-id") or response.headers.get("request-id")
        identifier = (header and self._secret.strike(label(header))) or reply.request_id
        usage = used if exchange.price is None or _reports_usage(reply) else None
        if reply.error:
            words = THOUGHT_ALONE if reply.error == "empty" and reply.thought else ""
            unusable = replace(reply, request_id=identifier)
            raise self._record(
                exchange, reservation, reply.error, words, reply=unusable, usage=usage
            )
        cost = self._book(exchange, reservation, usage)
        if usage is not None and exchange.failures:
            self._settle_others(exchange, usage)
        self._outage.answered(exchange.sent)
        return replace(reply, request_id=identifier, cost_usd=cost)

    def _reply_in(
        self, exchange: Exchange, response: Response
    ) -> tuple[Reply | None, Usage | None, Any]:
        """The reply in a response, what it has used, and the error in it; None for none."""
        try:
            if len(response.body) > MAX_BYTES:
                raise ValueError("no answer is so long")
            content = self._secret.parse(response.body)
        except (ValueError, RecursionError):
            page = self._secret.strike(response.body[:MAX_BYTES].decode(errors="replace"))
            return None, None, fault_of_stream(page)
        fault = fault_in(content)
        try:
            reply = exchange.parse(content)
        except NoAnswer as none:
            # Without an answer, what is said in its place is an error, too.
            return None, none.usage, fault or (content if sentence_of(content) else None)
        except UNREADABLE:
            return None, None, fault
        return reply, reply.usage, fault

    def _check_stream(self, exchange: Exchange, reservation: str, response: Response) -> None:
        """Stop, with nothing booked, where a server that never answered only streams.

        Raises
        ------
        ProviderError : it does.
        """
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        streams = kind in _STREAMS or response.body.lstrip().startswith((b"data:", b"event:"))
        if streams and not self._ledger.answered(exchange.model):
            self._ledger.release(reservation)
            raise ProviderError(
                f"models.{exchange.model}: providers.{self._terms.name} streams its answers, and "
                "answers in one piece are needed; switch streaming off at the server or gateway."
            )

    def _record_error(
        self,
        exchange: Exchange,
        reservation: str,
        response: Response,
        status: int,
        error: Any = None,
        usage: Usage | None = None,
    ) -> TryFailed:
        """Record what an error response means, and pause all calls where it asks to wait.

        Parameters
        ----------
        status : that it has or, with status 200, stands for.
        error, usage : of one with status 200, what is wrong in it and what it has used.

        Raises
        ------
        DissensusError : no other call could fare better, or not before the deadline.
        """
        words = ""
        if error is not None:
            words = self._secret.strike(label(sentence_of(error), 300))
        else:
            try:
                error = self._secret.parse(response.body)
            except (ValueError, RecursionError):
                error = response.body[:4000].decode(errors="replace")
        outcome = outcome_of(status, error)
        if status == 403 and not is_named(status, error) and self._ledger.answered(exchange.model):
            # The key was taken before: a short question tells whether all is refused now.
            outcome = "rejected"
        failed = self._record(
            exchange,
            reservation,
            outcome,
            words or words_of(response, self._secret),
            usage=usage,
            status=status,
        )
        seconds = wait_of(response.headers, error) if failed.again else 0.0
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
        reservation: str,
        outcome: str,
        message: str = "",
        *,
        reply: Reply | None = None,
        usage: Usage | None = None,
        bill: Bill | None = None,
        reached: bool = True,
        status: int = 0,
    ) -> TryFailed:
        """Book and record a try that failed.

        Parameters
        ----------
        reply, usage : of one that cannot be used; no usage where the provider gives none.
        bill : what the provider says that one cost which broke off.

        Raises
        ------
        ProviderError : no other call could fare better, or the provider is out for too long.
        """
        rule, cost = RULES[outcome], None
        if bill is not None and exchange.price is not None:
            cost = self._book_bill(exchange, reservation, bill)
        elif usage is not None or (rule.billed and reached):
            cost = self._book(exchange, reservation, usage)
        else:
            self._ledger.release(reservation)
            self._rate_limiter.settle(exchange.max_usage.total, 0)
        open_one = reservation if cost and usage is None and bill is None else ""
        exchange.failures.append(
            Failure(outcome, cost or 0.0, message, reply, reached, status, open_one)
        )
        if rule.fault == "account":
            raise stopped(self._terms.name, outcome, f"models.{exchange.model}: {message}")
        if rule.fault == "provider":
            self._outage.failed(f"{outcome}: {message}" if message else outcome)
        else:
            self._outage.answered(exchange.sent)
        return TryFailed(outcome, rule.tries is None or exchange.faults.count(outcome) < rule.tries)

    def _book(self, exchange: Exchange, reservation: str, usage: Usage | None) -> float | None:
        """Book a try, at the most that it can have used where the provider does not say."""
        used = usage or exchange.max_usage
        self._rate_limiter.settle(exchange.max_usage.total, used.total)
        cost = exchange.cost(used)
        if cost and cost > exchange.most():
            self._say_more(exchange, used)
        tokens = (used.input_tokens, used.output_tokens)
        self._ledger.add(
            exchange.model, cost or 0.0, *tokens, sure=usage is not None, reservation=reservation
        )
        return cost

    def _book_bill(self, exchange: Exchange, reservation: str, bill: Bill) -> float:
        """Book a try at what the provider says; tokens that it does not say, at their most."""
        most = exchange.max_usage
        counted = (bill.input_tokens, bill.output_tokens)
        pairs = zip(counted, (most.input_tokens, most.output_tokens), strict=True)
        tokens = [most_of if n is None else n for n, most_of in pairs]
        self._rate_limiter.settle(most.total, sum(tokens))
        self._ledger.add(exchange.model, bill.usd, *tokens, reservation=reservation)
        return bill.usd

    def _settle_others(self, exchange: Exchange, used: Usage) -> None:
        """Count tries whose answer did not arrive with the tokens of the same prompt, now known.

        What they replied is not: that counts with its most.
        """
        most = exchange.max_usage
        prompt = min(used.input_tokens, most.input_tokens)
        least = replace(
            most,
            input_tokens=prompt,
            written_tokens=min(most.written_tokens, prompt),
            written_1h_tokens=min(most.written_1h_tokens, prompt),
        )
        usd = exchange.price.most(least, exchange.asked_tier) if exchange.price else 0.0
        for number, failure in enumerate(exchange.failures):
            if failure.reservation and usd < failure.cost_usd:
                tokens = (least.input_tokens, least.output_tokens)
                self._ledger.add(
                    exchange.model, usd, *tokens, sure=False, reservation=failure.reservation
                )
                exchange.failures[number] = replace(failure, cost_usd=usd)

    def _say_more(self, exchange: Exchange, used: Usage) -> None:
        """Say once for a model that an answer used more than is reserved for one."""
        if exchange.model in self._told:
            return
        self._told.add(exchange.model)
        most = exchange.max_usage
        logging.getLogger("dissensus").warning(
            f"models.{exchange.model}: providers.{self._terms.name} counts {used.input_tokens:,} "
            f"tokens in and {used.output_tokens:,} out for a call with at most "
            f"{most.input_tokens:,} and {most.output_tokens:,}. All are in the ledger; a budget "
            "may be passed by what such calls in flight use beyond their most."
        )


def words_of(response: Response, secret: Secret) -> str:
    """The provider's own words in an error, or its status."""
    page = response.body[:4000].decode(errors="replace")
    try:
        message = sentence_of(secret.parse(response.body)) or page
    except (ValueError, RecursionError):
        message = page
    return label(message, 300) or f"status {response.status}"


def mislabelled(terms: Terms, headers: Mapping[str, str]) -> ProviderError | None:
    """The error where simulated words would pass for real ones, or real for simulated."""
    is_simulated = SIMULATED_HEADER in headers
    if is_simulated == terms.simulated:
        return None
    models = "simulated models" if is_simulated else "no simulated models"
    return ProviderError(
        f"providers.{terms.name}.simulated is {str(terms.simulated).lower()}, and {models} "
        f"answer at its address; set it to {str(is_simulated).lower()}, since every table and "
        "figure says which they show."
    )


def _reports_usage(reply: Reply) -> bool:
    """Whether the provider says what an answer has used, as it always does where it charges."""
    return reply.input_tokens > 0 and (reply.output_tokens > 0 or not reply.text)
