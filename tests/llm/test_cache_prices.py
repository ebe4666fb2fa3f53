"""What a provider's cache costs: reads and writes, by the bills that Anthropic documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dissensus.llm.prices import Price
from dissensus.llm.providers.anthropic import AnthropicCodec
from dissensus.llm.providers.openai import OpenAICodec
from hostile import REQUEST, Said, chat, hostile, make_registry, message, prepare, provider

#: claude-sonnet-4-5, dollars for a million tokens: 3 in, 0.30 read, 3.75 and 6 written, 15 out.
PRICE = {"input": 3.0, "cached_input": 0.3, "output": 15.0}


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def test_writes_cost_what_the_provider_says() -> None:
    plain = Price(3.0, 0.3, 15.0, 0.5, "", "")
    own = Price(3.0, 0.3, 15.0, 0.5, "", "", 3.0, 9.0)
    made: dict[str, Any] = {"written_tokens": 500_000, "written_1h_tokens": 100_000}
    assert plain.cost(1e6, 200_000, 0, **made) == pytest.approx(0.9 + 0.06 + 1.5 + 0.6)
    assert own.cost(1e6, 200_000, 0, **made) == pytest.approx(0.9 + 0.06 + 1.2 + 0.9)
    assert plain.cost(1e6, 0, 0, batch=True, **made) == pytest.approx((1.5 + 1.5 + 0.6) / 2)


@pytest.mark.parametrize("long", [0, 400])
def test_the_ledger_has_what_the_bill_has(tmp_path: Path, long: int) -> None:
    body = message()
    body["usage"] = {
        "input_tokens": 100,
        "cache_read_input_tokens": 2000,
        "cache_creation_input_tokens": 1000,
        "cache_creation": {"ephemeral_1h_input_tokens": long},
        "output_tokens": 10,
    }
    models = {"m": {"provider": "p", "price": PRICE}}
    with hostile(Said(body)) as server:
        made = make_registry(tmp_path, {"p": provider(server, "anthropic")}, models).model("m")
        reply = made.ask(REQUEST)
    bill = (100 * 3 + 2000 * 0.3 + (1000 - long) * 3.75 + long * 6 + 10 * 15) / 1e6
    assert reply.cost_usd == pytest.approx(bill)
    (line,) = map(json.loads, (tmp_path / "ledger.jsonl").read_text("utf-8").splitlines())
    assert line["usd"] == pytest.approx(bill) and line["input_tokens"] == 3100


@pytest.mark.parametrize(
    "usage",
    [
        {"cached_tokens": 900},
        {"prompt_tokens_details": {"cached_tokens": 900}},
        {"prompt_cache_hit_tokens": 900},
    ],
)
def test_what_a_cache_answered_is_read_wherever_it_is_said(
    tmp_path: Path, usage: dict[str, Any]
) -> None:
    body = chat(usage={"prompt_tokens": 1000, "completion_tokens": 5, **usage})
    with hostile(Said(body)) as server:
        reply = (
            make_registry(
                tmp_path, {"p": provider(server)}, {"m": {"provider": "p", "price": PRICE}}
            )
            .model("m")
            .ask(REQUEST)
        )
    assert reply.cached_tokens == 900
    assert reply.cost_usd == pytest.approx((100 * 3 + 900 * 0.3 + 5 * 15) / 1e6)


@pytest.mark.parametrize(
    ("used", "body", "tier"),
    [
        ({"service_tier": "on-demand"}, {}, ""),
        ({"service_tier": None}, {"service_tier": "priority"}, "priority"),
        ({}, {"serviceTier": {"type": "flex"}}, "flex"),
        ({"service_tier": "standard", "speed": "standard"}, {}, ""),
        ({"service_tier": "standard", "speed": "fast"}, {}, "fast"),
        ({"speed": "fast", "inference_geo": "us"}, {}, "fast+us"),
        ({"inference_geo": "not_available"}, {}, ""),
        ({"inference_geo": "global", "service_tier": "priority"}, {}, "priority"),
        ({"service_tier": {"name": "flex"}, "speed": 3}, {}, ""),
    ],
)
def test_what_has_a_price_of_its_own_is_a_tier(used: Any, body: Any, tier: str) -> None:
    for codec in (OpenAICodec(), AnthropicCodec()):
        assert codec.usage({"usage": {"input_tokens": 5, **used}, **body}).service_tier == tier
