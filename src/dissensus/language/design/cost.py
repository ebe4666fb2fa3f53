"""What a manifest will cost, before any call: calls, tokens and dollars, with a range."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dissensus.debate.protocol import Turn
from dissensus.language.protocol import Prompts, debate
from dissensus.language.settings import ROLES
from dissensus.talk.call import Message
from dissensus.talk.prices import Price, Table, price_of, read_prices
from dissensus.text.tokens import Tokenize, tokenizer

HOLDING, EMBEDDING = "hold_session", "embed_turns"

#: What is assumed of a run: the share of turns that are asked for again, once, and of sessions that
#: are held again. Twice that in the high estimate, none in the low one.
REPAIRED_TURNS = 0.10
REPEATED_SESSIONS = 0.02
#: The length of a reply as a share of the most that it may have: low, expected, high.
REPLY_SHARES = (0.25, 0.5, 1.0)

#: Stand for a speech and for the motion while the prompts are rendered; no prompt has these.
_SPEECH, _TOPIC = "\ue000", "\ue001"


@dataclass(frozen=True)
class Scenario:
    """One way that a run may go.

    ``reply`` is tokens in a reply, ``repairs`` further attempts at a turn and ``reruns`` further
    attempts at a session, in the mean.
    """

    name: str
    reply: float
    repairs: float
    reruns: float


@dataclass(frozen=True)
class Terms:
    """What a model of a stage is and what it is paid.

    ``free`` says why nothing is paid ("simulated", "local"), ``price`` is None where there is none.
    """

    provider: str
    asked: str
    price: Price | None = None
    batch: bool = False
    free: str = ""

    def cost(self, tokens: Tokens) -> float:
        """Dollars; 0 where there is no price."""
        if self.free or self.price is None:
            return 0.0
        return self.price.cost(tokens.input, 0, tokens.output, self.batch)


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
    """What one model does in one stage: scenario -> tokens and dollars."""

    stage: str
    model: str
    terms: Terms
    tokens: Mapping[str, Tokens] = field(default_factory=dict)

    @property
    def has_price(self) -> bool:
        return self.terms.price is not None and not self.terms.free

    def usd(self, scenario: str) -> float:
        return self.terms.cost(self.tokens[scenario])


@dataclass(frozen=True)
class PromptTurn:
    """One turn's prompt as it grows: tokens without speeches, and how many speeches it shows.

    ``topics`` counts how often it names the motion, ``repair`` the tokens of the instruction that
    is added when the turn is asked for again.
    """

    role: str
    tokens: int
    topics: int
    speeches: int
    repair: int


def scenarios(protocol: Mapping[str, Any]) -> list[Scenario]:
    """Low, expected, high, and the ceiling: every repair and every re-run that is allowed."""
    most_repairs, most_reruns = protocol["repairs"], protocol["session_attempts"] - 1
    found = [
        Scenario(
            name,
            share * protocol["max_tokens"],
            min(times * REPAIRED_TURNS, most_repairs),
            min(times * REPEATED_SESSIONS, most_reruns),
        )
        for times, (name, share) in enumerate(
            zip(("low", "expected", "high"), REPLY_SHARES, strict=True)
        )
    ]
    return [*found, Scenario("ceiling", protocol["max_tokens"], most_repairs, most_reruns)]


def terms_of(
    models: Mapping[str, Mapping[str, Any]],
    providers: Mapping[str, Mapping[str, Any]],
    panel: Sequence[str],
    embedders: Sequence[str],
    table: Table,
) -> dict[tuple[str, str], Terms]:
    """(stage, model) -> its terms, in the order of the panel, then of the embedders.

    Parameters
    ----------
    models, providers : settings by name.
    panel : the models that speak.
    embedders : as in ``language.measures``; of those, only ``<provider>:<model>`` are paid for.
    table : of prices.
    """
    found = {}
    for name in panel:
        settings = models[name]
        asked = settings.get("model") or name
        found[HOLDING, name] = _terms(
            settings["provider"], asked, providers, table, settings.get("price")
        )
    for name in embedders:
        provider, _, asked = name.partition(":")
        known = provider in providers
        found[EMBEDDING, name] = (
            # Turns are embedded in one request, not in the batches that wait for a day.
            _terms(provider, asked, providers, table, batches=False)
            if known
            else Terms("", name, free="local")
        )
    return found


def _terms(
    provider: str,
    asked: str,
    providers: Mapping[str, Mapping[str, Any]],
    table: Table,
    own: Mapping[str, float | None] | None = None,
    *,
    batches: bool = True,
) -> Terms:
    if provider == "simulated":
        return Terms(provider, asked, free="simulated")
    price = price_of(provider, asked, table, own)
    settings = providers[provider]
    # A simulated model behind an address may be given a price, to rehearse a budget.
    free = "simulated" if settings.get("simulated") and price is None else ""
    return Terms(provider, asked, price, batches and bool(settings.get("batch")), free)


def estimate(
    manifest: Iterable[Mapping[str, Any]],
    motions: Mapping[str, Mapping[str, Any]],
    terms: Mapping[tuple[str, str], Terms],
    *,
    languages: Mapping[str, Mapping[str, Any]],
    protocol: Mapping[str, Any],
) -> list[Line]:
    """What every model does in every stage.

    Parameters
    ----------
    manifest, motions : rows of the manifest, and motion_id -> row of the pool.
    terms : from :func:`terms_of`.
    languages : each with its prompts, its column of motions and its script.
    protocol : settings of the debate.
    """
    tokenize = tokenizer("tekken")
    ways = scenarios(protocol)
    turns = {name: prompt_turns(entry, protocol, tokenize) for name, entry in languages.items()}
    # Sessions by what their prompts depend on; no session is rendered or counted by itself.
    groups = Counter(
        (row["language"], row["motion_id"], role, row[role]) for row in manifest for role in ROLES
    )
    topics = {
        (language, motion): len(tokenize(motions[motion][languages[language]["motion"]]))
        for language, motion in {key[:2] for key in groups}
    }
    spoken = {(model, way.name): Tokens() for _, model in terms for way in ways}
    texts = {way.name: Tokens() for way in ways}
    for (language, motion, role, model), sessions in groups.items():
        for turn in turns[language]:
            if turn.role != role:
                continue
            for way in ways:
                once = one_turn(turn, topics[language, motion], way)
                spoken[model, way.name] += Tokens(*(sessions * n for n in _parts(once)))
                texts[way.name] += Tokens(sessions, sessions * way.reply, 0.0)
    return [
        Line(
            stage,
            model,
            of,
            {way.name: spoken[model, way.name] for way in ways} if stage == HOLDING else texts,
        )
        for (stage, model), of in terms.items()
    ]


def estimate_settings(
    settings: Mapping[str, Any],
    manifest: Iterable[Mapping[str, Any]],
    motions: Mapping[str, Mapping[str, Any]],
) -> list[Line]:
    """The estimate as a stage of the workflow asks for it: with its settings."""
    table = read_prices(settings["prices"]) if settings["prices"] else {}
    terms = terms_of(
        settings["models"], settings["providers"], settings["panel"], settings["embedders"], table
    )
    return estimate(
        manifest,
        motions,
        terms,
        languages=settings["languages"],
        protocol=settings["protocol"],
    )


def _parts(tokens: Tokens) -> tuple[float, float, float]:
    return tokens.calls, tokens.input, tokens.output


def one_turn(turn: PromptTurn, topic: int, way: Scenario) -> Tokens:
    """The calls of one turn of one session, repairs and re-runs among them, in the mean."""
    prompt = turn.tokens + turn.topics * topic + turn.speeches * way.reply
    times = 1 + way.reruns
    return Tokens(
        (1 + way.repairs) * times,
        (prompt + way.repairs * (prompt + turn.repair)) * times,
        (1 + way.repairs) * way.reply * times,
    )


def prompt_turns(
    language: Mapping[str, Any], protocol: Mapping[str, Any], tokenize: Tokenize
) -> list[PromptTurn]:
    """The prompts of a debate, rendered as they will be, and counted."""
    steps = debate(
        Prompts.read(language["prompts"]),
        _TOPIC,
        {role: role for role in ROLES},
        script=language["script"],
        words_per_sentence=protocol["words_per_sentence"],
        system_message=protocol["system_message"],
    )()
    found = []
    step = next(steps, None)
    while step is not None:
        spoken = []
        for call in step:
            said = _joined(call.messages)
            tokens = len(tokenize(_unmarked(said)))
            again = _joined(call.again(call.violations("")))
            found.append(
                PromptTurn(
                    call.speaker,
                    tokens,
                    said.count(_TOPIC),
                    said.count(_SPEECH),
                    len(tokenize(_unmarked(again))) - tokens,
                )
            )
            place = (call.number, call.speaker, call.role, call.round_label, call.model)
            spoken.append(Turn(*place, text=_SPEECH, repairs=0, violations=()))
        try:
            step = steps.send(spoken)
        except StopIteration:
            step = None
    return found


def _joined(messages: Sequence[Message]) -> str:
    return "\n".join(message.content for message in messages)


def _unmarked(text: str) -> str:
    return text.replace(_SPEECH, "").replace(_TOPIC, "")
