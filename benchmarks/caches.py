"""Part `caches`: what the prompts of the union study cost where the provider keeps them, or not.

The server keeps prompts as Anthropic documents it (where they are marked) and as OpenAI does (by
prefix), counts what it bills, and takes a while to answer: a prompt that came meanwhile finds
nothing. What it would bill is compared with the run's ledger.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import calls
from bench import Bench
from table import Row, Target
from timing import Failed

from dissensus.llm.prices import Price, price_of, read_prices
from project import ROOT, Project

RUN = Path("results/bench/union")
LATENCY_S = 0.05
#: Sessions at the same time.
CORES = 4
#: Name -> the simulated model behind it.
PEOPLE = {
    "speaker": "union-speaker",
    "assistant": "union-assistant",
    "annotator": "union-annotator",
    "judge-a": "union-judge-a",
    "judge-b": "union-judge-b",
    "judge-c": "union-judge-c",
    "coach": "union-coach",
}
ROLES = {
    "speaker_model": "speaker",
    "extractor": "assistant",
    "interjector": "assistant",
    "annotator": "annotator",
    "judges": ["judge-a", "judge-b", "judge-c"],
    "coach": "coach",
}
#: Interface -> the model of the table of prices that all are billed as.
BILLED_AS = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-5.2"}
#: Of a third, at least.
_LESS = Target(2 / 3, "ratio")
_MICRO_DOLLAR = 1e-6


@dataclass(frozen=True)
class Bill:
    """What a run's calls cost, in dollars: their prompts, and all."""

    input_usd: float
    usd: float


def measure(bench: Bench) -> None:
    """Measure both interfaces."""
    for interface in BILLED_AS:
        with bench.attempt(f"union's prompts, {interface}"):
            bills = {cache: _run(bench, interface, cache) for cache in (False, True)}
            what = f"union's prompts billed as {BILLED_AS[interface]} with a cache of prompts"
            plain, cached = bills[False], bills[True]
            inputs = [cached.input_usd], "without one", [plain.input_usd]
            bench.add(Row(what, "$", *inputs, target=_LESS))
            everything = [cached.usd], "without one", [plain.usd]
            bench.add(Row(f"{what}, their replies too", "$", *everything))


def _run(bench: Bench, interface: str, cache: bool) -> Bill:
    """The study's sessions on a server of its own; what it bills, which the ledger has too."""
    folder = bench.folder / f"{interface}-{'with' if cache else 'without'}"
    project = Project(folder, {})
    # Without marks, Anthropic caches nothing; OpenAI would by itself.
    keeps = ["--caches"] if cache or interface == "anthropic" else []
    behind = [f"{name}={model}" for name, model in PEOPLE.items()]
    options = (*keeps, "--latency", str(LATENCY_S))
    with calls.server(*options, models=behind, words="speeches") as address:
        price = _price(interface)
        project.configure(_settings(interface, address, cache, price, bench.quick))
        project.snakemake(str(RUN / "turns.parquet"), cores=CORES, limit_s=3600.0)
        bill = _bill(calls.stats(address)["tokens"], price)
    ledger = (project.folder / RUN.parent / "ledger.jsonl").read_text("utf-8").splitlines()
    booked = sum(json.loads(line)["usd"] for line in ledger)
    bench.say(
        f"{interface}, {'with' if cache else 'without'}: ${bill.usd:.6f}, booked {booked:.6f}"
    )
    if abs(booked - bill.usd) > _MICRO_DOLLAR:
        raise Failed(f"the ledger has ${booked:.6f}, and the server bills ${bill.usd:.6f}")
    return bill


def _settings(
    interface: str, address: str, cache: bool, price: Price, quick: bool
) -> dict[str, Any]:
    """On top of config.yaml's."""
    rates = {
        "input": price.input_usd,
        "output": price.output_usd,
        "cached_input": price.cached_input_usd,
        "cache_write": price.cache_write_usd,
    }
    url = address if interface == "anthropic" else f"{address}/v1"
    provider = {"interface": interface, "base_url": url, "key_from": None, "simulated": True}
    return {
        "studies": ["union"],
        "providers": {"bench": provider},
        "models": {name: {"provider": "bench", "price": rates, "cache": cache} for name in PEOPLE},
        "union": {**ROLES, "epochs": 1, "runs": 1 if quick else 5},
    }


def _price(interface: str) -> Price:
    price = price_of(interface, BILLED_AS[interface], read_prices(ROOT / "resources/prices.csv"))
    if price is None:
        raise Failed(f"there is no price of {BILLED_AS[interface]}")
    return price


def _bill(tokens: dict[str, dict[str, int]], price: Price) -> Bill:
    """What the server's counts come to."""
    usd = [
        [
            price.cost(
                counted["input"],
                counted["cached"],
                output,
                written_tokens=counted["written"],
                written_1h_tokens=counted["written_1h"],
            )
            for output in (0, counted["output"])
        ]
        for counted in tokens.values()
    ]
    return Bill(sum(of_input for of_input, _ in usd), sum(whole for _, whole in usd))
