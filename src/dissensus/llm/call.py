"""A request to a model, its reply, and whether the model that was asked gave it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from dissensus.llm.marks import Marks


@dataclass(frozen=True)
class Message:
    """One message of a conversation.

    ``shared`` are the places in the content, in order, up to which other requests have the same. It
    is no part of what is said, or digested, and only of use to a provider's cache.
    """

    role: Literal["system", "user", "assistant"]
    content: str
    shared: tuple[int, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True)
class Request:
    """One call to a model. Equal requests may share a reply, no others may.

    Attributes
    ----------
    model : the model's name in the configuration.
    identity : digest of the model's settings, so that a changed model is called again.
    messages : the conversation so far.
    temperature, max_tokens : decoding settings; tokens are the model's own.
    seed : differs for every attempt at every turn, so that a retry draws anew.
    top_p : share of probability that nucleus sampling keeps; None leaves it to the provider.
    options : what else is sent, by the provider's names.
    """

    model: str
    identity: str
    messages: tuple[Message, ...]
    temperature: float
    max_tokens: int
    seed: int
    top_p: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def members(self) -> dict[str, Any]:
        """Its fields as plain data, as they are digested: without a ``top_p`` or options unset."""
        values: dict[str, Any] = {
            "model": self.model,
            "identity": self.identity,
            "messages": [{"role": each.role, "content": each.content} for each in self.messages],
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }
        if self.top_p:
            values["top_p"] = self.top_p
        if self.options:
            values["options"] = self.options
        return values

    @property
    def sha256s(self) -> tuple[str, str]:
        """Digests (64 hexadecimal digits) of the whole request, which is its key in the journal,
        and of all but the identity, its first member.
        """
        # A cached property of Python 3.11 has one lock for all requests, and of hundreds of
        # sessions each would wait for the digests of another.
        if "_sha256s" not in self.__dict__:
            whole = json.dumps(self.members, ensure_ascii=False, sort_keys=True).encode()
            named = f'{{"identity": {json.dumps(self.identity, ensure_ascii=False)}'.encode()
            unnamed = whole.replace(named, b'{"identity": ""', 1)
            self.__dict__["_sha256s"] = (
                hashlib.sha256(whole).hexdigest(),
                hashlib.sha256(unnamed).hexdigest(),
            )
        digests: tuple[str, str] = self.__dict__["_sha256s"]
        return digests

    @property
    def sha256(self) -> str:
        """Its key in the journal."""
        return self.sha256s[0]


@dataclass(frozen=True)
class Usage:
    """Tokens of one reply as the provider counted them.

    Those read from its cache, and those written to it (for an hour among them), are of the input.
    The tier of service is "" for the one that everybody has.
    """

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    written_tokens: int = 0
    written_1h_tokens: int = 0
    service_tier: str = ""

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True)
class Reply:
    """The result of one call: a text, or the reason why there is none.

    Attributes
    ----------
    text : the model's words, "" where the call failed.
    error : "" for a reply that can be used, else the outcome of the call's last try (a key of
        :data:`dissensus.llm.outcomes.RULES`).
    finish_reason : why the model stopped: stop, length, content_filter, refusal, or the
        provider's own word; "error" where there is no answer at all.
    input_tokens, cached_tokens, output_tokens : as the provider counted them; the input includes
        the cached and the written.
    written_tokens, written_1h_tokens : of the input, what the provider wrote to its cache, and what
        of that it keeps for an hour.
    cost_usd : of this answer; None where the model has no price.
    latency_s : seconds from sending the first try to the reply, with retries and their backoff.
    queued_s : seconds that the call waited besides, under the provider's limits.
    answered_by, fingerprint, request_id : as the provider reported them, "" where it did not.
    faults : the outcomes of the tries before the last, in order.
    faults_usd : what those tries cost, or may have cost.
    faults_said : the provider's own words about every try that failed, in order, the last of a
        call that failed among them; "" where it gave none.
    thought : what the model wrote before it, for itself; "" where it shows none. Nobody reads it.
    raw : the JSON of the answer as it came, of a call with options; "" of all others.
    service_tier : of the provider, such as flex or priority, which has a price of its own; "" for
        the one that everybody has.
    started, ended : when the call was made, and when its reply was there, in UTC (ISO 8601); "" in
        a journal of a version that did not say.
    """

    text: str
    error: str = ""
    finish_reason: str = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0
    cached_tokens: int = 0
    queued_s: float = 0.0
    answered_by: str = ""
    fingerprint: str = ""
    request_id: str = ""
    faults: tuple[str, ...] = ()
    faults_usd: float = 0.0
    faults_said: tuple[str, ...] = ()
    thought: str = ""
    raw: str = ""
    written_tokens: int = 0
    written_1h_tokens: int = 0
    service_tier: str = ""
    started: str = field(default="", compare=False)
    ended: str = field(default="", compare=False)

    @property
    def usage(self) -> Usage:
        """Its tokens."""
        return Usage(
            self.input_tokens,
            self.cached_tokens,
            self.output_tokens,
            self.written_tokens,
            self.written_1h_tokens,
            self.service_tier,
        )


class Provider(Protocol):
    """A model that answers requests: paid, local or simulated.

    A call that failed is a Reply with its ``error`` set, so that failures too are journaled and
    replayed. A provider raises a DissensusError where the whole run must stop (no credit, a wrong
    key, the budget reached), and then nothing is journaled.
    """

    name: str
    """In the configuration."""
    asked_model: str
    """The provider's name for the model."""
    identity: str
    """Digest of what its replies depend on."""
    simulated: bool
    waits: bool
    """Whether its replies come over the network, rather than from this process."""
    caches: bool
    """Whether calls that begin alike cost less one after the other, by its provider's cache."""
    marks: Marks | None
    """How its replies mark thought; None where they have none."""

    def ask(self, request: Request, patience_s: float | None = None) -> Reply:
        """Answer a request, within ``patience_s`` seconds where that is given."""


#: What providers append to the name of a dated snapshot: -2025-12-11, -20250929, -2512.
_SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4})")
_ALIAS = "-latest"


def answers_for(asked: str, answered_by: str) -> bool:
    """Whether an answer by one name may be taken for the model asked by another.

    A name stands for its dated snapshots, and ``-latest`` for any of them. A gateway's prefix
    (``openai/``) is ignored. An empty name is no mismatch.

    Parameters
    ----------
    asked : the name sent to the provider.
    answered_by : the name that the provider reports; "" where it reports none.
    """
    name, other = _bare(asked), _bare(answered_by)
    if not name or not other or name == other:
        return True
    return _is_snapshot(other, name) or _is_snapshot(name, other)


def is_snapshot(name: str, base: str) -> bool:
    """Whether a name is that of a dated snapshot of the model that another one names."""
    return _is_snapshot(_bare(name), _bare(base))


def _is_snapshot(name: str, base: str) -> bool:
    base = base.removesuffix(_ALIAS)
    rest = name[len(base) :]
    return name.startswith(base) and (rest == _ALIAS or bool(_SNAPSHOT.fullmatch(rest)))


def _bare(name: str) -> str:
    """A name without prefix, with ``-`` for the marks that gateways write differently."""
    return re.sub(r"[.:]", "-", name.strip().lower().rsplit("/", 1)[-1])
