"""The key is sent, and nothing else shows it; nor do the packages leave words of their own."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import DissensusError, ProviderError
from dissensus.llm.call import Reply
from dissensus.llm.connection import Secret
from dissensus.llm.journal import Journal
from hostile import (
    KEY,
    MODEL_MEMBERS,
    PRICED,
    REQUEST,
    Asked,
    Hostile,
    Said,
    answer,
    chat,
    error,
    every_interface,
    hostile,
    make_registry,
    prepare,
    provider,
)
from serving import ROOT


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def model(folder: Path, server: Hostile, interface: str = "openai", **changes: Any) -> Any:
    return make_registry(folder, {"p": provider(server, interface, **changes)}, PRICED).model("m")


# The key


def escaped(key: str) -> bytes:
    return "".join(f"\\u{ord(character):04x}" for character in key).encode()


ECHOES: dict[str, Said] = {
    "text": Said(chat(f"My key is {KEY}!")),
    "escaped text": Said(json.dumps(chat("@@")).encode().replace(b"@@", escaped(KEY))),
    "model": Said(chat(model=KEY, system_fingerprint=KEY, id=KEY)),
    "reason": Said(chat(reason=KEY)),
    "request id": Said(chat(), headers=[("x-request-id", KEY), ("request-id", KEY)]),
    "headers": Said(chat(), headers=[("authorization", KEY), ("x-api-key", KEY)]),
    "cookie": Said(chat(), headers=[("set-cookie", f"{KEY}=\x01; Path=/;;= {KEY}")]),
    "status line": Said(chat(), reason=KEY),
    "error": Said(error("openai", f"Bad key {KEY}", KEY, KEY), 400),
    "escaped error": Said(b'{"error": {"message": "' + escaped(KEY) + b'"}}', 400),
    "page": Said(f"<html>{KEY}</html>".encode(), 418),
    "wrong key": Said(error("openai", f"Incorrect key {KEY}", "authentication_error"), 401),
    "no credit": Said(error("openai", f"{KEY}", "insufficient_quota"), 429),
    "broken": Said(raw=f"{KEY}\r\n{KEY}\r\n\r\n".encode()),
    "broken header": Said(raw=f"HTTP/1.1 200 OK\r\n{KEY} {KEY}\r\n\r\n".encode()),
    "redirect": Said(b"", 307, headers=[("location", f"http://127.0.0.1:1/{KEY}")]),
    "good error": Said({"error": {"message": KEY, "code": 500}}),
}


@every_interface
@pytest.mark.parametrize("echo", ECHOES)
def test_a_key_that_is_echoed_is_nowhere(
    tmp_path: Path, interface: str, echo: str, caplog: pytest.LogCaptureFixture
) -> None:
    said = ECHOES[echo]
    if interface != "openai" and isinstance(said.body, dict) and "choices" in said.body:
        words = said.body["choices"][0]["message"]["content"]
        named = {MODEL_MEMBERS[interface]: said.body["model"]}
        said = replace(said, body=answer(interface, words, **named))
    shown: list[Any] = []
    with caplog.at_level(logging.DEBUG), hostile(said, models=said) as server:
        made = make_registry(tmp_path, {"p": provider(server, interface, retries=1)}, PRICED)
        journal = Journal(tmp_path / "journal.jsonl")
        for _ in range(2):
            try:
                reply = journal.ask(made.model("m"), REQUEST)
                shown += [reply, vars(reply)]
            except DissensusError as stop:
                shown += [str(stop), repr(stop), stop.__cause__, stop.__context__]
        hosts = list(made._hosts.values())
        shown += [made, vars(made), hosts, [vars(host) for host in hosts]]
        shown += [vars(host.codec) for host in hosts]
    shown += [record.getMessage() for record in caplog.records] + [caplog.text]
    shown += [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert KEY not in repr(shown)
    assert all(KEY in str(asked.headers) for asked in server.asked)


def test_an_echoed_key_leaves_the_words_around_it(tmp_path: Path) -> None:
    with hostile(ECHOES["escaped text"]) as server:
        assert model(tmp_path, server).ask(REQUEST).text == "[key]"


@pytest.mark.parametrize("word", ["none", "EMPTY", "ollama", "message", "tokens", "x", "a-b"])
def test_a_word_for_want_of_a_key_is_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", word)
    with hostile(Said(chat(f"None of the {word} here, message by message."))) as server:
        reply = model(tmp_path, server).ask(REQUEST)
    assert (reply.text, reply.error) == (f"None of the {word} here, message by message.", "")


@pytest.mark.parametrize("key", ["sk-12345", "abcdefghijkl", "a/b+c==\"'\\12345", KEY])
def test_what_is_secret_is_struck_in_every_spelling(key: str) -> None:
    secret = Secret(key)
    plain = json.dumps({"a": f"<{key}>"}).encode()
    slashed = plain.replace(b"/", b"\\/")
    assert secret.parse(plain) == secret.parse(slashed) == {"a": "<[key]>"}
    assert secret.parse(b'{"a": "' + escaped(key) + b'"}') == {"a": "[key]"}
    assert secret.strike(f"a {key} b") == "a [key] b"
    assert key not in repr(secret) + str(secret)
    record = logging.LogRecord("n", 10, "p", 1, "%s said %s", ("it", key), None)
    assert secret.filter(record)
    assert record.getMessage() == "it said [key]"


def test_an_embedding_cannot_carry_a_key(tmp_path: Path) -> None:
    with hostile(Said({"data": [{"index": 0, "embedding": KEY}]})) as server:
        made = make_registry(tmp_path, {"p": provider(server, retries=1)}, embedders=["p:e"])
        with pytest.raises(ProviderError, match="malformed"):
            made.embedder("p:e", tmp_path / "e.jsonl").encode(["a"])
    assert KEY not in (tmp_path / "e.jsonl").read_text()


# What is left on the terminal

SCRIPT = """
import json, sys, threading, time
from pathlib import Path
from dissensus.llm import http_client, outage
from dissensus.errors import DissensusError
from dissensus.llm.call import Message, Request
from dissensus.llm.registry import ModelRegistry

class Answering(outage.Outage):
    def failed(self, why):
        self.answered(time.monotonic())

# What fails here is the call's own failure.
http_client.Outage = Answering

folder, settings = Path(sys.argv[1]), json.loads(sys.argv[2])
models = {"m": {"provider": "p"}}
made = ModelRegistry(models, {"p": settings}, folder=folder, stage="sessions", used=["m"])

def one(seed):
    try:
        made.model("m").ask(Request("m", "id", (Message("user", "hi"),), 0.2, 64, seed))
    except DissensusError as error:
        print("stopped", error)

threads = [threading.Thread(target=one, args=(seed,), daemon=seed >= 10) for seed in range(14)]
for thread in threads:
    thread.start()
for thread in threads[:10]:
    thread.join()
print("done")
"""


@pytest.mark.slow
def test_a_process_ends_without_a_word_of_its_packages(tmp_path: Path) -> None:
    def say(asked: Asked) -> Said:
        kinds = [Said(after=9.0), Said(cut="all"), Said(b"?"), Said(drip=0.01), Said(chat())]
        seed = asked.body["seed"]
        return Said(after=9.0) if seed >= 10 else kinds[seed % len(kinds)]

    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with hostile(say) as server:
        settings = json.dumps(
            provider(server, timeout_s=0.2, retries=0, deadline_s=1.0, outage_s=60)
        )
        ran = subprocess.run(
            [sys.executable, "-X", "dev", str(script), str(tmp_path / "run"), settings],
            cwd=ROOT,
            env={**os.environ, "LOOPBACK_KEY": KEY, "OPENAI_LOG": "debug"},
            capture_output=True,
            text=True,
            timeout=60,
        )
    # That something took a while says asyncio, of a busy machine.
    others = ("[20", "Executing <")
    ours = [line for line in ran.stderr.splitlines() if not line.startswith(others)]
    assert (ran.stdout, ours, ran.returncode) == ("done\n", [], 0)
    assert KEY not in ran.stderr


def test_ask_gives_a_reply_to_the_thread_that_asked(tmp_path: Path) -> None:
    with hostile(Said(chat())) as server:
        assert isinstance(model(tmp_path, server).ask(REQUEST), Reply)
