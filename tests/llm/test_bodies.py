"""Bodies without sense and connections without end: each is an outcome, and nothing else."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import DissensusError, ProviderError
from dissensus.llm.call import Message
from dissensus.llm.journal import Journal
from dissensus.llm.ledger import Ledger
from dissensus.llm.outcomes import RULES
from hostile import (
    BILL,
    PRICE,
    REQUEST,
    Asked,
    Said,
    answer,
    ask,
    chat,
    error,
    every_interface,
    hostile,
    make_registry,
    message,
    prepare,
    provider,
)


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


# Bodies

LONE = json.dumps(chat("Fine")).replace("Fine", "Fine \\ud83d").encode()
NESTED = b'{"choices":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
BODIES: dict[str, tuple[bytes, str]] = {
    "html": (b"<html>not what was asked for</html>", "malformed"),
    "nothing": (b"", "malformed"),
    "null": (b"null", "malformed"),
    "list": (b"[]", "malformed"),
    "number": (b"17", "malformed"),
    "text": (b'"Hello."', "malformed"),
    "half": (json.dumps(chat()).encode()[:60], "malformed"),
    "empty object": (b"{}", "malformed"),
    "no choices": (json.dumps(chat(choices=[])).encode(), "malformed"),
    "choices null": (json.dumps(chat(choices=None)).encode(), "malformed"),
    "choices object": (json.dumps(chat(choices={})).encode(), "malformed"),
    "choice null": (json.dumps(chat(choices=[None])).encode(), "malformed"),
    "message null": (json.dumps(chat(choices=[{"message": None}])).encode(), "malformed"),
    "content number": (json.dumps(chat(17)).encode(), "malformed"),
    "content object": (json.dumps(chat({"text": 5})).encode(), "malformed"),
    "content odd list": (json.dumps(chat([5])).encode(), "malformed"),
    "content odd part": (json.dumps(chat([{"type": "text", "text": 3}])).encode(), "malformed"),
    "invalid UTF-8": (json.dumps(chat("@@")).encode().replace(b"@@", b"\xff\xfe"), "malformed"),
    "deep nesting": (NESTED, "malformed"),
    "nested message": (
        json.dumps(chat("@")).encode().replace(b'"@"', b"[" * 100_000 + b"]" * 100_000),
        "malformed",
    ),
    "a number of 5000 digits": (b'{"choices": ' + b"9" * 5000 + b"}", "malformed"),
    "30 MB": (json.dumps(chat("x" * 30_000_000)).encode(), "malformed"),
    "content null": (json.dumps(chat(None)).encode(), "empty"),
    "content without width": (json.dumps(chat("\u200b\u2060 \u3164\ufeff")).encode(), "empty"),
    "content blank": (json.dumps(chat(" \n ")).encode(), "empty"),
    "only thinking": (json.dumps(chat([{"type": "thinking", "thinking": "hm"}])).encode(), "empty"),
    "half an upstream": (json.dumps(chat("Half", "error", usage=None)).encode(), "server_error"),
    "an error": (json.dumps(error("openai", "Busy", code=529)).encode(), "overload"),
    "an abort": (json.dumps(chat("Half", "abort")).encode(), "server_error"),
    "an error at the choice": (
        json.dumps(
            chat(
                choices=[
                    {
                        "finish_reason": "",
                        "message": {"content": "Half"},
                        "error": {"code": 429, "message": "Slow down"},
                    }
                ]
            )
        ).encode(),
        "rate_limit",
    ),
    "an error in a stream": (
        b'data: {"error": {"message": "Overloaded"}}\n\ndata: [DONE]',
        "overload",
    ),
    "an error in lines": (b'{"error": "upstream timed out"}\n{"done": true}', "timeout"),
    "no success": (
        json.dumps({"success": False, "code": 500, "msg": "x"}).encode(),
        "server_error",
    ),
    "a message instead": (json.dumps(chat(choices=None, message="Busy")).encode(), "overload"),
    "a choice and an error": (json.dumps(chat(error={"message": "x"})).encode(), "server_error"),
}


@pytest.mark.parametrize("body", BODIES)
def test_a_body_without_an_answer(tmp_path: Path, body: str) -> None:
    said, outcome = BODIES[body]
    with hostile(Said(said)) as server:
        reply = ask(tmp_path, server, retries=1)
    assert (reply.text, reply.error, reply.faults) == ("", outcome, (outcome,))


USED = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
#: A body of status 200 without an answer -> what it is billed at PRICE, if it is billed once.
BILLED: dict[str, tuple[dict[str, Any], float]] = {
    "an error": ({"error": {"message": "Busy", "code": 529}}, 0.0),
    "an error after use": (chat(error={"message": "Busy", "code": 529}, usage=USED), 0.027),
    "no success": ({"success": False, "message": "Too many requests"}, 0.0),
    "a code of its own": ({"base_resp": {"status_code": 1002, "status_msg": "limit"}}, 0.0),
    "no choice after use": (chat(choices=None, usage=USED), 0.027),
    "an abort": (chat("Half", "abort", usage=USED), 0.027),
}


@pytest.mark.parametrize("kind", BILLED)
def test_what_an_answer_without_one_is_billed(tmp_path: Path, kind: str) -> None:
    body, usd = BILLED[kind]
    with hostile(Said(body), Said(chat())) as server:
        reply = ask(tmp_path, server, model={"price": PRICE})
    assert (reply.text, len(reply.faults)) == ("Hello.", 1)
    assert reply.faults_usd == pytest.approx(usd)
    assert Ledger(tmp_path / "ledger.jsonl", None).spent_usd == pytest.approx(usd + BILL)


@pytest.mark.parametrize(
    "body",
    [
        {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
        {"success": False, "code": 1113, "msg": "insufficient balance"},
        chat(choices=None, message="insufficient balance", usage=None),
    ],
)
def test_an_empty_account_stops_the_run_wherever_it_is_said(tmp_path: Path, body: Any) -> None:
    with (
        hostile(Said(body)) as server,
        pytest.raises(ProviderError, match=r"no credit left \(models\.m: insufficient balance\)"),
    ):
        ask(tmp_path, server, model={"price": PRICE})
    assert Ledger(tmp_path / "ledger.jsonl", None).spent_usd == 0.0


GOOD: dict[str, tuple[bytes, str]] = {
    "lone surrogate": (LONE, "Fine ?"),
    "NUL": (json.dumps(chat("Fi\0ne")).encode(), "Fi\0ne"),
    "byte order mark": (b"\xef\xbb\xbf" + json.dumps(chat("Fine")).encode(), "Fine"),
    "duplicate keys": (json.dumps(chat("Fine")).encode()[:-1] + b', "id": "x"}', "Fine"),
    "parts": (
        json.dumps(chat([{"type": "thinking"}, {"type": "text", "text": "Fine"}])).encode(),
        "Fine",
    ),
    "no finish reason": (json.dumps(chat("Fine", None)).encode(), "Fine"),
    "odd finish reason": (json.dumps(chat("Fine", {"a": 1})).encode(), "Fine"),
    "odd names": (json.dumps(chat("Fine", model=3, system_fingerprint=[], id={})).encode(), "Fine"),
}


@pytest.mark.parametrize("body", GOOD)
def test_a_body_that_is_odd_and_good(tmp_path: Path, body: str) -> None:
    said, text = GOOD[body]
    with hostile(Said(said)) as server:
        made = make_registry(tmp_path, {"p": provider(server)}).model("m")
        reply = Journal(tmp_path / "journal.jsonl").ask(made, REQUEST)
    assert (reply.text, reply.error) == (text, "")
    assert Journal(tmp_path / "journal.jsonl").ask(made, REQUEST) == reply
    assert isinstance(reply.finish_reason, str)


def test_names_with_half_characters_and_without_end_are_cut(tmp_path: Path) -> None:
    said = chat(reason="a\ud83db", model="x" * 10**6, id="a\nb", system_fingerprint="\ud83d")
    with hostile(Said(said)) as server:
        reply = ask(tmp_path, server)
    assert reply.finish_reason == "ab"
    assert reply.answered_by == "x" * 200
    assert (reply.request_id, reply.fingerprint) == ("a b", "")


@pytest.mark.parametrize(
    "content", [None, [], [{"type": "thinking", "thinking": "hm"}], [{"type": "text", "text": ""}]]
)
def test_anthropic_without_words_is_empty(tmp_path: Path, content: Any) -> None:
    with hostile(Said(message(content))) as server:
        assert ask(tmp_path, server, "anthropic", retries=0).error == "empty"


@pytest.mark.parametrize("body", [b"{}", b"null", b'{"content": 3}', b'{"content": [3]}', NESTED])
def test_anthropic_without_sense_is_malformed(tmp_path: Path, body: bytes) -> None:
    with hostile(Said(body)) as server:
        assert ask(tmp_path, server, "anthropic", retries=0).error == "malformed"


# Connections

BROKEN: dict[str, tuple[Said, str]] = {
    "reset before headers": (Said(cut="all"), "connection"),
    "reset in headers": (Said(chat(), cut="headers"), "connection"),
    "reset in body": (Said(chat(), cut="body"), "connection"),
    "content-length too long": (Said(raw=b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{}"),
                                "connection"),
    "chunks of garbage": (
        Said(raw=b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
        "malformed",
    ),
    "not HTTP": (Said(raw=b"SSH-2.0-OpenSSH_9.2\r\n"), "malformed"),
    "gzip of garbage": (Said(b"no gzip", headers=[("content-encoding", "gzip")]), "malformed"),
    "a bomb": (
        Said(gzip.compress(b"0" * 60_000_000), headers=[("content-encoding", "gzip")]),
        "malformed",
    ),
    "a flood of headers": (Said(chat(), headers=[("x", "y" * 100_000)] * 50), "malformed"),
    "no content": (Said(b"", 204), "malformed"),
}  # fmt: skip


@every_interface
@pytest.mark.parametrize("kind", BROKEN)
def test_an_answer_that_does_not_arrive(tmp_path: Path, interface: str, kind: str) -> None:
    said, outcome = BROKEN[kind]
    with hostile(said, Said(answer(interface))) as server:
        reply = ask(tmp_path, server, interface)
    assert (reply.text, reply.faults) == ("Hello.", (outcome,))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_with_the_key(tmp_path: Path, status: int) -> None:
    with hostile(Said(chat())) as elsewhere:
        headers = [("location", f"{elsewhere.url}/chat/completions")]
        with (
            hostile(Said(b"", status, headers=headers)) as server,
            pytest.raises(ProviderError, match=rf"rejects its requests \(status {status}\)"),
        ):
            ask(tmp_path, server)
    assert not elsewhere.asked


@every_interface
@pytest.mark.parametrize("status", [405, 418, 421, 431, 451, 507, 520, 530, 599, 600, 999])
def test_statuses_that_nobody_expects(tmp_path: Path, interface: str, status: int) -> None:
    with hostile(Said(b"<html>?</html>", status), Said(answer(interface))) as server:
        reply = ask(tmp_path, server, interface)
    expected = "rejected" if status < 500 else "server_error"
    assert (reply.text, reply.faults) == ("Hello.", (expected,))


def test_every_session_gets_its_own_answer(tmp_path: Path) -> None:
    """Sixty threads share one connection pool, and no reply is another's."""

    def say(asked: Asked) -> Said:
        return Said(chat(asked.body["messages"][0]["content"]), after=0.01)

    with hostile(say) as server:
        model = make_registry(tmp_path, {"p": provider(server)}).model("m")

        def one(number: int) -> str:
            request = replace(REQUEST, messages=(Message("user", f"number {number}"),))
            return model.ask(request).text

        with ThreadPoolExecutor(60) as pool:
            assert list(pool.map(one, range(180))) == [f"number {i}" for i in range(180)]


# Nothing else comes out of ask()


def chaos(asked: Asked) -> Said:
    """Each request its own mischief, by its seed."""
    bodies: list[Callable[[], Said]] = [
        lambda: Said(NESTED),
        lambda: Said(b"\x00" * 1000),
        lambda: Said({"error": {"code": {"a": [1]}}}),
        lambda: Said({"error": [[[{"message": {"detail": []}}]]]}, 400),
        lambda: Said(chat(usage={"prompt_tokens": 1e308, "completion_tokens": True})),
        lambda: Said(b"", 429, headers=[("retry-after-ms", "soon"), ("retry-after", "never")]),
        lambda: Said(b"", 503, headers=[("retry-after", "Thu, 01 Jan 99999 00:00:00 GMT")]),
        lambda: Said(b"", 503, headers=[("retry-after", "Mon, 01 Jan 0001 00:00:00 -2359")]),
        lambda: Said(chat(), headers=[("set-cookie", 'a="\x01; Path=/')]),
        lambda: Said(chat(), headers=[("content-type", "text/\xff; charset=nonsense")]),
        lambda: Said(chat(), headers=[("content-encoding", "br, zstd, deflate, gzip")]),
        lambda: Said(b"", 302, headers=[("location", "http://[::1")]),
        lambda: Said(b"", 101, headers=[("upgrade", "websocket")]),
        lambda: Said(chat("x", length=5)),
        lambda: Said(chat(), headers=[("x-request-id", "\xe9" * 3000)]),
    ]
    mischief = bodies[int(asked.body["seed"]) % len(bodies)]
    return mischief()


@pytest.mark.parametrize("seed", range(15))
def test_only_replies_and_clear_sentences_come_out(tmp_path: Path, seed: int) -> None:
    with hostile(chaos) as server:
        model = make_registry(tmp_path, {"p": provider(server, retries=1, timeout_s=2.0)}).model(
            "m"
        )
        try:
            reply = Journal(tmp_path / "j.jsonl").ask(model, replace(REQUEST, seed=seed))
        except DissensusError as said:
            assert "p" in str(said)
        else:
            assert reply.error in RULES if reply.error else reply.text in ("Hello.", "x")
            json.dumps(vars(reply), ensure_ascii=False).encode()


def test_patience_ends_a_call(tmp_path: Path) -> None:
    with hostile(Said(chat(), after=60.0)) as server:
        model = make_registry(tmp_path, {"p": provider(server)}).model("m")
        began = time.monotonic()
        assert model.ask(REQUEST, patience_s=0.2).error == "timeout"
        assert model.ask(REQUEST, patience_s=0.0).error == "timeout"
        assert time.monotonic() - began < 30.0


@pytest.mark.parametrize(
    "content",
    [
        "Hello.",
        [{"type": "text", "text": "Hello."}],
        [{"type": "output_text", "text": "Hello.", "annotations": []}],
        [{"text": "Hel"}, {"text": "lo."}],
        [{"type": "reasoning", "text": "Hm."}, {"type": "output_text", "text": "Hello."}],
        [{"type": "text", "text": {"value": "Hello.", "annotations": []}}],
        [{"type": None, "text": "Hello."}, {"type": "refusal", "refusal": None}],
        "\u200bHello.",
    ],
)
def test_a_text_in_parts_of_any_type_is_read(tmp_path: Path, content: Any) -> None:
    with hostile(Said(chat(content))) as server:
        made = make_registry(tmp_path, {"p": provider(server)}).model("m")
        assert made.ask(REQUEST).text.strip("\u200b") == "Hello."
