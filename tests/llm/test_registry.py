"""What is found wrong before the first paid call, all of it at once; and the models by name."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dissensus.errors import DissensusError, ProviderError, ResourceError
from dissensus.llm.journal import Journal
from hostile import (
    KEY,
    REQUEST,
    Asked,
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

NOBODY = "http://127.0.0.1:9/v1"
HEADER = "provider,model,input_usd,cached_input_usd,output_usd,batch_factor,as_of,source\n"


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def stopped(made: Any, name: str = "m") -> list[str]:
    """The lines that a preflight ends with."""
    with pytest.raises(ProviderError) as caught:
        made.model(name).ask(REQUEST)
    return str(caught.value).splitlines()


def guarded(key: str) -> Any:
    """A list of models for whoever has a key."""

    def say(asked: Asked) -> Said:
        if key not in asked.headers.get("authorization", ""):
            return Said(error("openai", f"Incorrect API key provided: {KEY}"), 401)
        return Said({"data": [{"id": "m"}]})

    return say


@pytest.mark.parametrize("first", ["a", "e"])
def test_everything_that_is_wrong_is_said_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.delenv("NOT_SET", raising=False)
    monkeypatch.setenv("BAD", "two words")
    monkeypatch.setenv("BLANK", "  ")
    prices = tmp_path / "prices.csv"
    prices.write_text(HEADER + "good,m,1,,2,,2026-01-01,https://example.org\n")
    with hostile(Said(chat())) as server, hostile(models=guarded("else")) as strict:
        providers = {
            "good": provider(server),
            "unset": provider(server, key_from="NOT_SET"),
            "blank": provider(server, key_from="BLANK"),
            "bad": provider(server, key_from="BAD"),
            "wrong": provider(strict),
            "open": provider(strict, key_from=None),
            "nobody": provider(NOBODY),
        }
        price = {"input": 1.0, "output": 1.0, "cached_input": None}
        models: dict[str, dict[str, Any]] = {
            "a": {"provider": "good", "model": "m"},
            "b": {"provider": "good", "model": "no-such", "price": price},
            "c": {"provider": "good", "model": "other"},
            "d": {"provider": "unset", "price": price},
            "e": {"provider": "blank", "price": price},
            "f": {"provider": "bad", "price": price},
            "g": {"provider": "wrong", "model": "m", "price": price},
            "h": {"provider": "wrong", "model": "n", "price": price},
            "i": {"provider": "open", "price": price},
            "j": {"provider": "nobody", "price": price},
            "unused": {"provider": "good", "model": "unknown-too"},
        }
        made = make_registry(
            tmp_path,
            providers,
            models,
            used=[name for name in models if name != "unused"],
            embedders=["good:lost", "use-multilingual"],
            budget_usd=1.0,
            prices=prices,
        )
        lines = stopped(made, first)
        assert not server.calls
        assert not strict.calls
    starts = [
        "providers.unset: the environment variable NOT_SET is not set; export the key there.",
        "providers.blank: the environment variable BLANK is not set; export the key there.",
        "providers.bad: what the environment variable BAD holds is no key",
        "models.c: there is a budget_usd, and no price for 'other' of 'good'; add a row to",
        "embedder good:lost: there is a budget_usd, and no price for 'lost' of 'good'",
        "providers.wrong does not accept the key in LOOPBACK_KEY; export the right one there.",
        "providers.open wants a key; name its variable in key_from.",
        f"providers.nobody could not be reached at {NOBODY} (Connect call failed ('127.0.0.1', 9))",
        "models.b: providers.good does not list the model 'no-such'; check the name.",
        "embedder good:lost: providers.good does not list the model 'lost'; check the name.",
    ]
    assert [line[: len(start)] for line, start in zip(lines, starts, strict=False)] == starts
    assert len(lines) == len(starts)
    assert KEY not in "\n".join(lines)
    assert "two words" not in "\n".join(lines)


@every_interface
def test_a_wrong_key_is_found_for_one_model_or_two(tmp_path: Path, interface: str) -> None:
    said = Said(error(interface, "No.", "authentication_error"), 401)
    with hostile(models=said) as server:
        models = {name: {"provider": "p"} for name in ("m", "other")}
        lines = stopped(make_registry(tmp_path, {"p": provider(server, interface)}, models))
    assert lines == [
        "providers.p does not accept the key in LOOPBACK_KEY; export the right one there."
    ]


@every_interface
def test_a_model_that_is_not_listed_is_asked_all_the_same(
    tmp_path: Path, interface: str, caplog: pytest.LogCaptureFixture
) -> None:
    with hostile(Said(answer(interface))) as server:
        models = {"m": {"provider": "p"}, "x": {"provider": "p", "model": "y"}}
        made = make_registry(tmp_path, {"p": provider(server, interface)}, models)
        with caplog.at_level("WARNING", "dissensus"):
            assert made.model("x").ask(REQUEST).text == "Hello."
    assert [record.getMessage() for record in caplog.records] == [
        "models.x: providers.p does not list the model 'y'; check the name. "
        "Its first call will tell."
    ]


@every_interface
@pytest.mark.parametrize(
    "said",
    [
        Said(b"", 404),
        Said(b"", 405),
        Said(b"", 501),
        Said(b"", 500),
        Said(b"", 429),
        Said(b"<html>Welcome</html>", headers=[("content-type", "text/html")]),
        Said(b"null"),
        Said(b"7"),
        Said({"data": None}),
        Said({"data": 7}),
        Said({"data": [None, 3, {}]}),
        Said(b"[" * 100_000 + b"]" * 100_000),
        Said(b"no gzip", headers=[("content-encoding", "gzip")]),
        Said(error("openai", "You have insufficient permissions. Missing scopes: x.read."), 403),
    ],
    ids=lambda said: f"{said.status}-{said.bytes()[:20].decode()}",
)
def test_a_server_without_a_list_of_models_is_asked_all_the_same(
    tmp_path: Path, interface: str, said: Said
) -> None:
    with hostile(Said(answer(interface)), models=said) as server:
        made = make_registry(tmp_path, {"p": provider(server, interface)})
        assert made.model("m").ask(REQUEST).text == "Hello."


@every_interface
def test_a_model_that_only_its_own_page_knows_is_known(tmp_path: Path, interface: str) -> None:
    def say(asked: Asked) -> Said:
        return Said({"data": [{"id": "z"}]} if asked.path.endswith("/models") else {"id": "m"})

    with hostile(Said(answer(interface)), models=say) as server:
        made = make_registry(tmp_path, {"p": provider(server, interface)})
        assert made.model("m").ask(REQUEST).text == "Hello."


@pytest.mark.parametrize(
    "said", [Said(after=9.0), Said(drip=0.01), Said(cut="all"), Said(raw=b"SSH-2.0-x\r\n")]
)
def test_a_server_that_is_none_is_not_reached(tmp_path: Path, said: Said) -> None:
    with hostile(models=said) as server:
        [line] = stopped(make_registry(tmp_path, {"p": provider(server, timeout_s=0.2)}))
    assert line.startswith(f"providers.p could not be reached at {server.url} (")


def test_fifty_threads_ask_once(tmp_path: Path) -> None:
    with hostile(Said(chat())) as server:
        made = make_registry(tmp_path, {"p": provider(server)})
        with ThreadPoolExecutor(50) as pool:
            asked = [
                pool.submit(lambda seed: made.model("m").ask(replace(REQUEST, seed=seed)), seed)
                for seed in range(50)
            ]
            assert all(one.result().text == "Hello." for one in asked)
        assert len(server.asked) - len(server.calls) == 1
        assert len(server.calls) == 50


def test_fifty_threads_fail_alike_and_ask_once(tmp_path: Path) -> None:
    with hostile(models=Said(b"", 401)) as server:
        made = make_registry(tmp_path, {"p": provider(server)})
        with ThreadPoolExecutor(50) as pool:
            lines = set(pool.map(lambda _: "|".join(stopped(made)), range(50)))
        assert len(server.asked) == 1
    assert len(lines) == 1


def test_a_replay_needs_no_key_no_network_and_no_price(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    with hostile(Said(chat())) as server:
        first = Journal(path).ask(
            make_registry(tmp_path, {"p": provider(server)}).model("m"), REQUEST
        )
    monkeypatch.delenv("LOOPBACK_KEY")
    elsewhere = make_registry(tmp_path, {"p": provider(NOBODY)}, budget_usd=0.0)
    assert Journal(path).ask(elsewhere.model("m"), REQUEST) == first
    with pytest.raises(ProviderError, match="LOOPBACK_KEY is not set"):
        Journal(path).ask(elsewhere.model("m"), replace(REQUEST, seed=1))


def test_simulated_models_need_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("echoes")
    module.speak = lambda messages, settings, rng: messages[-1].content
    module.identity = lambda settings: "echoes"
    monkeypatch.setitem(sys.modules, "echoes", module)
    monkeypatch.delenv("LOOPBACK_KEY")
    models = {"s": {"provider": "simulated", "behaviour": "echoes"}, "m": {"provider": "p"}}
    made = make_registry(tmp_path, {"p": provider(NOBODY)}, models)
    assert made.model("s").ask(REQUEST).text == "你好"
    assert made.model("s") is made.model("s")
    assert made.model("s").simulated
    assert not made.model("m").simulated
    with pytest.raises(ProviderError, match="LOOPBACK_KEY"):
        made.model("m").ask(REQUEST)


def test_a_table_of_prices_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with hostile(Said(chat())) as server, pytest.raises(ResourceError, match=r"none\.csv"):
        make_registry(tmp_path, {"p": provider(server)}, prices=tmp_path / "none.csv").model("m")


def test_a_run_without_budget_needs_no_price(tmp_path: Path) -> None:
    with hostile(Said(chat())) as server:
        reply = make_registry(tmp_path, {"p": provider(server)}).model("m").ask(REQUEST)
    assert (reply.text, reply.cost_usd) == ("Hello.", None)


@pytest.mark.parametrize("interface", ["anthropic", "gemini"])
def test_an_interface_without_embeddings_says_so(tmp_path: Path, interface: str) -> None:
    with hostile(Said(answer(interface))) as server:
        made = make_registry(tmp_path, {"p": provider(server, interface)}, embedders=["p:e"])
        with pytest.raises(DissensusError, match=r"'e' cannot embed: the interface of its prov"):
            made.embedder("p:e", tmp_path / "e.jsonl").encode(["a"])
        assert not server.calls


def test_an_interface_without_batches_says_so(tmp_path: Path) -> None:
    with hostile(Said(answer("gemini"))) as server:
        made = make_registry(tmp_path, {"p": provider(server, "gemini", batch=True)})
        with pytest.raises(DissensusError, match=r"'gemini' has no batches; set batch to false"):
            made.model("m").ask(REQUEST)
        assert not server.calls
