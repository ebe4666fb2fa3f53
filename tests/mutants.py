"""Changes the code of measures and inference bit by bit, and lists the changes that no test sees.

``make mutants`` runs it, in a copy of the project: a sample of the mutants that Cosmic Ray makes of
every module, each before the tests that name the module and then before all other unit tests of its
study. What it found stands in ``tests/mutants.yaml``, where each survivor has a why: by what it
changes nothing. A run writes its studies anew there and keeps the whys. Ends with status 1 where
fewer than nine in ten are killed, or where a survivor has no why.
"""

from __future__ import annotations

import argparse
import compileall
import difflib
import fcntl
import json
import os
import random
import shutil
import signal
import site
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, zip_longest
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# The project's packages, beside Cosmic Ray's own.
site.addsitedir(str(next((ROOT / ".venv/lib").glob("python3*/site-packages"))))

import cosmic_ray.plugins  # noqa: E402
import pluggy  # noqa: E402
import yaml  # noqa: E402
from cosmic_ray.ast import ast_nodes, get_ast_from_path  # noqa: E402
from cosmic_ray.mutating import use_mutation  # noqa: E402

FOUND = ROOT / "tests/mutants.yaml"
STUDIES = ("language", "identity", "deliberation", "union", "consensus")
ROOMS = {"measures", "inference"}
PACKAGE = "src/dissensus_studies"
WANTED = 0.9
#: Decorators, annotations, and the ** of calls: nothing can be seen of these, or run with them. And
#: whether two equal strings are one object, which is Python's choice.
_LEFT_OUT = ("RemoveDecorator", "BitOr_", "_BitOr", "Pow_", "Eq_Is", "Is_Eq", "IsNot_NotEq")
_IGNORED = shutil.ignore_patterns(
    ".git", ".venv", ".snakemake", "results", "__pycache__", ".*_cache"
)
#: What the tests import of others, once for all mutants.
_IMPORTED = ("pytest", "hypothesis.strategies", "numpy.random", "pandas", "pyarrow.parquet")
_IMPORTED += ("scipy.stats", "scipy.optimize", "scipy.special", "pydantic", "yaml")
_SECONDS = 600
#: What the last tests said, beside the copy of the project.
_SAID = Path("../said")
#: Seconds of a processor that each test took.
_COSTS = "../costs.json"
_HEAD = """\
# What `make mutants` has found, by study: how many mutants it drew, how many of these the tests
# killed, and why each of the others changes nothing. Written by tests/mutants.py, but for the whys.
"""


@dataclass(frozen=True)
class Mutant:
    """A change of one place in a module: the how-manieth that an operator can make there."""

    module: Path
    operator: str
    occurrence: int


def modules(study: str) -> list[Path]:
    """The modules of a study's measures and inference."""
    paths = sorted(Path(PACKAGE, study).rglob("*.py"))
    paths = [path for path in paths if "tests" not in path.parts]
    return [path for path in paths if ROOMS & {*path.parts, path.stem} and mutants(path)]


def mutants(module: Path) -> list[Mutant]:
    """All of a module that count, in the order of their places."""
    tree, placed = get_ast_from_path(module), []
    for name in cosmic_ray.plugins.operator_names():
        operator = cosmic_ray.plugins.get_operator(name)
        if operator.arguments() or any(part in name for part in _LEFT_OUT):
            continue
        nodes = ast_nodes(tree)
        places = (start for node in nodes for start, _ in operator().mutation_positions(node))
        placed += [(start, name, number) for number, start in enumerate(places)]
    return [Mutant(module, name, number) for _, name, number in sorted(placed)]


def tested(mutant: Mutant, tests: Tests) -> tuple[str, bool] | None:
    """(the change, whether a test sees it); None of what does not compile or changes nothing."""
    operator = cosmic_ray.plugins.get_operator(mutant.operator)()
    with use_mutation(mutant.module, operator, mutant.occurrence) as (before, after):
        if not after:
            return None
        try:
            compile(after, mutant.module, "exec")
        except SyntaxError:
            return None
        change = changed(before, after)
        return (change, not tests.pass_for(mutant.module)) if change else None


def changed(before: str, after: str) -> str:
    """The lines that differ, with - and +, without their indentation."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0)
    kept = [line for line in lines if line[:3] not in ("---", "+++") and line[0] in "+-"]
    return "\n".join(f"{line[0]} {line[1:].strip()}" for line in kept)


@dataclass(frozen=True)
class Tests:
    """The tests of a study; with ``named`` those alone that name a module."""

    study: str
    named: bool

    def pass_for(self, module: Path) -> bool:
        """Whether the tests that name a module pass, and then all other unit tests of its study."""
        naming = self.naming(module)
        if naming and not _pass(naming, "not run and not cluster"):
            return False
        others = [path for path in self._files() if path not in naming]
        return (self.named and bool(naming)) or _pass(others, "unit")

    def naming(self, module: Path) -> list[Path]:
        """Those with its name first; where none names it, those of the modules that import it."""
        # Below the study's folder: its tests and its modules name each other relatively.
        name = ".".join(module.with_suffix("").parts[3:])
        naming = [path for path in self._files() if f".{name} import" in path.read_text("utf-8")]
        if not naming:
            every = Path(PACKAGE, self.study).rglob("*.py")
            users = [path for path in every if f".{module.stem} import" in path.read_text("utf-8")]
            naming = [path for user in sorted(users) for path in self.naming(user)]
        return sorted(set(naming), key=lambda path: (module.stem not in path.stem, path))

    def _files(self) -> list[Path]:
        return sorted(Path(PACKAGE, self.study, "tests").rglob("test_*.py"))


class _Quickest:
    """Has the quickest tests go first, by what each cost before: most mutants need no more."""

    def __init__(self) -> None:
        path = Path(_COSTS)
        self.costs: dict[str, float] = json.loads(path.read_text()) if path.exists() else {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items.sort(key=lambda item: self.costs.get(item.nodeid, 0.0))

    @pluggy.HookimplMarker("pytest")(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        began = time.process_time()
        yield
        self.costs[item.nodeid] = time.process_time() - began

    def pytest_sessionfinish(self) -> None:
        Path(_COSTS).write_text(json.dumps(self.costs))


def _pass(files: Sequence[Path], marks: str) -> bool:
    """Run tests in a process of their own, which has imported what is not the project's."""
    child = os.fork()
    if not child:
        signal.alarm(_SECONDS)
        said = os.open(_SAID, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1), os.dup2(said, 2)
        options = ["-x", "-q", "-p", "no:cacheprovider", "--assert=plain", "-m", marks]
        code = 1
        try:
            main = import_module("pytest").main
            code = int(main([*options, *map(str, files)], plugins=[_Quickest()]))
        finally:
            os._exit(code)
    # Status 5: no test was chosen.
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (0, 5)


def sampled(study: str, sample: int, seed: int) -> Iterator[Mutant]:
    """As many mutants of every module at random, one of each in turn."""
    drawn = []
    for module in modules(study):
        every = mutants(module)
        drawn.append(random.Random(f"{seed} {module}").sample(every, min(sample, len(every))))
    yield from filter(None, chain.from_iterable(zip_longest(*drawn)))


def again(survivors: Sequence[dict[str, str]]) -> Iterator[Mutant]:
    """The mutants of a list of survivors, by their changes."""
    for one in survivors:
        module = Path(PACKAGE, one["module"])
        for mutant in mutants(module):
            if mutant.operator == one["operator"]:
                operator = cosmic_ray.plugins.get_operator(mutant.operator)()
                with use_mutation(module, operator, mutant.occurrence) as (before, after):
                    same = changed(before, after) == one["change"]
                if same:
                    yield mutant
                    break


def run(chosen: Iterable[Mutant], tests: Tests) -> Iterator[tuple[dict[str, str], bool]]:
    """Test mutants one by one: the entry of each in the list, and whether it was killed."""
    for mutant in chosen:
        result = tested(mutant, tests)
        if result:
            name, (change, killed) = str(mutant.module.relative_to(PACKAGE)), result
            print("killed" if killed else f"SURVIVED {mutant.operator}", name, change, flush=True)
            yield {"module": name, "operator": mutant.operator, "change": change}, killed


def study_run(study: str, options: argparse.Namespace) -> None:
    """Test the mutants of a study, and keep what is found after each of them."""
    before = known().get(study, {"mutants": 0, "survivors": []})
    listed = {(one["module"], one["change"]): one for one in before["survivors"]}
    tests = Tests(study, options.named)
    if not tests.pass_for(modules(study)[0]):
        sys.exit(f"{_SAID.read_text('utf-8')}\nThe tests of {study} do not pass as it is.")
    if options.again:
        unexplained = [one for one in listed.values() if not one["why"]]
        chosen: Iterable[Mutant] = list(again(unexplained))
    else:
        chosen = sampled(study, options.sample, options.seed)
    goes_on = options.again or options.add
    total, survivors = (before["mutants"], dict(listed)) if goes_on else (0, {})
    for entry, killed in run(chosen, tests):
        key = entry["module"], entry["change"]
        total += not options.again
        survivors.pop(key, None)
        if not killed:
            survivors[key] = entry | {"why": listed.get(key, {}).get("why", "")}
        keep(study, total, list(survivors.values()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", nargs="*", default=STUDIES, choices=STUDIES)
    parser.add_argument("--sample", type=int, default=5, help="mutants of every module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--named", action="store_true", help="the tests that name a module alone")
    parser.add_argument("--add", action="store_true", help="to what is known: take another seed")
    parser.add_argument("--again", action="store_true", help="the unexplained survivors alone")
    options = parser.parse_args()
    copied()
    for study in options.studies:
        study_run(study, options)
    return told(known())


def copied() -> None:
    """Go to a copy of the project, compiled, so that a mutant costs its own module alone."""
    copy = Path(tempfile.mkdtemp()) / "project"
    shutil.copytree(ROOT, copy, ignore=_IGNORED)
    os.chdir(copy)
    # By their content: a mutant may have the size and the time of the module.
    for folder in ("src", "tests"):
        mode = PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(folder, quiet=2, invalidation_mode=mode)
    sys.dont_write_bytecode = True
    os.environ |= {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    sys.path.insert(0, str(copy / "src"))
    for name in _IMPORTED:
        import_module(name)


class _Written(yaml.SafeDumper):
    """Writes changes line by line."""


_Written.add_representer(
    str,
    lambda to, text: to.represent_scalar(
        "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None
    ),
)


def known() -> dict[str, Any]:
    """What runs have found until now, by study."""
    found = yaml.safe_load(FOUND.read_text("utf-8")) if FOUND.exists() else {}
    return dict(found or {})


def keep(study: str, total: int, survivors: Sequence[dict[str, str]]) -> None:
    """Write what was found of a study into the project; runs of other studies may do so too."""
    one = {"mutants": total, "killed": total - len(survivors), "survivors": [*survivors]}
    with Path(tempfile.gettempdir(), "mutants.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = known() | {study: one}
        text = yaml.dump(found, Dumper=_Written, sort_keys=False, allow_unicode=True, width=100)
        written = FOUND.with_suffix(".new")
        written.write_text(_HEAD + text, "utf-8")
        written.replace(FOUND)


def told(found: dict[str, Any]) -> int:
    """Say how many were killed of each study; 1 where that is too few, or a survivor has no why."""
    whole, killed = (sum(one[name] for one in found.values()) for name in ("mutants", "killed"))
    unexplained = 0
    for study, one in found.items():
        open_ones = sum(not survivor["why"] for survivor in one["survivors"])
        unexplained += open_ones
        print(
            f"{study}: {one['killed']} of {one['mutants']} mutants killed; of the others "
            f"{len(one['survivors']) - open_ones} change nothing, and {open_ones} have no why yet."
        )
    print(f"{killed} of {whole} killed; {FOUND.name} lists the others.")
    return int(killed < WANTED * whole or unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
