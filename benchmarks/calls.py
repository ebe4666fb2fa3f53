"""Measure runs that call models over HTTP, beside Inspect AI and a bare asyncio client.

All ask the same server, `dissensus serve` with fixed words, and keep their logs. Each number is the
median of runs that alternate. `make benchmarks INSPECT=python` names a python that has inspect-ai;
without one, its column stays empty.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

import yaml

ROOT = Path(__file__).resolve().parent.parent
MODELS = ["m1", "m2", "m3", "m4"]
RESULTS = Path("results/bench/language")
ENGLISH = "resources/prompts/language/en.yaml"
#: Calls of a session.
TURNS = 8
#: Where bytecode is not kept, every start would compile the project anew.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Took:
    """What a command and all that it started took."""

    seconds: float
    """Wall clock."""
    cpu_s: float
    """User and system."""
    peak_mb: float
    """Resident memory of its largest process."""
    load: float
    """Of the machine just before, over a minute."""


def took(command: Sequence[str], folder: Path, **environment: str) -> Took:
    """Run a command to its end and measure it; end here where it fails or takes ten minutes."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryFile() as said:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=ENVIRONMENT | environment, stdout=said, stderr=said
        )
        too_long = threading.Timer(600, process.kill)
        too_long.start()
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        too_long.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            sys.exit(f"{' '.join(command)[:200]} failed:\n{said.read().decode()[-3000:]}")
    return Took(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, load)


@contextmanager
def server(*options: str) -> Iterator[str]:
    """The address of a `dissensus serve` of our own."""
    models = [option for name in MODELS for option in ("--model", name)]
    command = [sys.executable, "-m", "dissensus", "serve", "--port", "0", "--words", "fixed"]
    process = subprocess.Popen(
        [*command, *models, *options], cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://[^/\s]+:\d+", process.stdout.readline())
        if not found:
            sys.exit("dissensus serve did not start.")
        yield found[0]
    finally:
        process.terminate()
        process.wait()


def stats(address: str) -> dict[str, Any]:
    """What the server has counted."""
    with urlopen(f"{address}/stats", timeout=30) as answer:
        counted: dict[str, Any] = json.load(answer)
    return counted


@dataclass
class Study:
    """A project whose models answer at an address, with its manifest drawn and no session held.

    Sessions are those that come first in their draws, so that all can be in flight at once; both
    languages are English, so that the server's fixed words break no rule in either.
    """

    folder: Path
    draws: int
    provider: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("Snakefile", "config.yaml", "workflow", "profiles", "resources", "envs"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, self.folder / name)

    def point_at(self, address: str) -> None:
        """Have the run's models answer there."""
        english = {"prompts": ENGLISH, "motion": "motion_en", "script": "latin"}
        here = {"interface": "openai", "base_url": f"{address}/v1", "key_from": None}
        settings = {
            "run": "bench",
            "providers": {"bench": {**here, "simulated": True, **self.provider}},
            "models": {name: {"provider": "bench"} for name in MODELS},
            "language": {
                "draws": self.draws,
                "panel": MODELS,
                "languages": {"en": english, "en2": english, "zh": None},
            },
        }
        (self.folder / "more.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")

    def command(self, *targets: str, cores: int) -> list[str]:
        start = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
        return [*start, *targets, "--configfile", "more.yaml"]

    def draw(self) -> Took:
        """Draw the manifest."""
        return took(self.command(str(RESULTS / "manifest.parquet"), cores=2), self.folder)

    def sessions(self) -> list[dict[str, Any]]:
        """Rows of the manifest, of the sessions that come first, with their motions' words."""
        import pyarrow.parquet as pq

        folder = self.folder / RESULTS
        pool = pq.read_table(folder / "pool.parquet").to_pylist()
        topics = {row["motion_id"]: row["motion_en"] for row in pool}
        rows = pq.read_table(folder / "manifest.parquet").to_pylist()
        return [{**r, "topic": topics[r["motion_id"]]} for r in rows if r["position"] == 1]

    def hold(self) -> Took:
        """One command that holds all sessions, or finds that they have been held."""
        names = [row["session_id"] for row in self.sessions()]
        targets = [str(RESULTS / f"transcripts/{name}.parquet") for name in names]
        return took(self.command(*targets, cores=len(targets)), self.folder)

    def forget(self, *, journal: bool) -> None:
        """Remove what sessions left, and their journals too or not."""
        kinds = ["sessions", "transcripts", "calls", "held", "logs/hold_session"]
        for kind in [*kinds, "journal"] if journal else kinds:
            shutil.rmtree(self.folder / RESULTS / kind, ignore_errors=True)
        if journal:
            (self.folder / "results/bench/ledger.jsonl").unlink(missing_ok=True)

    def debates(self) -> dict[str, list[dict[str, Any]]]:
        """The calls of each session for the other clients, <<n>> for the n-th speech in it."""
        from dissensus.debate.protocol import Turn
        from dissensus.language.protocol import Prompts, debate

        prompts = Prompts.read(self.folder / ENGLISH)
        found: dict[str, list[dict[str, Any]]] = {}
        for row in self.sessions():
            rules: Any = {"script": "latin", "words_per_sentence": 50, "system_message": False}
            steps = debate(prompts, row["topic"], row, **rules)()
            calls = found[row["session_id"]] = []
            step = next(steps, None)
            while step is not None:
                (call,) = step
                speech = f"<<{len(calls)}>>"
                seed = 100 * len(found) + len(calls)
                prompt = call.messages[-1].content
                calls.append({"model": call.model, "prompt": prompt, "seed": seed})
                place = (call.number, call.speaker, call.role, call.round_label, call.model)
                try:
                    step = steps.send([Turn(*place, speech, 0, ())])
                except StopIteration:
                    step = None
        return found


async def bare(debates: dict[str, list[dict[str, Any]]], base_url: str) -> None:
    """Hold debates with the openai package and nothing else."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key="none", base_url=base_url)

    async def one(calls: list[dict[str, Any]]) -> None:
        said: list[str] = []
        for call in calls:
            prompt = call["prompt"]
            for number, speech in enumerate(said):
                prompt = prompt.replace(f"<<{number}>>", speech)
            answer = await client.chat.completions.create(
                model=call["model"],
                messages=[{"role": "user", "content": prompt}],
                temperature=0.2,
                max_tokens=512,
                seed=call["seed"],
            )
            said.append(answer.choices[0].message.content or "")

    await asyncio.gather(*(one(calls) for calls in debates.values()))


class Bench:
    """The measurements, and the table's rows as they come.

    Parameters
    ----------
    runs : of each thing that is measured.
    draws : sessions in flight.
    inspect : a python that has inspect-ai; "" for none.
    """

    def __init__(self, folder: Path, runs: int, draws: int, inspect: str) -> None:
        self.folder = folder
        self.runs = runs
        self.draws = draws
        self.inspect = inspect
        self.rows: list[tuple[str, ...]] = []
        (folder / "study").mkdir()
        self.study = Study(folder / "study", draws)
        self.plan = folder / "debates.json"

    def by_inspect(self, address: str, *options: str) -> Took:
        """The same debates in Inspect AI."""
        script = str(Path(__file__).with_name("inspect_debate.py"))
        more = ["--logs", str(self.folder / "logs"), *options]
        return took(
            [self.inspect, script, str(self.plan), f"{address}/v1", *more],
            self.folder,
            OPENAI_API_KEY="none",
            INSPECT_CACHE_DIR=str(self.folder / "cache"),
            XDG_DATA_HOME=str(self.folder / "data"),
        )

    def by_bare(self, address: str) -> Took:
        """The same debates with the openai package and nothing else."""
        command = [sys.executable, __file__, "--bare", str(self.plan), f"{address}/v1"]
        return took(command, self.folder)

    def draw(self) -> None:
        """Draw the manifest, which the runs that follow begin with."""
        self.study.point_at("http://127.0.0.1:9")
        drawn = self.study.draw()
        self.plan.write_text(json.dumps(self.study.debates()), encoding="utf-8")
        self.row(f"drawing the manifest of {self.draws} draws, s", [drawn], attribute="seconds")

    def in_flight(self, latency: float, target: str) -> None:
        """All sessions at once, at a latency."""
        with server("--latency", str(latency)) as address:
            self.study.point_at(address)
            ours, theirs, alone = [], [], []
            for _ in range(self.runs):
                self.study.forget(journal=True)
                ours.append(self.study.hold())
                theirs += [self.by_inspect(address)] if self.inspect else []
                alone.append(self.by_bare(address))
            counted = stats(address)["calls"]["chat"]
        clients = 3 if self.inspect else 2
        if counted["answered"] != clients * self.runs * self.draws * TURNS:
            sys.exit(f"The server answered {counted['answered']:,} calls: not the same debates.")
        what = f"{self.draws} sessions of {TURNS} calls at {latency:g} s"
        calls = self.draws * TURNS
        self.row(f"{what}, s", ours, theirs, alone, target, attribute="seconds")
        said = f"{what}, CPU a call, ms"
        self.row(said, ours, theirs, alone, "under 4", attribute="cpu_s", scale=1000 / calls)
        self.row(f"{what}, peak MB", ours, theirs, alone, "under 245", attribute="peak_mb")

    def replay(self) -> None:
        """The same calls from the journals, and from Inspect's cache."""
        with server() as address:
            self.study.point_at(address)
            if self.inspect:
                self.by_inspect(address, "--cache")
            self.study.forget(journal=True)
            self.study.hold()
            before = stats(address)["calls"]["chat"]["received"]
            whole, starts, theirs = [], [], []
            for _ in range(self.runs):
                self.study.forget(journal=False)
                whole.append(self.study.hold())
                starts.append(self.study.hold())
                theirs += [self.by_inspect(address, "--cache")] if self.inspect else []
            if stats(address)["calls"]["chat"]["received"] != before:
                sys.exit("The replays made calls.")
        what = f"{self.draws * TURNS:,} calls replayed"
        seconds = [w.seconds - s.seconds for w, s in zip(whole, starts, strict=True)]
        net = [Took(s, w.cpu_s, w.peak_mb, w.load) for s, w in zip(seconds, whole, strict=True)]
        said = f"{what}, without Snakemake's start of {_middle(starts, 'seconds'):.2f} s, s"
        self.row(said, net, theirs, target="4.0 s", attribute="seconds")
        self.row(f"{what}, peak MB", whole, theirs, attribute="peak_mb")

    def limit(self, sessions: int) -> None:
        """A limit of 600 requests a minute, kept and used."""
        (self.folder / "limited").mkdir()
        study = Study(self.folder / "limited", sessions, {"requests_per_minute": 600})
        with server() as address:
            study.point_at(address)
            study.draw()
            study.hold()
            counted = stats(address)
        received = counted["calls"]["chat"]["received"]
        share = (received - 1) / (600 / 60 * counted["calls_span_s"])
        most = counted["largest_minute"]["received"]
        what = f"limit of 600 a minute, {received} calls in {counted['calls_span_s']:.0f} s"
        self.rows.append((f"{what}: most in 60 s", f"{most}", "", "", "", "at most 612", ""))
        self.rows.append((f"{what}: share used", f"{share:.3f}", "", "", "", "0.95 or more", ""))

    def cost(self, draws: int) -> None:
        """What a run will cost, told before it."""
        (self.folder / "cost").mkdir()
        study = Study(self.folder / "cost", draws)
        study.point_at("http://127.0.0.1:9")
        command = study.command("cost", cores=1)
        what = f"`snakemake cost` of {draws:,} draws"
        first = took(command, study.folder)
        self.row(f"{what} from nothing, s", [first], attribute="seconds")
        again = [took(command, study.folder) for _ in range(self.runs)]
        self.row(f"{what}, its manifest drawn, s", again, attribute="seconds")

    def row(
        self,
        what: str,
        ours: Sequence[Took],
        inspect: Sequence[Took] = (),
        alone: Sequence[Took] = (),
        target: str = "-",
        *,
        attribute: str,
        scale: float = 1.0,
    ) -> None:
        """Add a row of medians, and say it at once, since the whole takes minutes."""
        numbers = [
            _middle(runs, attribute) * scale if runs else None for runs in (ours, inspect, alone)
        ]
        shown = ["" if number is None else f"{number:.2f}" for number in numbers]
        ratio = f"{numbers[0] / numbers[1]:.2f}" if numbers[0] and numbers[1] else ""
        load = f"{_middle([*ours, *inspect, *alone], 'load'):.1f}"
        self.rows.append((what, *shown, ratio, target, load))
        print(f"... {what}: {' | '.join(shown)}", file=sys.stderr, flush=True)

    def table(self) -> str:
        """The rows in Markdown."""
        names = ("what", "ours", "Inspect AI", "bare client", "ours / Inspect", "target", "load")
        lines = [names, ("---",) * len(names), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _middle(runs: Sequence[Took], attribute: str) -> float:
    return float(median(getattr(run, attribute) for run in runs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of each thing that is measured (3)")
    parser.add_argument("--quick", action="store_true", help="one run, of 40 sessions")
    parser.add_argument("--inspect", default="", metavar="PYTHON", help="one that has inspect-ai")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    parser.add_argument("--bare", nargs=2, metavar=("DEBATES", "URL"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.bare:
        debates = json.loads(Path(options.bare[0]).read_text(encoding="utf-8"))
        asyncio.run(bare(debates, options.bare[1]))
        return
    runs, sessions = (1, 40) if options.quick else (options.runs, 200)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), runs, sessions, options.inspect)
        bench.draw()
        for part in options.only:
            PARTS[part](bench)
    print(bench.table())
    if not options.inspect:
        print("\nInspect AI was left out: name a python that has inspect-ai with --inspect.")


#: What can be measured, in the table's order.
PARTS: dict[str, Callable[[Bench], None]] = {
    "0.2": lambda bench: bench.in_flight(0.2, "at most 0.6 of Inspect"),
    "2": lambda bench: bench.in_flight(2.0, "at most 0.75 of Inspect"),
    "replay": lambda bench: bench.replay(),
    "limit": lambda bench: bench.limit(min(bench.draws, 100)),
    "cost": lambda bench: bench.cost(10_000),
}

if __name__ == "__main__":
    main()
