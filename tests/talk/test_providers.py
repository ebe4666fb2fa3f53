"""Providers by name, what they depend on, and that a call gone wrong is a reply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dissensus.errors import ProviderError
from dissensus.talk import providers
from dissensus.talk.call import Message, Reply, Request
from dissensus.talk.providers.simulated import SimulatedModel

REQUEST = Request("m", "id", (Message("system", "be brief"), Message("user", "你好")), 0.2, 64, 9)


def answer(content: Any) -> bytes:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content},
    }
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": "llama3"}
    return json.dumps({**body, "choices": [choice], "usage": usage}).encode()


@dataclass
class Server:
    """A local endpoint that gives one answer to whatever it is asked."""

    body: bytes = b""
    status: int = 200
    delay: float = 0.0
    asked: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            told.asked.append(json.loads(self.rfile.read(length)))
            sleep(told.delay)
            self.send_response(told.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told.body)))
            self.end_headers()
            self.wfile.write(told.body)

        def log_message(self, *_: Any) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    told.url = f"http://127.0.0.1:{listening.server_port}/v1"
    monkeypatch.setenv("TEST_KEY", "any")
    for proxy in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(proxy, raising=False)
    yield told
    listening.shutdown()
    listening.server_close()


def ask(server: Server, **settings: Any) -> Reply:
    given = {"provider": "openai", "base_url": server.url, "key_from": "TEST_KEY", "retries": 0}
    return providers.make("my-model", {**given, **settings}).ask(REQUEST)


def test_a_call_sends_what_the_request_says(server: Server):
    server.body = answer("  Hello.\n")
    reply = ask(server, parameters={"max_tokens": None, "max_completion_tokens": 64})
    assert (reply.text, reply.error, reply.finish_reason) == ("Hello.", "", "stop")
    assert (reply.input_tokens, reply.output_tokens) == (12, 3)
    assert server.asked == [
        {
            "model": "my-model",
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "你好"},
            ],
            "temperature": 0.2,
            "max_completion_tokens": 64,
            "seed": 9,
        }
    ]


@pytest.mark.parametrize(
    ("setting", "sent"), [({"model": "llama3"}, "llama3"), ({"model": None}, "my-model")]
)
def test_the_model_is_the_named_one_or_the_entry_itself(server: Server, setting, sent):
    server.body = answer("Hello.")
    ask(server, **setting)
    assert server.asked[0]["model"] == sent


@pytest.mark.parametrize("content", ["", None, " \n"])
def test_no_words_are_an_empty_reply(server: Server, content):
    server.body = answer(content)
    assert (ask(server).text, ask(server).error) == ("", "empty")


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (500, b"{}", "InternalServerError"),
        (429, b'{"error": {"message": "slow down"}}', "RateLimitError"),
        (401, b"{}", "AuthenticationError"),
        (404, b"{}", "NotFoundError"),
        (200, b"<html>not what was asked for</html>", "malformed"),
        (200, b'{"choices": []}', "malformed"),
        (200, b'{"choices": null}', "malformed"),
        (200, b"{}", "malformed"),
    ],
)
def test_a_call_gone_wrong_is_a_reply(server: Server, status, body, error):
    server.status, server.body = status, body
    reply = ask(server)
    assert reply.text == ""
    assert reply.finish_reason == "error"
    assert reply.error == error


def test_a_time_out_is_a_reply(server: Server):
    server.body, server.delay = answer("late"), 0.5
    reply = ask(server, timeout_s=0.05)
    assert (reply.text, reply.error) == ("", "timeout")


def test_a_server_that_is_not_there_is_a_reply(server: Server):
    reply = ask(server, base_url="http://127.0.0.1:9/v1")
    assert (reply.text, reply.error) == ("", "APIConnectionError")


def test_half_a_character_can_be_written_down(server: Server):
    """A reply cut off inside an emoji is a lone surrogate, which no file in UTF-8 can hold."""
    server.body = answer("Fine \ud83d")
    reply = ask(server)
    assert reply.text.startswith("Fine")
    reply.text.encode()


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(ProviderError, match=r"models\.gpt: the environment variable NO_SUCH_KEY"):
        providers.make("gpt", {"provider": "openai", "key_from": "NO_SUCH_KEY"})


def test_an_identity_needs_no_key_and_no_patience_counts():
    settings = {"provider": "openai", "model": "x", "timeout_s": 3, "retries": 1}
    same = {**settings, "timeout_s": 99, "retries": 9, "key_from": "ELSEWHERE"}
    assert providers.identity("a", settings) == providers.identity("a", same)
    for change in ({"model": "y"}, {"base_url": "http://b"}, {"parameters": {"top_p": 0.5}}):
        assert providers.identity("a", {**settings, **change}) != providers.identity("a", settings)


@pytest.mark.parametrize("kind", ["opnai", None, 3])
def test_an_unknown_provider_is_named(kind):
    with pytest.raises(
        ProviderError, match=rf"models\.a\.provider holds {kind!r}; .*simulated, openai"
    ):
        providers.make("a", {"provider": kind})


def test_an_unknown_behaviour_is_named():
    with pytest.raises(ProviderError, match=r"behaviour 'no\.such' .* must name an importable"):
        providers.make("a", {"provider": "simulated", "behaviour": "no.such"})


def stammer() -> ModuleType:
    module = ModuleType("stammer")
    module.speak = lambda messages, settings, rng: f"{messages[-1].content} {rng.integers(10**9)}"
    module.identity = lambda settings: "stammer"
    return module


def simulated(monkeypatch: pytest.MonkeyPatch, **settings: float) -> SimulatedModel:
    monkeypatch.setitem(__import__("sys").modules, "stammer", stammer())
    return providers.make("s", {"provider": "simulated", "behaviour": "stammer", **settings})


def requests(n: int) -> list[Request]:
    return [Request("s", "id", (Message("user", "hi"),), 0.2, 64, seed) for seed in range(n)]


def test_a_simulated_reply_depends_on_the_request_alone(monkeypatch: pytest.MonkeyPatch):
    model = simulated(monkeypatch, timeout_rate=0.1, empty_rate=0.1)
    first = [model.ask(request) for request in requests(50)]
    assert [model.ask(request) for request in reversed(requests(50))] == first[::-1]
    assert len({reply.text for reply in first if not reply.error}) > 30


def test_faults_come_at_their_rates(monkeypatch: pytest.MonkeyPatch):
    model = simulated(monkeypatch, timeout_rate=0.10, empty_rate=0.05)
    n = 4000
    errors = np.array([model.ask(request).error for request in requests(n)])
    for error, rate in (("timeout", 0.10), ("empty", 0.05)):
        spread = np.sqrt(rate * (1 - rate) / n)
        assert abs((errors == error).mean() - rate) < 4 * spread
    assert set(errors) == {"", "timeout", "empty"}


def test_rates_of_nought_and_one(monkeypatch: pytest.MonkeyPatch):
    assert all(not simulated(monkeypatch).ask(r).error for r in requests(200))
    never = simulated(monkeypatch, timeout_rate=1.0)
    assert all(never.ask(r).error == "timeout" for r in requests(200))
