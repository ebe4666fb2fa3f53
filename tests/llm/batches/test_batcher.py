"""Batch mode: how calls become batches, what is paid for them, and what stops a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from batching import (
    FAST,
    KINDS,
    TWO,
    ask,
    ask_all,
    half_price,
    kind_of,
    made,
    make_registry,
    most_usd,
    plans,
    renew,
    spent,
)
from dissensus.errors import BudgetReached, ProviderError
from dissensus.llm.batches.files import BatchFiles, Plan, Planned
from dissensus.llm.batches.interface import State
from dissensus.llm.call import Reply
from dissensus.llm.journal import InFlight
from dissensus.llm.ledger import Ledger
from serving import serving


@pytest.fixture(autouse=True)
def in_flight(monkeypatch: pytest.MonkeyPatch) -> InFlight:
    """The calls of one test."""
    return renew(monkeypatch)


@pytest.mark.parametrize("kind", KINDS)
def test_each_turn_of_all_sessions_is_one_batch_at_half_the_price(
    tmp_path: Path, kind: str
) -> None:
    with serving(*FAST, "--batch-seconds", "0.2") as server:
        registry = make_registry(tmp_path, server, kind, batch_wait_s=0.4)

        def session(number: int) -> list[Reply]:
            return [ask(registry, number + 100 * turn) for turn in range(3)]

        with ThreadPoolExecutor(20) as pool:
            replies = [reply for three in pool.map(session, range(20)) for reply in three]
        stats = server.stats()
    assert stats["batches"][kind] == {"created": 3, "requests": 60, "ended": 3}
    assert stats["calls"][kind_of(kind)]["answered"] == 60
    assert list(stats["calls"]) == [kind_of(kind)]
    for reply in replies:
        assert reply.text and not reply.error and not reply.faults
        assert reply.cost_usd == pytest.approx(half_price(reply), rel=1e-12)
        assert reply.answered_by == "real" and reply.request_id
        assert 0.2 <= reply.latency_s < 5 and 0.1 <= reply.queued_s < 5
    tokens = stats["tokens"]["real"]
    usd = (tokens["input"] * 2.0 + tokens["output"] * 8.0) / 1e6 / 2
    assert spent(tmp_path).sure_usd == pytest.approx(usd, rel=1e-12) and usd > 0
    assert spent(tmp_path).unsure_usd == 0.0


@pytest.mark.parametrize(("kind", "count"), [("openai", 2), ("anthropic", 1)])
def test_a_batch_asks_one_model_where_the_provider_wants_it_so(
    tmp_path: Path, kind: str, count: int
) -> None:
    with serving(*TWO) as server:
        registry = make_registry(tmp_path, server, kind)
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(lambda name: ask(registry, 1, name), ("real", "other")))
        assert made(server, kind)["created"] == count
    assert [reply.answered_by for reply in both] == ["real", "other"]


def test_a_batch_holds_no_more_calls_than_the_provider_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dissensus.llm.batches.openai.OpenAIBatches.most_requests", 4)
    with serving(*FAST) as server:
        assert all(reply.text for reply in ask_all(make_registry(tmp_path, server), 10))
        assert made(server) == {"created": 3, "requests": 10, "ended": 3}


@pytest.mark.parametrize("kind", KINDS)
def test_what_failed_in_one_batch_is_asked_again_in_the_next(tmp_path: Path, kind: str) -> None:
    faults = ("server_error", "overload", "rate_limit", "timeout", "empty")
    options = [part for fault in faults for part in ("--fault", f"{fault}=0.07")]
    with serving(*FAST, *options, "--hang", "0.1", "--seed", "4") as server:
        replies = ask_all(make_registry(tmp_path, server, kind), 30)
        counts = server.stats()["calls"][kind_of(kind)]
        tokens = server.stats()["tokens"]["real"]
    assert all(reply.text and not reply.error for reply in replies)
    assert counts["answered"] == counts["distinct"] == 30
    seen = [fault for reply in replies for fault in reply.faults]
    assert Counter(seen) == counts["faults"] and len(set(seen)) >= 4
    # Errors, and what it never came to, cost nothing; empty answers do, and are said to.
    usd = (tokens["input"] * 2.0 + tokens["output"] * 8.0) / 1e6 / 2
    assert spent(tmp_path).sure_usd == pytest.approx(usd, rel=1e-9)
    assert spent(tmp_path).unsure_usd == 0.0
    told = sum((reply.cost_usd or 0.0) + reply.faults_usd for reply in replies)
    assert told == pytest.approx(usd, rel=1e-9)


def test_an_answer_that_cannot_be_read_counts_at_its_most(tmp_path: Path) -> None:
    with serving(*FAST, "--fault", "malformed=0.3", "--seed", "7") as server:
        replies = ask_all(make_registry(tmp_path, server), 12)
        counts = server.stats()["calls"]["batched chat"]
    assert all(reply.text for reply in replies)
    faults = [fault for reply in replies for fault in reply.faults]
    assert faults == ["malformed"] * counts["faults"]["malformed"] != []
    assert spent(tmp_path).unsure_usd == pytest.approx(len(faults) * most_usd(), rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_no_call_is_answered_twice_however_the_requests_about_batches_fail(
    tmp_path: Path, kind: str
) -> None:
    faults = ("connection", "server_error", "malformed", "overload")
    options = [part for fault in faults for part in ("--fault", f"{fault}=0.08")]
    with serving(*FAST, *options, "--seed", "3") as server:
        registry = make_registry(tmp_path, server, kind, retries=40)
        replies = ask_all(registry, 24)
        stats = server.stats()
    assert all(reply.text for reply in replies)
    assert stats["control"]["faults"]
    calls = stats["calls"][kind_of(kind)]
    assert calls["answered"] == calls["distinct"] == 24


def test_a_batch_holds_what_the_rest_of_the_budget_covers(tmp_path: Path) -> None:
    with serving(*FAST) as server:
        registry = make_registry(tmp_path, server, budget=3.5 * most_usd())
        with ThreadPoolExecutor(8) as pool:
            calls = [pool.submit(ask, registry, number) for number in range(8)]
        outcomes = [call.exception() for call in calls]
        answered = [call.result() for call in calls if call.exception() is None]
        sent = made(server)["requests"]
    assert 3 <= len(answered) == sent < 8
    assert {type(error) for error in outcomes if error} == {BudgetReached}
    usd = sum(map(half_price, answered))
    assert spent(tmp_path).spent_usd == pytest.approx(usd, rel=1e-12)
    assert usd <= 3.5 * most_usd()


def test_a_call_that_the_budget_does_not_cover_is_not_sent(tmp_path: Path) -> None:
    with serving(*FAST) as server:
        with pytest.raises(BudgetReached, match="raise budget_usd"):
            ask(make_registry(tmp_path, server, budget=0.9 * most_usd()), 0)
        assert made(server) == {} and plans(tmp_path) == []
        assert ask(make_registry(tmp_path, server, budget=1.1 * most_usd()), 0).text


@pytest.mark.parametrize("several", [1, 3])
def test_processes_that_send_batches_together_keep_one_budget(tmp_path: Path, several: int) -> None:
    """Each has a registry of its own, as jobs have; the bill is of all."""
    with serving(*FAST) as server:
        jobs = [make_registry(tmp_path, server, budget=3.5 * most_usd()) for _ in range(several)]
        with ThreadPoolExecutor(9) as pool:
            calls = [pool.submit(ask, jobs[n % several], n) for n in range(9)]
        outcomes = [call.exception() for call in calls]
        sent = made(server)["requests"]
    assert 3 <= sent < 9
    assert {type(error) for error in outcomes if error} == {BudgetReached}
    assert spent(tmp_path).spent_usd <= 3.5 * most_usd()
    said = str(next(error for error in outcomes if error))
    assert "budget_usd allows" in said and "raise budget_usd" in said


def test_a_call_by_itself_leaves_the_money_of_batches_under_way(tmp_path: Path) -> None:
    files = BatchFiles(tmp_path / "batches" / "there")
    files.write(Plan("own", 1.0, "id", {"a": Planned("k", "real", 1, 1, 0.5)}))
    ledger = Ledger(tmp_path / "ledger.jsonl", 1.0)
    ledger.pledged = BatchFiles(tmp_path / "batches" / "any").pledged
    assert ledger.reserve("m", 0.4)
    later = Ledger(tmp_path / "ledger.jsonl", 1.0)
    later.pledged = ledger.pledged
    with pytest.raises(BudgetReached, match=r"batches under way may cost \$0\.5000 more"):
        later.reserve("m", 0.2)


def refuse(monkeypatch: pytest.MonkeyPatch, for_good: bool) -> None:
    """Have the provider take no batch of more than two calls."""
    from dissensus.llm.batches.openai import OpenAIBatches

    class Refusing(OpenAIBatches):
        async def submit(self, own: str, bodies: Mapping[str, Any]) -> str:
            made = await super().submit(own, bodies)
            self.refused = made if len(bodies) > 2 else ""
            return made

        async def state(self, batch_id: str) -> State:
            if batch_id == self.refused:
                return State(over=True, refused="too many tokens enqueued", again=not for_good)
            return await super().state(batch_id)

    monkeypatch.setattr("dissensus.llm.batches.openai.OpenAIBatches", Refusing)


def test_a_batch_refused_for_its_size_is_sent_in_halves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, for_good=False)
    with serving(*FAST) as server:
        replies = ask_all(make_registry(tmp_path, server), 4)
        assert made(server)["requests"] == 8 and made(server)["created"] == 3
    assert all(reply.text and reply.faults == ("rate_limit",) for reply in replies)
    assert spent(tmp_path).spent_usd == pytest.approx(sum(map(half_price, replies)), rel=1e-12)


def test_a_batch_refused_for_good_stops_the_run_with_the_provider_s_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, for_good=True)
    with (
        serving(*FAST) as server,
        pytest.raises(ProviderError, match=r"refused a batch of 3 calls \(too many tokens"),
    ):
        ask_all(make_registry(tmp_path, server), 3)
    assert plans(tmp_path) == [] and spent(tmp_path).spent_usd == 0.0


@pytest.mark.parametrize(
    ("fault", "said"), [("credit", "no credit left"), ("authentication", "accept the key")]
)
def test_a_line_that_no_other_could_escape_stops_the_run_and_is_asked_again(
    tmp_path: Path, fault: str, said: str
) -> None:
    with (
        serving(*FAST, "--fault", f"{fault}=0.4", "--seed", "1") as server,
        ThreadPoolExecutor(10) as pool,
    ):
        # The draws spare the requests about batches with this seed; the lines they do not.
        registry = make_registry(tmp_path, server)
        calls = [pool.submit(ask, registry, number) for number in range(10)]
        errors = [call.exception() for call in calls]
    stopped = [error for error in errors if error]
    assert stopped and all(isinstance(error, ProviderError) for error in stopped)
    assert said in str(stopped[0])
    with serving(*FAST) as server:
        assert all(reply.text for reply in ask_all(make_registry(tmp_path, server), 10))
        assert made(server)["requests"] == len(stopped)


def test_a_parameter_that_the_model_does_not_take_stops_the_run_after_one_batch(
    tmp_path: Path,
) -> None:
    with serving(*FAST, "--refuse-parameter", "seed") as server:
        with pytest.raises(ProviderError, match=r"rejects its requests .*'seed'"):
            ask(make_registry(tmp_path, server), 0)
        assert made(server)["created"] == 1
    with serving(*FAST) as server:
        assert ask(make_registry(tmp_path, server), 0).faults == ()


def test_a_provider_without_batches_is_told_so(tmp_path: Path) -> None:
    with serving(*FAST) as server:
        registry = make_registry(tmp_path, server, base_url=server.address + "/nothing")
        with pytest.raises(ProviderError, match="set its batch to false"):
            ask(registry, 0)
    assert plans(tmp_path) == []
