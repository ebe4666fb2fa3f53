"""The settings of models and providers: config.yaml says what they are, or the text below one."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
    field_validator,
    model_validator,
)

from dissensus.errors import SettingError
from dissensus.llm.marks import ThoughtMarks
from dissensus.llm.providers import INTERFACES
from dissensus.llm.providers.behaviours import check_speech
from dissensus.setting_faults import Faults, fault, is_key
from dissensus.settings import NAME, Count, Rate, Settings, check_names, without_nulls

#: Of a minute, of calls and tokens.
PerMinute = Annotated[float, Field(ge=0.01, le=1e12)]
#: A year at most: no clock of the system counts much further.
Seconds = Annotated[float, Field(gt=0, le=31_536_000)]
Dollars = Annotated[float, Field(ge=0)]
Parameter = Literal["temperature", "top_p", "max_tokens", "seed"]
#: What a request is made of, and what would change the form of its reply.
_OURS = (
    *("model", "messages", "system", "input", "stream", "stream_options", "n", "best_of", "stop"),
    *("stop_sequences", "tools", "tool_choice", "functions", "function_call", "response_format"),
    *("modalities", "logprobs", "top_logprobs"),
)


class SimulatedModelSettings(Settings):
    provider: str
    """simulated"""
    behaviour: str
    timeout_rate: Rate = 0.0
    empty_rate: Rate = 0.0
    speech: dict[str, Any] = Field(default_factory=dict)
    """The behaviour's own settings."""

    @model_validator(mode="before")
    @classmethod
    def _has_no_cache(cls, values: Any) -> Any:
        if isinstance(values, dict) and "cache" in values:
            raise Faults(
                "cache means nothing for a simulated model, which nobody bills; leave it out."
            )
        return values

    @field_validator("provider")
    @classmethod
    def _is_simulated(cls, provider: str) -> str:
        if provider != "simulated":
            raise ValueError("a model with a behaviour is simulated, another names a host")
        return provider

    @model_validator(mode="after")
    def _speech_is_valid(self) -> SimulatedModelSettings:
        try:
            check_speech(self.behaviour, self.speech)
        except SettingError as error:
            raise Faults(*str(error).split("\n")) from None
        return self


def _named(model: Any, validated: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    """The simulated model of a name, among those that the configuration has."""
    if not isinstance(model, str) or info.context is None:
        return validated(model)
    models = info.context.get(_KNOWN)
    if models is None:
        # What is wrong with the models is said of them.
        return SimulatedModelSettings.model_construct(provider="simulated", behaviour=model)
    simulated = [
        name for name, entry in models.items() if isinstance(entry, SimulatedModelSettings)
    ]
    if model not in simulated:
        raise ValueError(f"of simulated models, models has {', '.join(simulated) or 'none'}")
    return models[model]


#: What validation keeps in its context: the models that the configuration has.
_KNOWN = "models"
#: A simulated model whose settings a study is given: its name in models, or a block as there.
ModelByName = Annotated[
    SimulatedModelSettings,
    WrapValidator(_named, json_schema_input_type=SimulatedModelSettings | str),
]


class RateSettings(Settings):
    """What tokens cost."""

    input: Dollars
    """Dollars for a million tokens of prompt."""
    output: Dollars
    """Dollars for a million tokens of reply."""
    cached_input: Dollars | None = None
    """Dollars for a million tokens of prompt that the provider had in its cache."""
    cache_write: Dollars | None = None
    """Dollars for a million tokens of prompt written to its cache; 1.25 of input unless set."""
    cache_write_1h: Dollars | None = None
    """The same where it keeps them for an hour; 2 of input unless set."""


class StepSettings(RateSettings):
    """What tokens of a call with a long prompt cost."""

    input_tokens: Annotated[int, Field(gt=0)]
    """It holds for calls with more tokens of prompt than these."""


class TierSettings(RateSettings):
    """What tokens cost in a tier of service."""

    above: list[StepSettings] = Field(default_factory=list)
    """Prices of calls with long prompts."""


class PriceSettings(TierSettings):
    """What a model's tokens cost."""

    service_tiers: dict[str, TierSettings] = Field(default_factory=dict)
    """Tier of service, as answers name it (flex, priority) -> its prices."""
    batch_factor: Annotated[float, Field(gt=0, le=1)] | None = None
    """What a batch costs of that; null where that is no less."""


class RemoteModelSettings(Settings):
    provider: str
    """One of providers."""
    model: str | None = None
    """The provider's name for the model; the name used here unless set."""
    rename: dict[Parameter, str | None] = Field(default_factory=dict)
    """What this model calls temperature, top_p, max_tokens or seed; null leaves it out."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Parameters to send besides."""
    price: PriceSettings | None = None
    """Its price, where the table has none or another."""
    thought: ThoughtMarks | None = None
    """How its replies mark thought, beside what resources/thought.yaml knows."""
    cache: bool = False
    """Whether its provider's cache of prompts is used. What prompts begin with is marked for it
    where the interface has marks (anthropic), and of calls that begin alike one goes first.
    """

    @model_validator(mode="after")
    def _parameters_are_its_own(self) -> RemoteModelSettings:
        """What the study sets, and what a request consists of, cannot be set a second time."""
        wrong = [
            fault(f"rename.{name}", sent, f"a request has its own {sent}; leave it out")
            for name, sent in self.rename.items()
            if sent in _OURS
        ]
        sets = {self.rename.get(name, name): name for name in get_args(Parameter)}
        for name, value in self.parameters.items():
            if name in _OURS:
                may = "a request has its own, and its reply could not be read; leave it out"
                wrong.append(fault(f"parameters.{name}", value, may))
            elif name in sets:
                may = (
                    f"the study's protocol sets {sets[name]}; set it there, or have it left out "
                    f"by rename: {{{sets[name]}: null}}"
                )
                wrong.append(fault(f"parameters.{name}", value, may))
            elif not _is_json(value):
                may = "it must be what JSON has: texts, finite numbers, true, false, lists, blocks"
                wrong.append(fault(f"parameters.{name}", value, may))
            elif self.cache and name == "cache_control":
                may = "cache: true marks what is to be kept; leave one of the two out"
                wrong.append(fault(f"parameters.{name}", value, may))
        if wrong:
            raise Faults(*wrong)
        return self


def _is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _kind(settings: Any) -> str:
    """Which of the two kinds an entry is meant to be, valid or not."""
    entry = settings if isinstance(settings, dict) else getattr(settings, "__dict__", {})
    is_simulated = entry.get("provider") == "simulated" or "behaviour" in entry
    return "simulated" if is_simulated else "remote"


ModelSettings = Annotated[
    Annotated[SimulatedModelSettings, Tag("simulated")]
    | Annotated[RemoteModelSettings, Tag("remote")],
    Discriminator(_kind),
]


def _an_interface(name: str) -> str:
    if name not in INTERFACES:
        raise ValueError(f"it may be one of {' or '.join(map(repr, INTERFACES))}")
    return name


_ONE_OF_INTERFACES = WithJsonSchema({"type": "string", "enum": list(INTERFACES)})


class ProviderSettings(Settings):
    """How a provider is reached, and its limits."""

    interface: Annotated[str, AfterValidator(_an_interface), _ONE_OF_INTERFACES]
    """Which way to speak to it."""
    base_url: str | None = None
    """Its address; OpenAI's or Anthropic's own unless set."""
    key_from: str | None = None
    """Environment variable with the key; null where no key is needed."""
    simulated: bool = False
    """Whether simulated models answer there, as behind `dissensus serve`."""
    requests_per_minute: PerMinute | None = None
    """The most calls that are begun in a minute; null for no limit."""
    tokens_per_minute: PerMinute | None = None
    """The most tokens of prompts and replies in a minute; null for no limit."""
    concurrency: Count = 256
    """The most calls in flight at once."""
    timeout_s: Seconds = 120.0
    """Seconds for one try at a call."""
    deadline_s: Seconds = 600.0
    """Seconds for one call with all its tries."""
    retries: Annotated[int, Field(ge=0, le=1000)] = 20
    """How often a call is tried again, with backoff and jitter."""
    outage_s: Annotated[float, Field(ge=0, le=86_400)] = 900.0
    """Seconds for which a provider that answers no call is probed before the run stops.

    Calls wait meanwhile, and no session counts as failed for it.
    """
    batch: bool = False
    """Whether calls are collected and sent as batches, at half the price.

    timeout_s, deadline_s and a session's patience do not apply to them: a batch takes up to a day.
    """
    batch_wait_s: Seconds = 5.0
    """Seconds without a new call after which those that wait are sent as a batch."""
    batch_poll_s: Seconds = 30.0
    """Seconds between two requests for the state of a batch."""

    @model_validator(mode="after")
    def _has_no_key(self) -> ProviderSettings:
        # A value in the wrong place may be the key itself, so it is not shown.
        name, address = self.key_from, self.base_url
        if name is not None and not (name.isascii() and name.isidentifier() and not is_key(name)):
            raise Faults("key_from must be the name of an environment variable, not the key.")
        if address is not None and not address.startswith(("http://", "https://")):
            raise Faults("base_url must be an address that begins with http:// or https://.")
        if address is not None and _holds_secret(address):
            raise Faults("base_url must hold no user, password or key; key_from names the key.")
        if address is not None and "#" in address:
            raise Faults("base_url must hold no '#', after which nothing is sent; leave it out.")
        if address is not None and not _has_host(address):
            raise Faults("base_url must name a host, as https://api.example.com/v1 does.")
        return self


#: Names of what an address may carry that opens it, and texts that are nobody's version or region.
_SECRET_NAME = re.compile(
    r"key|token|secret|passw|pwd|auth|credential|sig|code|session|user|login|access", re.IGNORECASE
)
_SECRET_VALUE = re.compile(r"[\w+/=.~%-]{25,}")


def _holds_secret(address: str) -> bool:
    """Whether an address has a user, a password or a key in it; ``?api-version=`` is none."""
    plain, _, query = address.partition("?")
    if "@" in plain or "@" in query:
        return True
    parts = [part.partition("=") for part in re.split("[&;]", query)] if query else []
    return any(
        not value or _SECRET_NAME.search(name) or is_key(value) or _SECRET_VALUE.fullmatch(value)
        for name, _, value in parts
    )


def _has_host(address: str) -> bool:
    """Whether an address has a host, and a port that can be."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0 and not re.search(r"\s", address)
    except ValueError:
        return False


class LlmSettings(Settings):
    """The models of all studies, their providers, and the budget."""

    models: dict[str, ModelSettings]
    simulated_models: dict[str, str] = Field(default_factory=dict)
    providers: dict[str, ProviderSettings] = Field(default_factory=dict)
    budget_usd: Dollars | None = None
    prices: str | None = None
    thought: str | None = None
    """A file of marks of thought, in the form of resources/thought.yaml and beside that."""

    @field_validator("models", "simulated_models", "providers", mode="before")
    @classmethod
    def _leave_out(cls, entries: Any) -> Any:
        return without_nulls(entries)

    @field_validator("models", "providers")
    @classmethod
    def _names(cls, entries: dict[str, Any]) -> dict[str, Any]:
        check_names(entries, "a name", NAME)
        if isinstance(entries.get("simulated"), ProviderSettings):
            raise Faults("simulated cannot be a provider's name; it is built in.")
        return entries

    @field_validator("models")
    @classmethod
    def _are_known(cls, entries: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if info.context is not None:
            info.context[_KNOWN] = entries
        return entries

    @model_validator(mode="after")
    def _providers_are_known(self) -> LlmSettings:
        providers = ", ".join(["simulated", *self.providers])
        lost = [
            fault(f"models.{name}.provider", model.provider, f"it may be one of {providers}")
            for name, model in self.models.items()
            if model.provider != "simulated" and model.provider not in self.providers
        ]
        if lost:
            raise Faults(*lost)
        return self

    def is_simulated(self, model: str) -> bool:
        """Whether a model is a simulated one, in this process or behind an address."""
        provider = self.models[model].provider
        return provider == "simulated" or self.providers[provider].simulated
