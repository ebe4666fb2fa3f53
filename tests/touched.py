"""Prints the files of tests that a change touches, for `.ci/run` to run their thorough tests.

A change touches a file of tests where it is in that file, in a helper of it, or in a module that
one of these imports by name: what those modules import has tests of its own, but for a study's own
modules, which are followed from one to the next. Without arguments the change is what stands here
against the branch ``main`` of ``origin``, or else against the commit before. All files are printed
where git knows neither, or where every test depends on the change. Those nearest to the change come
first: what has changed itself, then what imports a changed module by name.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from dissensus.digests import PACKAGES, imported_modules
from dissensus.shipped import SHIPPED

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
ALL = ["tests", "src/dissensus_serve", f"src/{SHIPPED}"]
#: What every test depends on.
_EVERYWHERE = ("pyproject.toml", "requirements", "conftest.py", ".ci/")
#: Pages and designs, which a test names as it reads them.
_READ = ("docs/", "examples/", "released/")
#: What runs of the workflow depend on, beside what they import.
_WORKFLOW = ("Snakefile", "workflow/", "profiles/")
#: Helpers that most tests use: what these import is no test's own matter.
_GENERAL = {
    f"tests/{name}.py" for name in ("support", "scripted", "forked", "both", "test_reproduced")
}


def changed() -> list[str] | None:
    """The files that a change is in, committed or not; None where nothing can be told."""
    base = _git("merge-base", "HEAD", "origin/main")
    if not base or base == _git("rev-parse", "HEAD"):
        base = _git("rev-parse", "--verify", "HEAD~1")
    if not base:
        return None
    said = _git("diff", "--name-only", *base), _git("ls-files", "--others", "--exclude-standard")
    return [line for lines in said for line in lines or ()]


def _git(*arguments: str) -> list[str] | None:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return None if done.returncode else done.stdout.splitlines()


def touched(files: Iterable[str] | None) -> list[str]:
    """The files of tests that a change of some files touches, as pytest takes them.

    Those nearest to the change come first, since there may not be time for all.
    """
    if files is None:
        return ALL
    files = [*files]
    if any(file.startswith(_EVERYWHERE) for file in files):
        found = {*files_of_tests()}
    else:
        found = _touched(files)
    return sorted(found, key=lambda test: (_distance(test, files), test))


def _distance(test: str, files: Sequence[str]) -> int:
    """How far a file of tests is from a change: 0 in it, 1 names a module of it, 2 further."""
    if test in files:
        return 0
    named = {used for _, used in _imported(ROOT / test, _package(test))}
    return 2 - any(file in named and not file.startswith("tests/") for file in files)


def _touched(files: Sequence[str]) -> set[str]:
    found = set()
    for test in files_of_tests():
        used = depends_on(test)
        runs = "tests/support.py" in used
        folder, text = test.split("/tests/")[0], (ROOT / test).read_text("utf-8")
        for file in files:
            own = file.startswith(f"{folder}/") and not file.endswith((".py", ".md"))
            read = file.startswith(_READ) and Path(file).name in text
            if file in used or own or read or (runs and file.startswith(_WORKFLOW)):
                found.add(test)
    return found


@cache
def files_of_tests() -> tuple[str, ...]:
    return tuple(_named(path) for folder in ALL for path in (ROOT / folder).rglob("test_*.py"))


@cache
def depends_on(file: str) -> frozenset[str]:
    """The file, its helpers, its study's modules, and the modules that any of them imports."""
    packages = set(PACKAGES)
    # The helpers of tests are ours, too, and for this alone: their names are everybody's.
    PACKAGES.update(path.stem for path in TESTS.iterdir())
    try:
        return frozenset(_depends_on(file))
    finally:
        PACKAGES.intersection_update(packages)


def _depends_on(file: str) -> set[str]:
    study = file.split("/tests/")[0] + "/" if file.startswith("src") else "tests/"
    found, queue = {file}, [(ROOT / file, _package(file))]
    while queue:
        for (path, package), used in _imported(*queue.pop()):
            if used not in found | _GENERAL and used.startswith(("tests/", study)):
                queue.append((path, package))
            found.add(used)
    return found


@cache
def _imported(path: Path, package: str) -> tuple[tuple[tuple[Path, str], str], ...]:
    """The project's files that a file imports, each with the package that it is in."""
    found = ((name, _origin(name)) for name in imported_modules(path.read_text("utf-8"), package))
    return tuple(
        ((path, name if path.name == "__init__.py" else name.rpartition(".")[0]), _named(path))
        for name, path in found
        if path is not None
    )


@cache
def _origin(module: str) -> Path | None:
    """The file of a module of the project's."""
    spec = find_spec(module)
    path = Path(spec.origin) if spec and spec.origin else None
    return path if path and path.is_relative_to(ROOT) else None


def _package(file: str) -> str:
    """That a file of tests is in: those in ``tests`` are in none."""
    inside = file.removeprefix("src/").rpartition("/")[0].replace("/", ".")
    return inside if file.startswith("src") else ""


def _named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    print(*touched(sys.argv[1:] or changed()))
