"""An HTTP server that answers, or fails to, in whatever way a test writes down."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from dissensus.llm import http_client, providers
from dissensus.llm.call import Message, Reply, Request
from dissensus.llm.exchange import Terms
from dissensus.llm.outage import Outage
from dissensus.llm.registry import ModelRegistry
from dissensus.llm.settings import ProviderSettings

KEY = "sk-loopback-0123456789abcdef"
#: The last is one of the tests, see :func:`prepare`.
INTERFACES = ("openai", "anthropic", "gemini")
every_interface = pytest.mark.parametrize("interface", INTERFACES)
PRICE = {"input": 1000.0, "output": 10_000.0, "cached_input": None}
#: What answer() is billed at that price: 12 tokens in, 3 out.
BILL = (12 * 1000 + 3 * 10_000) / 1e6
PRICED = {"m": {"provider": "p", "price": PRICE}}
REQUEST = Request("m", "id", (Message("system", "be brief"), Message("user", "你好")), 0.2, 64, 9)
MODELS = {"object": "list", "data": [{"id": "m"}, {"id": "other"}, {"id": "e"}]}


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def is_call(self) -> bool:
        return self.method == "POST"

    @property
    def decoding(self) -> dict[str, Any]:
        """What was sent besides the messages, wherever the interface has it."""
        return dict(self.body.get("generationConfig", self.body))

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Role and words of every message but the system's."""
        if "contents" in self.body:
            return [(one["role"], one["parts"][0]["text"]) for one in self.body["contents"]]
        return [(one["role"], one["content"]) for one in self.body["messages"]]

    @property
    def model(self) -> str:
        return str(self.body.get("model") or self.path.rpartition("/")[2].partition(":")[0])


@dataclass(frozen=True)
class Said:
    """An answer.

    Attributes
    ----------
    body : JSON unless it is bytes.
    reason : of the status line.
    after : seconds of silence before it.
    cut : where the connection is reset instead of going on.
    drip : seconds between a byte and the next, for ever, after the headers.
    length : a content-length that is not so.
    raw : all that is sent, status line and headers included, instead of all else.
    """

    body: Any = b""
    status: int = 200
    headers: Sequence[tuple[str, str]] = ()
    reason: str = "Whatever"
    after: float = 0.0
    cut: Literal["", "headers", "body", "all"] = ""
    drip: float = 0.0
    length: int | None = None
    raw: bytes | None = None

    def bytes(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Hostile:
    """The server: what it says to a call, and what it was asked."""

    say: Callable[[Asked], Said]
    list_models: Callable[[Asked], Said]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    now: int = 0
    most_at_once: int = 0

    @property
    def calls(self) -> list[Asked]:
        """What it was asked that costs money."""
        return [asked for asked in self.asked if asked.is_call]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        gone = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError)
        with suppress(*gone):
            while (asked := await _heard(reader)) and await self._answer(asked, reader, writer):
                pass
        writer.close()

    async def _answer(
        self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer; whether the connection goes on."""
        self.asked.append(asked)
        said = (self.say if asked.is_call else self.list_models)(asked)
        self.now += asked.is_call
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            if said.after:
                gone = asyncio.ensure_future(reader.read(1))
                await asyncio.wait([gone], timeout=said.after)
                if gone.done():
                    return False
                gone.cancel()
                await asyncio.gather(gone, return_exceptions=True)
            return await _send(said, writer)
        finally:
            self.now -= asked.is_call


async def _heard(reader: asyncio.StreamReader) -> Asked | None:
    line = (await reader.readline()).decode("latin-1").split()
    if len(line) < 2:
        return None
    headers: dict[str, str] = {}
    while (entry := (await reader.readline()).decode("latin-1").strip()) != "":
        name, _, value = entry.partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(line[0], line[1], headers, json.loads(body) if body else None)


async def _send(said: Said, writer: asyncio.StreamWriter) -> bool:
    body = said.bytes()
    if said.cut == "all":
        writer.transport.abort()
        return False
    if said.raw is not None:
        writer.write(said.raw)
        await writer.drain()
        return False
    length = len(body) if said.length is None else said.length
    lines = [f"HTTP/1.1 {said.status} {said.reason}"]
    lines += [f"{name}: {value}" for name, value in said.headers]
    lines += [] if said.status == 204 or said.drip else [f"content-length: {length}"]
    lines += [] if any(n.lower() == "content-type" for n, _ in said.headers) else [JSON]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1", errors="replace")
    if said.cut:
        writer.write(head[:40] if said.cut == "headers" else head + body[: len(body) // 2])
        await writer.drain()
        writer.transport.abort()
        return False
    writer.write(head)
    while said.drip:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(said.drip)
    writer.write(body)
    await writer.drain()
    return said.length is None


JSON = "content-type: application/json"


@contextmanager
def hostile(*said: Said | Callable[[Asked], Said], models: Any = MODELS) -> Iterator[Hostile]:
    """A server on loopback.

    Parameters
    ----------
    said : its answers to calls, in order, the last again and again; or a function.
    models : its answer to whoever asks for models.
    """
    waiting = list(said)

    def say(asked: Asked) -> Said:
        one = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return one(asked) if callable(one) else one

    def list_models(asked: Asked) -> Said:
        if callable(models):
            made: Said = models(asked)
            return made
        one = asked.path.rpartition("/models/")[2] if "/models/" in asked.path else ""
        if isinstance(models, Said):
            return models
        known = [entry["id"] for entry in models["data"]]
        if not one:
            is_gemini = asked.path.startswith("/v1beta")
            named = {"models": [{"name": f"models/{name}"} for name in known]}
            return Said(named if is_gemini else models)
        return Said({"id": one}) if one in known else Said({"error": {}}, 404)

    server = Hostile(say, list_models)
    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(
        asyncio.start_server(server.serve, "127.0.0.1", 0, limit=2**24)
    )
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(_close(listening), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


async def _close(listening: asyncio.Server) -> None:
    listening.close()
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    # A loop's turn for the connections to close.
    await asyncio.sleep(0)


def chat(text: Any = "Hello.", reason: Any = "stop", **changes: Any) -> dict[str, Any]:
    """An answer in OpenAI's format."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "finish_reason": reason,
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
        **changes,
    }


def message(text: Any = "Hello.", reason: Any = "end_turn", **changes: Any) -> dict[str, Any]:
    """An answer in Anthropic's format."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": text}] if isinstance(text, str) else text,
        "stop_reason": reason,
        "usage": {"input_tokens": 12, "output_tokens": 3},
        **changes,
    }


def candidate(text: Any = "Hello.", reason: Any = "STOP", **changes: Any) -> dict[str, Any]:
    """An answer in Gemini's format."""
    said = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": reason}
    return {
        "candidates": [said],
        "usageMetadata": {
            "promptTokenCount": 12,
            "candidatesTokenCount": 3,
            "totalTokenCount": 15,
        },
        "modelVersion": "m",
        "responseId": "gemini-1",
        **changes,
    }


#: Interface -> what makes an answer in its format.
ANSWERS = {"openai": chat, "anthropic": message, "gemini": candidate}
#: Interface -> the path of its addresses.
_ROOTS = {"openai": "/v1", "anthropic": "", "gemini": "/v1beta"}


def answer(interface: str, text: Any = "Hello.", **changes: Any) -> dict[str, Any]:
    """A good answer in an interface's format."""
    return ANSWERS[interface](text, **changes)


def empty(interface: str) -> dict[str, Any]:
    """An answer without words."""
    return answer(interface, [] if interface == "anthropic" else "")


#: Interface -> the member of an answer with the model that gave it.
MODEL_MEMBERS = {"openai": "model", "anthropic": "model", "gemini": "modelVersion"}


def error(interface: str, said: str, kind: str = "", code: Any = None) -> dict[str, Any]:
    """An error in an interface's format."""
    if interface == "gemini":
        return {"error": {"code": code, "message": said, "status": kind.upper()}}
    if interface == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": said}, "request_id": "req_1"}
    return {"error": {"message": said, "type": kind, "param": None, "code": code}}


def provider(server: Hostile | str, interface: str = "openai", **changes: Any) -> dict[str, Any]:
    """Settings of a provider at a server's address."""
    url = server if isinstance(server, str) else server.url
    given = {
        "interface": interface,
        "base_url": url.removesuffix("/v1") + _ROOTS[interface],
        "key_from": "LOOPBACK_KEY",
        "retries": 3,
        "timeout_s": 5.0,
        "deadline_s": 20.0,
        # A server that answers nothing at all ends the test, not the session.
        "outage_s": 0.0,
        **changes,
    }
    return ProviderSettings(**given).model_dump()


def make_registry(
    folder: Path,
    providers: Mapping[str, Mapping[str, Any]],
    models: Mapping[str, Mapping[str, Any]] | None = None,
    **changes: Any,
) -> ModelRegistry:
    """The registry of a run; one model, ``m`` at ``p``, unless told otherwise."""
    models = models or {"m": {"provider": "p"}}
    given = {"folder": folder, "stage": "sessions", "used": list(models), **changes}
    return ModelRegistry(models, providers, **given)


def terms(**changes: Any) -> Terms:
    """What a provider is called on."""
    given = {"concurrency": 8, "timeout_s": 5.0, "deadline_s": 20.0, "simulated": False}
    given["outage_s"] = 0.0
    given |= {"retries": 4, "batch_wait_s": 0.01, "batch_poll_s": 0.001}
    return Terms(**{"name": "p", **given, **changes})


class Answering(Outage):
    """Of a provider that answers other calls meanwhile: what fails is the call's own failure."""

    def failed(self, why: str) -> None:
        self.answered(time.monotonic())


def prepare(
    monkeypatch: pytest.MonkeyPatch, retry_s: float = 0.01, *, outages: bool = False
) -> None:
    """A key, another interface, no proxy between us and loopback, no dawdling between tries.

    Parameters
    ----------
    outages : whether a provider that answers nothing is out; else it answers somebody else.
    """
    if not outages:
        monkeypatch.setattr(http_client, "Outage", Answering)
    monkeypatch.setitem(providers.INTERFACES, "gemini", ("gemini", "GeminiCodec"))
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    for proxy in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(proxy, raising=False)
        monkeypatch.delenv(proxy.upper(), raising=False)
    monkeypatch.setattr(http_client, "FIRST_BACKOFF_S", retry_s)
    monkeypatch.setattr(http_client, "MOST_BACKOFF_S", retry_s)


def ask(
    folder: Path,
    server: Hostile | str,
    interface: str = "openai",
    model: dict[str, Any] | None = None,
    patience_s: float | None = None,
    **changes: Any,
) -> Reply:
    """The reply of a model ``m`` behind a server."""
    settings = {"m": {"provider": "p", **(model or {})}}
    made = make_registry(folder, {"p": provider(server, interface, **changes)}, settings)
    return made.model("m").ask(REQUEST, patience_s)
