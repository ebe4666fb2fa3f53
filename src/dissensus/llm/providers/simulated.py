"""Simulated models: a study's behaviour composes the replies, and calls fail at set rates.

A model's settings name the behaviour (:mod:`dissensus.llm.providers.behaviours`). Time-outs and
empty replies are the same for every behaviour.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from dissensus.digests import digest
from dissensus.errors import ProviderError
from dissensus.llm.call import Reply, Request
from dissensus.llm.marks import Marks
from dissensus.llm.providers.behaviours import identity_of

#: Characters to a token, for the token counts that a paid provider would report.
_CHARACTERS_PER_TOKEN = 4


class SimulatedModel:
    """A model whose reply is a random draw, seeded by the request alone."""

    simulated = True
    waits = False
    caches = False
    marks: Marks | None = None

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        self.name = self.asked_model = name
        self._settings = settings
        self._behaviour = _behaviour(settings)
        self._timeout = float(settings.get("timeout_rate", 0.0))
        self._empty = float(settings.get("empty_rate", 0.0))
        self.identity = identity(settings)

    def ask(self, request: Request, patience_s: float | None = None) -> Reply:
        # Without the identity: an edit of the behaviour must not change the random numbers.
        rng = np.random.default_rng(int(request.sha256s[1][:16], 16))
        uniform = rng.random()
        if uniform < self._timeout:
            return Reply("", error="timeout", finish_reason="error")
        if uniform < self._timeout + self._empty:
            return Reply("", error="empty", finish_reason="stop")
        text = self._behaviour.speak(request.messages, self._settings, rng)
        if not isinstance(text, str):
            raise ProviderError(
                f"{self._behaviour.__name__}.speak gives {type(text).__name__} as a reply of "
                f"{self.name}; it must give a text."
            )
        characters = sum(len(message.content) for message in request.messages)
        return Reply(
            text,
            input_tokens=characters // _CHARACTERS_PER_TOKEN,
            output_tokens=len(text) // _CHARACTERS_PER_TOKEN,
        )


def identity(settings: Mapping[str, Any]) -> str:
    """See :func:`dissensus.llm.providers.identity`."""
    return digest({"settings": settings, "behaviour": identity_of(_behaviour(settings), settings)})


def _behaviour(settings: Mapping[str, Any]) -> ModuleType:
    path = settings.get("behaviour", "")
    try:
        return import_module(path)
    except (ImportError, ValueError, TypeError):
        raise ProviderError(
            f"The behaviour {path!r} of a simulated model must name an importable module, such as "
            "that of a study's simulated models."
        ) from None
