"""Batches of both interfaces through the true clients."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clients import anthropic, asked, asked_message, by_anthropic, by_openai, openai, prompt
from serving import Server, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("--batch-seconds", "0.1") as started:
        yield started


def upload(client: openai.OpenAI, lines: list[dict[str, Any]]) -> Any:
    content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    file = ("turn.jsonl", io.BytesIO(content.encode()))
    return client.files.create(file=file, purpose="batch")


def chats(count: int, **changes: Any) -> list[dict[str, Any]]:
    """Lines of a file of requests."""
    return [
        {
            "custom_id": f"s{n}",
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {**asked(), "seed": n, **changes},
        }
        for n in range(count)
    ]


def params(count: int, **changes: Any) -> list[Any]:
    return [{"custom_id": f"s{n}", "params": {**asked(), **changes}} for n in range(count)]


def start(client: openai.OpenAI, lines: list[dict[str, Any]], **more: Any) -> Any:
    return client.batches.create(
        input_file_id=upload(client, lines).id,
        endpoint="/v1/chat/completions",
        completion_window="24h",
        **more,
    )


def ended(look: Callable[[], Any], status: str = "status") -> Any:
    """The batch when it is over."""
    for _ in range(300):
        batch = look()
        if getattr(batch, status) not in ("in_progress", "cancelling", "canceling"):
            return batch
        time.sleep(0.02)
    raise AssertionError("the batch never ended")


def read(client: openai.OpenAI, file_id: str | None) -> dict[str, Any]:
    """The lines of a file of answers by custom_id."""
    assert file_id
    lines = client.files.content(file_id).text.splitlines()
    entries = [json.loads(line) for line in lines]
    return {entry["custom_id"]: entry for entry in entries}


def test_an_openai_batch_gives_the_same_answers_as_the_calls_would(server: Server):
    client = by_openai(server)
    lines = chats(12)
    lines[3]["body"]["messages"] = [{"role": "user", "content": prompt() + "议会"}]
    batch = start(client, lines, metadata={"turn": "3"})
    assert batch.status == "in_progress"
    assert batch.metadata == {"turn": "3"}
    batch = ended(lambda: client.batches.retrieve(batch.id))
    assert batch.status == "completed"
    counts = batch.request_counts
    assert (counts.total, counts.completed, counts.failed) == (12, 12, 0)
    assert batch.error_file_id is None
    answers = read(client, batch.output_file_id)
    assert set(answers) == {f"s{n}" for n in range(12)}
    assert list(answers) != [f"s{n}" for n in range(12)]
    for line in lines:
        direct = client.chat.completions.with_raw_response.create(**line["body"])
        assert answers[line["custom_id"]]["response"]["body"] == json.loads(direct.text)
    assert client.files.retrieve(batch.input_file_id).filename == "turn.jsonl"
    assert client.files.content(batch.input_file_id).text.count("\n") == 12


def test_errors_of_an_openai_batch_are_in_a_file_of_their_own(server: Server):
    client = by_openai(server)
    lines = chats(3)
    lines[1]["body"]["model"] = "nobody"
    started = start(client, lines)
    batch = ended(lambda: client.batches.retrieve(started.id))
    assert (batch.request_counts.completed, batch.request_counts.failed) == (2, 1)
    assert set(read(client, batch.output_file_id)) == {"s0", "s2"}
    failed = read(client, batch.error_file_id)["s1"]["response"]
    assert failed["status_code"] == 404
    assert failed["body"]["error"]["code"] == "model_not_found"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"custom_id": "s0"}, "duplicate_custom_id"),
        ({"url": "/v1/embeddings"}, "mismatched_url"),
        ({"url": "/v1/nowhere"}, "invalid_json_line"),
    ],
)
def test_a_file_that_is_wrong_fails_the_whole_batch(server: Server, change: Any, code: str):
    client = by_openai(server)
    lines = chats(2)
    lines[1].update(change)
    batch = start(client, lines)
    assert batch.status == "failed"
    assert [(e.code, e.line) for e in batch.errors.data] == [(code, 2)]


def test_batches_are_listed_newest_first_and_in_pages(server: Server):
    client, other = by_openai(server), by_anthropic(server)
    made = [start(client, chats(1)).id for _ in range(3)]
    assert [batch.id for batch in client.batches.list(limit=2)][:3] == made[::-1]
    theirs = [other.messages.batches.create(requests=params(1)).id for _ in range(3)]
    assert [batch.id for batch in other.messages.batches.list(limit=2)][:3] == theirs[::-1]
    before = other.messages.batches.list(limit=1, before_id=theirs[0])
    assert [batch.id for batch in before.data] == [theirs[1]]


def test_embeddings_come_in_batches_too(server: Server):
    client = by_openai(server)
    body = {"model": "text-embedding-3-large", "input": ["a", "b"]}
    line = {"custom_id": "e", "method": "POST", "url": "/v1/embeddings", "body": body}
    batch = client.batches.create(
        input_file_id=upload(client, [line]).id,
        endpoint="/v1/embeddings",
        completion_window="24h",
    )
    batch = ended(lambda: client.batches.retrieve(batch.id))
    made = read(client, batch.output_file_id)["e"]["response"]["body"]["data"]
    assert [len(item["embedding"]) for item in made] == [256, 256]


def test_an_anthropic_batch_gives_the_same_answers_as_the_calls_would(server: Server):
    client = by_anthropic(server)
    requests = params(8)
    for n, request in enumerate(requests):
        request["params"]["temperature"] = n / 10
    requests[5]["params"] = {**requests[5]["params"], "model": "nobody"}
    batch = client.messages.batches.create(requests=requests)
    assert (batch.processing_status, batch.request_counts.processing) == ("in_progress", 8)
    assert batch.results_url is None
    with pytest.raises(anthropic.AnthropicError):
        client.messages.batches.results(batch.id)
    batch = ended(lambda: client.messages.batches.retrieve(batch.id), "processing_status")
    counts = batch.request_counts
    assert (counts.succeeded, counts.errored, counts.processing) == (7, 1, 0)
    results = {line.custom_id: line.result for line in client.messages.batches.results(batch.id)}
    assert results["s5"].type == "errored"
    assert results["s5"].error.error.type == "not_found_error"
    for n in (0, 1, 7):
        request = asked_message()
        request["extra_body"] = {"temperature": n / 10}
        assert results[f"s{n}"].message == client.messages.create(**request)


def test_a_cancelled_batch_says_so(server: Server):
    with serving("--batch-seconds", "60") as slow:
        client, other = by_openai(slow), by_anthropic(slow)
        batch = start(client, chats(2))
        assert client.batches.cancel(batch.id).status in ("cancelling", "cancelled")
        batch = ended(lambda: client.batches.retrieve(batch.id))
        assert (batch.status, batch.output_file_id) == ("cancelled", None)
        errors = read(client, batch.error_file_id)
        assert {entry["error"]["code"] for entry in errors.values()} == {"batch_cancelled"}
        with pytest.raises(openai.ConflictError):
            client.batches.cancel(batch.id)
        theirs = other.messages.batches.create(requests=params(2))
        assert other.messages.batches.cancel(theirs.id).processing_status == "canceling"
        look = lambda: other.messages.batches.retrieve(theirs.id)  # noqa: E731
        assert ended(look, "processing_status").request_counts.canceled == 2
        kinds = {line.result.type for line in other.messages.batches.results(theirs.id)}
        assert kinds == {"canceled"}
        counted = slow.stats()
    assert counted["batches"] == {
        "openai": {"created": 1, "requests": 2, "cancelled": 1, "ended": 1},
        "anthropic": {"created": 1, "requests": 2, "cancelled": 1, "ended": 1},
    }
    assert "batched chat" not in counted["calls"]


def test_what_does_not_exist_is_a_404(server: Server):
    client, other = by_openai(server), by_anthropic(server)
    for look in (client.batches.retrieve, client.batches.cancel, client.files.content):
        with pytest.raises(openai.NotFoundError):
            look("none")
    with pytest.raises(anthropic.NotFoundError):
        other.messages.batches.retrieve("none")
    with pytest.raises(openai.BadRequestError):
        client.batches.create(
            input_file_id="none", endpoint="/v1/chat/completions", completion_window="24h"
        )


def test_faults_befall_the_lines_of_a_batch():
    kinds = ("rate_limit", "server_error", "connection", "timeout", "malformed", "empty")
    options = [part for kind in kinds for part in ("--fault", f"{kind}=0.12")]
    options += ["--batch-seconds", "0", "--hang", "0", "--retry-after", "0.01"]
    with serving(*options, "--seed", "3") as server:
        client, other = (make(server) for make in (by_openai, by_anthropic))
        lines = chats(40)
        batch = patient(lambda: start(client, lines).id)
        status = patient(lambda: ended(lambda: client.batches.retrieve(batch)).request_counts.total)
        theirs = patient(lambda: other.messages.batches.create(requests=params(40)).id)
        counted = server.stats()
    assert status == 40
    assert theirs.startswith("msgbatch_")
    tally = counted["calls"]["batched chat"]
    assert tally["received"] == 40 * counted["batches"]["openai"]["created"]
    assert set(tally["faults"]) == set(kinds)
    assert tally["answered"] + sum(tally["faults"].values()) == tally["received"]
    assert counted["control"]["faults"]


def patient(ask: Callable[[], Any]) -> Any:
    """Ask until an answer can be read: a malformed one comes as anything, its fields as None."""
    for _ in range(100):
        try:
            found = ask()
        except (AttributeError, TypeError, ValueError, openai.APIError, anthropic.APIError):
            continue
        if found is not None:
            return found
    raise AssertionError("nothing came of it")
