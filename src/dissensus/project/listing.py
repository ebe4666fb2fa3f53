"""``dissensus studies``: what can be run here, and where it comes from."""

from __future__ import annotations

from pathlib import Path

from dissensus.shipped import shipped_folders
from dissensus.study.registry import (
    installed_studies,
    register,
    register_installed,
    study_class,
    study_folder,
)
from dissensus.user_files import read_settings


def studies(configuration: Path = Path("config.yaml")) -> list[str]:
    """A line for each study: its name, where it is from, and its question.

    Parameters
    ----------
    configuration : of the project, whose own studies are listed too; it may be absent.

    Raises
    ------
    DissensusError : the configuration, or a study's folder, cannot be read.
    """
    folders: dict[str, str] = {}
    if configuration.is_file():
        folders = read_settings(configuration).get("study_folders") or {}
    register(folders)
    origins = dict.fromkeys(shipped_folders(), "dissensus")
    origins |= {name: package for name, (_, package) in installed_studies().items()}
    origins |= {name: f"{study_folder(name)}" for name in folders}
    register_installed([name for name in origins if name not in folders])
    width = max(map(len, origins))
    return [
        f"{name:{width}}  {study_class(name).question}  ({origin})"
        for name, origin in origins.items()
    ]
