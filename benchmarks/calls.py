"""Part `calls`: runs that call models over HTTP, beside Inspect AI and a bare asyncio client.

All ask the same server, `dissensus serve` with fixed words, and keep their logs. Debates are those
of the language study in English; ours are run as a study of one arm, which asks for them again in
no format, so that all can be in flight at once.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from bench import Bench, cpu, largest, seconds
from table import Row, Target
from timing import ENVIRONMENT, Failed, Took, in_turn, took

from project import RESULTS as LANGUAGE
from project import ROOT, Project

MODELS = ["m1", "m2", "m3", "m4"]
#: Where the study of these debates keeps its results.
RESULTS = LANGUAGE.with_name("spoken")
ENGLISH = "studies/language/prompts/en.yaml"
#: Calls of a session.
TURNS = 8
#: What the openai package is called by itself.
BARE = "a bare client"
#: Where nothing answers: for commands that make no call.
NOWHERE = "http://127.0.0.1:9"
#: By the server's latency in seconds: at .2 s the most seconds beside Inspect AI's; at 2 s, where
#: all wait for the server alone, at most 1.1 times the 16 s of eight calls.
_SECONDS = {0.2: Target(0.3, "ratio"), 2.0: Target(1.1 * TURNS * 2.0)}
#: Most CPU a call beside a bare client's, and most memory beside Inspect AI's.
_CPU, _MEMORY = Target(1.3, "ratio"), Target(0.8, "ratio")


def measure(bench: Bench) -> None:
    """Measure each latency, replay and the limit on requests."""
    sessions = 10 if bench.quick else 200
    clients = Clients(bench, sessions)
    for latency in _SECONDS:
        with bench.attempt(f"{sessions} sessions at {latency:g} s"):
            _in_flight(bench, clients, latency)
    with bench.attempt("replay"):
        _replay(bench, clients)
    with bench.attempt("limit of requests"):
        _limit(bench, min(sessions, 100))
    with bench.attempt("load with faults"):
        _load(bench, 20 if bench.quick else 1000)


@contextmanager
def server(*options: str, models: Sequence[str] = MODELS, words: str = "fixed") -> Iterator[str]:
    """The address of a `dissensus serve` of our own."""
    named = [option for name in models for option in ("--model", name)]
    command = [sys.executable, "-m", "dissensus", "serve", "--port", "0", "--words", words]
    process = subprocess.Popen(
        [*command, *named, *options], cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://[^/\s]+:\d+", process.stdout.readline())
        if not found:
            raise Failed("`dissensus serve` did not start")
        yield found[0]
    finally:
        process.terminate()
        process.wait()


def stats(address: str) -> dict[str, Any]:
    """What the server has counted."""
    with urlopen(f"{address}/stats", timeout=30) as answer:
        counted: dict[str, Any] = json.load(answer)
    return counted


class Study:
    """A project whose models answer at an address, with its manifest drawn and no session run."""

    def __init__(self, folder: Path, draws: int, **provider: Any) -> None:
        self.draws = draws
        self.provider = provider
        self.debates = folder / "debates.json"
        english = {"prompts": ENGLISH, "motion": "motion_en", "script": "latin"}
        languages = {"en": english, "en2": english, "zh": None}
        block = {"draws": draws, "panel": MODELS, "languages": languages}
        self.project = Project(folder, {**self._served(NOWHERE), "language": block})
        self.project.snakemake(str(LANGUAGE / "manifest.parquet"))
        script = str(Path(__file__).with_name("debates.py"))
        arguments = [str(self.debates), str(folder / LANGUAGE), str(ROOT / ENGLISH)]
        took([sys.executable, script, "write", *arguments], folder)
        names = json.loads(self.debates.read_text(encoding="utf-8"))
        self.sessions = len(names)
        self.point_at(NOWHERE)
        self.project.snakemake(str(RESULTS / "manifest.parquet"))

    def _served(self, address: str) -> dict[str, Any]:
        """Models that answer at an address, and where that is."""
        here = {"interface": "openai", "base_url": f"{address}/v1", "key_from": None}
        return {
            "providers": {"bench": {**here, "simulated": True, **self.provider}},
            "models": {name: {"provider": "bench"} for name in MODELS},
        }

    def point_at(self, address: str) -> None:
        """Have the run's models answer there."""
        self.project.configure(
            {
                **self._served(address),
                "studies": ["spoken"],
                "study_folders": {"spoken": str(ROOT / "benchmarks/debates_study")},
                "spoken": {"panel": MODELS, "debates": str(self.debates)},
            }
        )

    def run(self) -> Took:
        """One command that runs all sessions, or finds that they are complete."""
        return self.project.snakemake(str(RESULTS / "turns.parquet"), cores=self.sessions)

    def forget(self, *, journal: bool) -> None:
        """Remove what sessions left, and their journals and the money spent too, or not."""
        self.project.forget([] if journal else ["journal"], RESULTS)
        if journal:
            ledger = self.project.folder / RESULTS.parent / "ledger.jsonl"
            ledger.unlink(missing_ok=True)

    def run_without_journals(self) -> Took:
        """Run all sessions with no journal to answer."""
        self.forget(journal=True)
        return self.run()


class Clients:
    """All that can run the same debates."""

    def __init__(self, bench: Bench, sessions: int) -> None:
        self.study = Study(bench.folder / "study", sessions)
        self.inspect = bench.inspect
        self.folder = bench.folder
        self.calls = sessions * TURNS

    def by_inspect(self, address: str, *options: str) -> Took:
        """The debates in Inspect AI."""
        script = str(Path(__file__).with_name("inspect_debate.py"))
        more = ["--logs", str(self.folder / "logs"), *options]
        return took(
            [self.inspect, script, str(self.study.debates), f"{address}/v1", *more],
            self.folder,
            OPENAI_API_KEY="none",
            INSPECT_CACHE_DIR=str(self.folder / "cache"),
            XDG_DATA_HOME=str(self.folder / "data"),
        )

    def by_bare(self, address: str) -> Took:
        """The debates with the openai package and nothing else."""
        script = str(Path(__file__).with_name("debates.py"))
        command = [sys.executable, script, "run", str(self.study.debates), f"{address}/v1"]
        return took(command, self.folder)


def _in_flight(bench: Bench, clients: Clients, latency: float) -> None:
    """All sessions at once, at a latency."""
    with server("--latency", str(latency)) as address:
        clients.study.point_at(address)
        measured: dict[str, Callable[[], Took]] = {"ours": clients.study.run_without_journals}
        if clients.inspect:
            measured["Inspect AI"] = lambda: clients.by_inspect(address)
        measured[BARE] = lambda: clients.by_bare(address)
        found = in_turn(bench.runs, **measured)
        answered = stats(address)["calls"]["chat"]["answered"]
    if answered != len(measured) * bench.runs * clients.calls:
        raise Failed(f"the server answered {answered:,} calls: not the same debates")
    ours, others = found.pop("ours"), found
    what = f"{clients.study.draws} sessions of {TURNS} calls at {latency:g} s"
    target = _SECONDS[latency]
    per_call = 1000 / clients.calls
    _rows(bench, what, "s", seconds, ours, others, target)
    cpu_a_call = partial(cpu, share=per_call)
    _rows(bench, f"{what}, CPU a call", "ms", cpu_a_call, ours, others, _CPU, BARE)
    _rows(bench, f"{what}, largest process", "MB", largest, ours, others, _MEMORY)


def _rows(
    bench: Bench,
    what: str,
    unit: str,
    numbers: Callable[[Sequence[Took]], list[float]],
    ours: Sequence[Took],
    others: dict[str, list[Took]],
    target: Target,
    beside: str = "Inspect AI",
) -> None:
    """A row beside each other client; the target is for the ratio to one of them."""
    for name, runs in others.items():
        given = target if name == beside else None
        bench.add(Row(what, unit, numbers(ours), name, numbers(runs), given))


def _replay(bench: Bench, clients: Clients) -> None:
    """The same calls from the journals, and from Inspect's cache."""
    study, theirs = clients.study, []
    with server() as address:
        study.point_at(address)
        if clients.inspect:
            clients.by_inspect(address, "--cache")
        study.run_without_journals()
        before = stats(address)["calls"]["chat"]["received"]
        whole, starts = [], []
        for _ in range(bench.runs):
            study.forget(journal=False)
            whole.append(study.run())
            starts.append(study.run())
            theirs += [clients.by_inspect(address, "--cache")] if clients.inspect else []
        if stats(address)["calls"]["chat"]["received"] != before:
            raise Failed("the replays made calls")
    what = f"{clients.calls:,} calls replayed"
    net = [run.without(start) for run, start in zip(whole, starts, strict=True)]
    beside = "Inspect AI's cache" if theirs else ""
    without_start = f"{what}, without Snakemake's start"
    bench.add(Row(without_start, "s", seconds(net), beside, seconds(theirs), Target(4)))
    bench.add(Row(f"{what}, largest process", "MB", largest(whole), beside, largest(theirs)))


def _limit(bench: Bench, sessions: int) -> None:
    """A limit of 600 requests a minute, kept and used."""
    study = Study(bench.folder / "limited", sessions, requests_per_minute=600)
    with server() as address:
        study.point_at(address)
        study.run()
        counted = stats(address)
    received, span = counted["calls"]["chat"]["received"], counted["calls_span_s"]
    what = f"limit of 600 a minute, {received} calls in {span:.0f} s"
    most = counted["largest_minute"]["received"]
    bench.add(Row(f"{what}: most in 60 s", "calls", [most], target=Target(612)))
    share = (received - 1) / (600 / 60 * span)
    bench.add(Row(f"{what}: share used", "", [share], target=Target(0.95, least=True)))


def _load(bench: Bench, sessions: int) -> None:
    """Many sessions in flight at once, at a latency of 2 s, where a tenth of all tries fail."""
    study = Study(bench.folder / "load", sessions, concurrency=sessions, timeout_s=15.0)
    with server("--latency", "2", "--faults", "0.1", "--hang", "10") as address:
        study.point_at(address)
        run = study.run()
        counted = stats(address)
    chat = counted["calls"]["chat"]
    if chat["distinct"] != sessions * TURNS:
        raise Failed(f"the server was asked {chat['distinct']:,} calls, not {sessions * TURNS:,}")
    what = f"{sessions:,} sessions at once at 2 s, {sum(counted['faults'].values()):,} faults"
    bench.add(Row(what, "s", seconds([run])))
    bench.add(Row(f"{what}, CPU a call", "ms", cpu([run], 1000 / (sessions * TURNS))))
    bench.add(Row(f"{what}, largest process", "MB", largest([run])))
