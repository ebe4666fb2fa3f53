"""Models that are reached over the network, whichever provider's package is used."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from dissensus.errors import DissensusError, ProviderError
from dissensus.llm.batches.batcher import Batcher
from dissensus.llm.batches.interface import BatchInterface
from dissensus.llm.call import Reply, Request
from dissensus.llm.exchange import (
    EXCHANGE,
    Answer,
    Exchange,
    Failure,
    Terms,
    Usage,
    max_tokens_of,
    run,
)
from dissensus.llm.ledger import Ledger
from dissensus.llm.prices import Price
from dissensus.llm.providers import identity


class Interface(Protocol):
    """One class a kind of interface: it has a provider's package send requests."""

    takes: tuple[str, ...]
    """Which of temperature, top_p, max_tokens and seed it has."""
    batches: BatchInterface

    async def ask(self, model: str, request: Request, parameters: Mapping[str, Any]) -> Answer:
        """Send a request, as often as the package does; its answer.

        Where there is none it raises whatever the package raises; the exchange holds the reasons.
        """

    def body(self, model: str, request: Request, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON that :meth:`ask` sends."""

    async def embed(self, model: str, texts: Sequence[str]) -> Answer:
        """Ask for embeddings, in the same way."""

    async def knows(self, model: str) -> bool | None:
        """Whether the provider has a model; None where it does not tell. Costs nothing."""

    def parse(self, body: Any) -> Answer:
        """The answer in the JSON of a response."""

    def parse_vectors(self, body: Any) -> Answer:
        """The answer in the JSON of a response with embeddings."""


@dataclass(frozen=True)
class Host:
    """A provider that was checked and can be asked.

    Attributes
    ----------
    batcher : None where calls are not sent in batches.
    answered : the models that answered in this process.
    """

    terms: Terms
    ledger: Ledger
    interface: Interface
    batcher: Batcher | None = None
    answered: set[str] = field(default_factory=set)


class RemoteModel:
    """A model behind a provider's interface.

    Parameters
    ----------
    name : in the configuration.
    settings : its entry there.
    simulated : whether simulated models answer at its provider's address.
    host : gives the host, checked; called when something is asked, and never for a replay.
    price : None where it has none.
    """

    waits = True

    def __init__(
        self,
        name: str,
        settings: Mapping[str, Any],
        *,
        simulated: bool,
        host: Callable[[], Host],
        price: Price | None,
    ) -> None:
        self.name = name
        self.simulated = simulated
        self.asked_model: str = settings.get("model") or name
        self.identity = identity(name, settings)
        self.price = price
        self._host = host
        self._rename = settings.get("rename") or {}
        self._parameters = settings.get("parameters") or {}

    def ask(self, request: Request, patience_s: float | None = None) -> Reply:
        """See :class:`dissensus.llm.call.Provider`."""
        host = self._host()
        interface = host.interface
        size = sum(len(message.content.encode()) for message in request.messages)
        max_usage = Usage(max_tokens_of(size), 0, request.max_tokens)
        exchange = Exchange(self.name, interface.parse, self.price, max_usage)
        parameters = self.parameters(request, self._takes(interface))
        if host.batcher is not None:
            # The deadlines of a call do not apply to a batch.
            body = interface.body(self.asked_model, request, parameters)
            answer = run(host.batcher.ask(exchange, request.sha256, self.asked_model, body))
        else:
            deadline_s = min(host.terms.deadline_s, math.inf if patience_s is None else patience_s)
            answer = run(
                make_call(
                    exchange,
                    lambda: interface.ask(self.asked_model, request, parameters),
                    deadline_s,
                )
            )
        check_accepted(exchange, answer, host)
        return reply_of(exchange, answer)

    def _takes(self, interface: Interface) -> Iterable[str]:
        """The parameters that can be sent.

        A simulated model needs the seed behind every interface: without it, agents who are asked
        the same at the same time would all give the same reply.
        """
        return dict.fromkeys((*interface.takes, "seed")) if self.simulated else interface.takes

    def parameters(self, request: Request, takes: Iterable[str]) -> dict[str, Any]:
        """What to send besides the messages, by the names that this model has for it."""
        sent = {self._rename.get(name, name): getattr(request, name) for name in takes}
        sent |= self._parameters
        return {name: value for name, value in sent.items() if name and value is not None}


async def make_call(
    exchange: Exchange, ask: Callable[[], Awaitable[Answer]], deadline_s: float
) -> Answer:
    """Have a provider's package make a call, with its retries.

    Returns
    -------
    The answer; with a fault where none came that can be used.

    Raises
    ------
    DissensusError : what stops the whole run.
    """
    EXCHANGE.set(exchange)
    began = time.monotonic()
    try:
        async with asyncio.timeout(deadline_s) as exchange.deadline:
            return await ask()
    except Exception as error:
        # Whatever the package makes of a failure, the exchange knows what it was.
        stop = exchange.stop or error
        if isinstance(stop, DissensusError):
            raise stop from None
        if isinstance(error, TimeoutError) and not exchange.failures:
            # There was no time left to send it.
            exchange.failures.append(Failure("timeout", reached=False))
        if not exchange.failures:
            raise ProviderError(f"models.{exchange.model} could not be asked ({error}).") from None
        return exchange.failed()
    finally:
        exchange.latency_s = time.monotonic() - (exchange.started or began)


def check_accepted(exchange: Exchange, answer: Answer, host: Host) -> None:
    """Stop the run, rather than lose the session, where every other call would fail as well.

    Raises
    ------
    ProviderError : no try reached the provider, or a model that never answered yet rejects the
        request. A model that answered before rejects this request only: the session fails.
    """
    model = exchange.model
    if not answer.fault:
        host.answered.add(model)
        return
    faults = exchange.faults
    if "connection" in faults and not any(failure.reached for failure in exchange.failures):
        raise ProviderError(
            f"providers.{host.terms.name} could not be reached in {len(faults)} tries at "
            f"models.{model} ({exchange.message}); start again when it can be: the run goes on "
            "where it stopped."
        )
    answered = model in host.answered or host.ledger.answered(model)
    if faults[-1] == "rejected" and not answered:
        raise ProviderError(
            f"models.{model}: providers.{host.terms.name} rejects its requests "
            f"({exchange.message}); a parameter that a model does not take is left out by "
            "`rename: {name: null}` or `parameters`."
        )


def reply_of(exchange: Exchange, answer: Answer) -> Reply:
    """What a call came to, as it is journaled."""
    faults = exchange.faults
    return Reply(
        text=answer.text if not answer.fault else "",
        error=answer.fault,
        finish_reason=answer.finish_reason,
        input_tokens=answer.usage.input_tokens,
        output_tokens=answer.usage.output_tokens,
        cost_usd=answer.cost_usd,
        latency_s=exchange.latency_s,
        cached_tokens=answer.usage.cached_tokens,
        queued_s=exchange.queued_s,
        answered_by=answer.answered_by,
        fingerprint=answer.fingerprint,
        request_id=answer.request_id,
        faults=tuple(faults[:-1] if answer.fault else faults),
        faults_usd=sum((failure.cost_usd for failure in exchange.failures), 0.0),
    )
