"""A provider that keeps prompts: what it bills is what is booked, in calls and in batches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from batching import FAST
from dissensus.llm.call import Message, Request
from dissensus.llm.prices import Price
from dissensus.llm.registry import ModelRegistry
from dissensus.llm.settings import ProviderSettings
from hostile import make_registry
from serving import Server, serving

PRICE = Price(3.0, 0.3, 15.0, 0.5, "", "")
RATES = {"input": 3.0, "cached_input": 0.3, "output": 15.0, "batch_factor": 0.5}
#: 1,500 tokens, as the server counts.
SHARED = "abcd" * 1500


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(*FAST, "--caches") as started:
        yield started


def registry(
    folder: Path, server: Server, interface: str, cache: bool = True, **changes: Any
) -> ModelRegistry:
    url = server.address + ("/v1" if interface == "openai" else "")
    given = {"interface": interface, "base_url": url, "simulated": True, **changes}
    models = {"real": {"provider": "p", "cache": cache, "price": RATES}}
    return make_registry(folder, {"p": ProviderSettings(**given).model_dump()}, models)


def request(end: str) -> Request:
    messages = (Message("user", f"{SHARED}{end}", (len(SHARED),)),)
    return Request("real", "id", messages, 0.2, 64, 9)


def billed(server: Server, factor: float = 1.0) -> float:
    """What the server's counts come to."""
    counted = server.stats()["tokens"]["real"]
    tokens = counted["input"], counted["cached"], counted["output"]
    kept = {f"{name}_tokens": counted[name] for name in ("written", "written_1h")}
    return factor * PRICE.cost(*tokens, **kept)


def booked(folder: Path) -> float:
    lines = (folder / "ledger.jsonl").read_text("utf-8").splitlines()
    return sum(json.loads(line)["usd"] for line in lines)


@pytest.mark.parametrize(
    ("interface", "cache", "counts"),
    [
        ("anthropic", True, [(0, 1500), (1500, 0), (1500, 0)]),
        ("anthropic", False, [(0, 0)] * 3),
        # In steps of 128, and with no charge for what is kept.
        ("openai", True, [(0, 0), (1408, 0), (1408, 0)]),
        ("openai", False, [(0, 0), (1408, 0), (1408, 0)]),
    ],
)
def test_what_prompts_begin_with_is_billed_for_less_and_booked_so(
    tmp_path: Path, server: Server, interface: str, cache: bool, counts: list[tuple[int, int]]
) -> None:
    model = registry(tmp_path, server, interface, cache).model("real")
    replies = [model.ask(request(end)) for end in ("one", "two", "one")]
    assert [(reply.cached_tokens, reply.written_tokens) for reply in replies] == counts
    assert {reply.input_tokens for reply in replies} == {1501}
    assert booked(tmp_path) == pytest.approx(billed(server), abs=1e-9)


@pytest.mark.parametrize("interface", ["anthropic", "openai"])
def test_batches_are_marked_and_booked_alike(
    tmp_path: Path, server: Server, interface: str
) -> None:
    settings = {"batch": True, "batch_wait_s": 0.05, "batch_poll_s": 0.05}
    model = registry(tmp_path, server, interface, **settings).model("real")
    assert not model.caches, "calls of a batch do not wait for one of them"
    first, second = (model.ask(request(end)) for end in ("one", "two"))
    assert first.written_tokens == (1500 if interface == "anthropic" else 0)
    assert second.cached_tokens == (1500 if interface == "anthropic" else 1408)
    assert booked(tmp_path) == pytest.approx(billed(server, 0.5), abs=1e-9)


def test_more_marks_than_may_be_are_refused(tmp_path: Path, server: Server) -> None:
    """As a study's own marks would be that are one too many."""
    marks = [{"name": str(n), "cache_control": {"type": "ephemeral"}} for n in range(5)]
    blocks = [{"type": "text", "text": mark["name"], **mark} for mark in marks]
    models = {"real": {"provider": "p", "parameters": {"system": blocks}}}
    given = {"interface": "anthropic", "base_url": server.address, "simulated": True}
    registry = make_registry(tmp_path, {"p": ProviderSettings(**given).model_dump()}, models)
    with pytest.raises(Exception, match="A maximum of 4 blocks with cache_control"):
        registry.model("real").ask(request("one"))
