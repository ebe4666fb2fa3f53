"""What is said to a model and what comes back."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Request:
    """One call, complete: two equal requests to one model may share a reply, and no others may.

    Attributes
    ----------
    model : the model's name in the configuration.
    identity : what the name stood for (provider and settings), so that a changed model asks anew.
    messages : the conversation so far.
    temperature, max_tokens : decoding settings; tokens are the model's own.
    seed : differs for every attempt at every turn, so that a retry is a fresh draw.
    top_p : share of probability that nucleus sampling keeps; None where nothing is said of it.
    """

    model: str
    identity: str
    messages: tuple[Message, ...]
    temperature: float
    max_tokens: int
    seed: int
    top_p: float | None = None

    @cached_property
    def sha256(self) -> str:
        """Digest of the whole request (64 hexadecimal digits): its key in the journal."""
        fields = {**vars(self), "messages": [vars(message) for message in self.messages]}
        if self.top_p is None:
            del fields["top_p"]
        text = json.dumps(fields, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Reply:
    """What came back from one call: a text, or the reason why there is none.

    Attributes
    ----------
    text : the model's words, "" where the call failed.
    error : "" for a reply that can be used, else what became of the call's last try (a key of
        :data:`dissensus.llm.outcomes.RULES`).
    finish_reason : why the model stopped: stop, length, content_filter, refusal, or the
        provider's own word; "error" where there is no answer at all.
    input_tokens, cached_tokens, output_tokens : as the provider counted them; the cached are among
        the input.
    cost_usd : of this answer; None where the model has no price.
    latency_s : seconds from the first try's sending to the reply, its retries and their backoff
        among them.
    queued_s : seconds that the call waited for its turn under the provider's limits besides.
    answered_by, fingerprint, request_id : as the provider reported them, "" where it did not.
    faults : what became of the tries before the last, in order.
    faults_usd : what those tries cost, or may have.
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


class Provider(Protocol):
    """Anything that can answer a request. Paid, local and simulated models look the same.

    A provider does not raise for a call that went wrong: that is a Reply with its ``error`` set,
    so that failures too are journaled and replayed. It raises a DissensusError where the whole run
    must stop (no credit, a wrong key, the budget reached), and then nothing is journaled.
    """

    name: str
    """In the configuration."""
    asked_model: str
    """As the provider knows it."""
    identity: str
    """Digest of what its replies depend on."""
    simulated: bool
    waits: bool
    """Whether its replies are waited for, rather than computed in this process."""

    def ask(self, request: Request, patience_s: float | None = None) -> Reply:
        """Answer, within ``patience_s`` seconds of waiting for the model where that is given."""
