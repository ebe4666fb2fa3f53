"""What a study is made of besides its settings: the texts of its prompts, its data and its code."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from dissensus.digests import digest
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
    """

    kind: Kind
    sha256: str
    text: str | None = None


def materials_of(sessions: Sessions) -> dict[str, Material]:
    """Path -> what is in it, of every file that a study's sessions and estimates depend on.

    The source's rows stand under the name of their artefact.
    """
    study = sessions.study
    materials = dict(_files(study)) | dict(_code(study))
    items = [dict(row) for row in sessions.items.values()]
    materials[f"{study.source.artefact}.parquet"] = Material("data", digest(items))
    return dict(sorted(materials.items()))


def materials_digest(study: Study[Any]) -> str:
    """SHA-256 of all files that a study depends on, but for its source's rows."""
    return digest({name: each.sha256 for name, each in (*_files(study), *_code(study))})


def _files(study: Study[Any]) -> Iterator[tuple[str, Material]]:
    for name in named_files(study):
        path = Path(name)
        kind: Kind = "data" if path.suffix in _DATA else "prompt"
        yield name, _material(path, kind, keeps_text=kind == "prompt")


def _code(study: Study[Any]) -> Iterator[tuple[str, Material]]:
    folder = study_folder(study.name)
    for path in whole_code(study):
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
    text = text_of(raw, _MOST_BYTES) if keeps_text else None
    return Material(kind, sha256(raw).hexdigest(), text)


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
