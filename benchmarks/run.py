"""Measure the project and write one Markdown table, benchmarks/results.md: `make benchmarks`.

The whole takes some forty minutes on two cores. A part run alone (--only) writes its own rows anew
and leaves the others. The raw numbers are in results.json. A quick run tries everything in small
and writes quick.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path

import caches
import calls
import debate_model
import default_run
import gallery
import imports
import inference
import job
import micro
import projection
import scale
import start
import votes
from bench import Bench
from table import Results
from timing import adopt_orphans

from project import ROOT

HERE = Path(__file__).resolve().parent
#: What can be measured, in the table's order.
PARTS: dict[str, Callable[[Bench], None]] = {
    "start": start.measure,
    "default": default_run.measure,
    "job": job.measure,
    "calls": calls.measure,
    "caches": caches.measure,
    "gallery": gallery.measure,
    "votes": votes.measure,
    "scale": scale.measure,
    "imports": imports.measure,
    "inference": inference.measure,
    "identity": debate_model.measure,
    "micro": micro.measure,
    "map": projection.measure,
}
_PACKAGES = ("dissensus", "snakemake", "numpy", "scipy", "pandas", "pyarrow", "openai")


def place(peers: Mapping[str, str]) -> str:
    """When and on what a part is measured, for the table's head."""
    packages = [f"{name} {version(name)}" for name in _PACKAGES]
    for package, python in peers.items():
        asked = f"from importlib.metadata import version; print(version('{package}'))"
        packages += [f"{package} {_output_of([python, '-c', asked])}"] if python else []
    commit = _output_of(["git", "describe", "--always", "--dirty= with changes"])
    machine = f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return f"{date.today().isoformat()}, commit {commit}, {machine}, {', '.join(packages)}"


def _processor() -> str:
    """The processor's model, as Linux names it where this is Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def _output_of(command: Sequence[str]) -> str:
    """The output of a command; "unknown" where it fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip()


def measure(
    results: Results, parts: Sequence[str], runs: int, quick: bool, peers: Mapping[str, str]
) -> None:
    """Measure parts one after the other, each in an empty folder, and keep their rows.

    Parameters
    ----------
    peers : package that one is measured beside -> a python that has it; "" for none.
    """
    # Not where temporary files go: on many machines that is memory.
    disk = ROOT / "results"
    disk.mkdir(exist_ok=True)
    for part in parts:
        print(part, file=sys.stderr, flush=True)
        results.begin(part, place(peers), os.getloadavg()[0])
        with tempfile.TemporaryDirectory(prefix="benchmarks-", dir=disk) as folder:
            keep = partial(results.add, part)
            bench = Bench(Path(folder), runs, quick, peers["inspect-ai"], keep, peers["mallm"])
            with bench.attempt(part):
                PARTS[part](bench)


def main(arguments: Sequence[str] | None = None, folder: Path = HERE) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, help="of each thing, largest runs apart (3; quick: 1)")
    parser.add_argument("--quick", action="store_true", help="everything in small, into quick.md")
    parser.add_argument("--inspect", default="", metavar="PYTHON", help="one that has inspect-ai")
    parser.add_argument("--mallm", default="", metavar="PYTHON", help="one that has mallm")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    options = parser.parse_args(arguments)
    runs = options.runs or (1 if options.quick else 3)
    try:
        results = Results(folder / ("quick" if options.quick else "results"), list(PARTS))
    except ValueError as error:
        sys.exit(str(error))
    peers = {"inspect-ai": options.inspect, "mallm": options.mallm}
    measure(results, options.only, runs, options.quick, peers)
    print(results.markdown())
    if results.failed(options.only):
        sys.exit("Some of it could not be measured: the table says what, and why.")


if __name__ == "__main__":
    adopt_orphans()
    main()
