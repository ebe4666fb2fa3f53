"""Measure the project's speed and print a Markdown table: `make benchmarks`.

Each row names what is timed, the median of its runs, and what it is held against. Machines differ:
the ratios within one table are what to compare, and the targets are those of a two-core machine.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import yaml

ROOT = Path(__file__).parent.parent


def median_seconds(call: Callable[[], object], runs: int) -> float:
    """Median wall-clock seconds of several calls."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def workflow(draws: int, target: str | None, runs: int) -> tuple[float, float]:
    """Median seconds of a run from nothing, and the largest peak memory of a process in MB."""
    seconds = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("Snakefile", "config.yaml", "workflow", "profiles", "resources", "envs"):
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
                copy(ROOT / name, Path(folder) / name)
            more = Path(folder) / "more.yaml"
            more.write_text(yaml.safe_dump({"language": {"draws": draws}}))
            command = [sys.executable, "-m", "snakemake", "--cores", "8", "--quiet", "all"]
            command += [*([target] if target else []), "--configfile", "more.yaml"]
            started = time.perf_counter()
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            seconds.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return statistics.median(seconds), peak


def session_overhead(sessions: int) -> float:
    """Seconds a session takes beyond its own calls: everything but the provider's `ask`."""
    from dissensus.language.design.manifest import Drawing, draw_manifest
    from dissensus.language.design.pool import build_pool
    from dissensus.language.session import SessionPaths, hold, specify
    from dissensus.settings import load_file
    from dissensus.talk.providers import identity
    from dissensus.talk.providers.simulated import SimulatedModel

    settings = load_file(ROOT / "config.yaml")
    study = settings.language
    pool, _ = build_pool(study.pool, study.languages)
    drawing = Drawing(1, sessions // 2, 25, list(study.languages), study.panel)
    motions = {row["motion_id"]: row for row in pool}
    identities = {name: identity(name, settings.models[name].model_dump()) for name in study.panel}
    inside = 0.0
    ask = SimulatedModel.ask

    def timed(self: SimulatedModel, request: object, patience_s: float | None = None) -> object:
        nonlocal inside
        started = time.perf_counter()
        reply = ask(self, request, patience_s)  # type: ignore[arg-type]
        inside += time.perf_counter() - started
        return reply

    SimulatedModel.ask = timed  # type: ignore[method-assign, assignment]
    try:
        with tempfile.TemporaryDirectory() as folder:
            models = settings.switchboard(Path(folder), "hold_session")
            started = time.perf_counter()
            for row in draw_manifest(pool, drawing):
                name = row["session_id"]
                kinds = ("sessions", "transcripts", "calls")
                paths = SessionPaths(*(Path(folder) / kind / f"{name}.parquet" for kind in kinds))
                spec = specify(row, motions, study, identities)
                hold(spec, models, Path(folder) / f"{name}.jsonl", paths)
            whole = time.perf_counter() - started
    finally:
        SimulatedModel.ask = ask  # type: ignore[method-assign]
    return (whole - inside) / sessions


def sign_flip() -> object:
    from dissensus.stats.signflip import sign_flip_test

    return sign_flip_test(np.random.default_rng(0).normal(0.1, 1, 1_000), flips=1_000_000)


def lexical(sessions: int) -> object:
    from dissensus.text.divergences import lexical_measures

    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, 401)
    weights /= weights.sum()
    tokens = rng.choice(400, size=(sessions, 8, 120), p=weights)
    return [lexical_measures(list(t), depth=100, repetitions=20, rng=rng) for t in tokens]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="also run 2,000 draws (minutes)")
    parser.add_argument("--inspect", default="", metavar="PYTHON", help="one that has inspect-ai")
    options = parser.parse_args()
    rows = [
        ("sign-flip, 1,000,000 flips, n = 1,000", median_seconds(sign_flip, options.runs), "5 s"),
        ("lexical measures of 10,000 sessions", median_seconds(lambda: lexical(10_000), 1), "60 s"),
        ("a session beyond its own calls", session_overhead(200), "0.025 s"),
    ]
    for draws in (25, 100, *((2_000,) if options.large else ())):
        seconds, peak = workflow(draws, None, 1 if draws > 100 else options.runs)
        target = {100: "60 s", 2_000: "720 s"}.get(draws, "-")
        rows.append((f"whole run of {draws:,} draws, peak {peak:.0f} MB", seconds, target))
    print("| what | median seconds | target |\n|---|---|---|")
    for what, seconds, target in rows:
        print(f"| {what} | {seconds:.3f} | {target} |")
    # In a process of its own, since memory is measured from what the parent has.
    print(flush=True)
    calls = [sys.executable, str(Path(__file__).with_name("calls.py"))]
    subprocess.run([*calls, "--runs", str(options.runs), "--inspect", options.inspect], check=True)


if __name__ == "__main__":
    main()
