"""The registry of providers: the only place that knows what kinds there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from dissensus.errors import ProviderError
from dissensus.talk.call import Provider

#: Kind of provider -> module with a ``make(name, settings)``; imported only when a model needs it.
KINDS = {
    "simulated": "dissensus.talk.providers.simulated",
    "openai": "dissensus.talk.providers.openai",
}


def make(name: str, settings: Mapping[str, Any]) -> Provider:
    """The provider behind a model of the configuration.

    Parameters
    ----------
    name : the model's name in the configuration.
    settings : its entry under ``models``, with at least ``provider``.

    Raises
    ------
    ProviderError : its kind is unknown, or its package or key is missing.
    """
    maker: Callable[[str, Mapping[str, Any]], Provider] = _module(name, settings).make
    return maker(name, settings)


def identity(name: str, settings: Mapping[str, Any]) -> str:
    """Digest of all that a model's replies depend on; needs no key and opens no connection."""
    found: str = _module(name, settings).identity(settings)
    return found


def _module(name: str, settings: Mapping[str, Any]) -> ModuleType:
    kind = settings.get("provider")
    if kind not in KINDS:
        known = ", ".join(KINDS)
        raise ProviderError(f"models.{name}.provider holds {kind!r}; it may be one of {known}.")
    return import_module(KINDS[kind])
