"""Part `imports`: debates of others, from a table of turns to transcripts and then to measures."""

from __future__ import annotations

import csv
import random
import shutil
import sys
from pathlib import Path

from bench import Bench, largest, seconds
from table import Row, Target
from timing import Took, took

from project import Project

SESSIONS, QUICK = 20_000, 40
#: Turns of a session, speakers, and words of a turn.
_TURNS, _SPEAKERS, _WORDS = 8, 4, 60
_LIMIT_S = 3600.0
_RESULTS = Path("results/imports/debates")


def measure(bench: Bench) -> None:
    """The file checked and its sessions made, in five minutes and 1 GB; then all else."""
    sessions = QUICK if bench.quick else SESSIONS
    project = Project(bench.folder / "project", {})
    try:
        write_turns(project.folder / "turns.csv", sessions)
        command = [sys.executable, "-m", "dissensus", "import", "turns.csv", "--run", "imports"]
        with bench.attempt(f"{sessions:,} imported sessions"):
            check = took([*command, "--embedder", "none"], project.folder, limit_s=_LIMIT_S)
            (project.folder / "imports.yaml").rename(project.folder / "more.yaml")
            run = project.snakemake(str(_RESULTS / "turns.parquet"), limit_s=_LIMIT_S)
            both = Took(
                check.seconds + run.seconds,
                check.cpu_s + run.cpu_s,
                max(check.largest_mb, run.largest_mb),
                max(check.together_mb, run.together_mb),
            )
            _add(bench, f"{sessions:,} sessions imported", both, Target(300), Target(1024))
            rest = project.snakemake(limit_s=_LIMIT_S)
            _add(bench, f"{sessions:,} imported sessions measured, compared and shown", rest)
    finally:
        shutil.rmtree(project.folder)


def _add(
    bench: Bench, what: str, run: Took, limit: Target | None = None, memory: Target | None = None
) -> None:
    bench.add(Row(what, "s", seconds([run]), target=limit))
    bench.add(Row(f"{what}, largest process", "MB", largest([run]), target=memory))


def write_turns(path: Path, sessions: int) -> None:
    """A table of turns of random words, in two arms that share items."""
    rng = random.Random(52)
    words = [f"word{number}" for number in range(4000)]
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["session", "arm", "item", "speaker", "model", "round", "text", "value"])
        for session in range(sessions):
            ids = [f"s{session}", "ab"[session % 2], f"q{session // 2}"]
            for turn in range(_TURNS):
                text = " ".join(rng.choices(words, k=_WORDS))
                place = [f"A{turn % _SPEAKERS}", "some-model", turn // _SPEAKERS + 1]
                rows.writerow([*ids, *place, text, rng.choice("ABCD")])
