"""What a run has spent: every dollar under what it was for, and the tables of it by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dissensus.llm.prices import Price
from dissensus.plan.cost import EMBEDDING, Line, Terms, Tokens
from dissensus.report.tables import as_csv, as_markdown
from dissensus.run.spending import (
    CONDUCT,
    SPENDING,
    by_model,
    conduct,
    spending,
    spent_usd,
)
from dissensus.run.spending_tables import table_arm_spending, table_models, table_spending
from dissensus.study.kind import DEBATING
from dissensus.tables.artefact import read, write
from dissensus_studies.language.measures.embed import EMBEDDING_CALLS

BLOCKS = {"d001-en": 1, "d002-en": 2}
PRICE = Price(1.0, None, 1.0, None, "2026-01-01", "https://example.org")


def call(session: str = "d001-en", model: str = "gpt", **changes: Any) -> dict[str, Any]:
    plain = {
        "session_id": session,
        "session_attempt": 1,
        "turn": 1,
        "purpose": "debate",
        "attempt": 1,
        "model": model,
        "input_tokens": 100,
        "cached_tokens": 40,
        "output_tokens": 10,
        "cost_usd": 0.5,
        "faults": [],
        "faults_usd": 0.0,
        "latency_s": 1.0,
        "finish_reason": "stop",
        "error": "",
        "answered_by": "gpt-2025-12-11",
        "other_model": False,
        "fingerprint": "fp_1",
        "request_id": "r1",
    }
    assert set(changes) <= set(plain)
    return plain | changes


CALLS = [
    call(),
    call(attempt=2, cost_usd=0.25),
    call(session_attempt=2, cost_usd=1.0),
    call(session_attempt=2, attempt=2, cost_usd=2.0),
    call(model="claude", faults=["timeout", "empty"], faults_usd=0.125, fingerprint=""),
    call("d002-en", faults=["rate_limit"], answered_by="mini", other_model=True),
    call(
        *("d002-en", "claude"),
        cost_usd=None,
        error="timeout",
        faults_usd=4.0,
        input_tokens=0,
        cached_tokens=0,
        output_tokens=0,
        finish_reason="error",
        answered_by="",
        fingerprint="",
    ),
]
EMBEDDED = [
    {
        "block": 1,
        "embedder": "openai:large",
        "call": 1,
        "texts": 16,
        "input_tokens": 1000,
        "cost_usd": 0.0625,
        "faults": ["overload"],
        "faults_usd": 0.0,
        "latency_s": 3.0,
        "queued_s": 0.0,
        "error": "",
        "answered_by": "large",
        "request_id": "r2",
    }
]
EXPECTED = {"low": 1e6, "expected": 4e6, "high": 8e6}


def line(model: str, purpose: str = DEBATING, **terms: Any) -> Line:
    """An estimate of 1, 4 and 8 dollars."""
    of = Terms(**{"provider": "openai", "asked": f"{model}-1", "price": PRICE, **terms})
    return Line(purpose, model, of, {name: Tokens(9, n, 0) for name, n in EXPECTED.items()})


ESTIMATE = [line("gpt"), line("claude"), line("openai:large", EMBEDDING, asked="large")]


def test_every_dollar_is_under_what_it_was_for() -> None:
    rows = spending(CALLS, EMBEDDED, BLOCKS)
    keys = [(row["purpose"], row["session_id"], row["block"], row["model"]) for row in rows]
    assert keys == [
        (DEBATING, "d001-en", 1, "claude"),
        (DEBATING, "d001-en", 1, "gpt"),
        (DEBATING, "d002-en", 2, "claude"),
        (DEBATING, "d002-en", 2, "gpt"),
        (EMBEDDING, "", 1, "openai:large"),
    ]
    gpt = rows[1]
    assert (gpt["calls"], gpt["tries"], gpt["input_tokens"], gpt["cached_tokens"]) == (
        *(4, 4, 400),
        160,
    )
    parts = [gpt[name] for name in ("first_usd", "repairs_usd", "reruns_usd", "faults_usd")]
    assert parts == [0.5, 0.25, 3.0, 0.0]
    claude = rows[0]
    assert (claude["tries"], claude["faults_usd"]) == (3, 0.125)
    lost = rows[2]
    assert (lost["first_usd"], lost["faults_usd"], lost["unpriced"]) == (0.0, 4.0, 0)
    embedded = rows[-1]
    assert (embedded["calls"], embedded["tries"], embedded["first_usd"]) == (1, 2, 0.0625)
    assert sum(spent_usd(row) for row in rows) == pytest.approx(0.5 + 3.25 + 0.625 + 0.5 + 4.0625)


def test_calls_without_a_price_are_counted() -> None:
    (row,) = spending([call(cost_usd=None), call(cost_usd=0.5)], [], BLOCKS)
    assert (row["unpriced"], row["first_usd"]) == (1, 0.5)


def test_judges_are_billed_apart() -> None:
    calls = [call(), call(model="judge", purpose="judge", cost_usd=2.0), call()]
    sums = by_model(spending(calls, [], BLOCKS))
    assert {key: spent_usd(held) for key, held in sums.items()} == {
        (DEBATING, "gpt"): 1.0,
        ("judge", "judge"): 2.0,
    }


def test_the_sums_are_those_of_the_calls() -> None:
    sums = by_model(spending(CALLS, EMBEDDED, BLOCKS))
    assert list(sums) == [(DEBATING, "claude"), (DEBATING, "gpt"), (EMBEDDING, "openai:large")]
    assert sums[DEBATING, "gpt"]["calls"] == 5
    total = sum(c["cost_usd"] or 0 for c in CALLS) + sum(c["faults_usd"] for c in CALLS)
    debates = sum(spent_usd(held) for (stage, _), held in sums.items() if stage == DEBATING)
    assert debates == pytest.approx(total)


def test_conduct_counts_each_fact() -> None:
    facts = {(r["model"], r["fact"], r["value"]): r["count"] for r in conduct(CALLS, EMBEDDED)}
    assert facts["gpt", "answered_by", "gpt-2025-12-11"] == 4
    assert facts["gpt", "other_model", "mini"] == 1
    assert facts["gpt", "fingerprint", "fp_1"] == 5
    assert ("claude", "fingerprint", "") not in facts
    # One time-out on the way to an answer, one that a call ended with.
    assert facts["claude", "fault", "timeout"] == 2
    assert facts["claude", "given_up", "timeout"] == 1
    assert facts["claude", "finish_reason", "error"] == 1
    assert facts["openai:large", "fault", "overload"] == 1
    assert facts["openai:large", "answered_by", "large"] == 1
    assert ("openai:large", "other_model", "large") not in facts
    other = conduct([], [{**EMBEDDED[0], "answered_by": "small"}])
    assert {r["fact"]: r["value"] for r in other}["other_model"] == "small"


def test_the_artefacts_keep_their_schemas_and_no_clock_reading(tmp_path: Path) -> None:
    written = []
    for latency in (1.0, 9.0):
        calls = [{**row, "latency_s": latency, "request_id": str(latency)} for row in CALLS]
        paths = tmp_path / f"{latency}-s.parquet", tmp_path / f"{latency}-c.parquet"
        write(paths[0], SPENDING, spending(calls, EMBEDDED, BLOCKS), {})
        write(paths[1], CONDUCT, conduct(calls, EMBEDDED), {})
        assert read(paths[0], SPENDING).num_rows == 5
        written.append([path.read_bytes() for path in paths])
    assert written[0] == written[1]
    write(tmp_path / "e.parquet", EMBEDDING_CALLS, EMBEDDED, {})
    embedded = read(tmp_path / "e.parquet", EMBEDDING_CALLS).to_pylist()
    assert spending([], embedded, {}) == spending([], EMBEDDED, {})


def cells(table: Any, model: str) -> dict[str, str]:
    name = next(i for i, column in enumerate(table.columns) if column == "Model")
    row = next(row for row in table.rows if row[name] == model)
    return dict(zip(table.columns, row, strict=True))


def test_the_table_of_spending_by_hand() -> None:
    table = table_spending(spending(CALLS, EMBEDDED, BLOCKS), ESTIMATE, 20.0, False)
    gpt = cells(table, "gpt")
    assert gpt == {
        "Purpose": "Debates",
        "Model": "gpt",
        "Calls": "5",
        "Tries": "6",
        "Tokens in": "500",
        "Tokens out": "50",
        "First attempts": "1.00",
        "Repairs": "0.2500",
        "Re-runs": "3.00",
        "Failed tries": "0.00",
        "Spent": "4.25",
        "Low": "1.00",
        "Expected": "4.00",
        "High": "8.00",
    }
    total = dict(zip(table.columns, table.rows[-1], strict=True))
    assert (total["Purpose"], total["Calls"], total["Spent"]) == ("All", "8", "8.94")
    assert (total["Low"], total["Expected"], total["High"]) == ("3.00", "12.00", "24.00")
    # 8.9375 of 20.
    assert "Budget of the run: 20.00, of which at most 44.7% is spent here." in table.note
    assert "Simulated" not in table.note


def test_a_model_without_a_price_has_no_dollars() -> None:
    rows = spending([call(cost_usd=None), call(model="claude")], [], BLOCKS)
    table = table_spending(rows, [line("gpt", price=None), line("claude")], None, False)
    assert set(list(cells(table, "gpt").values())[6:]) == {"–"}
    assert table.rows[-1][10] == "0.5000"
    assert "Without a price, and so left out: gpt." in table.note


def test_simulated_models_are_free_and_said_to_be() -> None:
    free = [
        line("gpt", free="simulated", price=None),
        line("use-multilingual", EMBEDDING, free="local", price=None),
    ]
    table = table_spending(spending([call(cost_usd=None)], [], BLOCKS), free, None, True)
    assert [row[1] for row in table.rows] == ["gpt", ""]
    assert "–" in table.rows[-1]
    assert table.note.endswith("Free: gpt and use-multilingual. There is no budget. "
                               "Simulated models.")  # fmt: skip


def test_the_table_of_models_by_hand() -> None:
    rows = spending(CALLS, EMBEDDED, BLOCKS)
    table = table_models(conduct(CALLS, EMBEDDED), rows, ESTIMATE, False)
    gpt = cells(table, "gpt")
    assert gpt["Asked"] == "gpt-1"
    assert gpt["Answered by"] == "gpt-2025-12-11 4, mini 1"
    assert (gpt["Calls"], gpt["Other model"]) == ("5", "1")
    assert gpt["Failed tries"] == "rate_limit 1"
    assert (gpt["Tokens in"], gpt["Tokens out"]) == ("100", "10")
    claude = cells(table, "claude")
    assert claude["Failed tries"] == "empty 1, timeout 2"
    assert claude["Given up"] == "timeout 1"
    assert claude["Finish reason"] == "error 1, stop 1"
    assert "ANOTHER MODEL ANSWERED for gpt." in table.note
    for made in (as_csv(table), as_markdown(table)):
        assert "gpt-2025-12-11 4, mini 1" in made


def test_many_fingerprints_are_cut_short() -> None:
    calls = [call(fingerprint=f"fp_{n}") for n in range(6)]
    table = table_models(conduct(calls), spending(calls, [], BLOCKS), [line("gpt")], False)
    assert cells(table, "gpt")["Fingerprint"] == "fp_0 1, fp_1 1, fp_2 1, fp_3 1 and 2 more"


def test_what_a_session_of_each_arm_takes_is_a_mean_over_its_sessions() -> None:
    calls = [
        *(call("s1"), call("s1", attempt=2, cost_usd=1.5, output_tokens=30)),
        *(call("s2", model="claude", input_tokens=700), call("s3", cost_usd=4.0), call("s4")),
    ]
    rows = spending([*calls, call("s5")], EMBEDDED, {f"s{n}": 1 for n in range(1, 6)})
    arms = {"s1": ("", "free"), "s2": ("", "free"), "s3": ("", "told"), "s4": ("", "told")}
    table = table_arm_spending(rows, arms, ESTIMATE, False)
    # free: 2 and 1 calls, 200 and 700 tokens in, 40 and 10 out, $2.00 and $0.50; no arm has s5.
    assert [tuple(row) for row in table.rows] == [
        ("free", "2", "1.5", "450", "25", "1.25"),
        ("told", "2", "1.0", "100", "10", "2.25"),
    ]
    kinds = {"s1": ("debate", "free"), "s3": ("memo", "free")}
    of_kinds = table_arm_spending(rows, kinds, [line("gpt", price=None)], True)
    assert of_kinds.columns[0] == "Kind" and [row[0] for row in of_kinds.rows] == ["debate", "memo"]
    assert [row[-1] for row in of_kinds.rows] == ["–", "–"]
