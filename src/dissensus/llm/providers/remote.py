"""Models that are reached over the network, through whichever interface."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.errors import ProviderError
from dissensus.llm.batches.batcher import Batcher
from dissensus.llm.call import Message, Reply, Request, Usage
from dissensus.llm.codec import Codec
from dissensus.llm.doubts import Watch, is_cut, warn_of_cut, warn_of_tier
from dissensus.llm.exchange import Exchange, Post, Terms, max_tokens_of, run
from dissensus.llm.ledger import Ledger
from dissensus.llm.marks import Marks
from dissensus.llm.prices import Price
from dissensus.llm.providers import identity

if TYPE_CHECKING:
    from dissensus.llm.http_client import HttpClient

#: Statuses that speak of the address rather than of what was asked: moved, not found, not allowed.
_NOT_HERE = (*range(300, 400), 404, 405)

#: The parameters of a call that a model may not take.
_PARAMETERS = ("max_tokens", "temperature", "top_p", "seed")
#: What is said where a parameter is taken, and its value is not; and where there is no such model.
_OUT_OF_RANGE = re.compile(
    r"\b(range|maximum|minimum|at most|at least|too (large|small|high|low)|less than|greater than|"
    r"between|exceed\w*)\b|[<>]=?|≤|≥",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"\b(invalid|unknown|no such|unable to access|not found the) model\b|模型不存在|"
    r"\bmodel\b.{0,80}\b(not? (found|exist|valid|available|longer supported)|does ?n.t exist|"
    r"decommissioned|retired|deprecated|not supported by any)",
    re.IGNORECASE,
)
#: So many calls that end alike, the first of a run to a model, are no accident.
_FIRST_CALLS = 6
#: How a call may end without a text -> what to change.
_MENDS = {
    "length": "it spends max_tokens before its first word, as on thought: raise max_tokens in the "
    "study's protocol, or have it think less by `parameters` of the model",
    "empty": "check the model's name and its `parameters`",
    "thought": "they are thought alone (`reasoning_content`): have its server not part thought "
    "from text, have the model not think by `parameters`, as with {chat_template_kwargs: "
    "{enable_thinking: false}}, or raise max_tokens",
    "content_filter": "its provider's filter takes them out: take another model, or set the filter",
    "refusal": "it refuses: take another model, or change the prompts",
}


@dataclass(frozen=True)
class Host:
    """A provider that was checked and can be asked.

    Attributes
    ----------
    http : sends what the codec writes.
    batcher : None where calls are not sent in batches.
    answered : the models that answered in this process.
    tiers : models and tiers of service of which was said that they have no price.
    cut : those that seem to have been shown less than was sent.
    ends : file of how calls ended before their model answered any, shared by all processes.
    watch : looks at the first replies of each model; None for not at all.
    """

    terms: Terms
    ledger: Ledger
    codec: Codec
    http: HttpClient
    batcher: Batcher | None = None
    answered: set[str] = field(default_factory=set)
    cut: set[str] = field(default_factory=set)
    tiers: set[tuple[str, str]] = field(default_factory=set)
    ends: Path | None = None
    watch: Watch | None = None


def _cache_marks(sent: Mapping[str, Any]) -> int:
    """How many marks of what a provider is to keep in its cache are in what is sent."""
    return json.dumps(sent).count('"cache_control"')


class RemoteModel:
    """A model behind a provider's interface.

    Parameters
    ----------
    name : in the configuration.
    settings : its entry there.
    simulated : whether simulated models answer at its provider's address.
    host : gives the host, checked; called when something is asked, and never for a replay.
    price : None where it has none.
    marks : of thought in its replies.
    batched : whether its calls are sent in batches.
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
        marks: Marks,
        batched: bool = False,
    ) -> None:
        self.name = name
        self.simulated = simulated
        self.asked_model: str = settings.get("model") or name
        self.identity = identity(name, settings)
        self.price = price
        self.marks: Marks | None = marks
        self._host = host
        self._cache = bool(settings.get("cache"))
        #: Calls of one batch would be sent in several, hours apart.
        self.caches = self._cache and not batched
        self._rename = settings.get("rename") or {}
        self._parameters = settings.get("parameters") or {}
        self._parameters_marks = _cache_marks(self._parameters)
        self._checked_host: Host | None = None
        #: Whether its provider was seen to write to its cache unasked, and for an hour.
        self._is_written, self._is_written_1h = False, False

    def ask(self, request: Request, patience_s: float | None = None) -> Reply:
        """See :class:`dissensus.llm.call.Provider`."""
        host = self._checked_host = self._checked_host or self._host()
        codec = host.codec
        size = 0
        for message in request.messages:
            size += len(message.content.encode())
        marks_of_study = self._parameters_marks
        if request.options:
            marks_of_study += _cache_marks(request.options)
        marks = max(0, codec.marks_cache - marks_of_study) if self._cache else 0
        parse: Callable[[Any], Reply] = partial(codec.parse, marks=self.marks)
        if request.options:
            parse = partial(_with_raw, parse)
        parameters = self.parameters(request, codec.takes)
        post = codec.post(self.asked_model, request, parameters, marks)

        def hello() -> Post:
            return codec.post(self.asked_model, _shortened(request), parameters)

        most = max_tokens_of(size)
        # What is marked for a cache may be written to it: for minutes, or by a study's own marks
        # for the longest.
        written = most if marks_of_study or marks or self._is_written else 0
        for_an_hour = most if marks_of_study or self._is_written_1h else 0
        max_usage = Usage(most, 0, request.max_tokens, written, for_an_hour)
        tier = str(parameters.get("service_tier") or "").lower()
        exchange = Exchange(self.name, parse, self.price, max_usage, tier, hello)
        if host.batcher is not None:
            # The deadlines of a call do not apply to a batch.
            reply = run(host.batcher.ask(exchange, request.sha256, self.asked_model, post.body))
        else:
            reply = run(host.http.call(exchange, post, patience_s))
        check_accepted(exchange, reply, host)
        shared = ""
        if host.watch and self.marks and not reply.error:
            shared = host.watch.see(self.name, reply.text, self.marks)
        if shared:
            _warn_of_marks(self.name, shared)
        self._is_written |= reply.written_tokens > 0
        self._is_written_1h |= reply.written_1h_tokens > 0
        tokens = reply.input_tokens
        if not reply.error and self.name not in host.cut and is_cut(request, size, tokens):
            host.cut.add(self.name)
            warn_of_cut(self.name, size, tokens)
        tier = reply.service_tier
        is_priced = not tier or self.price is None or tier in self.price.tiers
        if not is_priced and (self.name, tier) not in host.tiers:
            host.tiers.add((self.name, tier))
            warn_of_tier(self.name, tier)
        return exchange.ended(reply)

    def parameters(self, request: Request, takes: Sequence[str]) -> dict[str, Any]:
        """What to send besides the messages, by the names that this model has for it.

        A call's own options come before the model's parameters, and these before all else. A
        simulated model is sent the seed behind every interface: without it, agents who are asked
        the same at the same time would all give the same reply.

        Parameters
        ----------
        takes : what of temperature, top_p, max_tokens and seed its interface has.
        """
        sent: dict[str, Any] = {}
        if self.simulated and "seed" not in takes:
            takes = (*takes, "seed")
        for name in takes:
            sent[self._rename.get(name, name)] = getattr(request, name)
        sent |= self._parameters
        for name, value in request.options.items():
            sent[self._rename.get(name, name)] = value
        for name in [*sent]:
            if not name or sent[name] is None:
                del sent[name]
        return sent


def _shortened(request: Request) -> Request:
    """A request with the same roles up to the first of a user, who says no more than hello."""
    users = [number for number, sent in enumerate(request.messages) if sent.role == "user"]
    first = users[0] if users else len(request.messages)
    return replace(request, messages=(*request.messages[:first], Message("user", "Hello.")))


def _warn_of_marks(model: str, shared: str) -> None:
    """Say what a model's replies share that may be thought; see :mod:`dissensus.llm.doubts`."""
    logging.getLogger("dissensus").warning(
        f"models.{model}: {shared}, which no rule knows. Where that is thought, others are "
        f"shown it and it is measured as speech: name its marks in models.{model}.thought "
        "(docs/models.md) and start again; what was answered is read anew and not paid again. "
        "`dissensus replies` says the same of all replies."
    )


def _with_raw(parse: Callable[[Any], Reply], body: Any) -> Reply:
    """A reply with the JSON that it was read from."""
    return replace(parse(body), raw=json.dumps(body, ensure_ascii=False))


def check_accepted(exchange: Exchange, reply: Reply, host: Host) -> None:
    """Stop the run, rather than lose the session, where every other call would fail as well.

    Raises
    ------
    ProviderError : a model that never answered yet rejects the request. A model that answered
        before rejects this request only: the session fails.
    """
    model = exchange.model
    if not reply.error:
        if model not in host.answered:
            host.answered.add(model)
            _note_end(host, model, _ANSWERED)
        return
    end = exchange.faults[-1]
    _check_ends(model, "thought" if end == "empty" and reply.thought else end, host)
    if exchange.faults[-1] != "rejected":
        return
    if model in host.answered or host.ledger.answered(model):
        return
    name, status = host.terms.name, exchange.failures[-1].status
    mend = _mend(model, exchange.message)
    if status in _NOT_HERE:
        mend = (
            f"status {status} means another address or name: check providers.{name}.base_url and "
        )
        mend += "the model's name"
    raise ProviderError(
        f"models.{model}: providers.{name} rejects its requests ({exchange.message}); {mend}."
    )


def _mend(model: str, message: str) -> str:
    """What to change where a provider rejects the first calls, by the parameter that it names."""
    if re.search(r"\bstream", message, re.IGNORECASE) and "stream_options" not in message:
        return (
            "it gives its answers in pieces only, and answers in one piece are needed: take "
            "another model or provider, or a gateway that puts the pieces together"
        )
    named = [name for name in _PARAMETERS if re.search(rf"\b{name}\b", message)]
    if "max_tokens" in named and "max_completion_tokens" in message:
        return f"set models.{model}.rename to {{max_tokens: max_completion_tokens}}"
    if named and _OUT_OF_RANGE.search(message):
        return (
            f"models.{model}.parameters: {{{named[0]}: ...}} sets another {named[0]} than the "
            f"study's, and models.{model}.rename: {{{named[0]}: null}} leaves it out"
        )
    if named:
        return f"models.{model}.rename: {{{named[0]}: null}} leaves {named[0]} out"
    if _NO_MODEL.search(message):
        return f"check the model's name, models.{model}.model"
    return (
        "a parameter that a model does not take is left out by `rename: {name: null}`, or taken "
        "out of its `parameters`"
    )


def _check_ends(model: str, end: str, host: Host) -> None:
    """Stop a run whose first calls to a model all end alike, before all sessions are lost.

    Raises
    ------
    ProviderError : they do, and none had a text.
    """
    if model in host.answered or end not in _MENDS:
        return
    ends = _note_end(host, model, end)
    if len(ends) >= _FIRST_CALLS and set(ends) == {end}:
        # What is changed now is to be judged by itself.
        _note_end(host, model, _CHANGED)
        raise ProviderError(
            f"models.{model}: its first {len(ends)} calls all ended without a text ({end}); "
            f"{_MENDS[end]}, and start again: what is asked with other settings is asked anew."
        )


#: What stands in the file of ends for a model that answered, and for one whose ends were told.
_ANSWERED, _CHANGED = "answered", "changed"


def _note_end(host: Host, model: str, end: str) -> list[str]:
    """Write down how a call to a model ended; the ends since something was changed, in order."""
    if host.ends is None:
        return []
    with suppress(OSError):
        host.ends.parent.mkdir(parents=True, exist_ok=True)
        with host.ends.open("a", encoding="utf-8") as file:
            file.write(f"{end} {model}\n")
        lines = [line.partition(" ") for line in host.ends.read_text("utf-8").splitlines()]
        ends = [end for end, _, of in lines if of == model]
        return ends[len(ends) - ends[::-1].index(_CHANGED) :] if _CHANGED in ends else ends
    return []
