"""What a study is made of besides its settings: the texts of its prompts, its data and its code."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from dissensus.digests import digest, source_files, text_digest
from dissensus.plan.registering.bare_text import without_comments, without_layout
from dissensus.study.given import stage_files
from dissensus.study.registry import study_folder
from dissensus.study.sessions import Sessions
from dissensus.study.sources import (
    code_name,
    is_the_projects,
    named_files,
    text_of,
    whole_code,
)
from dissensus.study.study import Study

Kind = Literal["prompt", "data", "code"]
#: Bytes of the longest file of a study whose text a plan holds; of a longer one it holds the
#: digest.
_MOST_BYTES = 200_000
#: Characters of the longest text in a model's settings that may be a path.
_LONGEST_PATH = 500
#: Files of tables and arrays; all others that a setting names are taken for prompts.
_DATA = {".csv", ".tsv", ".parquet", ".jsonl", ".json", ".npz", ".npy", ".gz", ".zip"}
#: Folders and rooms whose code shows results, and changes none.
_SHOWS = ("report", "figures")


@dataclass(frozen=True)
class Material:
    """A file that a study depends on.

    Attributes
    ----------
    kind : what is in it.
    sha256 : of its bytes.
    text : what it says, where that is the study's own; None of data, and of the project's code,
        which the commit names.
    bare_sha256 : of what counts in it: code without comments, the values of a study's prompts; ""
        where every byte counts.
    feeds : the material that has the rows which sessions were drawn from this file; "" of others.
    whole_sha256 : of all rows of a source, where ``sha256`` is of those that were drawn.
    """

    kind: Kind
    sha256: str
    text: str | None = None
    bare_sha256: str = ""
    feeds: str = ""
    whole_sha256: str = ""


def materials_of(sessions: Sessions, models: Mapping[str, Any]) -> dict[str, Material]:
    """Path -> what is in it, of every file that a study's sessions and estimates depend on.

    The source's rows, of the items that were drawn, stand under the name of their artefact.

    Parameters
    ----------
    models : name -> settings, of those that the study asks.
    """
    study, key = sessions.study, sessions.study.source.key
    materials = dict(_files(study)) | dict(_code(study, models)) | dict(_spoken(models))
    named = {row[key] for row in sessions.rows.values() if key in row}
    items = {name: dict(row) for name, row in sessions.items.items()}
    drawn = [row for name, row in items.items() if name in named or not named]
    whole = digest([*items.values()])
    materials[_rows_of(study)] = Material("data", digest(drawn), whole_sha256=whole)
    return dict(sorted(materials.items()))


def materials_digest(study: Study[Any], models: Mapping[str, Any]) -> str:
    """SHA-256 of all files that a study depends on, but for its source's rows."""
    every = (*_files(study), *_code(study, models), *_spoken(models))
    return digest({name: each.sha256 for name, each in every})


def _rows_of(study: Study[Any]) -> str:
    return f"{study.source.artefact}.parquet"


def _files(study: Study[Any]) -> Iterator[tuple[str, Material]]:
    drawn_from = stage_files(study, study.source)
    # Others may send their files as they are.
    has_values = is_the_projects(study_folder(study.name))
    for name in named_files(study):
        path = Path(name)
        kind: Kind = "data" if path.suffix in _DATA else "prompt"
        made = _material(path, kind, keeps_text=kind == "prompt")
        if kind == "data" and name in drawn_from:
            made = replace(made, feeds=_rows_of(study))
        if kind == "prompt" and has_values and path.suffix in (".yaml", ".yml") and made.text:
            made = replace(made, bare_sha256=text_digest(without_layout(made.text)))
        yield name, made


def behaviours_of(models: Mapping[str, Any]) -> list[str]:
    """The modules that simulated models speak by."""
    return sorted({each["behaviour"] for each in models.values() if each.get("behaviour")})


def _spoken(models: Mapping[str, Any]) -> Iterator[tuple[str, Material]]:
    """The files and folders that the speech of simulated models names."""
    speeches = (each.get("speech") for each in models.values() if each.get("behaviour"))
    for name in sorted({*_texts(speeches)}):
        path = Path(name)
        if path.is_file():
            yield name, _material(path, "data", keeps_text=False)
        elif name and path.is_dir():
            below = sorted(each for each in path.iterdir() if each.is_file() and each.suffix)
            digests = {each.name: sha256(each.read_bytes()).hexdigest() for each in below}
            yield name, Material("data", digest(digests))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        # A longer one is no path.
        yield from [value] if "/" in value and len(value) < _LONGEST_PATH else []
    elif isinstance(value, Mapping):
        yield from _texts(value.values())
    elif isinstance(value, Iterable):
        for each in value:
            yield from _texts(each)


def _code(study: Study[Any], models: Mapping[str, Any]) -> Iterator[tuple[str, Material]]:
    folder = study_folder(study.name)
    for path in whole_code(study) | source_files(*behaviours_of(models)):
        is_own = path.parent == folder and not is_the_projects(path)
        if is_own or not set(_SHOWS) & set(path.parts):
            yield _name(path), _material(path, "code", keeps_text=is_own)


def _name(path: Path) -> str:
    """A file's path: of dissensus' code as in its checkout, of others from the project's folder."""
    if is_the_projects(path):
        return f"src/{code_name(path)}"
    inside = path.is_relative_to(Path.cwd())
    return path.relative_to(Path.cwd()).as_posix() if inside else f"{path.parent.name}/{path.name}"


def _material(path: Path, kind: Kind, *, keeps_text: bool) -> Material:
    raw = path.read_bytes()
    text = text_of(raw, _MOST_BYTES)
    bare = text_digest(without_comments(text)) if path.suffix == ".py" and text else ""
    return Material(kind, sha256(raw).hexdigest(), text if keeps_text else None, bare)


def uncommitted() -> list[str]:
    """The files of the project that are not as they were committed; none outside a checkout.

    Docs and tests of dissensus' own are left out, since no run depends on them.
    """
    apart = [f":!{name}" for name in ("docs", "tests", "benchmarks", "paper", "*.md")]
    try:
        asked = subprocess.run(
            ["git", "status", "--porcelain", "--untracked-files=no", "--", ".", *apart],
            cwd=Path.cwd(),
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return sorted(line[3:] for line in asked.stdout.splitlines())


def as_data(materials: Mapping[str, Material]) -> dict[str, Any]:
    """The same as JSON holds it."""
    return {name: {**vars(each)} for name, each in materials.items()}
