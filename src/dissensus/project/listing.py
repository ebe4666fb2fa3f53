"""``dissensus studies``: what can be run here, and where it comes from."""

from __future__ import annotations

from pathlib import Path

from dissensus.shipped import offered_studies, shipped_folders
from dissensus.study.registry import (
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
    offered = offered_studies()
    register_installed(offered)
    origins = dict.fromkeys(shipped_folders(), "dissensus")
    origins |= {name: f"{each.package} {each.version}" for name, each in offered.items()}
    origins |= {name: str(study_folder(name)) for name in folders}
    width = max(map(len, origins))
    return [
        f"{name:{width}}  {study_class(name).question}  ({origin})"
        for name, origin in origins.items()
    ]
