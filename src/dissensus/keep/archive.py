"""A run in one file: an RO-Crate with its code, its inputs and its replies, which makes it again.

Replies come from the journals, so that neither a key nor a provider is needed. What the run made is
in the crate too, with digests that a second run is compared with.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from dissensus.digests import file_digest, text_digest
from dissensus.errors import ResourceError, SettingError
from dissensus.keep.closing import CLOSING, first_lines, read_closing
from dissensus.keep.crate import DIGESTS, GUIDE, PUBLISHED, SETTINGS, write_crate
from dissensus.keep.verdict import VERDICT, verdict_page
from dissensus.llm.ledger import LEDGER
from dissensus.llm.model_files import SETTING as MODEL_FILES
from dissensus.plan import preregistration
from dissensus.run.kept import without_passwords
from dissensus.shipped import LINKS, is_checkout
from dissensus.study.configuration import Configuration
from dissensus.study.panels import PART_OF
from dissensus.study.panels import SETTING as PANELS
from dissensus.study.sources import is_the_projects
from dissensus.tables.provenance import COMMIT_FILE, PLAN_FILE, STAMPS_FILE, package_versions

#: What the project is made of, in its folder; what is not there is left out.
PROJECT = (
    *("Snakefile", "config.yaml", "config", "workflow", "profiles", "resources", "envs", "src"),
    *("pyproject.toml", "requirements.lock", "requirements.txt", "Makefile"),
    *("README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE"),
)
#: What each session leaves, and is made again from its journal; and what only the run itself needs.
_MADE_AGAIN = {"calls", "looks", "sessions", "shards", "transcripts"}
_INTERNAL = {"journal", "batches", "logs", LEDGER}
#: In a project's archive: the packages that its run was made with.
PINS = "requirements-run.txt"
_GUIDE = """# How to make run {run} again

This needs Python 3.11, make and, for the packages, a connection; no key and no provider: every
reply comes from the journals. In this folder:

    make .venv/installed
    .venv/bin/snakemake --cores 8 --configfile {settings}
    sha256sum --check --quiet {digests}

The last command says nothing where all results are, to the byte, those in `{published}`. Other
versions of Python or of a package may change the last digits of numbers, and figures by more.
"""
_GUIDE_OF_A_PROJECT = """# How to make run {run} again

This was made with Python {python}. It needs that and, for the packages, a connection; no key and no
provider: every reply comes from the journals. In this folder:

    python3 -m venv .venv
    .venv/bin/pip install -r {pins}
    .venv/bin/dissensus run --configfile {settings}
    sha256sum --check --quiet {digests}

The last command says nothing where all results are, to the byte, those in `{published}`. Other
versions of Python or of a package may change the last digits of numbers, and figures by more.
"""
#: What a project's archive has for a Snakefile, where the project has none: that of the package.
_SNAKEFILE = """from dissensus.shipped import home


include: home() / "Snakefile"


# What is included keeps its own to itself.
workflow.default_target = "all"
"""


def archive(
    configuration: Mapping[str, Any],
    settings: Configuration,
    results: Path,
    commit: str,
    path: Path,
    project_commit: str = "",
) -> None:
    """Write the crate of a finished run, from the project's folder.

    Parameters
    ----------
    configuration : as Snakemake merged it.
    settings : the same, typed.
    results : folder of the run, relative to the project's.
    commit : of the code, "unknown" outside a checkout.
    path : zip file to write.
    project_commit : of the project's own files, where the code is an installed package.

    Raises
    ------
    SettingError : a setting names a file outside the project.
    ResourceError : a link that would be packed leads out of the run's folder, or of the project.
    """
    with TemporaryDirectory(prefix=".archive-", dir=path.parent) as staged:
        folder = Path(staged) / settings.run
        for source in sorted({*_project(), *_named(settings)}):
            _copy(source, folder / source)
        for source in _begins_with(results):
            _copy(source, folder / source)
        _copy_shared_ledger(settings, results, folder)
        digests = ""
        for source in published(results, path):
            _copy(source, folder / PUBLISHED / source.relative_to(results))
            digests += f"{file_digest(source)}  {source}\n"
        code = f"commit {commit}"
        if not is_checkout():
            code = f"dissensus {package_versions()['dissensus']} ({code})"
            if project_commit:
                code = f"{code}; commit {project_commit} of the project"
        closing = results / CLOSING
        closed = file_digest(closing) if closing.is_file() else ""
        for name, text in (
            (SETTINGS, _settings(configuration)),
            (DIGESTS, digests),
            *_to_begin_with(folder, settings.run, commit, project_commit),
            (VERDICT, verdict_page(settings, results, code, text_digest(digests), closed)),
        ):
            (folder / name).write_text(text, encoding="utf-8")
        write_crate(folder, settings, results, commit, path)


def _to_begin_with(
    folder: Path, run: str, commit: str, project_commit: str
) -> Iterator[tuple[str, str]]:
    """Name and text of what says how a run is made again, and of what this needs."""
    words = {"run": run, "settings": SETTINGS, "digests": DIGESTS, "published": PUBLISHED}
    if is_checkout():
        yield COMMIT_FILE, f"{commit}\n"
        yield GUIDE, _GUIDE.format(**words)
        return
    versions = package_versions()
    python = versions["python"]
    pins = (f"{name}=={number}\n" for name, number in versions.items() if name != "python")
    yield PINS, "# What the run was made with.\n" + "".join(pins)
    yield GUIDE, _GUIDE_OF_A_PROJECT.format(**words, pins=PINS, python=python)
    if project_commit:
        yield COMMIT_FILE, f"{project_commit}\n"
    if not (folder / "Snakefile").exists():
        yield "Snakefile", _SNAKEFILE


def _settings(configuration: Mapping[str, Any]) -> str:
    """The configuration as a file: the archive itself has the replies of the one that is named.

    It is read over the project's config.yaml, whose panels a panel has not.
    """
    values = {key: value for key, value in configuration.items() if key != "replay"}
    if values.get(PART_OF):
        values[PANELS] = None
    return yaml.safe_dump(without_passwords(values), sort_keys=False)


def _project() -> Iterator[Path]:
    for name in PROJECT:
        yield from (file for file in _files(Path(name), Path()) if "tests" not in file.parts)


def _named(settings: Configuration) -> Iterator[Path]:
    """The files that settings name, and the folders of studies of one's own."""
    named = {f"study_folders.{name}": place for name, place in settings.study_folders.items()}
    named |= {f"{MODEL_FILES}.{name}": file for name, file in settings.simulated_models.items()}
    tables = {"prices": settings.prices, "thought": settings.thought}
    named |= {name: file for name, file in tables.items() if file is not None}
    for study in settings.studies:
        files = settings.study(study).settings.files()
        named |= {f"{study}.{key}": file for key, file in files.items()}
    project = Path.cwd().resolve()
    for setting, place in named.items():
        if Path(place).is_relative_to(LINKS) or (
            is_the_projects(Path(place)) and not Path(place).resolve().is_relative_to(project)
        ):
            # It comes with the package, wherever that is installed.
            continue
        if not Path(place).resolve().is_relative_to(project):
            raise SettingError(
                f"{setting} holds {place!r}, which is outside {project}; an archive holds the "
                "project alone: copy it into the project and name it there."
            )
        yield from _files(Path(place).resolve().relative_to(project), Path())


def _begins_with(results: Path) -> Iterator[Path]:
    """What a run that is made again begins with: replies, what they cost, and registered plans."""
    for place in sorted(results.glob("*/journal")):
        yield from _files(place, results)
    plans = (PLAN_FILE, STAMPS_FILE, preregistration.TEXT, preregistration.PAGE)
    for name in (LEDGER, *(f"*/{plan}" for plan in plans)):
        for place in sorted(results.glob(name)):
            yield from _files(place, results)


def _copy_shared_ledger(settings: Configuration, results: Path, folder: Path) -> None:
    """Pack what a panel was closed with of the ledger that all panels share.

    Other panels may have written into it since; with these lines a run that is made again would be
    closed otherwise.
    """
    shared, closing = settings.home(results) / LEDGER, results / CLOSING
    if shared.parent == results or not closing.is_file():
        return
    closed = read_closing(closing.read_text("utf-8"), closing).get(shared, "")
    content = first_lines(shared.read_bytes(), closed) if shared.is_file() else None
    if content is not None:
        (folder / shared).parent.mkdir(parents=True)
        (folder / shared).write_bytes(content)


def published(results: Path, archived: Path) -> Iterator[Path]:
    """What a reader of the run opens, and a second run is compared with."""
    for path in _files(results, results, left_out=_MADE_AGAIN | _INTERNAL):
        if path != archived:
            yield path


def _files(place: Path, within: Path, left_out: Collection[str] = ()) -> Iterator[Path]:
    """A file, or all files of a folder but those of Python's and of hidden folders.

    Parameters
    ----------
    within : the folder that no link may lead out of.
    left_out : names of files and folders that are not packed.

    Raises
    ------
    ResourceError : a link leads out.
    """
    below = sorted(place.rglob("*")) if place.is_dir() else []
    for path in (place, *below):
        parts = path.relative_to(place).parts
        if any(p.startswith(".") or p == "__pycache__" or p in left_out for p in parts):
            continue
        if path.is_symlink():
            _refuse_outside(path, within)
        if path.is_file():
            yield path


def _refuse_outside(link: Path, within: Path) -> None:
    """What a link leads to may be anything that the machine has."""
    target, folder = Path(os.path.realpath(link)), Path(os.path.realpath(within))
    if not target.is_relative_to(folder):
        raise ResourceError(
            f"{link} is a link to {target}, which is outside {folder}; an archive holds nothing "
            "from outside: put a copy in the link's place, or take the link out."
        )


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
