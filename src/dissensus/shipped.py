"""What dissensus comes with, as files: workflow, resources and studies, and where they are.

A project may be a checkout of dissensus, or any folder, where dissensus is an installed package.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

#: The group of entry points by which an installed package offers studies.
_ENTRY_POINTS = "dissensus.studies"
#: The package whose folders are studies, with nothing said of which there are.
SHIPPED = "dissensus_studies"
#: How settings name its files, wherever it is installed.
STUDIES_FOLDER = "studies"
#: Folders beside the Snakefile whose files settings and rules name.
_BESIDE = ("resources", "workflow")
#: In a project's folder: links to these, so that settings name the same paths on every machine.
LINKS = Path(".snakemake/dissensus")
#: By which a folder is known that has the workflow itself.
_WORKFLOW = Path("workflow/rules/start.smk")
#: Where the wheel has what a checkout has in its folder.
_PACKED = "packed"
#: How settings named what is in its folders now -> how they name it.
_FORMER = (
    (re.compile(r"^dissensus\.(\w+)\.simulated\b"), rf"{SHIPPED}.\1.simulated"),
    (re.compile(r"^resources/prompts/(\w+)/"), rf"{STUDIES_FOLDER}/\1/prompts/"),
    (re.compile(r"^resources/simulated/(\w+)\.yaml$"), rf"{STUDIES_FOLDER}/\1/simulated.yaml"),
)
#: How all of these begin.
_FORMERLY = ("dissensus.", "resources/")


def shipped_places() -> list[Path]:
    """Where the package of shipped studies is; nowhere if it is left out."""
    spec = find_spec(SHIPPED)
    return [Path(place) for place in (spec and spec.submodule_search_locations) or ()]


def shipped_folders() -> dict[str, Path]:
    """Name -> folder of each study that dissensus comes with, by their names."""
    files = (file for place in shipped_places() for file in place.glob("*/study.py"))
    return {file.parent.name: file.parent for file in sorted(files)}


def origin() -> Path:
    """The folder that the code is from: a checkout, or what the installed package has of one."""
    packed = Path(__file__).parent / _PACKED
    return packed if packed.is_dir() else Path(__file__).parents[2]


def is_checkout() -> bool:
    """Whether the current folder has the workflow itself: a checkout, or an archive of a run."""
    return _WORKFLOW.is_file()


def home() -> Path:
    """The folder with the Snakefile, its rules, resources and default settings: this one where it
    has them.
    """
    return Path.cwd() if is_checkout() else origin()


def command(targets: str = "", cores: int = 1) -> str:
    """How a user starts something here: with Snakemake in a checkout, else with ``dissensus run``.

    Parameters
    ----------
    targets : and options, as both take them.
    cores : that the command names; 0 for none.
    """
    named = [f"--cores {cores}"] if cores else []
    tool = ["snakemake", *named] if is_checkout() else ["dissensus run"]
    return " ".join([*tool, *filter(None, [targets])])


class Offered(NamedTuple):
    """A study of an installed package: the module that is its folder, and what it comes with."""

    module: str
    package: str
    version: str


def offered_studies(configuration: Mapping[str, Any] | None = None) -> dict[str, Offered]:
    """Name -> study, of those that installed packages offer by entry points.

    Their group is ``dissensus.studies``; a value is the module that has the ``study.py``, such as
    ``my_package.echo``.

    Parameters
    ----------
    configuration : leaves out what it does not run, and what is a folder of its own.
    """
    if configuration is not None:
        named, own = (configuration.get(key) or () for key in ("studies", "study_folders"))
        further = {name for name in named if isinstance(name, str)} - {*own, *_folders()}
        # To look through all installed packages takes longer than most jobs of a run.
        if not further:
            return {}
    return {
        each.name: Offered(each.value, each.dist.name, each.dist.version)
        for each in entry_points(group=_ENTRY_POINTS)
        if each.dist and (configuration is None or each.name in further)
    }


def named_file(path: Path) -> str:
    """A file by its path from here, where it is below or behind a link: as Snakemake names it."""
    # First, since an environment may be in the project's folder, and another copy elsewhere.
    for name, target in _linked().items():
        link = LINKS / name
        if path.is_relative_to(target) and link.is_symlink() and link.readlink() == target:
            return str(link / path.relative_to(target))
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def link_home() -> None:
    """Have a project's folder name what comes with the package alike on every machine."""
    if is_checkout():
        return
    LINKS.mkdir(parents=True, exist_ok=True)
    for name, target in _linked().items():
        link = LINKS / name
        if link.is_symlink() and link.readlink() == target:
            continue
        # Put in place in one step, since another process may be reading.
        new = LINKS / f".{name}.{os.getpid()}"
        new.symlink_to(target)
        new.replace(link)


def placed(values: Any) -> Any:
    """Settings as read, with files that dissensus comes with by their paths, and today's names.

    A file of that path below the current folder comes first.
    """
    if isinstance(values, str):
        return _placed(values)
    if isinstance(values, Mapping):
        return {name: placed(value) for name, value in values.items()}
    return [placed(value) for value in values] if isinstance(values, list) else values


def former_names(values: Any, path: str = "") -> Iterator[str]:
    """A sentence for each setting that calls what is in a study's folder by a former name."""
    if isinstance(values, Mapping):
        for name, value in values.items():
            yield from former_names(value, f"{path}.{name}" if path else str(name))
    elif isinstance(values, list):
        for number, value in enumerate(values):
            yield from former_names(value, f"{path}.{number}")
    elif isinstance(values, str) and _today(values) != values:
        now = _today(values)
        yield f"{path} holds {values!r}, which is called {now} now; it is taken for that."


def _placed(text: str) -> str:
    text = _today(text)
    first, _, rest = text.partition("/")
    if not rest or first not in (STUDIES_FOLDER, *_BESIDE) or Path(text).exists():
        return text
    if first == STUDIES_FOLDER:
        name, _, rest = rest.partition("/")
        place = _folders().get(name)
    else:
        place = home() / first
    return named_file(place / rest) if place and rest and (place / rest).exists() else text


def _linked() -> dict[str, Path]:
    """Name of a link -> what it leads to."""
    linked = {name: home() / name for name in _BESIDE}
    linked["dissensus"] = Path(__file__).parent
    for place in shipped_places():
        linked[STUDIES_FOLDER] = place
    return linked


def _today(text: str) -> str:
    if not text.startswith(_FORMERLY):
        return text
    for former, now in _FORMER:
        if (found := former.match(text)) and found[1] in _folders() and not Path(text).exists():
            return former.sub(now, text)
    return text


@cache
def _folders() -> dict[str, Path]:
    return shipped_folders()
