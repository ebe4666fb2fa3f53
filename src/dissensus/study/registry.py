"""The studies: the one place that reaches them all by name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import cast

from dissensus.study.configuration import Configuration
from dissensus.study.sessions import Debates
from dissensus.tables.artefact import Column


def study_of(settings: Configuration, folder: Path) -> Debates:
    """The sessions of a study whose manifest is in a folder, which is named as the study is.

    Parameters
    ----------
    settings : of the run.
    folder : the study's.
    """
    module = import_module(f"dissensus.{folder.name}.session")
    models = {name: model.model_dump() for name, model in settings.models.items()}
    return cast(Debates, module.Debates.read(folder, getattr(settings, folder.name), models))


def ids_of(study: str) -> dict[str, Column]:
    """The columns that name a study's session."""
    ids: dict[str, Column] = import_module(f"dissensus.{study}.session").Debates.IDS
    return ids
