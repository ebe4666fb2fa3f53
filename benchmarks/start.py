"""Part `start`: what a command costs before it does anything."""

from __future__ import annotations

import sys

from bench import Bench, cpu, memory, seconds
from table import Row
from timing import in_turn, took

from project import LIGHT, Project


def measure(bench: Bench) -> None:
    """Time `snakemake --version`, and on a finished run a dry run and one with nothing to do."""
    draws, more = (4, LIGHT) if bench.quick else (100, {})
    project = Project(bench.folder / "project", {"language": {"draws": draws, **more}})
    bench.say(f"a whole run of {draws} draws to start from")
    project.snakemake(limit_s=1800)
    version = [sys.executable, "-m", "snakemake", "--version"]
    found = in_turn(
        bench.runs,
        version=lambda: took(version, project.folder),
        dry=lambda: project.snakemake("--dry-run"),
        nothing=project.idle,
    )
    bare, whole = "`snakemake --version`", f"a finished run of {draws} draws"
    alone = found.pop("version")
    names = {"dry": f"dry run of {whole}", "nothing": f"`snakemake` with nothing to do in {whole}"}
    for kind, numbers in (("", seconds), (", CPU", cpu), (", memory", memory)):
        unit = "MB" if numbers is memory else "s"
        bench.add(Row(bare + kind, unit, numbers(alone)))
        for name, runs in found.items():
            bench.add(Row(names[name] + kind, unit, numbers(runs), bare, numbers(alone)))
