"""A provider that is asked in batches, for tests to ask."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dissensus.llm import http_client
from dissensus.llm.batches import batcher, client
from dissensus.llm.call import Message, Reply, Request
from dissensus.llm.exchange import max_tokens_of
from dissensus.llm.journal import InFlight
from dissensus.llm.ledger import Ledger
from dissensus.llm.registry import ModelRegistry
from serving import Server

KINDS = ("openai", "anthropic")
PRICES = """provider,model,input_usd,cached_input_usd,output_usd,batch_factor,as_of,source
there,real,2.00,,8.00,0.5,2026-01-01,a test
there,other,2.00,,8.00,0.5,2026-01-01,a test
"""
FAST = ("--words", "fixed", "--batch-seconds", "0.05", "--model", "real=simulated-a")
TWO = (*FAST, "--model", "other=simulated-b")
MOST_TOKENS = 64


def renew(monkeypatch: pytest.MonkeyPatch) -> InFlight:
    """Count the calls anew, so that one test may stop its run and not the next one's."""
    fresh = InFlight()
    for module in (batcher, client, http_client):
        monkeypatch.setattr(module, "IN_FLIGHT", fresh)
    return fresh


def make_registry(
    folder: Path,
    server: Server,
    kind: str = "openai",
    budget: float | None = None,
    **settings: Any,
) -> ModelRegistry:
    """The models of a run whose provider is asked in batches."""
    # Now, and not while calls wait for each other.
    import_module(kind)
    folder.mkdir(exist_ok=True)
    prices = folder / "prices.csv"
    prices.write_text(PRICES)
    provider = {
        "interface": kind,
        "base_url": server.address + ("/v1" if kind == "openai" else ""),
        "key_from": None,
        "simulated": True,
        "requests_per_minute": None,
        "tokens_per_minute": None,
        "concurrency": 8,
        "timeout_s": 5.0,
        "deadline_s": 1.0,
        "outage_s": 0.0,
        "retries": 20,
        "batch": True,
        "batch_wait_s": 0.2,
        "batch_poll_s": 0.02,
        **settings,
    }
    return ModelRegistry(
        {name: {"provider": "there", "model": name} for name in ("real", "other")},
        {"there": provider},
        folder=folder,
        stage="test",
        used=["real"],
        budget_usd=budget,
        prices=prices,
    )


def request(number: int, model: str = "real") -> Request:
    said = (Message("system", "Debate."), Message("user", f"This is call number {number}."))
    return Request(model, "identity", said, 0.2, MOST_TOKENS, number)


def ask(registry: ModelRegistry, number: int, model: str = "real") -> Reply:
    return registry.model(model).ask(request(number, model))


def ask_all(registry: ModelRegistry, count: int, model: str = "real") -> list[Reply]:
    """Calls 0 to count - 1, at the same time."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda number: ask(registry, number, model), range(count)))


def kind_of(kind: str) -> str:
    return "batched chat" if kind == "openai" else "batched messages"


def made(server: Server, kind: str = "openai") -> dict[str, int]:
    counts: dict[str, int] = server.stats()["batches"].get(kind, {})
    return counts


def plans(folder: Path) -> list[Path]:
    return sorted((folder / "batches" / "there").glob("*.plan.json"))


def change(path: Path, **members: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def half_price(reply: Reply) -> float:
    return (reply.input_tokens * 2.0 + reply.output_tokens * 8.0) / 1e6 / 2


def spent(folder: Path) -> Ledger:
    return Ledger(folder / "ledger.jsonl", None)


@contextmanager
def begun(
    registry: ModelRegistry, server: Server, kind: str, count: int
) -> Iterator[list[Future[Reply]]]:
    """Calls whose batch was made, and is not over."""
    with ThreadPoolExecutor(count) as pool:
        calls = [pool.submit(ask, registry, number) for number in range(count)]
        until(lambda: made(server, kind).get("created") == 1)
        yield calls


def until(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.02)


def most_usd(number: int = 0) -> float:
    said = sum(len(message.content.encode()) for message in request(number).messages)
    return (max_tokens_of(said) * 2.0 + MOST_TOKENS * 8.0) / 1e6 / 2
