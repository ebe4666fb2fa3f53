"""The model registry: the models of a run by name, and the providers and limits they share."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import resource
import threading
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.errors import DissensusError, ProviderError
from dissensus.llm.call import Provider, Reply
from dissensus.llm.exchange import Terms, run
from dissensus.llm.ledger import LEDGER, Ledger
from dissensus.llm.limits import ConcurrencyLimit, RateLimiter
from dissensus.llm.marks import Marks, read_marks
from dissensus.llm.prices import Price, price_of, read_prices
from dissensus.llm.providers import codec_of

if TYPE_CHECKING:
    from dissensus.llm.codec import Codec
    from dissensus.llm.providers.embedder import RemoteEmbedder
    from dissensus.llm.providers.remote import Host

#: How often, and for how long, a provider is asked for its models before the first call.
_CHECKS = 3
_CHECK_S = 15.0
#: Open files that a process may need: a running session has a journal and a connection open, and
#: many systems allow 1,024 files unless asked for more.
_FILES = 16_384


class ModelRegistry:
    """The models of a run.

    Parameters
    ----------
    models : name -> its settings.
    providers : name -> its settings.
    stage : under which this process's calls are booked.
    folder : of the run; its ledger and the state of its limits are kept there.
    used : names of the models that this process may call, checked before the first call.
    embedders : ``<provider>:<model>`` of the embeddings that the run will need.
    budget_usd : what the run may spend; None for no limit.
    prices : CSV of prices.
    thought : YAML of marks of thought beside the project's.

    Nothing is checked, loaded or connected before the first call that no journal answers, so a
    finished run replays without key or network.
    """

    def __init__(
        self,
        models: Mapping[str, Mapping[str, Any]],
        providers: Mapping[str, Mapping[str, Any]],
        *,
        folder: Path,
        stage: str,
        used: Sequence[str],
        embedders: Sequence[str] = (),
        budget_usd: float | None = None,
        prices: Path | None = None,
        thought: Path | None = None,
    ) -> None:
        self.models = models
        self.providers = providers
        self.folder = folder
        # One for all providers: a call to one may wait for what calls to another come to.
        self._ledger = Ledger(folder / LEDGER, budget_usd, stage)
        if budget_usd is not None and any(given.get("batch") for given in providers.values()):
            from dissensus.llm.batches.files import BatchFiles

            self._ledger.pledged = BatchFiles(folder / "batches" / "any").pledged
        self._used = [name for name in used if models[name]["provider"] != "simulated"]
        self._embedders = [name for name in embedders if name.split(":")[0] in providers]
        self._budget = budget_usd
        self._prices = prices
        self._thought = thought
        self._made: dict[str, Provider] = {}
        self._hosts: dict[str, Host] = {}
        self._unlisted: list[str] = []
        self._lock = threading.Lock()
        self._checked: ProviderError | bool = False

    def model(self, name: str) -> Provider:
        """The model of a name; all sessions of a process share it and its connections."""
        with self._lock:
            if name not in self._made:
                self._made[name] = self._make(name, self.models[name])
            return self._made[name]

    def embedder(self, name: str, journal: Path) -> RemoteEmbedder:
        """The embedding model ``<provider>:<model>``, with the journal of its requests."""
        from dissensus.llm.providers.embedder import RemoteEmbedder

        provider, _, model = name.partition(":")
        return RemoteEmbedder(
            name, lambda: self._host(provider), self.price(provider, model), journal
        )

    def price(self, provider: str, model: str, set_price: Any = None) -> Price | None:
        """A model's price: its own setting, else the table's; None where there is none."""
        table = read_prices(self._prices) if self._prices else {}
        return price_of(provider, model, table, set_price)

    def _make(self, name: str, settings: Mapping[str, Any]) -> Provider:
        if settings["provider"] == "simulated":
            from dissensus.llm.providers.simulated import SimulatedModel

            return SimulatedModel(name, settings)
        from dissensus.llm.providers.remote import RemoteModel

        provider = settings["provider"]
        return RemoteModel(
            name,
            settings,
            simulated=self.providers[provider]["simulated"],
            host=lambda: self._host(provider),
            price=self.price(provider, settings.get("model") or name, settings.get("price")),
            marks=self._marks(name),
            batched=self.providers[provider]["batch"],
        )

    def _marks(self, model: str) -> Marks:
        return read_marks(self._thought, self.models[model].get("thought"))

    def _host(self, provider: str) -> Host:
        if self._checked is True:
            return self._hosts[provider]
        with self._lock:
            if self._checked is False:
                try:
                    self._preflight()
                    self._checked = True
                except ProviderError as error:
                    self._checked = error
            if isinstance(self._checked, ProviderError):
                raise self._checked
        return self._hosts[provider]

    def _preflight(self) -> None:
        """Find every missing key, wrong key, unknown model and missing price, all at once.

        Raises
        ------
        ProviderError : a line for each.
        """
        asked = {
            f"models.{name}": (
                self.models[name]["provider"],
                self.models[name].get("model") or name,
                self.models[name].get("price"),
            )
            for name in self._used
        }
        for name in self._embedders:
            provider, _, model = name.partition(":")
            asked[f"embedder {name}"] = (provider, model, None)
        wrong = []
        keys = {}
        for provider in dict.fromkeys(provider for provider, _, _ in asked.values()):
            try:
                keys[provider] = _key(provider, self.providers[provider])
            except ProviderError as error:
                wrong.append(str(error))
        if self._budget is not None:
            wrong += [
                f"{where}: there is a budget_usd, and no price for {model!r} of {provider!r}; add "
                f"a row to {self._prices}, or set budget_usd to null."
                for where, (provider, model, set_price) in asked.items()
                if not self.providers[provider]["simulated"]
                and self.price(provider, model, set_price) is None
            ]
        for provider, key in keys.items():
            # Imported here, since that would keep the providers' loop waiting.
            codec = codec_of(self.providers[provider]["interface"])
            try:
                self._hosts[provider] = run(self._connect(provider, key, codec))
            except ProviderError as error:
                wrong.append(str(error))
        wrong += run(self._check_models(asked))
        if wrong:
            raise ProviderError("\n".join(dict.fromkeys([*wrong, *self._unlisted])))
        for line in dict.fromkeys(self._unlisted):
            # Lists leave out variants and deployments; the first call tells.
            logging.getLogger("dissensus").warning(f"{line} Its first call will tell.")

    async def _connect(self, provider: str, key: str, codec: Codec) -> Host:
        _allow_files(_FILES)
        from dissensus.llm.connection import Connection, Secret
        from dissensus.llm.doubts import Watch
        from dissensus.llm.http_client import HttpClient
        from dissensus.llm.providers.remote import Host

        settings = self.providers[provider]
        limits = (settings["requests_per_minute"], settings["tokens_per_minute"])
        rate_limiter = RateLimiter(self.folder / ".limits" / provider, *limits)
        terms = Terms(provider, **{f.name: settings[f.name] for f in fields(Terms)[1:]})
        places = self.folder / ".limits" / f"{provider}.places"
        concurrency = ConcurrencyLimit(places, terms.concurrency)
        address = settings["base_url"] or codec.address
        secret = Secret(key if settings["key_from"] else "")
        try:
            connection = Connection(address, codec.headers(key, address), terms.timeout_s, secret)
        except ValueError as error:
            raise ProviderError(
                f"providers.{provider}: {address} is no address ({error}); correct base_url."
            ) from None
        client = HttpClient(terms, connection, rate_limiter, concurrency, self._ledger, secret)
        atexit.register(lambda: run(client.close()))
        ends = self.folder / ".limits" / f"{provider}.ends"
        watch = Watch(self.folder / ".limits" / f"{provider}.said", terms.simulated)
        if not settings["batch"]:
            return Host(terms, self._ledger, codec, client, ends=ends, watch=watch)
        from dissensus.llm.batches.batcher import Batcher
        from dissensus.llm.batches.http_client import PackageClient

        sender = PackageClient(terms, secret)
        atexit.register(lambda: run(sender.aclose()))
        batches = codec.batches(key, address, sender)
        if batches is None:
            raise ProviderError(
                f"providers.{provider}: interface {settings['interface']!r} has no batches; set "
                "batch to false."
            )
        folder = self.folder / "batches" / provider

        def parse(body: Any, model: str) -> Reply:
            return codec.parse(body, self._marks(model))

        batcher = Batcher(terms, batches, parse, self._ledger, rate_limiter, folder)
        return Host(terms, self._ledger, codec, client, batcher, watch=watch)

    async def _check_models(self, asked: Mapping[str, tuple[str, str, Any]]) -> list[str]:
        """What is wrong with the models, by asking all providers at the same time."""
        lines = await asyncio.gather(
            *(
                self._check_model(where, provider, model)
                for where, (provider, model, _) in asked.items()
                if provider in self._hosts
            )
        )
        return [line for line in lines if line]

    async def _check_model(self, where: str, provider: str, model: str) -> str:
        host = self._hosts[provider]
        why = ""
        for _ in range(_CHECKS):
            try:
                async with asyncio.timeout(min(host.terms.timeout_s, _CHECK_S)):
                    is_listed = await host.http.has_model(host.codec, model)
            except (TimeoutError, ConnectionError) as error:
                why = str(error) or "no answer in time"
            except Exception as error:
                return self._refused(provider, error)
            else:
                if is_listed is False:
                    self._unlisted.append(
                        f"{where}: providers.{provider} does not list the model {model!r}; check "
                        "the name."
                    )
                return ""
        address = self.providers[provider]["base_url"] or "its own address"
        return (
            f"providers.{provider} could not be reached at {address} ({why}); check the address "
            "and the connection."
        )

    def _refused(self, provider: str, error: Exception) -> str:
        """The error of a provider that refuses to tell its models; "" where calls will tell."""
        if isinstance(error, DissensusError):
            return str(error)
        if getattr(error, "status_code", None) not in (401, 403) or _has_no_right_to_list(error):
            # It has no list of models, or none just now.
            return ""
        variable = self.providers[provider]["key_from"]
        if variable is None:
            return f"providers.{provider} wants a key; name its variable in key_from."
        return (
            f"providers.{provider} does not accept the key in {variable}; export the right one "
            "there."
        )


def _allow_files(wanted: int) -> None:
    """Raise the process's limit of open files and connections, where the system allows that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def _has_no_right_to_list(error: Exception) -> bool:
    """Whether a key may be good, but not for lists of models, as OpenAI's restricted keys."""
    return "missing scopes" in str(error).lower()


def _key(provider: str, settings: Mapping[str, Any]) -> str:
    """A provider's key, from the environment and nowhere else."""
    variable = settings["key_from"]
    if variable is None:
        return "none"
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ProviderError(
            f"providers.{provider}: the environment variable {variable} is not set; export the "
            "key there."
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ProviderError(
            f"providers.{provider}: what the environment variable {variable} holds is no key "
            "(it has spaces or characters that no key has); export the key there."
        )
    return key
