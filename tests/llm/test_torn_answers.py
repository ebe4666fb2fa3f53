"""Answers that are torn off: what they count with, and that it is settled as far as it can be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import BudgetReached
from dissensus.llm.call import Message
from dissensus.llm.ledger import Ledger
from hostile import REQUEST, Asked, Said, chat, hostile, make_registry, prepare, provider

PRICE = {"input": 10.0, "output": 20.0}
WORDS = "Twelve words that a tokeniser makes a dozen tokens of, or so. " * 20
LONG = replace(REQUEST, messages=(Message("user", WORDS),), max_tokens=100)
#: Bytes in three, and what is counted of it.
MOST_TOKENS, TOKENS = len(WORDS) // 3 + 1, len(WORDS) // 4


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def _whole() -> Said:
    return Said(chat(usage={"prompt_tokens": TOKENS, "completion_tokens": 5}))


def _torn() -> Said:
    return replace(_whole(), cut=200)


def _usd(prompt: int, reply: int) -> float:
    return (prompt * PRICE["input"] + reply * PRICE["output"]) / 1e6


def _registry(folder: Path, server: Any, budget: float | None) -> Any:
    models = {"m": {"provider": "p", "price": PRICE}}
    return make_registry(folder, {"p": provider(server)}, models, budget_usd=budget)


def test_a_torn_answer_counts_with_the_prompt_of_its_next_and_all_that_it_may_reply(
    tmp_path: Path,
) -> None:
    with hostile(_torn(), _torn(), _whole()) as server:
        reply = _registry(tmp_path, server, 1.0).model("m").ask(LONG)
    assert reply.cost_usd == pytest.approx(_usd(TOKENS, 5))
    assert reply.faults_usd == pytest.approx(2 * _usd(TOKENS, 100))
    ledger = Ledger(tmp_path / "ledger.jsonl", None)
    assert ledger.sure_usd == pytest.approx(reply.cost_usd)
    assert ledger.unsure_usd == pytest.approx(reply.faults_usd)


def test_before_an_answer_comes_it_counts_with_the_most_of_all(tmp_path: Path) -> None:
    with hostile(_torn()) as server:
        reply = _registry(tmp_path, server, 1.0).model("m").ask(LONG)
    assert reply.error
    most = _usd(MOST_TOKENS, 100)
    assert reply.faults_usd == pytest.approx(len(server.calls) * most)
    assert Ledger(tmp_path / "ledger.jsonl", None).unsure_usd == pytest.approx(reply.faults_usd)


@pytest.mark.parametrize("budget", [0.02, 0.06])
def test_a_budget_that_torn_answers_end_says_how_much_of_it_is_not_sure(
    tmp_path: Path, budget: float
) -> None:
    """One in five is torn, and billed as any other."""
    bill: list[float] = []

    def say(_: Asked) -> Said:
        bill.append(_usd(TOKENS, 5))
        return _torn() if len(bill) % 5 == 0 else _whole()

    with hostile(say) as server:
        made = _registry(tmp_path, server, budget).model("m")
        with pytest.raises(BudgetReached) as reached:
            for seed in range(10_000):
                made.ask(replace(LONG, seed=seed))
    ledger = Ledger(tmp_path / "ledger.jsonl", budget)
    assert sum(bill) <= ledger.spent_usd <= budget + 1e-9
    # All that is not sure is what torn answers may have had beyond their bill, and the last may.
    torn = len(bill) // 5
    assert ledger.unsure_usd <= torn * _usd(TOKENS, 100) + _usd(MOST_TOKENS, 100)
    assert ledger.sure_usd == pytest.approx((len(bill) - torn) * _usd(TOKENS, 5))
    said = f"up to ${ledger.unsure_usd:,.4f} of it for {torn} tr"
    assert said in str(reached.value) and "bill may be less" in str(reached.value)


def test_a_ledger_with_settled_tries_adds_up_line_by_line(tmp_path: Path) -> None:
    def lines() -> Iterator[dict[str, Any]]:
        for line in (tmp_path / "ledger.jsonl").read_text("utf-8").splitlines():
            yield json.loads(line)

    with hostile(_torn(), _whole(), _torn(), _whole()) as server:
        made = _registry(tmp_path, server, 1.0).model("m")
        replies = [made.ask(replace(LONG, seed=seed)) for seed in range(2)]
    last = {line.get("reservation"): line for line in lines() if "sure" in line}
    spent = sum(line["usd"] for line in last.values())
    assert spent == pytest.approx(sum(r.cost_usd + r.faults_usd for r in replies))
    assert Ledger(tmp_path / "ledger.jsonl", None).spent_usd == pytest.approx(spent)


def _cut_short(body: Any, **headers: str) -> Said:
    """Half of an answer, as its last bytes do not come."""
    whole = json.dumps(body).encode()
    said = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Said(whole[: len(whole) // 2], headers=said, length=len(whole))


GENERATION = chat(id="gen-1764-Ab3")
BILLED = {"data": {"total_cost": 0.00123, "native_tokens_prompt": 7, "native_tokens_completion": 3}}


def test_a_torn_answer_with_its_cost_in_a_header_counts_with_that(tmp_path: Path) -> None:
    torn = _cut_short(chat(), x_litellm_response_cost="0.00042")
    with hostile(torn, _whole()) as server:
        reply = _registry(tmp_path, server, 1.0).model("m").ask(LONG)
    assert reply.faults_usd == pytest.approx(0.00042)
    ledger = Ledger(tmp_path / "ledger.jsonl", None)
    assert ledger.unsure_usd == 0.0
    assert ledger.sure_usd == pytest.approx(0.00042 + _usd(TOKENS, 5))


@pytest.mark.parametrize("late", [0, 1], ids=["at once", "with its second question"])
@pytest.mark.parametrize("header", [False, True])
def test_a_gateway_that_knows_what_became_of_a_torn_answer_is_asked(
    tmp_path: Path, late: int, header: bool
) -> None:
    waiting = [Said(status=404)] * late + [Said(BILLED)]

    def look(asked: Asked) -> Said:
        if "/generation" not in asked.path:
            return Said({"data": [{"id": "m"}]})
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    torn = _cut_short(chat(), x_generation_id="gen-1764-Ab3") if header else _cut_short(GENERATION)
    with hostile(torn, _whole(), models=look) as server:
        reply = _registry(tmp_path, server, 1.0).model("m").ask(LONG)
    questions = [asked.path for asked in server.asked if "/generation" in asked.path]
    assert len(questions) == late + 1
    assert all(path.endswith("/generation?id=gen-1764-Ab3") for path in questions)
    assert reply.faults_usd == pytest.approx(0.00123)
    assert Ledger(tmp_path / "ledger.jsonl", None).unsure_usd == 0.0
    lines = (tmp_path / "ledger.jsonl").read_text("utf-8").splitlines()
    (billed,) = [line for line in map(json.loads, lines) if line.get("usd") == 0.00123]
    assert (billed["input_tokens"], billed["output_tokens"]) == (7, 3)


@pytest.mark.parametrize(
    "said",
    [
        Said(status=404),
        Said({"data": {"total_cost": "much"}}),
        Said({"data": {"total_cost": -1.0}}),
        Said({"data": {"total_cost": float("nan")}}),
        Said({"data": [1]}),
        Said(b"<html>"),
        Said(cut="body", body={"data": {}}),
    ],
    ids=lambda said: str(said.body)[:20] or "404",
)
def test_a_bill_that_cannot_be_read_leaves_the_try_at_its_most(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dissensus.llm.providers.broken_off._WAITS_S", (0.0, 0.01))

    def look(asked: Asked) -> Said:
        return said if "/generation" in asked.path else Said({"data": [{"id": "m"}]})

    with hostile(_cut_short(GENERATION), _whole(), models=look) as server:
        reply = _registry(tmp_path, server, 1.0).model("m").ask(LONG)
    assert sum("/generation" in asked.path for asked in server.asked) == 2
    assert reply.faults_usd == pytest.approx(_usd(TOKENS, 100))


@pytest.mark.parametrize("name", ["chatcmpl-1", "gen-1&id=other", "gen-../../keys"])
def test_an_id_that_is_none_of_such_a_gateway_is_asked_for_nowhere(
    tmp_path: Path, name: str
) -> None:
    with hostile(_cut_short(chat(id=name)), _whole()) as server:
        _registry(tmp_path, server, 1.0).model("m").ask(LONG)
    assert not [asked for asked in server.asked if "/generation" in asked.path]


@pytest.mark.parametrize("known", [False, True])
def test_a_small_budget_lasts_as_long_as_the_bill_where_torn_answers_can_be_settled(
    tmp_path: Path, known: bool
) -> None:
    """A fifth is torn; the first of them as dear as any."""
    usd = _usd(TOKENS, 5)
    headers = {"x_litellm_response_cost": f"{usd:.9f}"} if known else {}
    calls: list[int] = []

    def say(_: Asked) -> Said:
        calls.append(0)
        usage = {"prompt_tokens": TOKENS, "completion_tokens": 5}
        return _cut_short(chat(usage=usage), **headers) if len(calls) % 5 == 1 else _whole()

    with hostile(say) as server:
        made = _registry(tmp_path, server, 0.06).model("m")
        with pytest.raises(BudgetReached):
            for seed in range(10_000):
                made.ask(replace(LONG, seed=seed))
    bill = len(calls) * usd
    if known:
        # All but what the next may cost has been spent.
        assert bill > 0.06 - _usd(MOST_TOKENS, 100)
    else:
        assert bill < 0.06 - _usd(MOST_TOKENS, 100)
