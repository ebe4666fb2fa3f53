"""Part `gallery`: one of the designs of examples/, and the same written for Inspect AI.

Both ask one server, which speaks as the design's simulated agents do. Counted are the lines that
somebody writes, and the calls that the server gets; what each finds says that it is one design.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
from bench import Bench
from calls import server, stats
from table import Row
from timing import took

from project import ROOT, Project

NAME = "multi_agent_debate"
EXAMPLE = ROOT / "examples" / NAME
INSPECT = Path(__file__).with_name("inspect_gallery.py")
_CONFIGURED = ("--config", str(EXAMPLE / "config.yaml"))
#: Agents and rounds of both arms.
_CALLS = 6 * 1 + 3 * 2


def measure(bench: Bench) -> None:
    """Measure lines, calls and what is found."""
    draws = 10 if bench.quick else 100
    beside = "Inspect AI" if bench.inspect else ""
    ours, theirs = _lines(EXAMPLE / "study.py"), _lines(INSPECT) if bench.inspect else []
    bench.add(Row(f"{NAME}: lines of code", "lines", ours, beside, theirs))
    with server(*_CONFIGURED, models=(), words="speeches") as address:
        found = _ours(bench.folder / "ours", address, draws)
        calls = [stats(address)["calls"]["chat"]["received"]]
    their_found: list[float] = []
    their_calls: list[float] = []
    if bench.inspect:
        with server(*_CONFIGURED, models=(), words="speeches") as address:
            their_found = _by_inspect(bench, address, draws)
            their_calls = [stats(address)["calls"]["chat"]["received"]]
    what = f"{NAME}, {draws} items: "
    bench.add(
        Row(f"{what}calls ({draws * _CALLS:,} of the design)", "", calls, beside, their_calls)
    )
    bench.add(Row(f"{what}accuracy, debate - sampling", "", found, beside, their_found))


def _lines(path: Path) -> list[float]:
    return [len(path.read_text(encoding="utf-8").splitlines())]


def _ours(folder: Path, address: str, draws: int) -> list[float]:
    here = {"interface": "openai", "base_url": f"{address}/v1", "key_from": None}
    settings = {
        "providers": {"bench": {**here, "simulated": True}},
        "models": {"solver": {"provider": "bench"}},
        "studies": [NAME],
        "study_folders": {NAME: str(EXAMPLE)},
        NAME: {"draws": draws, "model": "solver"},
    }
    project = Project(folder, settings)
    project.snakemake(f"results/bench/{NAME}/contrasts.parquet")
    rows = pd.read_parquet(folder / f"results/bench/{NAME}/contrasts.parquet")
    return [float(rows.loc[rows["headline"], "estimate"].iloc[0])]


def _by_inspect(bench: Bench, address: str, draws: int) -> list[float]:
    logs = str(bench.folder / "logs")
    command = [bench.inspect, str(INSPECT), f"{address}/v1", "--draws", str(draws), "--logs", logs]
    folders = {"INSPECT_CACHE_DIR": "cache", "XDG_DATA_HOME": "data"}
    placed = {name: str(bench.folder / folder) for name, folder in folders.items()}
    done = took(command, bench.folder, OPENAI_API_KEY="none", **placed)
    return [float(json.loads(done.stdout.splitlines()[-1])["estimate"])]
