"""Digests of values, files and code: what a stage depends on, in 64 hexadecimal digits."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dissensus.shipped import SHIPPED

#: Packages whose code counts: the project's, and those of studies of the reader's own.
PACKAGES = {"dissensus", SHIPPED}

# Imports as formatters write them; parsing all modules would take a fifth of a second whenever the
# Snakefile is read.
_IMPORT = re.compile(
    r"^[ \t]*(?:from ([.\w]+) import (\([^)]*\)|[^(\n]+)|import ([\w.]+))", re.MULTILINE
)
_WORD = re.compile(r"\w+")
#: A file of data that a module reads, see :func:`dissensus.data_files.beside`.
_BESIDE = re.compile(r"\bbeside\(__file__, \"([^\"\n]+)\"\)")


def _plain(value: Any) -> Any:
    """What stands for a value that JSON does not have."""
    if not is_dataclass(value):
        return str(value)
    return {each.name: getattr(value, each.name) for each in fields(value)}


_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=_plain)


def digest(value: Any) -> str:
    """SHA-256 of a value as canonical JSON: equal values, equal digest, whatever the key order."""
    return hashlib.sha256(_CANONICAL.encode(value).encode()).hexdigest()


def seed_of(*key: Any) -> int:
    """The seed that a key fixes, such as a study's seed with the name of what it is for."""
    return int(digest(list(key))[:12], 16)


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def code_digest(*modules: str) -> str:
    """SHA-256 of some modules' code, of every module of ours that they import, and of their data.

    Parameters
    ----------
    modules : names. "Ours" are the packages of the project and of the reader's own studies.
    """
    return _digest(_reachable(modules))


def source_files(*modules: str) -> set[Path]:
    """The files whose code :func:`code_digest` counts."""
    reachable = _reachable(modules)
    specs = (find_spec(name) for name in reachable)
    files = {Path(spec.origin) for spec in specs if spec and spec.origin}
    return files.union(*map(_data, reachable))


def script_digest(script: str | Path, functions: Iterable[str] = ()) -> str:
    """SHA-256 of a script's code, of what it imports, and of what some functions import.

    A stage carries this as a parameter, so that it runs again after an edit of its script, of a
    measure, or of anything that the measure calls. Snakemake itself sees none of these.

    Parameters
    ----------
    script : a Python file.
    functions : ``module:function``, of those that the script calls by name.
    """
    text = Path(script).read_text(encoding="utf-8")
    named = [function.partition(":")[0] for function in functions]
    return digest([text_digest(text), _digest(_reachable([*imported_modules(text), *named]))])


def _digest(modules: Iterable[str]) -> str:
    return digest(
        [
            (name, text_digest(_source(name)), *map(file_digest, _data(name)))
            for name in sorted(modules)
        ]
    )


def text_digest(text: str) -> str:
    """SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def _reachable(modules: Iterable[str]) -> set[str]:
    reachable: set[str] = set()
    queue = list(modules)
    while queue:
        name = queue.pop()
        if name not in reachable:
            reachable.add(name)
            queue.extend(_imports(name))
            # Python runs the packages that a module is in, too.
            queue.extend(filter(None, [name.rpartition(".")[0]]))
    return reachable


@cache
def _imports(module: str) -> tuple[str, ...]:
    package = module if _folders(module) else module.rpartition(".")[0]
    return tuple(imported_modules(_source(module), package))


def imported_modules(text: str, package: str = "") -> Iterator[str]:
    """The modules of ours that a source imports; ``package``: where its own names begin."""
    for statement in _IMPORT.finditer(text):
        named, members, itself = statement.groups()
        module = _absolute(named or itself, package)
        if not _is_ours(module):
            continue
        yield module
        for member in _WORD.findall(members or ""):
            if _has_module(module, member):
                yield f"{module}.{member}"


def _absolute(name: str, package: str) -> str:
    """A module's full name; each leading dot after the first goes up one package."""
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    above = package.split(".")[: len(package.split(".")) - (dots - 1)]
    return ".".join([*above, name.lstrip(".")]).rstrip(".")


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


@cache
def _data(module: str) -> tuple[Path, ...]:
    """The files of data that a module reads; one that is lost is named when the module reads it."""
    names = _BESIDE.findall(_source(module))
    spec = find_spec(module) if names else None
    if not spec or not spec.origin:
        return ()
    files = (Path(spec.origin).parent / name for name in names)
    return tuple(file for file in files if file.is_file())


@cache
def _folders(package: str) -> tuple[Path, ...]:
    spec = find_spec(package)
    return tuple(map(Path, (spec and spec.submodule_search_locations) or ()))


@cache
def _has_module(package: str, name: str) -> bool:
    """Whether a name is a module of a package.

    Looked up as a file, since asking for its spec would import the package, and with it, when the
    Snakefile is parsed, all that a stage needs.
    """
    return any(
        (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()
        for folder in _folders(package)
    )


@cache
def _source(module: str) -> str:
    spec = find_spec(module)
    if spec is None:
        raise ModuleNotFoundError(f"{module} is not a module of this project.")
    # A folder without __init__.py is a package with no code of its own.
    return Path(spec.origin).read_text(encoding="utf-8") if spec.origin else ""
