"""One call to a provider: what it may cost, its failed tries, and its reply."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from queue import SimpleQueue
from typing import Any, TypeVar

from pydantic import TypeAdapter

from dissensus.llm.call import Reply, Usage
from dissensus.llm.prices import Price

Result = TypeVar("Result")


@dataclass(frozen=True)
class Terms:
    """A provider's settings that its calls and batches keep, see ProviderSettings."""

    name: str
    concurrency: int
    timeout_s: float
    deadline_s: float
    outage_s: float
    simulated: bool
    retries: int
    batch_wait_s: float
    batch_poll_s: float


#: Writes JSON in a quarter of the time that the standard library takes for a long prompt.
_JSON: TypeAdapter[Any] = TypeAdapter(Any)


@dataclass(frozen=True)
class Post:
    """What is sent of a call: the path below the provider's address, and the JSON."""

    path: str
    body: Mapping[str, Any]

    @cached_property
    def content(self) -> bytes:
        """The JSON as it is sent."""
        return _JSON.dump_json(self.body)


@dataclass(frozen=True)
class Failure:
    """One try at a call that failed.

    Attributes
    ----------
    outcome : why (a key of RULES).
    cost_usd : what it cost, or may have cost.
    message : the provider's own words about it.
    reply : one that cannot be used; None where none came.
    reached : whether the request may have got through to the provider.
    status : of the HTTP answer where that was an error; 0 for none.
    reservation : the ledger's name for it where the cost is its most, and may turn out to be less;
        "" for none.
    at : when (monotonic clock).
    """

    outcome: str
    cost_usd: float = 0.0
    message: str = ""
    reply: Reply | None = None
    reached: bool = True
    status: int = 0
    reservation: str = ""
    at: float = field(default_factory=time.monotonic, compare=False)


@dataclass
class Exchange:
    """One call with all its tries, shared by who makes it and the HTTP client that sends it.

    Attributes
    ----------
    model : the model's name in the configuration.
    parse : makes a reply of the JSON of a response; raises one of UNREADABLE where it is none.
    price : None where the model has none.
    max_usage : the most that a try can use: the prompt's tokens, estimated, and max_tokens.
    asked_tier : of service, that the request names; "" for none.
    hello : makes a short question to the same model, which tells whether it answers anything; None
        for what is no call to a model, as embeddings.
    failures : the tries that failed, in order.
    queued_s : seconds spent waiting under the provider's limits, or for it to answer at all.
    latency_s : seconds from sending the first try to the end of the call, but for such waits.
    until : when the call's deadline is over (monotonic clock); to wait under limits moves it.
    sent : when the last try was sent (monotonic clock).
    """

    model: str
    parse: Callable[[Any], Reply]
    price: Price | None
    max_usage: Usage
    asked_tier: str = ""
    hello: Callable[[], Post] | None = None
    failures: list[Failure] = field(default_factory=list)
    queued_s: float = 0.0
    latency_s: float = 0.0
    until: float = math.inf
    sent: float = math.inf
    _begun: float | None = None
    _queued_before_s: float = 0.0

    def begin(self, waiting_since: float) -> None:
        """Take note that a try is sent; with the first, the clock of its latency starts.

        Parameters
        ----------
        waiting_since : when it could have been sent but for limits and outages: that wait is no
            part of the call's time.
        """
        self.sent = time.monotonic()
        waited = self.sent - waiting_since
        self.queued_s += waited
        self.until += waited
        if self._begun is None:
            self._begun, self._queued_before_s = self.sent, self.queued_s

    def end(self) -> None:
        """Stop the clock."""
        if self._begun is not None:
            waited = self.queued_s - self._queued_before_s
            self.latency_s = time.monotonic() - self._begun - waited

    @property
    def faults(self) -> list[str]:
        """The outcomes of the tries that failed, in order."""
        return [failure.outcome for failure in self.failures]

    @property
    def failing_since(self) -> float:
        """When its last try but one failed, or its only one was sent (monotonic clock)."""
        return self.failures[-2].at if len(self.failures) > 1 else self.sent

    @property
    def message(self) -> str:
        """The provider's own words about the last failure that has any."""
        return next((f.message for f in reversed(self.failures) if f.message), "")

    def failed(self) -> Reply:
        """What the call comes to once it is given up: its last reply, with the last fault."""
        replies = (f.reply for f in reversed(self.failures) if f.reply is not None)
        last = next(replies, Reply("", finish_reason="error"))
        return replace(last, error=self.failures[-1].outcome)

    def ended(self, reply: Reply) -> Reply:
        """A reply as it is journaled: with what the call took, and what became of other tries."""
        if not self.failures:
            return replace(reply, latency_s=self.latency_s, queued_s=self.queued_s)
        return replace(
            reply,
            text="" if reply.error else reply.text,
            latency_s=self.latency_s,
            queued_s=self.queued_s,
            faults=tuple(self.faults[:-1] if reply.error else self.faults),
            faults_usd=sum((failure.cost_usd for failure in self.failures), 0.0),
            faults_said=tuple(failure.message for failure in self.failures),
        )

    def cost(self, usage: Usage, *, batch: bool = False) -> float | None:
        """Dollars, by itself or in a batch; None where the model has no price."""
        if self.price is None:
            return None
        return self.price.cost_of(usage, batch=batch)

    def most(self, *, batch: bool = False) -> float:
        """Dollars that a try costs at most; 0 where the model has no price."""
        if self.price is None:
            return 0.0
        return self.price.most(self.max_usage, self.asked_tier, batch=batch)


def max_tokens_of(text_bytes: int) -> int:
    """Tokens of a text by its UTF-8 bytes: one in three, more than most tokenisers make."""
    return text_bytes // 3 + 1


def first_cause(error: BaseException) -> str:
    """What an error comes from, in the system's words where it has some."""
    while error.__cause__ is not None:
        error = error.__cause__
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine on the thread that talks to providers, and wait for its result.

    Sessions are threads that call this; the providers' thread itself must not.
    """
    loop = _started[0] if _started else _loop()
    started: list[asyncio.Task[Result]] = []
    ended: SimpleQueue[asyncio.Task[Result]] = SimpleQueue()

    def start() -> None:
        task = loop.create_task(work)
        # The loop itself does not keep it.
        started.append(task)
        task.add_done_callback(ended.put)

    loop.call_soon_threadsafe(start)
    # A queue wakes the thread once; asyncio's own way takes four locks a call.
    return ended.get().result()


_starting = threading.Lock()
_started: list[asyncio.AbstractEventLoop] = []


def _loop() -> asyncio.AbstractEventLoop:
    with _starting:
        if not _started:
            _started.append(asyncio.new_event_loop())
            threading.Thread(target=_started[0].run_forever, name="providers", daemon=True).start()
        return _started[0]
