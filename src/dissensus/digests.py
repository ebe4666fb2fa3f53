"""Digests of settings, files and code: what a stage depends on, in 64 hexadecimal digits."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# Our imports as the formatter writes them; parsing all modules would take a fifth of a second
# whenever the Snakefile is read.
_IMPORT = re.compile(
    r"^[ \t]*(?:from (dissensus[\w.]*) import (\([^)]*\)|[^(\n]+)|import (dissensus\.[\w.]+))", re.M
)
_WORD = re.compile(r"\w+")


def digest(value: Any) -> str:
    """SHA-256 of a value as canonical JSON: equal values, equal digest, whatever the key order."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def code_digest(*modules: str) -> str:
    """SHA-256 of the named modules' sources and of every module of ours that they import.

    A stage carries this as a parameter, so that an edit to a measure, or to anything that the
    measure calls, runs the stage again; Snakemake itself sees only the script's own file.
    """
    files = sorted(_reachable(modules))
    return digest([(name, hashlib.sha256(_source(name).encode()).hexdigest()) for name in files])


def _reachable(modules: Iterable[str]) -> set[str]:
    found: set[str] = set()
    queue = list(modules)
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue.extend(_imports(name))
    return found


@cache
def _imports(module: str) -> tuple[str, ...]:
    names = []
    for statement in _IMPORT.finditer(_source(module)):
        package, imported, itself = statement.groups()
        if package:
            inner = [alias for alias in _WORD.findall(imported) if _holds(package, alias)]
            names += [package, *(f"{package}.{name}" for name in inner)]
        else:
            names.append(itself)
    return tuple(names)


@cache
def _holds(package: str, name: str) -> bool:
    """Whether a name is a module of a package; looked up as a file, since asking for its spec
    would import the package, and with it, when the Snakefile is parsed, all that a stage needs.
    """
    spec = find_spec(package)
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    return any(
        (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()
        for folder in folders
    )


@cache
def _source(module: str) -> str:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{module} is not a module of this project.")
    return Path(spec.origin).read_text(encoding="utf-8")
