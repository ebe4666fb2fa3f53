"""What answers count as used: the same tokens, by every provider's and gateway's names for them."""

from __future__ import annotations

import json
import logging
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.llm.call import Usage
from dissensus.llm.prices import Price
from dissensus.llm.providers.anthropic import AnthropicCodec
from dissensus.llm.providers.openai import OpenAICodec
from hostile import REQUEST, Said, chat, hostile, make_registry, message, prepare, provider

#: Fresh, read, written for minutes and for an hour, and the reply's: what the bill has.
FRESH, READ, MINUTES, HOUR, REPLY = 700, 2_000, 900, 100, 50
WRITTEN = MINUTES + HOUR
PROMPT = FRESH + READ + WRITTEN
BILL = Usage(PROMPT, READ, REPLY, WRITTEN)
LONG = Usage(PROMPT, READ, REPLY, WRITTEN, HOUR)
_HOURS = {"ephemeral_5m_input_tokens": MINUTES, "ephemeral_1h_input_tokens": HOUR}
_BLOCK = {"cached_tokens": READ, "cache_write_tokens": WRITTEN}
_TOP = {"cache_read_input_tokens": READ, "cache_creation_input_tokens": WRITTEN}
_CAMEL = {"cacheReadInputTokens": READ, "cacheWriteInputTokens": WRITTEN}


def _openai(prompt: int, total: int | None = None, **more: Any) -> dict[str, Any]:
    whole = {} if total is None else {"total_tokens": total}
    return {"prompt_tokens": prompt, "completion_tokens": REPLY, **whole, **more}


#: What they send -> what it comes to.
WITHIN = {
    "OpenAI": (_openai(PROMPT, PROMPT + REPLY, prompt_tokens_details=_BLOCK), BILL),
    "OpenRouter": (
        _openai(
            PROMPT,
            PROMPT + REPLY,
            cost=0.01,
            cost_details={"cache_discount": 40, "upstream_inference_cost": 1},
            prompt_tokens_details={**_BLOCK, "audio_tokens": 0},
        ),
        BILL,
    ),
    "LiteLLM": (
        _openai(
            PROMPT,
            PROMPT + REPLY,
            **_TOP,
            prompt_tokens_details={
                "cached_tokens": READ,
                "cache_creation_tokens": WRITTEN,
                "cache_creation_token_details": _HOURS,
                "text_tokens": FRESH,
            },
        ),
        LONG,
    ),
    "new-api": (
        _openai(
            PROMPT,
            PROMPT + REPLY,
            prompt_tokens_details={"cached_tokens": READ, "cached_creation_tokens": WRITTEN},
            claude_cache_creation_5_m_tokens=MINUTES,
            claude_cache_creation_1_h_tokens=HOUR,
        ),
        LONG,
    ),
    "responses": (
        {
            "input_tokens": PROMPT,
            "output_tokens": REPLY,
            "total_tokens": PROMPT + REPLY,
            "input_tokens_details": _BLOCK,
        },
        BILL,
    ),
    "DeepSeek": (
        _openai(PROMPT, PROMPT + REPLY, prompt_cache_hit_tokens=READ, prompt_cache_miss_tokens=1),
        Usage(PROMPT, READ, REPLY),
    ),
    "thought beside the completion": (
        _openai(
            PROMPT,
            PROMPT + REPLY + 4_000,
            prompt_tokens_details=_BLOCK,
            completion_tokens_details={"reasoning_tokens": 4_000},
        ),
        Usage(PROMPT, READ, REPLY + 4_000, WRITTEN),
    ),
    "Moonshot": (_openai(PROMPT, cached_tokens=READ), Usage(PROMPT, READ, REPLY)),
    "Qwen": (
        _openai(
            PROMPT,
            PROMPT + REPLY,
            prompt_tokens_details={
                **{"cached_tokens": READ, "cache_creation_input_tokens": WRITTEN},
                **{"cache_creation": {"ephemeral_5m_input_tokens": WRITTEN}},
                "cache_type": "ephemeral",
            },
        ),
        BILL,
    ),
    "Requesty": (
        _openai(PROMPT, prompt_tokens_details={"caching_tokens": WRITTEN, "cached_tokens": READ}),
        BILL,
    ),
    "numbers as texts": (
        json.loads(
            json.dumps(_openai(PROMPT, PROMPT + REPLY, prompt_tokens_details=_BLOCK)),
            parse_int=str,
        ),
        BILL,
    ),
    "numbers with a point": (
        json.loads(
            json.dumps(_openai(PROMPT, PROMPT + REPLY, prompt_tokens_details=_BLOCK)),
            parse_int=float,
        ),
        BILL,
    ),
    "more thought than reply, in no total": (
        _openai(PROMPT, PROMPT + REPLY, completion_tokens_details={"reasoning_tokens": 4_000}),
        Usage(PROMPT, 0, REPLY + 4_000),
    ),
    "times and rates of a cache": (
        _openai(
            PROMPT,
            prompt_tokens_details={"cached_tokens": READ, "cache_ttl": "300", "cache_hits": 3},
            cache_hit_rate=0.9,
        ),
        Usage(PROMPT, READ, REPLY),
    ),
}
BESIDE = {
    "a total of the rest": (_openai(FRESH, FRESH + REPLY, **_TOP), BILL),
    "a whole total": (_openai(FRESH, PROMPT + REPLY, prompt_tokens_details=_BLOCK), BILL),
    "a small prompt": (_openai(FRESH, FRESH + REPLY, prompt_tokens_details=_BLOCK), BILL),
    "Anthropic's names": ({"input_tokens": FRESH, "output_tokens": REPLY, **_TOP}, BILL),
    "Bedrock": (
        {"inputTokens": FRESH, "outputTokens": REPLY, "totalTokens": PROMPT + REPLY, **_CAMEL},
        BILL,
    ),
    "Bedrock for an hour": (
        {
            **{"inputTokens": FRESH, "outputTokens": REPLY, "totalTokens": PROMPT + REPLY},
            **_CAMEL,
            "cacheDetails": [
                {"inputTokens": MINUTES, "ttl": "5m"},
                {"inputTokens": HOUR, "ttl": "1h"},
            ],
        },
        LONG,
    ),
    "older Bedrock": (
        {
            "inputTokenCount": FRESH,
            "outputTokenCount": REPLY,
            "cacheReadInputTokenCount": READ,
            "cacheWriteInputTokenCount": WRITTEN,
        },
        BILL,
    ),
    "what was read alone": (
        _openai(FRESH + WRITTEN, PROMPT + REPLY, prompt_tokens_details=_BLOCK),
        BILL,
    ),
    "thought and a cache": (
        _openai(
            FRESH,
            PROMPT + REPLY + 30,
            prompt_tokens_details=_BLOCK,
            completion_tokens_details={"reasoning_tokens": 30},
        ),
        Usage(PROMPT, READ, REPLY + 30, WRITTEN),
    ),
}


@pytest.mark.parametrize("said", [*WITHIN, *BESIDE])
def test_a_cache_s_tokens_are_read_by_every_name(said: str) -> None:
    used, bill = (WITHIN | BESIDE)[said]
    assert OpenAICodec().usage({"usage": used}) == bill


@pytest.mark.parametrize(
    ("more", "bill"),
    [
        (_TOP, BILL),
        ({**_TOP, "cache_creation": _HOURS}, LONG),
        ({"cache_read_input_tokens": READ, "cache_creation": _HOURS}, LONG),
        (_CAMEL, BILL),
        ({**_TOP, "iterations": [{"input_tokens": 9_999}], "server_tool_use": {"x": 1}}, BILL),
    ],
)
def test_anthropic_s_are_beside_the_input(more: dict[str, Any], bill: Usage) -> None:
    used = {"input_tokens": FRESH, "output_tokens": REPLY, **more}
    assert AnthropicCodec().usage({"usage": used}) == bill


_SOME = st.integers(0, 10**6)


@given(_SOME, _SOME, _SOME, _SOME, st.sampled_from(["cached_tokens", "cache_read_tokens"]))
def test_the_parts_are_of_the_prompt_and_none_is_lost(
    fresh: int, read: int, written: int, reply: int, name: str
) -> None:
    details = {name: read, "cache_write_tokens": written}
    prompt = fresh + read + written
    used = {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}
    usage = OpenAICodec().usage({"usage": {**used, "prompt_tokens_details": details}})
    assert usage == Usage(prompt, read, reply, written)


@pytest.mark.parametrize("broken", [None, "1", [], True, -3, 1e300, {"a": "b"}])
def test_nonsense_counts_nothing(broken: Any) -> None:
    used = _openai(PROMPT, prompt_tokens_details=broken, cache_creation=broken, service_tier=broken)
    usage = OpenAICodec().usage({"usage": used})
    assert usage.input_tokens == PROMPT and not usage.written_tokens
    assert OpenAICodec().usage({"usage": broken}).total == 0


def test_an_answer_whose_usage_is_nonsense_is_kept_and_booked_at_its_most(tmp_path: Path) -> None:
    models = {"m": {"provider": "p", "price": {"input": 1.0, "output": 1.0}}}
    with hostile(Said(chat(usage=[1]))) as server:
        reply = make_registry(tmp_path, {"p": provider(server)}, models).model("m").ask(REQUEST)
    assert reply.text == "Hello."
    assert _ledger(tmp_path)[-1]["sure"] is False and reply.cost_usd == _ledger(tmp_path)[-1]["usd"]


PRICE: dict[str, Any] = {
    **{"input": 2.0, "cached_input": 0.2, "cache_write": 2.5, "output": 10.0},
    "above": [{"input_tokens": 200_000, "input": 4.0, "cached_input": 0.4, "output": 15.0}],
    "service_tiers": {
        "flex": {"input": 1.0, "cached_input": 0.1, "cache_write": 1.25, "output": 5.0},
        "priority": {"input": 4.0, "output": 20.0},
    },
}


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def _ledger(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "ledger.jsonl").read_text("utf-8").splitlines()]


def _bill(tier: str, prompt: int) -> float:
    """Of 300 tokens read, 500 written and 10 said, the rest being fresh."""
    read, written, out = 300, 500, 10
    usd = {"flex": (1.0, 0.1, 1.25, 5.0), "priority": (4.0, 4.0, 5.0, 20.0)}.get(
        tier, (2.0, 0.2, 2.5, 10.0)
    )
    if prompt > 200_000 and tier not in ("flex", "priority"):
        usd = (4.0, 0.4, 5.0, 15.0)
    fresh = prompt - read - written
    return (fresh * usd[0] + read * usd[1] + written * usd[2] + out * usd[3]) / 1e6


@pytest.mark.parametrize(
    ("tier", "prompt", "interface"),
    [
        *product(
            ["", "default", "flex", "priority", "Flex"], [1_000, 200_000, 200_001], ["openai"]
        ),
        *product(["standard", "priority"], [1_000], ["anthropic"]),
    ],
)
def test_the_ledger_has_the_bill_of_a_tier_and_of_a_long_prompt(
    tmp_path: Path, tier: str, prompt: int, interface: str
) -> None:
    if interface == "openai":
        details = {"cached_tokens": 300, "cache_write_tokens": 500}
        used = {"prompt_tokens": prompt, "completion_tokens": 10, "prompt_tokens_details": details}
        body = chat(usage=used, service_tier=tier)
    else:
        used = {
            **{"input_tokens": prompt - 800, "output_tokens": 10, "service_tier": tier},
            **{"cache_read_input_tokens": 300, "cache_creation_input_tokens": 500},
        }
        body = message(usage=used)
    models = {"m": {"provider": "p", "price": PRICE}}
    with hostile(Said(body)) as server:
        made = make_registry(tmp_path, {"p": provider(server, interface)}, models).model("m")
        reply = made.ask(REQUEST)
    assert reply.cost_usd == pytest.approx(_bill(tier.lower(), prompt))
    assert _ledger(tmp_path)[-1]["usd"] == pytest.approx(reply.cost_usd)


def test_what_a_provider_writes_unasked_is_reserved_from_then_on(tmp_path: Path) -> None:
    """Though no price says what writes cost: 1.25 of the input, as they are booked."""
    details = {"cached_tokens": 0, "cache_write_tokens": 10}
    used = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": details}
    models = {"m": {"provider": "p", "price": {"input": 100.0, "output": 1.0}}}
    with hostile(Said(chat(usage=used))) as server:
        registry = make_registry(tmp_path, {"p": provider(server)}, models, budget_usd=1.0)
        for _ in range(2):
            registry.model("m").ask(REQUEST)
    reserved = [line["usd"] for line in _ledger(tmp_path) if "sure" not in line]
    prompt = len("be brief你好".encode()) // 3 + 1
    assert reserved == pytest.approx(
        [(prompt * each + REQUEST.max_tokens) / 1e6 for each in (100, 125)]
    )


@pytest.mark.parametrize("tier", ["priority", "ultrafast"])
def test_a_tier_without_a_price_is_said_once(
    tmp_path: Path, tier: str, caplog: pytest.LogCaptureFixture
) -> None:
    models = {"m": {"provider": "p", "price": {"input": 2.0, "output": 10.0}}}
    with (
        hostile(Said(chat(service_tier=tier))) as server,
        caplog.at_level(logging.WARNING, "dissensus"),
    ):
        made = make_registry(tmp_path, {"p": provider(server)}, models).model("m")
        for _ in range(3):
            made.ask(REQUEST)
    said = [entry.message for entry in caplog.records if "service tier" in entry.message]
    assert len(said) == 1 and tier in said[0] and "models.m.price.service_tiers" in said[0]


@pytest.mark.parametrize(
    ("changes", "parameters", "dearest"),
    [
        ({}, {}, (2.0, 10.0)),
        ({"cache_write": 2.5}, {}, (2.5, 10.0)),
        ({"cache_write": 0.5}, {}, (2.0, 10.0)),
        ({"service_tiers": PRICE["service_tiers"]}, {}, (5.0, 20.0)),
        ({"service_tiers": PRICE["service_tiers"]}, {"service_tier": "auto"}, (5.0, 20.0)),
        ({"service_tiers": PRICE["service_tiers"]}, {"service_tier": "flex"}, (2.0, 10.0)),
    ],
)
def test_what_is_reserved_covers_writes_and_whatever_tier_answers(
    tmp_path: Path, changes: Any, parameters: Any, dearest: tuple[float, float]
) -> None:
    price = {"input": 2.0, "output": 10.0, **changes}
    # Of priority's, no price says what writes cost: 1.25 of its input, if they are billed at all.
    if "cache_write" not in changes and dearest[0] == 5.0:
        dearest = (4.0, dearest[1])
    models = {"m": {"provider": "p", "price": price, "parameters": parameters}}
    with hostile(Said(chat())) as server:
        registry = make_registry(tmp_path, {"p": provider(server)}, models, budget_usd=1.0)
        registry.model("m").ask(REQUEST)
    reserved = next(line for line in _ledger(tmp_path) if "sure" not in line)
    prompt = len("be brief你好".encode()) // 3 + 1
    most = (prompt * dearest[0] + REQUEST.max_tokens * dearest[1]) / 1e6
    assert reserved["usd"] == pytest.approx(most)


def test_a_long_prompt_is_reserved_at_its_step() -> None:
    step = Price(4.0, None, 15.0, None, "", "")
    price = Price(2.0, None, 10.0, 0.5, "", "", above=((200_000, step),))
    assert price.most(Usage(200_000, 0, 10)) == pytest.approx((200_000 * 2 + 100) / 1e6)
    assert price.most(Usage(200_001, 0, 10)) == pytest.approx((200_001 * 4 + 150) / 1e6)
    assert price.cost_of(Usage(200_001, 0, 10)) == price.most(Usage(200_001, 0, 10))


_USD = st.floats(0.01, 100)


@given(st.data())
def test_no_answer_costs_more_than_was_reserved(data: st.DataObject) -> None:
    def price() -> Price:
        rates = [data.draw(_USD) for _ in range(4)]
        # Reads are never dearer than all else.
        return Price(rates[0], min(rates[1], rates[0]), rates[2], None, "", "", rates[3])

    steps = tuple((over, price()) for over in sorted({data.draw(st.integers(1, 900))}))
    made = Price(**{**vars(price()), "above": steps, "tiers": {"flex": price()}})
    most = Usage(1000, 0, 500)
    prompt = data.draw(st.integers(0, 1000))
    read = data.draw(st.integers(0, prompt))
    written = data.draw(st.integers(0, prompt - read))
    tier = data.draw(st.sampled_from(["", "flex", "unknown"]))
    used = Usage(prompt, read, data.draw(st.integers(0, 500)), written, 0, tier)
    # A table whose long prompts are cheaper would have dearer ones below the step.
    assert made.cost_of(used) <= made.most(most) * (1 + 1e-9)
