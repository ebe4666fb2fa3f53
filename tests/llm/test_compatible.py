"""Compatible servers, and machines that are not set up for any: each fault is one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dissensus.errors import ProviderError
from hostile import PRICED, REQUEST, Said, error, hostile, make_registry, prepare, provider

MODELS = {"m": {"provider": "p"}}


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        ("Unsupported parameter: 'seed'.", "models.m.rename: {seed: null} leaves seed out"),
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "set models.m.rename to {max_tokens: max_completion_tokens}",
        ),
        ("No.", "a parameter that a model does not take is left out by `rename: {name: null}`"),
        ("Range of max_tokens should be [1, 8192]", "models.m.parameters: {max_tokens: ...} sets"),
        ("temperature: range: 0..1", "models.m.parameters: {temperature: ...} sets another"),
        ("max_tokens: 9999 > 8192, which is the most", "models.m.rename: {max_tokens: null}"),
        ("Model Not Exist", "check the model's name, models.m.model"),
        ("Invalid model: x", "check the model's name"),
        ("The model `x` has been decommissioned.", "check the model's name"),
        ("模型不存在,请检查模型代码。", "check the model's name"),
        ("Model x does not support parameter presencePenalty.", "a parameter that a model does"),
    ],
)
def test_advice_names_the_parameter_or_the_name_that_the_provider_names(
    tmp_path: Path, words: str, mend: str
) -> None:
    with hostile(Said(error("openai", words, "invalid_request_error"), 400)) as server:
        made = make_registry(tmp_path, {"p": provider(server)}, MODELS).model("m")
        with pytest.raises(ProviderError) as stop:
            made.ask(REQUEST)
    assert mend in str(stop.value)


@pytest.mark.parametrize("kind", ["text/event-stream; charset=utf-8", "application/json"])
def test_a_server_that_only_streams_is_named_and_nothing_is_booked(
    tmp_path: Path, kind: str
) -> None:
    body = b'data: {"choices": [{"delta": {"content": "Hel"}}]}\n\ndata: [DONE]\n\n'
    with hostile(Said(body, headers=[("content-type", kind)])) as server:
        made = make_registry(tmp_path, {"p": provider(server)}, PRICED).model("m")
        with pytest.raises(ProviderError, match=r"models\.m: providers\.p streams its answers"):
            made.ask(REQUEST)
        assert len(server.calls) == 1
    ledger = tmp_path / "ledger.jsonl"
    lines = ledger.read_text("utf-8").splitlines() if ledger.exists() else []
    assert not [line for line in lines if "sure" in json.loads(line)]


def test_certificates_that_are_not_there_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    settings = {**provider("http://127.0.0.1:9/v1"), "base_url": "https://127.0.0.1:9/v1"}
    made = make_registry(tmp_path, {"p": settings}, MODELS).model("m")
    with pytest.raises(ProviderError, match=r"SSL_CERT_FILE names .*none\.pem, which holds no"):
        made.ask(REQUEST)


def test_a_dead_proxy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://name:secret@127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    settings = {**provider("http://127.0.0.1:9/v1"), "base_url": "http://models.example/v1"}
    made = make_registry(tmp_path, {"p": settings}, MODELS).model("m")
    with pytest.raises(ProviderError, match=r"the proxy http://127\.0\.0\.1:9/?, which") as stop:
        made.ask(REQUEST)
    assert "secret" not in str(stop.value)
