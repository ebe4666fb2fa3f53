"""What a study is made of besides the values of its settings: files that these name, and code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dissensus.digests import source_files
from dissensus.shipped import shipped_places
from dissensus.study.registry import study_folder
from dissensus.study.study import Study

#: The project's packages: their code is named by the commit, and its text is kept nowhere.
_PACKAGES = (Path(__file__).parents[1], *shipped_places())


def named_files(study: Study[Any]) -> list[str]:
    """The files that the settings name, as they name them, of those that are there."""
    return [name for name in study.settings.files().values() if Path(name).is_file()]


def asking_code(study: Study[Any]) -> set[Path]:
    """The code that prompts are made by: the study, its protocol, and what these import."""
    return source_files(study.protocol, type(study).__module__)


def whole_code(study: Study[Any]) -> set[Path]:
    """The code that sessions and estimates are made by, :func:`asking_code` among it."""
    module = type(study).__module__
    folder = study_folder(study.name)
    if is_the_projects(folder):
        package = module.rpartition(".")[0] or module
        further = [
            ".".join([package, *path.relative_to(folder).with_suffix("").parts])
            for path in folder.rglob("*.py")
            if path.stem != "__init__" and "__pycache__" not in path.parts
        ]
    else:
        further = [f"dissensus.study.experiment.{name}" for name in ("measures", "contrasts")]
    return asking_code(study) | source_files("dissensus.session.runner", *further)


def is_the_projects(path: Path) -> bool:
    """Whether code is the project's, and no reader's own."""
    return any(path.resolve().is_relative_to(package.resolve()) for package in _PACKAGES)


def code_name(path: Path) -> str:
    """A file of the project's code by its package, wherever that is installed."""
    places = {package.resolve() for package in _PACKAGES}
    package = next(place for place in places if path.resolve().is_relative_to(place))
    return path.resolve().relative_to(package.parent).as_posix()


def text_of(content: bytes, most_bytes: int) -> str | None:
    """What a file says in UTF-8; None of another file, and of a longer one."""
    try:
        return content.decode() if len(content) <= most_bytes else None
    except UnicodeDecodeError:
        return None
