"""The HTTP client: deadlines, limits, and the budget."""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import BudgetReached, ProviderError, Stopped
from dissensus.llm import http_client as client_module
from dissensus.llm import journal as journal_module
from dissensus.llm.call import Message, Request
from dissensus.llm.journal import InFlight, Journal
from dissensus.llm.sender import SIMULATED_HEADER
from hostile import (
    BILL,
    PRICED,
    REQUEST,
    Asked,
    Hostile,
    Said,
    answer,
    chat,
    empty,
    error,
    every_interface,
    hostile,
    make_registry,
    prepare,
    provider,
)


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def requests(n: int) -> list[Request]:
    return [replace(REQUEST, seed=seed) for seed in range(n)]


def model(folder: Path, server: Hostile, interface: str = "openai", **changes: Any) -> Any:
    return make_registry(folder, {"p": provider(server, interface, **changes)}, PRICED).model("m")


def ledger(folder: Path) -> list[dict[str, Any]]:
    """What tries have come to, without what was reserved for them."""
    path = folder / "ledger.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in map(json.loads, lines) if "sure" in line]


def most() -> float:
    """What a try at REQUEST can cost at most."""
    said = sum(len(message.content.encode()) for message in REQUEST.messages) // 3 + 1
    return (said * 1000 + REQUEST.max_tokens * 10_000) / 1e6


# Deadlines


@every_interface
@pytest.mark.parametrize("said", [Said(after=30.0), Said(drip=0.01)], ids=["silence", "drip"])
def test_a_try_ends_in_time_and_counts_as_spent(tmp_path: Path, interface: str, said: Said) -> None:
    with hostile(said, Said(answer(interface))) as server:
        reply = model(tmp_path, server, interface, timeout_s=0.5).ask(REQUEST)
    assert (reply.text, reply.faults) == ("Hello.", ("timeout",))
    assert reply.faults_usd == pytest.approx(most())
    assert [line["sure"] for line in ledger(tmp_path)] == [False, True]


@every_interface
@pytest.mark.parametrize("said", [Said(after=30.0), Said(drip=0.01)], ids=["silence", "drip"])
def test_a_call_ends_in_time_and_counts_as_spent(
    tmp_path: Path, interface: str, said: Said
) -> None:
    with hostile(said) as server:
        began = time.monotonic()
        reply = model(tmp_path, server, interface, deadline_s=0.2).ask(REQUEST)
        # Less than the server would have taken.
        assert time.monotonic() - began < 25.0
        # The connection is closed at once, not kept for an answer that nobody waits for.
        while server.now:
            time.sleep(0.01)
        assert time.monotonic() - began < 28.0
    assert (reply.text, reply.error, reply.faults) == ("", "timeout", ())
    assert reply.faults_usd == pytest.approx(most())
    assert [line["sure"] for line in ledger(tmp_path)] == [False]


def test_a_deadline_ends_backoff_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch, retry_s=30.0)
    with hostile(Said(error("openai", "It broke"), 500)) as server:
        reply = model(tmp_path, server, deadline_s=0.3).ask(REQUEST)
    assert (reply.error, reply.faults) == ("server_error", ())


def test_a_request_that_is_never_read_ends_in_time(tmp_path: Path) -> None:
    """The server answers before it has read what is sent, and says no more."""
    long = replace(REQUEST, messages=(Message("user", "x" * 20_000_000),))
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"

    def serve() -> None:
        connections = []
        for _ in range(2):
            connection, _ = listening.accept()
            connections.append(connection)
            sent = connection.makefile("rb")
            if sent.readline().startswith(b"GET"):
                # Read whole and told to end: what comes next must not take this connection.
                while sent.readline().strip():
                    pass
                connection.sendall(
                    b"HTTP/1.1 404 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
                )
                sent.close()
                connection.close()
            else:
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")
        release.wait(20)
        for connection in connections:
            connection.close()

    release = threading.Event()
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    settings = provider(url, timeout_s=0.5, retries=0)
    # The first connection is the preflight's.
    made = make_registry(tmp_path, {"p": settings}).model("m")
    try:
        assert made.ask(long).error == "timeout"
    finally:
        release.set()
        thread.join(5)
        listening.close()


@pytest.mark.slow
def test_the_queue_counts_for_no_deadline(tmp_path: Path) -> None:
    """Twenty calls of 0.1 s through one place take 2 s, and each has 1.5 s."""
    with hostile(Said(chat(), after=0.1)) as server:
        made = model(tmp_path, server, concurrency=1, deadline_s=1.5, timeout_s=1.5)
        with ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(made.ask, requests(20)))
    assert [reply.error for reply in replies] == [""] * 20
    assert max(reply.queued_s for reply in replies) > 1.5
    assert max(reply.latency_s for reply in replies) < 1.5
    assert server.most_at_once == 1


@pytest.mark.slow
def test_a_pace_counts_for_no_deadline(tmp_path: Path) -> None:
    with hostile(Said(chat())) as server:
        made = model(tmp_path, server, requests_per_minute=150, deadline_s=1.5)
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(made.ask, requests(8)))
    assert [reply.error for reply in replies] == [""] * 8
    assert max(reply.queued_s for reply in replies) > 1.5


# ConcurrencyLimit


def test_the_places_of_a_provider_are_for_all_its_models_and_threads(tmp_path: Path) -> None:
    with hostile(Said(chat(), after=0.03)) as server:
        models = {name: {"provider": "p"} for name in ("m", "other")}
        made = make_registry(tmp_path, {"p": provider(server, concurrency=5)}, models)
        with ThreadPoolExecutor(40) as pool:
            asked = [
                pool.submit(made.model("m" if i % 2 else "other").ask, request)
                for i, request in enumerate(requests(60))
            ]
            assert all(one.result().text == "Hello." for one in asked)
    assert server.most_at_once == 5


# Retry-After


@pytest.mark.parametrize(
    ("interface", "status"),
    [("openai", 429), ("anthropic", 429), ("openai", 503), ("anthropic", 500)],
)
def test_all_calls_of_a_provider_wait_as_long_as_it_asks(
    tmp_path: Path, interface: str, status: int
) -> None:
    times: list[float] = []

    def say(_: Asked) -> Said:
        times.append(time.monotonic())
        if len(times) == 1:
            return Said(error(interface, "Wait."), status, headers=[("retry-after", "0.3")])
        return Said(answer(interface))

    with hostile(say) as server:
        made = model(tmp_path, server, interface)
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(made.ask, REQUEST)
            while not times:
                time.sleep(0.005)
            time.sleep(0.1)
            assert pool.submit(made.ask, replace(REQUEST, seed=1)).result().text == "Hello."
            assert first.result().text == "Hello."
    assert len(times) == 3
    assert min(times[1:]) - times[0] >= 0.29


def test_a_wait_beyond_the_deadline_ends_the_run(tmp_path: Path) -> None:
    said = Said(error("openai", "Tomorrow."), 429, headers=[("retry-after", "86400")])
    with hostile(said) as server:
        made = model(tmp_path, server)
        journal = Journal(tmp_path / "journal.jsonl")
        with pytest.raises(ProviderError, match=r"p asks to wait 86,400 s.*deadline_s of 20"):
            journal.ask(made, REQUEST)
    assert len(journal) == 0
    assert len(server.calls) == 1


# Money


def test_a_budget_is_not_passed(tmp_path: Path) -> None:
    with hostile(Said(chat(), after=0.02)) as server:
        settings = {"p": provider(server, concurrency=4)}
        # What a call can cost is far more than what it does cost.
        budget = 10.5 * BILL + most()
        made = make_registry(tmp_path, settings, PRICED, budget_usd=budget).model("m")
        journal = Journal(tmp_path / "journal.jsonl")

        def one(request: Request) -> str:
            try:
                return journal.ask(made, request).text
            except BudgetReached as reached:
                return str(reached)

        with ThreadPoolExecutor(20) as pool:
            said = list(pool.map(one, requests(40)))
        bill = len(server.calls) * BILL
        assert len(server.calls) == 11
        assert said.count("Hello.") == len(server.calls) == len(journal)
        last = {text for text in said if text != "Hello."}
        assert last == {
            f"The run has spent ${bill:,.4f} of the ${budget:,.4f} that budget_usd allows, and the "
            f"next call may cost up to ${most():,.4f}; raise budget_usd and start again: the run "
            "goes on where it stopped."
        }
        assert sum(line["usd"] for line in ledger(tmp_path)) == pytest.approx(bill)

        again = make_registry(tmp_path, settings, PRICED, budget_usd=100.0).model("m")
        with ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(lambda r: journal.ask(again, r), requests(40)))
    assert [reply.text for reply in replies] == ["Hello."] * 40
    assert len(server.calls) == 40


def test_tries_without_an_answer_use_the_budget_up(tmp_path: Path) -> None:
    with hostile(Said(cut="all")) as server:
        settings = {"p": provider(server, retries=50)}
        made = make_registry(tmp_path, settings, PRICED, budget_usd=3.5 * most()).model("m")
        with pytest.raises(BudgetReached, match="whose answer has not arrived"):
            made.ask(REQUEST)
    assert len(server.calls) == 3
    assert [line["sure"] for line in ledger(tmp_path)] == [False] * 3


@every_interface
def test_every_try_is_booked_once(tmp_path: Path, interface: str) -> None:
    said = [
        Said(empty(interface)),
        Said(b"?"),
        Said(cut="all"),
        Said(b"", 500),
        Said(answer(interface)),
    ]
    with hostile(*said) as server:
        reply = model(tmp_path, server, interface, retries=9).ask(REQUEST)
    assert reply.faults == ("empty", "malformed", "connection", "server_error")
    assert reply.cost_usd == pytest.approx(BILL)
    assert reply.faults_usd == pytest.approx(BILL + 2 * most())
    booked = [(line["sure"], line["usd"]) for line in ledger(tmp_path)]
    assert [sure for sure, _ in booked] == [True, False, False, True]
    assert sum(usd for _, usd in booked) == pytest.approx(reply.cost_usd + reply.faults_usd)


def test_what_has_not_left_when_the_run_ends_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_flight = InFlight()
    monkeypatch.setattr(client_module, "IN_FLIGHT", in_flight)
    monkeypatch.setattr(client_module, "_POLL_S", 0.05)
    with hostile(Said(chat(), after=0.2)) as server:
        made = model(tmp_path, server, concurrency=2)
        with ThreadPoolExecutor(6) as pool:
            asked = [pool.submit(made.ask, request) for request in requests(6)]
            while len(server.calls) < 2:
                time.sleep(0.005)
            in_flight.close()
            ends = [one.exception() for one in asked]
    assert len(server.calls) == 2
    assert sorted(type(end).__name__ for end in ends) == ["NoneType"] * 2 + ["Stopped"] * 4
    assert all(isinstance(end, Stopped | None) for end in ends)
    assert journal_module.IN_FLIGHT is not in_flight


# Real and simulated


@pytest.mark.parametrize("simulated", [True, False])
@pytest.mark.parametrize("listed", [True, False])
@every_interface
def test_simulated_words_and_real_ones_never_pass_for_each_other(
    tmp_path: Path, interface: str, simulated: bool, listed: bool
) -> None:
    headers = [(SIMULATED_HEADER, "1")] if not simulated else []
    models = Said({"data": [{"id": "m"}], "id": "m"}, headers=headers)
    with hostile(
        Said(answer(interface), headers=headers), models=models if listed else Said(b"", 404)
    ) as server:
        made = model(tmp_path, server, interface, simulated=simulated)
        journal = Journal(tmp_path / "journal.jsonl")
        with pytest.raises(ProviderError) as caught:
            journal.ask(made, REQUEST)
    found = "no simulated models" if simulated else "simulated models"
    assert str(caught.value) == (
        f"providers.p.simulated is {str(simulated).lower()}, and {found} answer at its address; "
        f"set it to {str(not simulated).lower()}, since every table and figure says which they "
        "show."
    )
    assert len(server.calls) == (0 if listed else 1)
    assert len(journal) == 0
    assert not ledger(tmp_path)


@every_interface
def test_simulated_models_that_say_so_are_simulated(tmp_path: Path, interface: str) -> None:
    headers = [(SIMULATED_HEADER, "1")]
    busy = Said(b"<html>a gateway's own words</html>", 502)
    models = Said({"data": [{"id": "m"}], "id": "m"}, headers=headers)
    with hostile(busy, Said(answer(interface), headers=headers), models=models) as server:
        assert model(tmp_path, server, interface, simulated=True).ask(REQUEST).text == "Hello."
        # By which they draw, also behind the interface that has none.
        assert server.calls[-1].decoding["seed"] == REQUEST.seed
