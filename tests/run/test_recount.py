"""A ledger that lost lines, or is gone, and what journals and batches know of it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from batching import FAST, ask_all, half_price, make_registry, spent
from dissensus.errors import BudgetReached, ResourceError
from dissensus.llm.journal import Journal
from dissensus.run.recount import restore_ledger, spent_by_journals
from hostile import (
    BILL,
    PRICED,
    REQUEST,
    Said,
    answer,
    chat,
    every_interface,
    hostile,
    prepare,
    provider,
)
from hostile import make_registry as make_hostile
from serving import serving


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def ask(folder: Path, settings: Any, seeds: range, budget: float | None = None) -> int:
    """Ask, a journal for each seed, until the budget is reached; how many replies there are."""
    made = make_hostile(folder, {"p": settings}, PRICED, budget_usd=budget).model("m")
    for number, seed in enumerate(seeds):
        journal = Journal(folder / f"language/journal/s{seed}.jsonl")
        try:
            journal.ask(made, replace(REQUEST, seed=seed))
        except BudgetReached:
            return number
    return len(seeds)


@every_interface
def test_a_budget_holds_without_its_ledger(tmp_path: Path, interface: str) -> None:
    with hostile(Said(answer(interface))) as server:
        settings = provider(server, interface)
        assert ask(tmp_path, settings, range(5)) == 5
        (tmp_path / "ledger.jsonl").unlink()
        assert restore_ledger(tmp_path) == pytest.approx(5 * BILL)
        assert spent(tmp_path).spent_usd == pytest.approx(5 * BILL)
        assert ask(tmp_path, settings, range(5, 9), budget=5 * BILL) == 0
    assert len(server.calls) == 5


def test_an_intact_ledger_stays_as_it_is(tmp_path: Path) -> None:
    empty = Said(chat(""))
    with hostile(empty, Said(cut="all"), Said(chat())) as server:
        ask(tmp_path, provider(server), range(3))
    before = (tmp_path / "ledger.jsonl").read_bytes()
    assert restore_ledger(tmp_path) == 0.0
    assert (tmp_path / "ledger.jsonl").read_bytes() == before
    assert spent_by_journals(tmp_path) == pytest.approx(spent(tmp_path).spent_usd)


def test_lines_that_a_ledger_lost_are_counted_once(tmp_path: Path) -> None:
    with hostile(Said(chat())) as server:
        ask(tmp_path, provider(server), range(4))
    path = tmp_path / "ledger.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:1]))
    assert restore_ledger(tmp_path) == pytest.approx(3 * BILL)
    assert restore_ledger(tmp_path) == 0.0
    assert spent(tmp_path).spent_usd == pytest.approx(4 * BILL)


def test_a_damaged_ledger_is_named(tmp_path: Path) -> None:
    (tmp_path / "ledger.jsonl").write_text("{}\n")
    with pytest.raises(ResourceError, match=r"line 1 of the ledger is damaged"):
        restore_ledger(tmp_path)


@pytest.mark.parametrize("line", ["", "{", "[]", '{"cost_usd": "1"}', '{"reply": 3}', "[" * 9999])
def test_what_cannot_be_read_counts_for_nothing(tmp_path: Path, line: str) -> None:
    path = tmp_path / "language/journal/a.jsonl"
    path.parent.mkdir(parents=True)
    good = json.dumps({"request_sha256": "a", "cost_usd": 1.5, "faults_usd": 0.25})
    path.write_text(f"{line}\n{good}\n")
    assert spent_by_journals(tmp_path) == 1.75


def test_answers_of_batches_count_once_beside_their_journals(tmp_path: Path) -> None:
    with serving(*FAST) as server:
        replies = ask_all(make_registry(tmp_path, server), 3)
        bill = sum(map(half_price, replies))
        (tmp_path / "ledger.jsonl").unlink()
        assert restore_ledger(tmp_path) == pytest.approx(bill)
    path = tmp_path / "language/journal/a.jsonl"
    path.parent.mkdir(parents=True)
    [answers] = (tmp_path / "batches/there").glob("*.answers.json")
    keys = list(json.loads(answers.read_text())["tries"])
    with path.open("w") as file:
        for key, reply in zip(keys, replies, strict=True):
            file.write(json.dumps({"request_sha256": key, "cost_usd": half_price(reply)}) + "\n")
    assert spent_by_journals(tmp_path) == pytest.approx(bill)
    shutil.rmtree(tmp_path / "batches")
    assert spent_by_journals(tmp_path) == pytest.approx(bill)
