"""The limits refuse what is beyond them, and the counts add up."""

from __future__ import annotations

import asyncio
import json
import math
import socket
import statistics
import subprocess
import sys
import time
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clients import anthropic, asked, asked_message, by_anthropic, by_openai, openai, prompt
from dissensus_serve.limits import WINDOW_S, Gate, Window
from dissensus_serve.refusals import Refusal
from dissensus_serve.replies import tokens
from dissensus_serve.service import Options, Service
from serving import Server, serving


def test_requests_beyond_the_limit_are_told_when_to_come_again():
    with serving("--requests-per-minute", "3") as server:
        client = by_openai(server)
        for seed in range(3):
            client.chat.completions.create(**asked(), seed=seed)
        with pytest.raises(openai.RateLimitError) as first:
            client.chat.completions.create(**asked(), seed=3)
        with pytest.raises(anthropic.RateLimitError):
            by_anthropic(server).messages.create(**asked_message())
        counted = server.stats()
    assert first.value.code == "rate_limit_exceeded"
    assert 55 <= float(first.value.response.headers["retry-after"]) <= 60
    assert counted["largest_minute"] == {"received": 5, "admitted": 3}
    assert counted["calls"]["chat"]["refused"] == {"429": 1}
    assert counted["calls"]["messages"]["refused"] == {"429": 1}
    assert counted["calls"]["chat"]["answered"] == 3


def test_tokens_beyond_the_limit_are_refused():
    with serving("--tokens-per-minute", str(2 * tokens(prompt()))) as server:
        client = by_openai(server)
        client.chat.completions.create(**asked())
        with pytest.raises(openai.RateLimitError, match="TPM"):
            client.chat.completions.create(**asked())


def test_calls_at_once_beyond_the_limit_are_refused():
    async def ask() -> list[Any]:
        options = {"api_key": "any", "base_url": f"{server.address}/v1", "max_retries": 0}
        async with openai.AsyncOpenAI(**options) as client:
            calls = [client.chat.completions.create(**asked(), seed=n) for n in range(5)]
            return await asyncio.gather(*calls, return_exceptions=True)

    with serving("--concurrency", "2", "--latency", "0.4") as server:
        answers = asyncio.run(ask())
        counted = server.stats()
    assert sum(isinstance(answer, openai.RateLimitError) for answer in answers) == 3
    assert counted["calls"]["chat"]["answered"] == 2
    assert counted["in_flight"]["now"] == 0
    assert 2 <= counted["in_flight"]["peak"] <= 5


@settings(max_examples=100)
@given(
    gaps=st.lists(st.floats(0, 30), min_size=1, max_size=80),
    limit=st.integers(1, 6),
)
def test_no_sixty_seconds_ever_hold_more_than_the_limit(gaps: list[float], limit: int):
    gate, now, entered = Gate(limit, None, None), 0.0, []
    for gap in gaps:
        now += gap
        try:
            gate.enter(now, 10)
        except Refusal as refused:
            assert refused.retry_after is not None and 0 < refused.retry_after <= WINDOW_S
            # What is told is neither too late nor too early.
            recent = [then for then in entered if then > now - WINDOW_S]
            assert len(recent) == limit
            assert now + refused.retry_after == pytest.approx(recent[0] + WINDOW_S)
        else:
            entered.append(now)
    for start in entered:
        assert sum(start <= then < start + WINDOW_S - 1e-9 for then in entered) <= limit


def test_a_window_forgets_and_remembers_its_largest():
    window = Window()
    for now, amount in ((0, 5), (10, 7), (59, 1), (61, 2), (200, 3)):
        window.add(now, amount)
    assert (window.total, window.largest) == (3, 13)
    assert window.wait(200, 7, 10) == 0
    assert window.wait(220, 8, 10) == pytest.approx(40)
    assert window.wait(220, 11, 10) == WINDOW_S


def test_latency_is_the_whole_time_of_an_answer():
    with serving("--latency", "0.2") as server, httpx2.Client() as client:
        for seed in range(3):
            started = time.monotonic()
            client.post(f"{server.address}/v1/chat/completions", json={**asked(), "seed": seed})
            assert time.monotonic() - started >= 0.2


def test_latencies_spread_by_their_factor():
    service = Service(Options(models={}, latency_s=0.2, latency_spread=1.5))
    draws = [service.latency(service.faults.draw("chat", f"{n:064x}")) for n in range(4000)]
    logs = [math.log(draw / 0.2) for draw in draws]
    assert statistics.mean(logs) == pytest.approx(0, abs=0.02)
    assert statistics.stdev(logs) == pytest.approx(math.log(1.5), rel=0.04)


def test_the_counts_tell_answers_from_repeats_and_tokens_by_model():
    with serving() as server:
        client = by_openai(server)
        used = [client.chat.completions.create(**asked(), seed=n % 3).usage for n in range(5)]
        client.embeddings.create(model="text-embedding-3-large", input=["abcd"] * 3)
        with pytest.raises(openai.NotFoundError):
            client.chat.completions.create(**asked("nobody"))
        counted = server.stats()
    assert counted["calls"]["chat"] == {
        "received": 6,
        "answered": 5,
        "distinct": 3,
        "repeats": 2,
        "faults": {},
        "refused": {"404": 1},
        "abandoned": 0,
    }
    assert counted["calls"]["embeddings"]["answered"] == 1
    nothing = dict.fromkeys(("cached", "written", "written_1h", "lost_input", "lost_output"), 0)
    assert counted["tokens"] == {
        "simulated-a": {
            "input": sum(usage.prompt_tokens for usage in used if usage),
            "output": sum(usage.completion_tokens for usage in used if usage),
            **nothing,
        },
        "text-embedding-3-large": {
            "input": 3,
            "output": 0,
            **nothing,
        },
    }
    assert counted["in_flight"] == {"now": 0, "peak": 1}


_CLIENT = """
import json, sys, httpx2
httpx2.post(sys.argv[1], json=json.loads(sys.argv[2]), timeout=60)
"""


def test_a_client_that_is_killed_leaves_its_call_unanswered():
    with serving("--latency", "30") as server:
        url = f"{server.address}/v1/chat/completions"
        command = [sys.executable, "-c", _CLIENT, url, json.dumps(asked())]
        with subprocess.Popen(command) as client:
            wait_for(server, now=1)
            client.kill()
        wait_for(server, now=0)
        counted = server.stats()["calls"]["chat"]
    assert (counted["received"], counted["answered"], counted["abandoned"]) == (1, 0, 1)


def test_a_client_that_leaves_in_the_middle_of_its_request_is_counted():
    with serving() as server:
        port = int(server.address.rsplit(":", 1)[1])
        head = b"POST /v1/messages HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{"
        for said in (head, b"garbage\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(said)
                wait_for(server, now=int(said == head))
        wait_for(server, now=0)
        counted, errors = server.stats()["calls"], server.errors()
    assert list(counted) == ["messages"]
    assert (counted["messages"]["received"], counted["messages"]["abandoned"]) == (1, 1)
    assert errors == ""


def wait_for(server: Server, now: int) -> None:
    """Wait until so many calls are in flight."""
    for _ in range(500):
        if server.stats()["in_flight"]["now"] == now:
            return
        time.sleep(0.02)
    raise AssertionError(f"there were never {now} calls in flight")
