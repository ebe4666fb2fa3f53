"""What a manifest will cost, before any call: calls, tokens and dollars, with a range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from dissensus.llm.prices import Price, Table, price_of, read_prices
from dissensus.llm.providers import codec_of
from dissensus.plan.cached import cached_shares
from dissensus.plan.call_plan import PlannedCall, call_plans
from dissensus.session.protocol import PLACEHOLDER
from dissensus.study.sessions import Sessions
from dissensus.text.tokens import Tokenize, tokenizer

#: The purpose of embeddings.
EMBEDDING = "embed"

#: What is assumed of a run: the share of turns that are asked for again, once, and of sessions that
#: run again. Twice that in the high estimate, none in the low one.
REPAIRED_TURNS = 0.10
REPEATED_SESSIONS = 0.02
#: The scenario between low and high.
EXPECTED = "expected"
#: The length of a reply as a share of the most that it may have: low, expected, high.
REPLY_SHARES = (0.25, 0.5, 1.0)


@dataclass(frozen=True)
class Scenario:
    """One way that a run may go.

    ``reply`` is the length of a reply as a share of the most that it may have, ``repairs`` further
    attempts at a turn and ``reruns`` further attempts at a session, in the mean.
    """

    name: str
    reply: float
    repairs: float
    reruns: float


@dataclass(frozen=True)
class Terms:
    """What a model of a purpose is and what it is paid.

    ``free`` says why nothing is paid ("simulated", "local"), ``price`` is None where there is none.
    ``cache`` is whether its provider's cache of prompts is used, which takes so many ``marks``.
    """

    provider: str
    asked: str
    price: Price | None = None
    batch: bool = False
    free: str = ""
    cache: bool = False
    marks: int = 0

    def cost(self, tokens: Tokens, cached: Cached | None = None) -> float:
        """Dollars, with what a cache of prompts does or without; 0 where there is no price."""
        if self.free or self.price is None:
            return 0.0
        # Many calls together have a long prompt, and none of them has.
        of_call = tokens.input / max(tokens.calls, 1.0)
        price = replace(self.price.at(of_call), above=())
        read, written = cached or Cached()
        sent = (tokens.input, read, tokens.output)
        return price.cost(*sent, batch=self.batch, written_tokens=written)


class Cached(NamedTuple):
    """Tokens of prompts that a provider's cache has, and that it takes in."""

    read: float = 0.0
    written: float = 0.0


@dataclass(frozen=True)
class Tokens:
    """Calls, the tokens sent in them and the tokens of their replies."""

    calls: float = 0.0
    input: float = 0.0
    output: float = 0.0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.calls + other.calls, self.input + other.input, self.output + other.output
        )


@dataclass(frozen=True)
class Line:
    """What one model does in one purpose: scenario -> tokens and dollars.

    ``cached`` is what a cache of prompts does in the expected one.
    """

    purpose: str
    model: str
    terms: Terms
    tokens: Mapping[str, Tokens] = field(default_factory=dict)
    cached: Cached = field(default_factory=Cached)

    @property
    def has_price(self) -> bool:
        return self.terms.price is not None and not self.terms.free

    def usd(self, scenario: str) -> float:
        return self.terms.cost(self.tokens[scenario])

    def input_usd(self, *, cached: bool) -> float:
        """Dollars of the prompts in the expected scenario, with a cache of prompts or without."""
        sent = replace(self.tokens[EXPECTED], output=0.0)
        return self.terms.cost(sent, self.cached if cached else None)


@dataclass(frozen=True)
class Prompt:
    """One call as it is counted, in tokens.

    Attributes
    ----------
    tokens : of what is sent, without texts that nobody has written yet.
    shown : the most of these texts.
    repair : of what is added when the turn is asked for again.
    limit : the most of the reply.
    """

    tokens: int
    shown: float
    repair: int
    limit: int


def scenarios(protocol: Mapping[str, Any]) -> list[Scenario]:
    """Low, expected, high, and the ceiling: every repair and every re-run that is allowed."""
    most_repairs, most_reruns = protocol["repairs"], protocol["session_attempts"] - 1
    scenarios = [
        Scenario(
            name,
            share,
            min(times * REPAIRED_TURNS, most_repairs),
            min(times * REPEATED_SESSIONS, most_reruns),
        )
        for times, (name, share) in enumerate(
            zip(("low", EXPECTED, "high"), REPLY_SHARES, strict=True)
        )
    ]
    return [*scenarios, Scenario("ceiling", 1.0, most_repairs, most_reruns)]


def terms_of(
    models: Mapping[str, Mapping[str, Any]],
    providers: Mapping[str, Mapping[str, Any]],
    asked: Mapping[str, Sequence[str]],
    embedders: Sequence[str],
    table: Table,
) -> dict[tuple[str, str], Terms]:
    """(purpose, model) -> its terms, in the order of the stages, then of the embedders.

    Parameters
    ----------
    models, providers : settings by name.
    asked : purpose -> the models that it asks.
    embedders : by their names; of those, only ``<provider>:<model>`` are paid for.
    table : of prices.
    """
    terms = {}
    for purpose, names in asked.items():
        for name in names:
            settings = models[name]
            terms[purpose, name] = _terms(
                settings["provider"],
                settings.get("model") or name,
                providers,
                table,
                settings.get("price"),
                cache=bool(settings.get("cache")),
                tier=str((settings.get("parameters") or {}).get("service_tier") or "").lower(),
            )
    for name in embedders:
        provider, _, model = name.partition(":")
        is_configured = provider in providers
        terms[EMBEDDING, name] = (
            # Turns are embedded in one request, not in the batches that wait for a day.
            _terms(provider, model, providers, table, batches=False)
            if is_configured
            else Terms("", name, free="local")
        )
    return terms


def _terms(
    provider: str,
    asked: str,
    providers: Mapping[str, Mapping[str, Any]],
    table: Table,
    set_price: Mapping[str, Any] | None = None,
    *,
    batches: bool = True,
    cache: bool = False,
    tier: str = "",
) -> Terms:
    if provider == "simulated":
        return Terms(provider, asked, free="simulated")
    price = price_of(provider, asked, table, set_price)
    price = price and price.tiers.get(tier, price)
    settings = providers[provider]
    # A simulated model behind an address may be given a price, to rehearse a budget.
    free = "simulated" if settings.get("simulated") and price is None else ""
    batch = batches and bool(settings.get("batch"))
    marks = codec_of(settings["interface"]).marks_cache
    return Terms(provider, asked, price, batch, free, cache, marks)


def estimate(
    sessions: Sessions, terms: Mapping[tuple[str, str], Terms], protocol: Mapping[str, Any]
) -> list[Line]:
    """What every model does in every purpose of a study.

    Where sessions may end early, the low estimate has the fewest calls that they make, the others
    the most.

    Parameters
    ----------
    sessions : of the study.
    terms : from :func:`terms_of`.
    protocol : its settings of the protocol.
    """
    ways = scenarios(protocol)
    marks = {model: of.marks for (_, model), of in terms.items()}
    has_price = any(of.price is not None and not of.free for of in terms.values())
    kept = dict.fromkeys(terms, Cached())
    asked = {(purpose, model, way.name): Tokens() for purpose, model in terms for way in ways}
    before = [_tokens(text) for text in _embedded_first(sessions, terms)]
    texts = {way.name: Tokens(len(before), sum(before)) for way in ways}
    for calls, least, number in call_plans(sessions):
        longer = [(call, _prompt(call)) for call in calls]
        shorter = longer if least is calls else [(call, _prompt(call)) for call in least]
        shares = (
            cached_shares(calls, marks, ways[1].reply, protocol["max_tokens"]) if has_price else ()
        )
        for share, (call, prompt) in zip(shares, longer, strict=False):
            sent = number * one_call(prompt, ways[1]).input
            read, written = kept[call.purpose, call.model]
            kept[call.purpose, call.model] = Cached(
                read + share.read * sent, written + share.written * sent
            )
        for way in ways:
            for call, prompt in shorter if way is ways[0] else longer:
                once = one_call(prompt, way)
                times = Tokens(*(number * n for n in (once.calls, once.input, once.output)))
                asked[call.purpose, call.model, way.name] += times
                if call.embedded:
                    reply = way.reply * call.limit
                    texts[way.name] += Tokens(number * call.embedded, number * reply)
    return [
        Line(
            purpose,
            model,
            of,
            texts
            if purpose == EMBEDDING
            else {way.name: asked[purpose, model, way.name] for way in ways},
            kept[purpose, model],
        )
        for (purpose, model), of in terms.items()
    ]


def _embedded_first(sessions: Sessions, terms: Mapping[tuple[str, str], Terms]) -> Iterable[str]:
    """The texts that are embedded before any session; none where nothing is embedded."""
    embeds = any(purpose == EMBEDDING for purpose, _ in terms)
    return sessions.study.embedded_first(sessions.folder) if embeds else ()


def estimate_settings(settings: Mapping[str, Any], sessions: Sessions) -> list[Line]:
    """The estimate as a stage of the workflow asks for it: with its settings."""
    return estimate(sessions, terms_in(settings), settings["protocol"])


def priced(settings: Mapping[str, Any], sessions: Sessions) -> list[Line]:
    """The same, without counting tokens where no model has a price."""
    return priced_by(terms_in(settings), settings, sessions)


def priced_by(
    terms: Mapping[tuple[str, str], Terms], settings: Mapping[str, Any], sessions: Sessions
) -> list[Line]:
    """The same by terms that are given."""
    lines = [Line(purpose, model, of) for (purpose, model), of in terms.items()]
    if any(line.has_price for line in lines):
        return estimate(sessions, terms, settings["protocol"])
    return lines


def terms_in(settings: Mapping[str, Any]) -> dict[tuple[str, str], Terms]:
    """The terms of all models, as :func:`terms_of`, from a stage's settings."""
    table = read_prices(settings["prices"]) if settings["prices"] else {}
    return terms_of(
        settings["models"], settings["providers"], settings["asked"], settings["embedders"], table
    )


def one_call(prompt: Prompt, way: Scenario) -> Tokens:
    """A call of one session, its repairs and re-runs among them, in the mean."""
    sent = prompt.tokens + prompt.shown * way.reply
    times = 1 + way.reruns
    return Tokens(
        (1 + way.repairs) * times,
        (sent + way.repairs * (sent + prompt.repair)) * times,
        (1 + way.repairs) * prompt.limit * way.reply * times,
    )


def _prompt(call: PlannedCall) -> Prompt:
    tokens = _tokens(call.prompt.replace(PLACEHOLDER, ""))
    again = _tokens(call.again.replace(PLACEHOLDER, ""))
    return Prompt(tokens, call.shown, again - tokens, call.limit)


@cache
def _tokens(text: str) -> int:
    return len(_tokenizer()(text))


@cache
def _tokenizer() -> Tokenize:
    return tokenizer("tekken")
