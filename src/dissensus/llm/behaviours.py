"""What composes the replies of simulated models: modules, called behaviours.

A behaviour has ``speak(messages, settings, rng) -> str``. Its ``SpeechSettings`` are what a model's
``speech`` may hold, or ``check(speech)`` refuses what it may not, with a SettingError. Its
``identity(settings)`` is what its words depend on besides its settings, where that is more than its
code, such as files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

from dissensus.digests import code_digest
from dissensus.settings import Settings, validate

S = TypeVar("S", bound=Settings)


def check_speech(behaviour: str, speech: Mapping[str, Any]) -> None:
    """Refuse settings that are not those of a behaviour.

    Parameters
    ----------
    behaviour : the module's name.

    Raises
    ------
    SettingError : they are not.
    ImportError, AttributeError : there is no such module, or it is no behaviour.
    """
    module = import_module(behaviour)
    module.speak  # noqa: B018
    if hasattr(module, "check"):
        module.check(speech)
    elif hasattr(module, "SpeechSettings"):
        validate(module.SpeechSettings, speech, "", "speech.")


def identity_of(behaviour: ModuleType, settings: Mapping[str, Any]) -> Any:
    """What the words of a model depend on besides its settings: all that the behaviour names."""
    if hasattr(behaviour, "identity"):
        return behaviour.identity(settings)
    return _code(behaviour.__name__)


@cache
def _code(behaviour: str) -> str:
    return code_digest(behaviour)


def speech_of(cls: type[S], speech: Mapping[str, Any]) -> S:
    """A model's speech, typed; validated once for each distinct one."""
    typed: S = _validated(cls, json.dumps(speech, sort_keys=True))
    return typed


@cache
def _validated(cls: type[S], text: str) -> S:
    return validate(cls, json.loads(text), "speech")
