"""The interfaces by name, and the digest of what a model's replies depend on.

Importing this loads none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from dissensus.digests import digest

#: Interface -> module and class, imported when the first model of that kind is asked.
INTERFACES = {
    "openai": ("dissensus.llm.providers.openai", "OpenAIInterface"),
    "anthropic": ("dissensus.llm.providers.anthropic", "AnthropicInterface"),
}


def interface(kind: str) -> Any:
    """The class of an interface, such as ``openai``."""
    module, name = INTERFACES[kind]
    return getattr(import_module(module), name)


def identity(name: str, settings: Mapping[str, Any]) -> str:
    """Digest of all that a model's replies depend on; it needs no key and no connection.

    The address and the time limits are left out, so that a run that goes on through another
    gateway pays for no call twice.
    """
    if settings["provider"] == "simulated":
        from dissensus.llm.providers import simulated

        return simulated.identity(settings)
    asked = {"model": settings.get("model") or name}
    return digest(asked | {key: settings.get(key) or {} for key in ("parameters", "rename")})
