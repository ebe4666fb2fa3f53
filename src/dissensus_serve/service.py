"""The server's options, models, faults, limits and counts, apart from HTTP."""

from __future__ import annotations

import hmac
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dissensus.llm.prefix_cache import PrefixCache
from dissensus_serve.calls import CREATED, Answer, Call, read_chat, read_message
from dissensus_serve.counts import Counts
from dissensus_serve.embeddings import read_embeddings
from dissensus_serve.faults import Draw, Faults, OutageTimes
from dissensus_serve.limits import Gate
from dissensus_serve.refusals import Interface, Refusal, simulated_fault, unknown_model, wrong_key
from dissensus_serve.replies import Replies


@dataclass(frozen=True)
class Options:
    """The options of a server.

    Attributes
    ----------
    models : the name that clients ask for -> settings of the simulated model behind it.
    embeddings, dimensions : names of embedding models; the length of their vectors.
    faults : outcome -> rate.
    outage : when no call is answered; None for never.
    latency_s, latency_spread : an answer takes ``latency_s * latency_spread ** z``, z standard
        normal.
    hang_s : seconds of silence of a time-out.
    retry_after_s : the Retry-After of simulated rate limits and overloads; None sends none.
    requests_per_minute, tokens_per_minute, concurrency : limits; None for none.
    key : the only one accepted; None for any.
    report_model : the model's name in answers; None for the name in the request.
    refused : parameters that are refused.
    batch_s : seconds that a batch takes.
    fixed_words : whether every reply is one constant text.
    caches : whether prompts are kept as OpenAI and Anthropic document it. An answer's count of
        tokens then depends on those before it.
    seed : of the faults and latencies.
    """

    models: Mapping[str, Mapping[str, Any]]
    embeddings: tuple[str, ...] = ("text-embedding-3-large",)
    dimensions: int = 256
    faults: Mapping[str, float] = field(default_factory=dict)
    outage: OutageTimes | None = None
    latency_s: float = 0.0
    latency_spread: float = 1.0
    hang_s: float = 600.0
    retry_after_s: float | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    concurrency: int | None = None
    key: str | None = None
    report_model: str | None = None
    refused: frozenset[str] = frozenset()
    batch_s: float = 1.0
    fixed_words: bool = False
    caches: bool = False
    seed: int = 0


class Service:
    """The models, their faults, limits and counts."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.replies = Replies(options.models, options.fixed_words)
        self.faults = Faults(options.faults, options.seed, options.outage)
        self.counts = Counts()
        self._caches: defaultdict[str, PrefixCache] = defaultdict(PrefixCache)
        self.gate = Gate(
            options.requests_per_minute, options.tokens_per_minute, options.concurrency
        )

    def check_key(self, headers: Mapping[str, str], interface: Interface) -> None:
        """Raise a Refusal where the request's key is wrong."""
        wanted = self.options.key
        if wanted is None:
            return
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(errors="replace"), wanted.encode()):
            raise wrong_key(given, interface)

    def read(self, kind: str, body: Any) -> Call:
        """The call in a request's JSON; Refusal where there is none."""
        call: Call
        if kind == "embeddings":
            call = read_embeddings(body, self.options.refused, self.options.dimensions)
        elif kind == "messages":
            call = read_message(body, self.options.refused)
        else:
            call = read_chat(body, self.options.refused)
        models = self.options.embeddings if kind == "embeddings" else self.options.models
        if call.model not in models:
            raise unknown_model(call.model, call.interface)
        return call

    def billed(self, call: Call, answer: Answer, at: float | None = None) -> Answer:
        """An answer with the tokens that it is billed for; ``at``: when the call came."""
        if not self.options.caches:
            return answer
        return call.cached(answer, self._caches[call.model], at)

    def reported(self, model: str) -> str:
        """The name that an answer gives for the model."""
        return self.options.report_model or model

    def fault(self, outcome: str, interface: Interface) -> Refusal | None:
        """The error response of a fault; None for a fault that has none."""
        return simulated_fault(outcome, interface, self.options.retry_after_s)

    def latency(self, draw: Draw) -> float:
        """Seconds that a try takes."""
        spread = self.options.latency_spread
        if spread == 1.0:
            return self.options.latency_s
        return float(self.options.latency_s * spread ** self.faults.normal(draw))

    def model_entries(self) -> list[dict[str, Any]]:
        """All models, in a form that the clients of both interfaces read."""
        return [_entry(name) for name in (*self.options.models, *self.options.embeddings)]

    def model_entry(self, name: str, interface: Interface) -> dict[str, Any]:
        """One model; Refusal where none has that name."""
        if name not in self.options.models and name not in self.options.embeddings:
            raise unknown_model(name, interface)
        return _entry(name)


def _entry(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "model",
        "created": CREATED,
        "owned_by": "dissensus-simulated",
        "type": "model",
        "display_name": f"{name} (simulated)",
        "created_at": "2025-01-01T00:00:00Z",
    }
