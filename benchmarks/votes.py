"""Part `votes`: debates that end in a vote, beside MALLM's simple voting.

Both ask the same server. Ours are the consensus study's debates of four agents, who answer side by
side and are done where all agree or after round 5. MALLM's agents answer one after the other for
three rounds, and are then asked once more for an answer and once for a vote. The last votes of our
debates are cast in MALLM's, and both have to decide the same.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import calls
import yaml
from bench import Bench, cpu, largest, seconds
from table import Row
from timing import Failed, Took, took

from project import Project

RUN = Path("results/bench/consensus")
MODEL = "consensus-agent"
LATENCY_S = 0.5
_SERVER = ("--latency", str(LATENCY_S))
#: What `debates.py` says of each debate: session, statement, last votes in the agents' order, mode.
Debate = dict[str, Any]


def measure(bench: Bench) -> None:
    """Measure ours, and MALLM where a python that has it is named."""
    with bench.attempt("debates that end in a vote"):
        study = Study(bench, repeats=1 if bench.quick else 8)
        ours, our_calls = study.measured(bench.runs)
        theirs, their_calls = by_mallm(bench, study.debates()) if bench.mallm else ([], 0.0)
        what = f"{study.sessions} debates of 4 agents that vote, at {LATENCY_S:g} s"
        beside = "MALLM" if theirs else ""
        counted = [their_calls] if theirs else []
        their_share = 1000 / their_calls if theirs else 0.0
        per_call = cpu(ours, 1000 / our_calls)
        bench.add(Row(what, "s", seconds(ours), beside, seconds(theirs)))
        bench.add(Row(f"{what}, calls", "", [our_calls], beside, counted))
        bench.add(Row(f"{what}, CPU a call", "ms", per_call, beside, cpu(theirs, their_share)))
        bench.add(Row(f"{what}, largest process", "MB", largest(ours), beside, largest(theirs)))


class Study:
    """The consensus study with one arm, whose manifest is drawn and of which no session has run."""

    def __init__(self, bench: Bench, repeats: int) -> None:
        self.project = Project(bench.folder / "study", {})
        self._repeats = repeats
        self._point_at(calls.NOWHERE)
        self.project.snakemake(str(RUN / "manifest.parquet"))
        names = self._written("sessions")
        self.sessions = len(names)

    def measured(self, runs: int) -> tuple[list[Took], float]:
        """What each run of all debates took, and its calls."""
        took_by_run = []
        with calls.server(*_SERVER, models=[MODEL], words="speeches") as address:
            self._point_at(address)
            for _ in range(runs):
                self.project.forget(["statements.parquet"], RUN)
                (self.project.folder / RUN.parent / "ledger.jsonl").unlink(missing_ok=True)
                took_by_run.append(
                    self.project.snakemake(str(RUN / "turns.parquet"), cores=self.sessions)
                )
            asked = calls.stats(address)["calls"]["chat"]["answered"] / runs
        return took_by_run, asked

    def debates(self) -> list[Debate]:
        """Its last votes, from the artefact that the study makes of them."""
        self.project.snakemake(str(RUN / "metrics.parquet"))
        return self._written("votes")

    def _written(self, what: str) -> list[Any]:
        """What a process of its own reads from the study: this one is to stay small."""
        path = self.project.folder / f"{what}.json"
        script = str(Path(__file__).with_name("debates.py"))
        study = str(self.project.folder / RUN)
        took([sys.executable, script, what, str(path), study], self.project.folder)
        written: list[Any] = json.loads(path.read_text(encoding="utf-8"))
        return written

    def _point_at(self, address: str) -> None:
        """Have the agents answer there, and leave out every arm but one."""
        defaults = yaml.safe_load((self.project.folder / "config.yaml").read_text(encoding="utf-8"))
        consensus = defaults["consensus"]
        others = consensus["arms"].keys() - {"debate"}
        here = {"interface": "openai", "base_url": f"{address}/v1", "key_from": None}
        self.project.configure(
            {
                "studies": ["consensus"],
                "providers": {"bench": {**here, "simulated": True}},
                "models": {"bench-agent": {"provider": "bench", "model": MODEL}},
                "consensus": {
                    "model": "bench-agent",
                    "domains": {"politics": None},
                    "statements": None,
                    "repeats": self._repeats,
                    "arms": dict.fromkeys(sorted(others)),
                    "variants": dict.fromkeys(consensus["variants"]),
                    "sanity": None,
                },
            }
        )


def by_mallm(bench: Bench, debates: list[Debate]) -> tuple[list[Took], float]:
    """The debates in MALLM, and its calls.

    Raises
    ------
    Failed : a debate was decided otherwise than in our study.
    """
    given, decided = bench.folder / "debates.json", bench.folder / "decisions.json"
    given.write_text(json.dumps(debates), encoding="utf-8")
    script = str(Path(__file__).with_name("mallm_votes.py"))
    with calls.server(*_SERVER, models=[MODEL]) as address:
        command = [bench.mallm, script, str(given), f"{address}/v1", MODEL, str(decided)]
        runs = [took(command, bench.folder) for _ in range(bench.runs)]
        asked = calls.stats(address)["calls"]["chat"]["answered"] / bench.runs
    winners: dict[str, int] = json.loads(decided.read_text(encoding="utf-8"))
    other = [d["session"] for d in debates if _mode(d, winners[d["session"]]) != d["mode"]]
    if other:
        raise Failed(f"MALLM decides {len(other)} debates otherwise, such as {other[0]}")
    return runs, asked


def _mode(debate: Debate, winner: int) -> int:
    """The vote of the agent whose answer won; -1 for a tie."""
    vote: int = debate["votes"][winner] if winner >= 0 else -1
    return vote
