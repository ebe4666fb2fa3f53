"""What a server, a gateway or a proxy does without saying so: it is said, and what to change."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import ProviderError
from dissensus.llm.call import Message
from dissensus.llm.connection import MAX_HEADER_BYTES
from dissensus.llm.doubts import is_cut
from dissensus.llm.settings import ProviderSettings
from hostile import KEY, REQUEST, Said, chat, hostile, make_registry, prepare, provider

MODELS = {"m": {"provider": "p"}}
ENGLISH = "The minister has not said how the levy is to be raised in rural areas. " * 500
CHINESE = "部长没有说明如何在农村地区征收这项税款，反对派则认为应当先行试点。" * 500
THAI = "รัฐมนตรีไม่ได้กล่าวว่าจะเก็บภาษีในพื้นที่ชนบทอย่างไร" * 300
GERMAN = "Die Donaudampfschifffahrtsgesellschaft begrüßt Grundstücksverkehrsgenehmigungen. " * 300


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def test_azures_version_is_sent_with_each_request_and_its_key_in_its_header(tmp_path: Path) -> None:
    with hostile(Said(chat())) as server:
        settings = provider(server)
        settings["base_url"] += "/?api-version=2024-10-21"
        assert make_registry(tmp_path, {"p": settings}, MODELS).model("m").ask(REQUEST).text
        paths = {asked.path.partition("/v1")[2] for asked in server.asked}
        headers = {name.lower(): value for name, value in server.calls[0].headers.items()}
    assert "/chat/completions?api-version=2024-10-21" in paths
    assert all(path.endswith("?api-version=2024-10-21") for path in paths)
    assert headers["api-key"] == KEY and "authorization" not in headers


@pytest.mark.parametrize(
    ("query", "words"),
    [
        *(("?api-version=2024-10-21", ""), ("?api-version=2025-01-01-preview&region=eu", "")),
        *(("?api-key=a1", "no user, password"), ("?sig=x1", "no user, password")),
        *((f"?api-version={KEY}", "no user, password"), ("?0123456789abcdef0123456789", "no user")),
        *(("?api-version=2024&v=me:a@b", "no user"), ("?access_token=1", "no user")),
        *(("?v=0123456789abcdef0123456789abcdef", "no user"), ("#a", "'#'")),
    ],
)
def test_an_address_may_have_a_version_and_no_credential(query: str, words: str) -> None:
    made: dict[str, Any] = {"interface": "openai", "base_url": f"https://a.example/v1{query}"}
    if words:
        with pytest.raises(ValueError, match=words):
            ProviderSettings(**made)
    else:
        assert ProviderSettings(**made).base_url == made["base_url"]


@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        ("proxy.example:3128", "HTTP_PROXY .*'proxy.example:3128', which is no address"),
        ("http://me:pass#word@127.0.0.1:3128", "HTTP_PROXY .* '#'"),
        ("socks5://me:password@127.0.0.1:3128", "HTTP_PROXY .*'127.0.0.1:3128', which is no"),
    ],
)
def test_a_proxy_that_is_no_address_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proxy: str, words: str
) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setenv("no_proxy", "")
    settings = {**provider("http://127.0.0.1:9/v1"), "base_url": "http://models.example/v1"}
    with pytest.raises(ProviderError, match=words) as stop:
        make_registry(tmp_path, {"p": settings}, MODELS).model("m").ask(REQUEST)
    assert "pass" not in str(stop.value).replace("password@host", "")


def test_a_proxy_that_wants_a_password_stops_the_run(tmp_path: Path) -> None:
    with (
        hostile(Said(b"", 407)) as server,
        pytest.raises(ProviderError, match=r"a proxy wants a name and a password \(status 407\)"),
    ):
        make_registry(tmp_path, {"p": provider(server)}, MODELS).model("m").ask(REQUEST)
    assert len(server.calls) == 1


def test_a_model_that_streams_only_is_said_to(tmp_path: Path) -> None:
    words = "This model only support stream mode, please enable the stream parameter."
    error = {"error": {"message": words, "type": "invalid_request_error"}}
    with (
        hostile(Said(error, 400)) as server,
        pytest.raises(ProviderError, match="answers in pieces only") as stop,
    ):
        make_registry(tmp_path, {"p": provider(server)}, MODELS).model("m").ask(REQUEST)
    assert "rename" not in str(stop.value)


def test_long_headers_are_read_and_longer_ones_are_one_sentence(tmp_path: Path) -> None:
    long = Said(chat(), headers=[("x-cookies", "a" * 20_000)])
    longer = Said(chat(), headers=[("x-cookies", "a" * (MAX_HEADER_BYTES + 99))])
    with hostile(long, longer) as server:
        settings = {**provider(server), "retries": 0, "outage_s": 0.0}
        model = make_registry(tmp_path, {"p": settings}, MODELS).model("m")
        assert model.ask(REQUEST).text == "Hello."
        failed = model.ask(replace(REQUEST, seed=2))
    assert failed.error == "malformed"
    assert f"longer than {MAX_HEADER_BYTES:,} bytes" in failed.faults_said[0]


def test_answers_that_are_thought_alone_are_said_to_be(tmp_path: Path) -> None:
    body: dict[str, Any] = chat("")
    body["choices"][0]["message"]["reasoning_content"] = "I think that taxes are good."
    with hostile(Said(body)) as server:
        model = make_registry(tmp_path, {"p": provider(server)}, MODELS).model("m")
        replies = [model.ask(replace(REQUEST, seed=seed)) for seed in range(5)]
        with pytest.raises(ProviderError, match=r"thought alone \(`reasoning_content`\)"):
            model.ask(REQUEST)
    assert {reply.text for reply in replies} == {""}
    assert "thought alone" in replies[0].faults_said[0]


# Tokens a prompt by tokenisers as they are: cl100k and o200k make 3 to 6 bytes a token of these,
# SuperBPE, whose tokens join words, some 7 of English.
@pytest.mark.parametrize(
    "text", [ENGLISH, CHINESE, THAI, GERMAN, "x = 1\n" + " " * 90_000, "=" * 90_000]
)
def test_no_honest_count_is_a_cut(text: str) -> None:
    asked = replace(REQUEST, messages=(Message("user", text),))
    for bytes_a_token in (2, 4, 8, 12):
        words = len(" ".join(text.split()).encode())
        assert not is_cut(asked, len(text.encode()), max(words // bytes_a_token, 9))


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, THAI])
def test_a_prompt_that_is_cut_is_said_once_a_model(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    body = chat(usage={"prompt_tokens": 2048, "completion_tokens": 3})
    asked = replace(REQUEST, messages=(Message("user", text + text),))
    logger = logging.getLogger("dissensus")
    with hostile(Said(body)) as server, caplog.at_level(logging.WARNING, logger.name):
        model = make_registry(tmp_path, {"p": provider(server)}, MODELS).model("m")
        for seed in range(3):
            model.ask(replace(asked, seed=seed))
    said = [r.getMessage() for r in caplog.records if "has cut it" in r.getMessage()]
    assert len(said) == 1 and "2,048 tokens" in said[0]
