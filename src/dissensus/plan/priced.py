"""What a study's bill depends on: settings and files, as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dissensus.study.configuration import Configuration


def price_settings(settings: Configuration, study: str) -> dict[str, Any]:
    """What a study's bill depends on: not how models behave, nor how long to wait for one."""
    declared, purposes = settings.study(study), settings.purposes(study)
    used = dict.fromkeys(name for names in purposes.values() for name in names)
    models = {name: settings.models[name].model_dump() for name in used}
    return {
        "models": {
            name: {key: model.get(key) for key in ("provider", "model", "price", "cache")}
            for name, model in models.items()
        },
        "providers": {
            name: {
                "simulated": provider.simulated,
                "batch": provider.batch,
                "interface": provider.interface,
            }
            for name, provider in settings.providers.items()
        },
        "asked": purposes,
        "embedders": [name for _, name in declared.embedders()],
        "prices": settings.prices,
        "budget_usd": settings.budget_usd,
        "protocol": declared.settings.protocol.model_dump(),
    }


def priced_files(settings: Configuration, study: str, folder: Path) -> dict[str, Any]:
    """The files that a study's bill depends on, by the names of a rule's inputs."""
    declared = settings.study(study)
    return {
        "prices": settings.prices or [],
        "prompts": [file for file in declared.settings.files().values() if file.endswith(".yaml")],
        "manifest": folder / "manifest.parquet",
        "source": folder / f"{declared.source.artefact}.parquet",
        "collected": [folder / f"{artefact}.parquet" for artefact in declared.source.also],
    }
