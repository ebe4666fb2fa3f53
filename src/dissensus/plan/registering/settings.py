"""What of a configuration a plan holds: settings, where models are reached, and packages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic_core import PydanticUndefined

from dissensus.digests import file_digest
from dissensus.plan.materials import materials_digest, uncommitted
from dissensus.settings import Settings
from dissensus.shipped import home
from dissensus.study.configuration import Configuration
from dissensus.study.settings import plain
from dissensus.study.study import Study
from dissensus.tables.provenance import code_commit, package_versions

#: Of a provider, what may change which model answers; limits and keys change none.
_REACHED = {"base_url", "interface"}
#: What holds the versions of all packages: a checkout's, or that of a project's archive.
_LOCKS = ("requirements.lock", "requirements.txt", "requirements-run.txt")


def asked_models(settings: Configuration, study: Study[Any]) -> dict[str, Any]:
    """Name -> settings, of the models that a study asks."""
    named = dict.fromkeys(name for use in study.models() for name in use.models)
    return {name: settings.models[name].model_dump() for name in named}


def registered_settings(settings: Configuration, study: str) -> dict[str, Any]:
    """Path -> value of all that a study's results depend on, as plain data."""
    declared = settings.study(study)
    models = asked_models(settings, declared)
    used = [each["provider"] for each in models.values()]
    used += [name.partition(":")[0] for _, name in declared.embedders()]
    providers = {
        name: settings.providers[name].model_dump(include=_REACHED)
        for name in dict.fromkeys(used)
        if name in settings.providers
    }
    block = plain(declared.settings)
    given = _flat(
        {study: block, "models": models, **({"providers": providers} if providers else {})}
    )
    # As JSON has it, so that what is read back compares.
    registered: dict[str, Any] = json.loads(json.dumps(given))
    return registered


def defaults_of(settings: Configuration, study: str) -> dict[str, Any]:
    """Path -> value, of the settings that have one where nobody sets them."""
    declared = settings.study(study)
    models = asked_models(settings, declared)
    defaults = dict(_defaults(declared.settings, study))
    for name in models:
        defaults |= _defaults(settings.models[name], f"models.{name}")
    defaults |= _flat({study: _shipped().get(study) or {}})
    plain_defaults: dict[str, Any] = json.loads(json.dumps(defaults, default=str))
    return plain_defaults


def _defaults(block: Settings, path: str) -> Iterator[tuple[str, Any]]:
    for name, field in type(block).model_fields.items():
        value = getattr(block, name)
        if isinstance(value, Settings):
            yield from _defaults(value, f"{path}.{name}")
        default = field.get_default(call_default_factory=True, validated_data={})
        if default is not PydanticUndefined:
            yield from _flat(plain(default), f"{path}.{name}").items()


@cache
def _shipped() -> dict[str, Any]:
    """The default configuration."""
    path = home() / "config.yaml"
    shipped: dict[str, Any] = yaml.safe_load(path.read_text("utf-8")) if path.is_file() else {}
    return shipped


def versions() -> dict[str, str]:
    """The packages that results may depend on, and the SHA-256 of the lock of all packages."""
    locks = [Path(name) for name in _LOCKS if Path(name).is_file()]
    lock = {f"{path.name} (SHA-256)": file_digest(path) for path in locks[:1]}
    return {**package_versions(), **lock}


def triggers(settings: Configuration, study: str) -> dict[str, Any]:
    """All that a list of deviations is made anew for: settings, prompts, code, commit, packages."""
    declared = settings.study(study)
    said = settings.registration.get(study)
    return {
        "registered": registered_settings(settings, study),
        "materials": materials_digest(declared, asked_models(settings, declared)),
        "next_model": plain([settings.eligible, settings.confirms, said]),
        "commit": [code_commit(), *uncommitted()],
        "versions": versions(),
    }


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    """Nested settings as path -> value; lists and empty blocks are values."""
    if not isinstance(value, Mapping) or not value:
        return {path: value}
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        flat |= _flat(inner, f"{path}.{key}" if path else str(key))
    return flat
