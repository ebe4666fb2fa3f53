"""One call on its way to a provider: what each try came to, and what it has cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from dissensus.errors import DissensusError
from dissensus.llm.prices import Price


@dataclass(frozen=True)
class Terms:
    """On what terms a provider is called; see its settings."""

    name: str
    concurrency: int
    timeout_s: float
    deadline_s: float
    simulated: bool


@dataclass(frozen=True)
class Usage:
    """Tokens of one answer as the provider counted them; the cached are among the input."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True)
class Answer:
    """What the body of an answer says.

    Attributes
    ----------
    text : a model's words; "" for embeddings.
    vectors : embeddings, each as the base64 of little-endian 32-bit floats.
    fault : what is wrong with an answer that cannot be used (an outcome), "" where it can.
    """

    text: str = ""
    vectors: tuple[str, ...] = ()
    finish_reason: str = ""
    usage: Usage = Usage()
    answered_by: str = ""
    fingerprint: str = ""
    request_id: str = ""
    fault: str = ""


@dataclass
class Exchange:
    """One call through all its tries.

    Attributes
    ----------
    model : the model's name in the configuration.
    read : takes an answer's JSON apart; any of the usual errors of doing so means malformed.
    price : None where the model has none.
    most : the most that a try can come to: the prompt's tokens, estimated, and max_tokens.
    faults : outcomes of the tries that failed, in order.
    faults_usd : what they cost, or may have.
    answer : the answer, or the last one that could not be used.
    cost_usd : of that answer.
    stop : why the whole run must end.
    reached : whether any of its tries may have got through to the provider.
    said : the provider's own words about the last failure.
    queued_s : time spent waiting under the limits.
    started : when the first try was sent (monotonic clock).
    """

    model: str
    read: Callable[[Any], Answer]
    price: Price | None
    most: Usage
    faults: list[str] = field(default_factory=list)
    faults_usd: float = 0.0
    answer: Answer | None = None
    cost_usd: float | None = None
    stop: DissensusError | None = None
    reached: bool = False
    said: str = ""
    queued_s: float = 0.0
    started: float | None = None
    deadline: asyncio.Timeout | None = None

    def cost(self, usage: Usage, *, batch: bool = False) -> float | None:
        """Dollars, by itself or in a batch; None where the model has no price."""
        if self.price is None:
            return None
        tokens = (usage.input_tokens, usage.cached_tokens, usage.output_tokens)
        return self.price.cost(*tokens, batch=batch)

    @contextmanager
    def queueing(self) -> Iterator[None]:
        """Stop the call's deadline meanwhile: it is about the model's time, not about the queue."""
        clock = asyncio.get_running_loop().time
        began = clock()
        until = self.deadline.when() if self.deadline else None
        if self.deadline and until is not None:
            self.deadline.reschedule(None)
        try:
            yield
        finally:
            waited = clock() - began
            self.queued_s += waited
            if self.deadline and until is not None:
                self.deadline.reschedule(until + waited)


#: The call that the running task makes; none while it asks for a list of models or a batch's state.
EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


def tokens_at_most(text_bytes: int) -> int:
    """Tokens of a text by its UTF-8 bytes: one in three, more than most tokenisers make."""
    return text_bytes // 3 + 1


#: What taking an answer apart may raise where it is not made as it should be.
UNREADABLE = (
    *(ValueError, TypeError, KeyError, AttributeError, IndexError),
    *(ArithmeticError, RecursionError),
)
#: More tokens than any call has.
_ABSURD = 10**9


def count(value: Any) -> int:
    """A count of tokens as a provider reports it; 0 where it reports none or nonsense."""
    return int(value) if isinstance(value, int | float) and 0 < value < _ABSURD else 0


def label(value: Any, most: int = 200) -> str:
    """A name or sentence of a provider's: one line that can be printed; "" for what is no text."""
    words = " ".join(value[: 20 * most].split()) if isinstance(value, str) else ""
    return "".join(character for character in words[:most] if character.isprintable())


def first_cause(error: BaseException) -> str:
    """What an error comes from, in the system's words where it has some."""
    while error.__cause__ is not None:
        error = error.__cause__
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
