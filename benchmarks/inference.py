"""Part `inference`: metrics and inference of 100,000 synthetic sessions, a process a stage."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bench import Bench, cpu, largest, seconds
from table import Row
from timing import Took, took

from project import ROOT

_SCRIPT = str(Path(__file__).with_name("stages.py"))
#: The stages of `stages.py`, the one that makes the others' metrics first.
STAGES = (
    "measure_homogeneity",
    "measure_instrument",
    "estimate_language_effect",
    "measure_saturation",
    "estimate_domains",
    "diagnose_design",
    "trace_specifications",
    "compute_power",
)


def measure(bench: Bench) -> None:
    """Synthesise the tables once, then time each stage's function with config.yaml's settings."""
    draws = 500 if bench.quick else 50_000
    bench.say(f"synthesising {2 * draws:,} sessions")
    folder = str(bench.folder)
    took([sys.executable, _SCRIPT, folder, "--synthesise", str(draws)], ROOT, limit_s=1800)
    stages: list[list[Took]] = []
    for stage in STAGES:
        with bench.attempt(stage):
            runs = [_stage(folder, stage) for _ in range(bench.runs)]
            of = f"{stage} of {2 * draws:,} sessions"
            bench.add(Row(of, "s", seconds(runs)))
            bench.add(Row(f"{of}, CPU", "s", cpu(runs)))
            bench.add(Row(f"{of}, memory", "MB", largest(runs)))
            stages.append(runs)
    if len(stages) == len(STAGES):
        whole = [sum(run.seconds for run in runs) for runs in zip(*stages, strict=True)]
        bench.add(Row(f"all stages of {2 * draws:,} sessions", "s", whole))


def _stage(folder: str, stage: str) -> Took:
    """One stage: its function's own time, and the memory of the process with its tables read."""
    run = took([sys.executable, _SCRIPT, folder, "--stage", stage], ROOT, limit_s=1800)
    inside = json.loads(run.stdout.splitlines()[-1])
    return Took(inside["seconds"], inside["cpu_s"], run.largest_mb, run.together_mb)
