"""What the providers say of batches, as their packages read it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from clients import anthropic, openai
from dissensus.llm.batches.interface import Found, Line, Sought, State

if TYPE_CHECKING:
    from dissensus.llm.batches.anthropic import AnthropicBatches
    from dissensus.llm.batches.openai import OpenAIBatches

Handler = Callable[[httpx2.Request], httpx2.Response]
AT = 1_760_000_000
BATCH = {
    "id": "batch_1",
    "object": "batch",
    "endpoint": "/v1/chat/completions",
    "input_file_id": "file-1",
    "completion_window": "24h",
    "status": "completed",
    "output_file_id": "file-out",
    "error_file_id": "file-err",
    "created_at": AT,
    "metadata": {"dissensus": "own"},
}
MESSAGES = {
    "id": "msgbatch_1",
    "type": "message_batch",
    "processing_status": "ended",
    "request_counts": {
        "processing": 0, "succeeded": 1, "errored": 1, "canceled": 0, "expired": 0
    },
    "created_at": "2025-10-09T08:53:20+00:00",
    "expires_at": "2025-10-10T08:53:20+00:00",
    "ended_at": "2025-10-09T09:00:00+00:00",
    "results_url": "http://there/v1/messages/batches/msgbatch_1/results",
}  # fmt: skip


def by_openai(handle: Handler) -> OpenAIBatches:
    from dissensus.llm.batches.openai import OpenAIBatches

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(handle))
    return OpenAIBatches(
        openai.AsyncOpenAI(api_key="any", base_url="http://there/v1", http_client=client)
    )


def by_anthropic(handle: Handler) -> AnthropicBatches:
    from dissensus.llm.batches.anthropic import AnthropicBatches

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(handle))
    return AnthropicBatches(
        anthropic.AsyncAnthropic(api_key="any", base_url="http://there", http_client=client)
    )


def says(body: Any) -> Handler:
    return lambda request: httpx2.Response(200, json=body)


def jsonl(*entries: Any) -> httpx2.Response:
    content = "".join(json.dumps(entry) + "\n" for entry in entries)
    return httpx2.Response(200, content=content.encode())


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ({"status": "validating"}, State(over=False)),
        ({"status": "finalizing"}, State(over=False)),
        ({"status": "completed"}, State(over=True)),
        ({"status": "expired"}, State(over=True, missing="timeout")),
        ({"status": "cancelled"}, State(over=True, missing="server_error")),
        (
            {
                "status": "failed",
                "errors": {"data": [{"code": "token_limit_exceeded", "message": "Enqueued"}]},
            },
            State(over=True, refused="Enqueued", again=True),
        ),
        (
            {
                "status": "failed",
                "errors": {"data": [{"code": "invalid_json_line", "message": "Line 1"}]},
            },
            State(over=True, refused="Line 1"),
        ),
        ({"status": "failed", "errors": None}, State(over=True, refused="it gives no reason")),
    ],
)
def test_how_far_a_batch_is_with_openai(said: dict[str, Any], state: State) -> None:
    assert asyncio.run(by_openai(says({**BATCH, **said})).state("batch_1")) == state


@pytest.mark.parametrize("body", [{"status": "ok"}, {**BATCH, "id": "batch_2"}])
def test_an_answer_about_nothing_or_another_batch_is_none(body: Any) -> None:
    with pytest.raises(ValueError, match=r"no id|another batch"):
        asyncio.run(by_openai(says(body)).state("batch_1"))
    with pytest.raises(ValueError, match=r"no id|another batch"):
        asyncio.run(by_anthropic(says(body)).state("msgbatch_1"))


def test_the_lines_of_openai() -> None:
    answer: dict[str, Any] = {"choices": []}
    limited = {"error": {"message": "Rate limit", "code": "rate_limit_exceeded"}}
    broke = {"error": {"message": "no quota", "code": "insufficient_quota"}}

    def line(name: str, status: int, body: Any) -> dict[str, Any]:
        response = {"status_code": status, "request_id": "r", "body": body}
        return {"id": "x", "custom_id": name, "response": response, "error": None}

    def handle(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/file-out/content"):
            return jsonl(line("a", 200, answer), line("b", 200, limited))
        if request.url.path.endswith("/file-err/content"):
            never = {"custom_id": "f", "response": None}
            return jsonl(
                line("c", 429, limited),
                line("d", 429, broke),
                line("e", 0, None),
                {**never, "error": {"code": "batch_expired", "message": "too late"}},
                {**never, "custom_id": "g", "error": {"code": "batch_cancelled", "message": ""}},
                {**never, "custom_id": "h", "error": None},
            )
        return httpx2.Response(200, json=BATCH)

    lines = asyncio.run(by_openai(handle).results("batch_1"))
    assert lines.pop("a") == Line(answer)
    assert {name: (line.outcome, line.message, line.billed) for name, line in lines.items()} == {
        "b": ("rate_limit", "Rate limit", False),
        "c": ("rate_limit", "Rate limit", False),
        "d": ("credit", "no quota", False),
        "e": ("server_error", "", False),
        "f": ("timeout", "too late", False),
        "g": ("server_error", "batch_cancelled", False),
        "h": ("server_error", "", False),
    }


def test_a_torn_file_of_answers_is_no_answer() -> None:
    def handle(request: httpx2.Request) -> httpx2.Response:
        if "content" in request.url.path:
            return httpx2.Response(200, content=b'{"custom_id": "a", "resp')
        return httpx2.Response(200, json=BATCH)

    with pytest.raises(ValueError):
        asyncio.run(by_openai(handle).results("batch_1"))


def test_the_lines_of_anthropic() -> None:
    message = {"id": "msg_1", "content": [{"type": "text", "text": "words"}], "model": "m"}

    def error(kind: str, said: str) -> dict[str, Any]:
        return {
            "type": "errored",
            "error": {"type": "error", "error": {"type": kind, "message": said}},
        }

    results = {
        "a": {"type": "succeeded", "message": message},
        "b": error("overloaded_error", "Overloaded"),
        "c": error("invalid_request_error", "prompt is too long: 9 tokens"),
        "d": error("billing_error", "pay"),
        "e": {"type": "expired"},
        "f": {"type": "canceled"},
        "g": error("new_kind", "odd"),
    }

    def handle(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/results"):
            return jsonl(*({"custom_id": k, "result": v} for k, v in results.items()))
        return httpx2.Response(200, json=MESSAGES)

    lines = asyncio.run(by_anthropic(handle).results("msgbatch_1"))
    assert lines.pop("a").body["content"][0]["text"] == "words"
    assert {name: (line.outcome, line.billed) for name, line in lines.items()} == {
        "b": ("overload", False),
        "c": ("context_overflow", False),
        "d": ("credit", False),
        "e": ("timeout", False),
        "f": ("server_error", False),
        "g": ("server_error", False),
    }


@pytest.mark.parametrize(
    ("sought", "found"),
    [
        (Sought("own", 2, AT, ()), Found("batch_1")),
        (Sought("other", 2, AT, ()), Found()),
    ],
)
def test_openai_is_asked_for_our_name(sought: Sought, found: Found) -> None:
    page = {"object": "list", "data": [BATCH], "has_more": False}
    assert asyncio.run(by_openai(says(page)).find(sought)) == found


@pytest.mark.parametrize(
    ("sought", "status", "found"),
    [
        (Sought("own", 2, AT, ()), "ended", Found("msgbatch_1")),
        (Sought("own", 2, AT, ()), "in_progress", Found(unsettled=True)),
        (Sought("own", 2, AT, ("msgbatch_1",)), "in_progress", Found()),
        (Sought("own", 3, AT, ()), "in_progress", Found()),
        (Sought("other", 2, AT, ()), "ended", Found()),
        (Sought("own", 2, AT + 7200, ()), "ended", Found()),
    ],
)
def test_anthropic_is_asked_for_what_its_batches_hold(
    sought: Sought, status: str, found: Found
) -> None:
    def handle(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.endswith("/results"):
            return jsonl({"custom_id": "own-0", "result": {"type": "expired"}})
        batch = {**MESSAGES, "processing_status": status}
        page = {"data": [batch], "has_more": False, "first_id": None, "last_id": None}
        return httpx2.Response(200, json=batch if request.url.path.endswith("_1") else page)

    assert asyncio.run(by_anthropic(handle).find(sought)) == found
