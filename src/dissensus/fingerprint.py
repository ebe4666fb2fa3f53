"""Digests of settings, files and code: what a stage depends on, in 64 hexadecimal digits."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any


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
    for node in ast.walk(ast.parse(_source(module))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dissensus"):
            assert node.module is not None
            inner = [alias.name for alias in node.names if _holds(node.module, alias.name)]
            names += [node.module, *(f"{node.module}.{name}" for name in inner)]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names if alias.name.startswith("dissensus.")]
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
