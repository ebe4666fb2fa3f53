"""Changes the code of measures and inference bit by bit, and lists the changes that no test sees.

``make mutants`` runs it, in a copy of the project: a sample of the mutants that Cosmic Ray makes of
every module, each before the test files that name the module. Another sample is another seed. Ends
with status 1 where fewer than nine in ten are killed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosmic_ray.commands import execute, init
from cosmic_ray.config import ConfigDict
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

ROOT = Path(__file__).resolve().parents[1]
STUDIES = ("language", "identity", "deliberation", "union", "consensus")
ROOMS = ("measures", "inference")
WANTED = 0.9
#: Decorators, annotations, and the ** of calls: nothing can be seen of these, or run with them.
_LEFT_OUT = ("RemoveDecorator", "BitOr_", "_BitOr", "Pow_")
_IGNORED = shutil.ignore_patterns(
    ".git", ".venv", ".snakemake", "results", "__pycache__", ".*_cache"
)


def modules(study: str) -> Iterator[Path]:
    """The modules of a study's measures and inference."""
    for room in ROOMS:
        folder = Path("src/dissensus") / study / room
        yield from sorted(folder.glob("*.py")) or [folder.with_suffix(".py")]


def tests_of(module: Path, study: str) -> list[str]:
    """The test files that name a module; all of its study where none does."""
    name = ".".join(module.with_suffix("").parts[1:])
    files = sorted(Path("tests", study).rglob("test_*.py"))
    naming = [str(path) for path in files if name in path.read_text("utf-8")]
    return naming or [str(path) for path in files]


def mutate(
    module: Path, tests: list[str], sample: int, seed: int
) -> Iterator[tuple[str, bool, str]]:
    """(where and what, whether it was killed, the change) of a sample of a module's mutants."""
    options = '-m pytest -x -q -p no:cacheprovider -m "not run and not cluster"'
    command = " ".join([str(ROOT / ".venv/bin/python"), options, *tests])
    config = ConfigDict(
        {
            "module-path": str(module),
            "timeout": 300.0,
            "excluded-modules": [],
            "test-command": command,
            "distributor": {"name": "local"},
        }
    )
    database = f"{tempfile.mkdtemp()}/mutants.sqlite"
    with use_db(database, WorkDB.Mode.create) as found:
        init([module], found, {})
        _leave_out(found, sample, random.Random(f"{seed} {module}"))
        execute(found, config)
        items: dict[str, Any] = {item.job_id: item.mutations[0] for item in found.work_items}
        for job, result in found.results:
            # The star of a call is no product: what does not compile is no mutant.
            compiles = "SyntaxError" not in (result.output or "")
            if result.worker_outcome != WorkerOutcome.SKIPPED and compiles:
                one = items[job]
                where = f"{module}:{one.start_pos[0]} {one.operator_name.removeprefix('core/')}"
                yield where, result.test_outcome != TestOutcome.SURVIVED, result.diff or ""


def _leave_out(found: WorkDB, sample: int, rng: random.Random) -> None:
    """Have all mutants passed over but those of the sample."""
    items = sorted(found.pending_work_items, key=lambda item: item.job_id)
    seen = [
        one
        for one in items
        if not any(part in one.mutations[0].operator_name for part in _LEFT_OUT)
    ]
    # Job ids are random: the order is that of the places in the module.
    seen.sort(key=lambda one: (one.mutations[0].start_pos, one.mutations[0].operator_name))
    kept = {one.job_id for one in rng.sample(seen, min(sample, len(seen)))}
    for item in items:
        if item.job_id not in kept:
            found.set_result(item.job_id, WorkResult(WorkerOutcome.SKIPPED))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", nargs="*", default=STUDIES, choices=STUDIES)
    parser.add_argument("--sample", type=int, default=5, help="mutants of every module")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    copy = Path(tempfile.mkdtemp()) / "project"
    shutil.copytree(ROOT, copy, ignore=_IGNORED)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy / "src")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    killed, survivors = 0, []
    for study in options.studies:
        for module in modules(study):
            tests = tests_of(module, study)
            for where, was_killed, diff in mutate(module, tests, options.sample, options.seed):
                killed += was_killed
                survivors += [] if was_killed else [f"{where}\n{diff}"]
                print("killed  " if was_killed else "SURVIVED", where, flush=True)
    total = killed + len(survivors)
    print(f"\n{killed} of {total} mutants killed.\n", *survivors, sep="\n")
    return int(killed < WANTED * total)


if __name__ == "__main__":
    sys.exit(main())
