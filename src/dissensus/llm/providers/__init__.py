"""The registry of interfaces, and what a model's replies depend on: cheap, it loads no package."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from dissensus.digests import digest

#: Interface -> module and class; imported only when a model of its kind is asked something.
INTERFACES = {
    "openai": ("dissensus.llm.providers.openai", "OpenAIInterface"),
    "anthropic": ("dissensus.llm.providers.anthropic", "AnthropicInterface"),
}


def interface(kind: str) -> Any:
    """The class of an interface, such as ``openai``."""
    module, name = INTERFACES[kind]
    return getattr(import_module(module), name)


def identity(name: str, settings: Mapping[str, Any]) -> str:
    """Digest of all that a model's replies depend on; needs no key and opens no connection.

    Not where it is reached, nor how patiently: a run goes on from its journals through another
    gateway, and pays for nothing twice.
    """
    if settings["provider"] == "simulated":
        from dissensus.llm.providers import simulated

        return simulated.identity(settings)
    asked = {"model": settings.get("model") or name}
    return digest(asked | {key: settings.get(key) or {} for key in ("parameters", "rename")})
