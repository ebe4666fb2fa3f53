"""The interfaces by name, and the digest of what a model's replies depend on.

Importing this loads none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dissensus.digests import digest

if TYPE_CHECKING:
    from dissensus.llm.codec import Codec

#: Interface -> module and class of its codec, imported when the first model of that kind is asked.
INTERFACES = {
    "openai": ("dissensus.llm.providers.openai", "OpenAICodec"),
    "anthropic": ("dissensus.llm.providers.anthropic", "AnthropicCodec"),
}


def codec_of(interface: str) -> Codec:
    """The codec of an interface, such as ``openai``."""
    module, name = INTERFACES[interface]
    codec: Codec = getattr(import_module(module), name)()
    return codec


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
