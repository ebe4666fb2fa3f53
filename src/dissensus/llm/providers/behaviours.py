"""What composes the replies of simulated models: modules, called behaviours.

A behaviour has ``speak(messages, settings, rng) -> str``. Its ``SpeechSettings`` are what a model's
``speech`` may hold, or ``check(speech)`` refuses what it may not, with a ValueError. Its
``identity(settings)`` is what its words depend on besides its settings, where that is more than its
code, such as files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

from dissensus.digests import code_digest
from dissensus.errors import SettingError, ended_in
from dissensus.setting_faults import fault
from dissensus.settings import Settings, validate

S = TypeVar("S", bound=Settings)


def check_speech(behaviour: str, speech: Mapping[str, Any]) -> None:
    """Refuse a module that is no behaviour, and settings that are not those of one.

    Parameters
    ----------
    behaviour : the module's name.

    Raises
    ------
    SettingError : lines that begin with ``behaviour`` or ``speech``.
    """
    module = _imported(behaviour)
    if not hasattr(module, "speak"):
        may = "that module has no function speak(messages, settings, rng)"
        raise SettingError(fault("behaviour", behaviour, may))
    if hasattr(module, "check"):
        try:
            module.check(speech)
        except SettingError:
            raise
        except ValueError as error:
            raise SettingError(fault("speech", speech, str(error).rstrip("."))) from None
        except Exception as error:
            raise SettingError(
                fault("speech", speech, f"to check it ends in {ended_in(error)}")
            ) from None
    elif hasattr(module, "SpeechSettings"):
        validate(module.SpeechSettings, speech, "", "speech.")


def _imported(behaviour: str) -> ModuleType:
    may = "it must be an importable module, such as that of a study's simulated models"
    if all(part.isidentifier() for part in behaviour.split(".")):
        try:
            return import_module(behaviour)
        except Exception as error:
            missing = error.name if isinstance(error, ModuleNotFoundError) else None
            if not missing or not f"{behaviour}.".startswith(f"{missing}."):
                may = f"to import it ends in {ended_in(error)}"
            elif missing == behaviour and "." in behaviour:
                parent, _, name = behaviour.rpartition(".")
                may = f"there is no {name}.py in {next(iter(sys.modules[parent].__path__))}"
    raise SettingError(fault("behaviour", behaviour, may))


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
