"""Outages: what a provider that answers nobody does to calls, and what it does not."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import DissensusError, ProviderError
from dissensus.llm import connection, registry
from dissensus.llm import outage as outage_module
from dissensus.llm.journal import Journal
from dissensus.llm.outage import IN_A_ROW, Outage
from dissensus.llm.outcomes import RULES
from hostile import (
    BILL,
    PRICED,
    REQUEST,
    Asked,
    Hostile,
    Said,
    answer,
    chat,
    error,
    every_interface,
    hostile,
    make_registry,
    prepare,
    provider,
)

BUSY = Said(error("openai", "Overloaded", "overloaded_error"), 503)


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch, outages=True)
    monkeypatch.setattr(outage_module, "FIRST_PROBE_S", 0.02)
    monkeypatch.setattr(outage_module, "MOST_PROBE_S", 0.1)
    monkeypatch.setattr(outage_module, "_POLL_S", 0.02)


def model(folder: Path, server: Hostile, interface: str = "openai", **changes: Any) -> Any:
    settings = provider(server, interface, **{"outage_s": 20.0, **changes})
    return make_registry(folder, {"p": settings}, PRICED).model("m")


def ask_all(made: Any, folder: Path, count: int) -> list[Any]:
    """What calls made at the same time come to, each through a journal of its own."""

    def one(seed: int) -> Any:
        try:
            journal = Journal(folder / f"{seed}.jsonl")
            return journal.ask(made, replace(REQUEST, seed=seed))
        except DissensusError as stop:
            return stop

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


FAULTS = {
    "overload": BUSY,
    "rate limit": Said(error("openai", "Slow down", "rate_limit_error"), 429),
    "server error": Said(error("openai", "It broke", "api_error"), 500),
    "gateway": Said(b"<html>Bad gateway</html>", 502),
    "maintenance page": Said(b"<html>Back soon</html>"),
    "reset": Said(cut="all"),
    "silence": Said(after=9.0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_no_call_fails_for_an_outage(
    tmp_path: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    over = threading.Event()

    def say(_: Asked) -> Said:
        return Said(chat()) if over.is_set() else FAULTS[fault]

    with hostile(say) as server:
        # Only silence needs patience to end, three times over; an answer of a slow machine is none.
        timeout_s, lasts_s = (0.4, 1.6) if fault == "silence" else (60.0, 0.5)
        made = model(tmp_path, server, timeout_s=timeout_s, retries=2)
        threading.Timer(lasts_s, over.set).start()
        replies = ask_all(made, tmp_path, 12)
        # Far fewer than the tries that twelve calls have in half a second.
        assert len(server.calls) < 12 * 3 + 12 + 40
    assert [(reply.text, reply.error) for reply in replies] == [("Hello.", "")] * 12
    assert "providers.p answers no call (" in (said := capsys.readouterr().err)
    assert said.endswith("providers.p answers again.\n")


@every_interface
def test_an_outage_that_lasts_stops_the_run_and_is_in_no_journal(
    tmp_path: Path, interface: str
) -> None:
    with hostile(Said(error(interface, "Overloaded", "overloaded_error"), 503)) as server:
        made = model(tmp_path, server, interface, retries=2, outage_s=0.3)
        ends = ask_all(made, tmp_path, 6)
    assert all(isinstance(end, ProviderError) for end in ends)
    assert "providers.p has answered no call for 0 s (" in str(ends[0])
    assert "the last by overload: Overloaded" in str(ends[0])
    assert "no session counts as failed for it" in str(ends[0])
    assert [path for path in tmp_path.glob("*.jsonl") if path.stat().st_size] == []
    with hostile(Said(answer(interface))) as server:
        again = ask_all(model(tmp_path, server, interface), tmp_path, 6)
    assert [reply.text for reply in again] == ["Hello."] * 6


def test_without_patience_for_outages_the_run_stops_at_once(tmp_path: Path) -> None:
    with hostile(BUSY) as server:
        [end] = ask_all(model(tmp_path, server, retries=2, outage_s=0.0), tmp_path, 1)
    assert "has answered no call for 0 s (3 tries in a row failed" in str(end)
    assert len(server.calls) == 3


def test_an_address_where_nobody_listens_any_more_is_out(tmp_path: Path) -> None:
    with hostile(Said(chat())) as server:
        made = model(tmp_path, server, retries=3, outage_s=0.2)
        assert made.ask(REQUEST).text == "Hello."
    [end] = ask_all(made, tmp_path, 1)
    assert "has answered no call for" in str(end)
    assert "connection: Connect call failed" in str(end)


def test_what_fails_while_others_are_answered_is_the_sessions_own_failure(tmp_path: Path) -> None:
    done = threading.Event()

    def say(asked: Asked) -> Said:
        return BUSY if asked.body["seed"] == 0 else Said(chat())

    def ask_on(made: Any) -> None:
        for seed in range(1, 10_000):
            if done.is_set():
                return
            assert made.ask(replace(REQUEST, seed=seed)).text == "Hello."

    with hostile(say) as server:
        made = model(tmp_path, server, retries=4)
        others = threading.Thread(target=ask_on, args=(made,))
        others.start()
        try:
            [reply] = ask_all(made, tmp_path, 1)
        finally:
            done.set()
            others.join()
    assert (reply.error, reply.faults) == ("overload", ("overload",) * 4)


def test_what_others_were_asked_before_is_no_sign_of_life(tmp_path: Path) -> None:
    """Three are answered while a fourth fails, but they were sent before the outage began."""
    over = threading.Event()

    def say(asked: Asked) -> Said:
        if asked.body["seed"] and not over.is_set():
            return Said(chat(), after=0.3)
        return Said(chat()) if over.is_set() else BUSY

    with hostile(say) as server:
        made = model(tmp_path, server, retries=1)
        threading.Timer(1.0, over.set).start()
        replies = ask_all(made, tmp_path, 4)
    assert [reply.error for reply in replies] == [""] * 4


def test_the_last_call_of_all_fails_by_itself_where_something_else_is_answered(
    tmp_path: Path,
) -> None:
    """No other call is left to tell an outage from a prompt that the provider cannot bear."""

    def say(asked: Asked) -> Said:
        is_easy = asked.body["messages"][-1]["content"] == "Hello."
        return Said(chat()) if is_easy else BUSY

    with hostile(say) as server:
        [reply] = ask_all(model(tmp_path, server, retries=1), tmp_path, 1)
    assert (reply.text, reply.error) == ("", "overload")
    easy = [one for one in server.calls if one.body["messages"][-1]["content"] == "Hello."]
    assert len(easy) == 1
    # What was asked besides is booked as any other call.
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert sum(line["usd"] for line in lines if "sure" in line) == pytest.approx(BILL)


def test_a_sessions_own_patience_is_its_own(tmp_path: Path) -> None:
    with hostile(Said(after=9.0)) as server:
        reply = model(tmp_path, server).ask(REQUEST, 0.1)
    assert (reply.error, reply.faults) == ("timeout", ())


def test_the_time_of_an_outage_is_no_latency(tmp_path: Path) -> None:
    over = threading.Event()
    with hostile(lambda _: Said(chat()) if over.is_set() else BUSY) as server:
        made = model(tmp_path, server, retries=1)
        threading.Timer(1.6, over.set).start()
        [reply] = ask_all(made, tmp_path, 1)
    assert reply.text == "Hello."
    assert reply.queued_s > 0.8 > reply.latency_s


# The clock of it


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def out(limit_s: float = 600.0) -> tuple[Outage, Clock]:
    clock = Clock()
    outage = Outage("p", limit_s, clock)
    for _ in range(IN_A_ROW):
        outage.failed("overload")
    return outage, clock


def test_one_answer_among_many_failures_is_no_outage() -> None:
    outage = Outage("p", 600.0)
    for _ in range(5):
        for _ in range(IN_A_ROW - 1):
            outage.failed("overload")
        outage.answered(0.0)
    assert not outage.is_on


def test_probes_come_at_growing_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage_module, "FIRST_PROBE_S", 1.0)
    monkeypatch.setattr(outage_module, "MOST_PROBE_S", 8.0)
    outage, clock = out()
    times = []

    async def wait() -> None:
        while len(times) < 6:
            assert await outage.admit(lambda: None)
            times.append(clock.now)
            outage.probed()

    async def tick() -> None:
        while len(times) < 6:
            await asyncio.sleep(0.011)
            clock.now += 0.5

    async def both_of_them() -> None:
        await asyncio.gather(wait(), tick())

    monkeypatch.setattr(outage_module, "_POLL_S", 0.001)
    asyncio.run(both_of_them())
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert gaps == pytest.approx([2.0, 4.0, 8.0, 8.0, 8.0], abs=0.6)


def test_every_outcome_says_whose_fault_it_is() -> None:
    by_fault = {
        fault: {name for name, rule in RULES.items() if rule.fault == fault}
        for fault in ("session", "provider", "account")
    }
    assert by_fault["account"] == {"authentication", "credit"}
    assert {"context_overflow", "refusal", "empty"} <= by_fault["session"]
    assert {"overload", "server_error", "rate_limit", "timeout"} <= by_fault["provider"]
    assert set().union(*by_fault.values()) == set(RULES)


def test_a_connection_that_is_never_made_books_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address that stops accepting: its queue is full, and nothing was sent."""
    monkeypatch.setattr(connection, "_CONNECT_S", 0.2)
    with hostile(Said(chat())) as server, socket.socket() as full, ExitStack() as stack:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        made = model(tmp_path, server, outage_s=1.0, retries=2)
        assert made.ask(REQUEST).text == "Hello."
        spent = tmp_path.joinpath("ledger.jsonl").read_bytes()
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        server.url = f"http://127.0.0.1:{full.getsockname()[1]}"
        monkeypatch.setattr(registry.ModelRegistry, "_check_models", _nothing_wrong)
        again = model(tmp_path, server, outage_s=1.0, retries=2)
        with pytest.raises(ProviderError, match="has answered no call for"):
            again.ask(replace(REQUEST, seed=9))
    assert tmp_path.joinpath("ledger.jsonl").read_bytes() == spent


async def _nothing_wrong(*_: object) -> list[str]:
    return []
