"""The studies that dissensus comes with, as files: where they are, and what they were called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

#: The package whose folders are studies, with nothing said of which there are.
SHIPPED = "dissensus_studies"
#: How settings name its files, wherever it is installed.
PREFIX = "studies/"
#: How settings named what is in its folders now -> how they name it.
_FORMER = (
    (re.compile(r"^dissensus\.(\w+)\.simulated\b"), rf"{SHIPPED}.\1.simulated"),
    (re.compile(r"^resources/prompts/(\w+)/"), rf"{PREFIX}\1/prompts/"),
    (re.compile(r"^resources/simulated/(\w+)\.yaml$"), rf"{PREFIX}\1/simulated.yaml"),
)


def shipped_places() -> list[Path]:
    """Where the package of shipped studies is; nowhere if it is left out."""
    spec = find_spec(SHIPPED)
    return [Path(place) for place in (spec and spec.submodule_search_locations) or ()]


def shipped_folders() -> dict[str, Path]:
    """Name -> folder of each study that dissensus comes with, by their names."""
    files = (file for place in shipped_places() for file in place.glob("*/study.py"))
    return {file.parent.name: file.parent for file in sorted(files)}


def named_file(path: Path) -> str:
    """A file by its path from here, where it is below, as Snakemake names files."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def placed(values: Any) -> Any:
    """Settings as read, with files of shipped studies by their paths, and former names by today's.

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
    if not text.startswith(PREFIX) or Path(text).exists():
        return text
    name, _, rest = text.removeprefix(PREFIX).partition("/")
    folder = _folders().get(name)
    return named_file(folder / rest) if folder and (folder / rest).is_file() else text


def _today(text: str) -> str:
    for former, now in _FORMER:
        if (found := former.match(text)) and found[1] in _folders() and not Path(text).exists():
            return former.sub(now, text)
    return text


@cache
def _folders() -> dict[str, Path]:
    return shipped_folders()
