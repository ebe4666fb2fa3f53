"""A model that is reached over the network: what the packages of all providers have in common."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from dissensus.errors import DissensusError, ProviderError
from dissensus.llm import loop
from dissensus.llm.batches.batcher import Batcher
from dissensus.llm.batches.interface import BatchInterface
from dissensus.llm.call import Reply, Request
from dissensus.llm.exchange import EXCHANGE, Answer, Exchange, Terms, Usage, tokens_at_most
from dissensus.llm.ledger import Ledger
from dissensus.llm.prices import Price
from dissensus.llm.providers import identity


class Interface(Protocol):
    """What a provider's package is told to do: one class a kind of interface."""

    takes: tuple[str, ...]
    """Which of temperature, top_p, max_tokens and seed it has."""
    batches: BatchInterface

    async def ask(self, model: str, request: Request, parameters: Mapping[str, Any]) -> None:
        """Send a request; its answer reaches the exchange by way of the wire."""

    def body(self, model: str, request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """What that sends."""

    async def embed(self, model: str, texts: Sequence[str]) -> None:
        """Ask for embeddings, in the same way."""

    async def knows(self, model: str) -> bool | None:
        """Whether the provider has a model; None where it does not say. Costs nothing."""

    def read(self, body: Any) -> Answer:
        """What an answer says."""

    def read_vectors(self, body: Any) -> Answer:
        """What an answer with embeddings says."""


@dataclass(frozen=True)
class Host:
    """A provider as it is reached; in batches, where it has a ``batcher``.

    ``heard`` are the models that answered in this process.
    """

    terms: Terms
    ledger: Ledger
    interface: Interface
    batcher: Batcher | None = None
    heard: set[str] = field(default_factory=set)


class RemoteModel:
    """A model behind a provider's interface.

    Parameters
    ----------
    name : in the configuration.
    settings : its entry there.
    simulated : whether simulated models answer at its provider's address.
    reach : gives the host, checked; called when something is asked, and never for a replay.
    price : None where it has none.
    """

    waits = True

    def __init__(
        self,
        name: str,
        settings: Mapping[str, Any],
        *,
        simulated: bool,
        reach: Callable[[], Host],
        price: Price | None,
    ) -> None:
        self.name = name
        self.simulated = simulated
        self.asked_model: str = settings.get("model") or name
        self.identity = identity(name, settings)
        self.price = price
        self._reach = reach
        self._rename = settings.get("rename") or {}
        self._parameters = settings.get("parameters") or {}

    def ask(self, request: Request, patience_s: float | None = None) -> Reply:
        """See :class:`dissensus.llm.call.Provider`."""
        host = self._reach()
        interface = host.interface
        said = sum(len(message.content.encode()) for message in request.messages)
        exchange = Exchange(
            self.name,
            interface.read,
            self.price,
            Usage(tokens_at_most(said), 0, request.max_tokens),
        )
        parameters = self.parameters(request, self._takes(interface))
        if host.batcher is not None:
            # A batch takes its time, whatever the deadlines say of a call.
            body = interface.body(self.asked_model, request, parameters)
            calling = host.batcher.ask(exchange, request.sha256, self.asked_model, body)
        else:
            calling = converse(
                exchange,
                lambda: interface.ask(self.asked_model, request, parameters),
                min(host.terms.deadline_s, math.inf if patience_s is None else patience_s),
            )
        seconds = loop.run(calling)
        check_accepted(exchange, host)
        return reply_of(exchange, seconds)

    def _takes(self, interface: Interface) -> Iterable[str]:
        """What can be sent: a simulated model draws by the seed, whichever interface it is behind.

        Without one, agents who are asked the same at once would all say the same.
        """
        return dict.fromkeys((*interface.takes, "seed")) if self.simulated else interface.takes

    def parameters(self, request: Request, takes: Iterable[str]) -> dict[str, Any]:
        """What to send besides the messages, by the names that this model has for it."""
        sent = {self._rename.get(name, name): getattr(request, name) for name in takes}
        sent |= self._parameters
        return {name: value for name, value in sent.items() if name and value is not None}


async def converse(
    exchange: Exchange, send: Callable[[], Awaitable[None]], deadline_s: float
) -> float:
    """Have a provider's package make a call, with its retries; the seconds that it took.

    Raises
    ------
    DissensusError : what stops the whole run.
    """
    EXCHANGE.set(exchange)
    began = time.monotonic()
    why: Exception | None = None
    try:
        async with asyncio.timeout(deadline_s) as exchange.deadline:
            await send()
    except Exception as error:
        # Whatever the package makes of a failure, the exchange knows what it was.
        why = error
    if exchange.stop is not None:
        raise exchange.stop
    if isinstance(why, DissensusError):
        raise why
    if isinstance(why, TimeoutError) and not exchange.faults:
        # There was no time left to send it.
        exchange.faults.append("timeout")
    if exchange.answer is None and not exchange.faults:
        raise ProviderError(f"models.{exchange.model} could not be asked ({why}).")
    return time.monotonic() - (exchange.started or began)


def check_accepted(exchange: Exchange, host: Host) -> None:
    """Stop the run where no other call could fare better: the session is not to be lost for that.

    That is where none of a call's tries reached the provider at all, and where a model that never
    answered yet rejects what it is asked. One that has answered before rejects this one request,
    which is the session's affair; one that never has is asked in a way that it does not take.
    """
    model = exchange.model
    if _usable(exchange):
        host.heard.add(model)
        return
    if "connection" in exchange.faults and not exchange.reached:
        raise ProviderError(
            f"providers.{host.terms.name} could not be reached in {len(exchange.faults)} tries at "
            f"models.{model} ({exchange.said}); start again when it can be: the run goes on where "
            "it stopped."
        )
    heard = model in host.heard or host.ledger.answered(model)
    if exchange.faults[-1:] == ["rejected"] and not heard:
        raise ProviderError(
            f"models.{model}: providers.{host.terms.name} rejects its requests "
            f"({exchange.said}); a parameter that a model does not take is left out by "
            "`rename: {name: null}` or `parameters`."
        )


def _usable(exchange: Exchange) -> bool:
    return exchange.answer is not None and not exchange.answer.fault


def reply_of(exchange: Exchange, seconds: float) -> Reply:
    """What a call came to, as it is journaled."""
    answer = exchange.answer or Answer(finish_reason="error")
    error = "" if _usable(exchange) else exchange.faults[-1]
    return Reply(
        text=answer.text if not error else "",
        error=error,
        finish_reason=answer.finish_reason if exchange.answer else "error",
        input_tokens=answer.usage.input_tokens,
        output_tokens=answer.usage.output_tokens,
        cost_usd=exchange.cost_usd,
        latency_s=seconds,
        cached_tokens=answer.usage.cached_tokens,
        queued_s=exchange.queued_s,
        answered_by=answer.answered_by,
        fingerprint=answer.fingerprint,
        request_id=answer.request_id,
        faults=tuple(exchange.faults[:-1] if error else exchange.faults),
        faults_usd=exchange.faults_usd,
    )
