"""Part `job`: what a session costs as a job of its own, and in a bundle."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import Bench, cpu, seconds
from project import CORES, RESULTS, ROOT, Project
from table import Row
from timing import Failed, Took, took

_EMPTY = """
rule all:
    input: expand("made/{{n}}", n=range({jobs}))

rule empty:
    output: "made/{{n}}"
    run: open(output[0], "w").close()
"""


def measure(bench: Bench) -> None:
    """Run the same sessions as jobs of their own and in bundles, beside as many empty jobs."""
    draws, per_bundle = (4, 4) if bench.quick else (100, 100)
    # No bundle is larger than what is measured together, which small blocks would make small.
    settings = {"language": {"draws": draws, "block_size": per_bundle // 2}}
    project = Project(bench.folder / "project", settings)
    project.snakemake("plan")
    _scratch(bench.folder / "empty", 2 * draws)
    alone, bundled, empty = [], [], []
    for _ in range(bench.runs):
        empty.append(_empty_jobs(bench.folder / "empty"))
        project.configure({**settings, "sessions_per_job": 1})
        alone.append(_run_all(project, _transcripts(draws)))
        project.configure({**settings, "sessions_per_job": per_bundle})
        bundled.append(_run_all(project, _bundles(project)))
    own, snakemakes = "a session in a job of its own", "an empty job of Snakemake's"
    bundle = f"a session in a bundle of {per_bundle}"
    share = 1000 / (2 * draws)
    for kind, numbers in (("CPU", cpu), ("wall clock", seconds)):
        first, second, third = (numbers(runs, share) for runs in (empty, alone, bundled))
        bench.add(Row(f"{snakemakes}, {kind}", "ms", first))
        bench.add(Row(f"{own}, {kind}", "ms", second, snakemakes, first))
        bench.add(Row(f"{bundle}, {kind}", "ms", third, own, second))


def _transcripts(draws: int) -> list[str]:
    names = [f"d{n:03d}-{language}" for n in range(1, draws + 1) for language in ("en", "zh")]
    return [str(RESULTS / f"transcripts/{name}.parquet") for name in names]


def _bundles(project: Project) -> list[str]:
    """The marks of all bundles, as a dry run names them."""
    project.forget()
    dry = project.snakemake("--dry-run", str(RESULTS / "turns.parquet"))
    names = re.findall(r"Run the sessions of bundle (\w+)", dry.stdout)
    if not names:
        raise Failed("a dry run names no bundles")
    return [str(RESULTS / f"bundles/{name}") for name in names]


def _run_all(project: Project, targets: Sequence[str]) -> Took:
    """All sessions from nothing, without what the same command takes when they are there."""
    project.forget()
    whole = project.snakemake(*targets)
    return whole.without(project.idle(*targets))


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
