"""Part `job`: what a session costs in the job of its shard."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from bench import Bench, cpu, seconds
from table import Row
from timing import Took, took

from project import CORES, RESULTS, ROOT, Project

_EMPTY = """
rule all:
    input: expand("made/{{n}}", n=range({jobs}))

rule empty:
    output: "made/{{n}}"
    run: open(output[0], "w").close()
"""


def measure(bench: Bench) -> None:
    """Run sessions of simulated models in shards, beside as many empty jobs."""
    draws = 4 if bench.quick else 100
    project = Project(bench.folder / "project", {"language": {"draws": draws}})
    project.snakemake("plan")
    _scratch(bench.folder / "empty", 2 * draws)
    in_shards, empty = [], []
    for _ in range(bench.runs):
        empty.append(_empty_jobs(bench.folder / "empty"))
        in_shards.append(_run_all(project))
    snakemakes, share = "an empty job of Snakemake's", 1000 / (2 * draws)
    for kind, numbers in (("CPU", cpu), ("wall clock", seconds)):
        first, second = (numbers(runs, share) for runs in (empty, in_shards))
        bench.add(Row(f"{snakemakes}, {kind}", "ms", first))
        bench.add(Row(f"a session in a shard, {kind}", "ms", second, snakemakes, first))


def _run_all(project: Project) -> Took:
    """All sessions from nothing, without what the same command takes when they are there."""
    project.forget()
    turns = str(RESULTS / "turns.parquet")
    return project.snakemake(turns).without(project.idle(turns))


def _scratch(folder: Path, jobs: int) -> None:
    """A workflow of empty jobs that runs under the project's own profile."""
    folder.mkdir()
    shutil.copytree(ROOT / "profiles", folder / "profiles")
    (folder / "Snakefile").write_text(_EMPTY.format(jobs=jobs), encoding="utf-8")


def _empty_jobs(folder: Path) -> Took:
    shutil.rmtree(folder / "made", ignore_errors=True)
    command = [sys.executable, "-m", "snakemake", "--cores", str(CORES)]
    whole = took(command, folder)
    return whole.without(took(command, folder))
