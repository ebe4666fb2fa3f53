"""What a call asks for besides a text: sent by the provider's names, kept as it came, and read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.llm.call import Message, Reply
from dissensus.llm.journal import Journal
from dissensus.session.protocol import Call, Decoding
from dissensus.session.runner import Limits, run_session
from dissensus.study.experiment.session import Read
from fake_client import FakeClient, in_turn
from hostile import (
    REQUEST,
    Said,
    answer,
    chat,
    every_interface,
    hostile,
    make_registry,
    message,
    prepare,
    provider,
)

OPTIONS = {"stop": ["###"], "logprobs": True}


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


@every_interface
@pytest.mark.parametrize("rename", [{}, {"stop": "stop_sequences", "logprobs": None}])
def test_options_are_sent_by_the_names_that_the_model_has_for_them(
    tmp_path: Path, interface: str, rename: dict[str, str | None]
) -> None:
    with hostile(Said(answer(interface))) as server:
        models = {"m": {"provider": "p", "rename": rename}}
        model = make_registry(tmp_path, {"p": provider(server, interface)}, models).model("m")
        reply = model.ask(replace(REQUEST, options=OPTIONS))
    sent = server.calls[0].decoding
    if rename:
        assert sent["stop_sequences"] == ["###"] and not {"stop", "logprobs"} & set(sent)
    else:
        assert sent["stop"] == ["###"] and sent["logprobs"] is True
    assert json.loads(reply.raw) == answer(interface)


def test_a_reply_to_a_call_without_options_is_kept_as_its_text(tmp_path: Path) -> None:
    with hostile(Said(chat("Hello."))) as server:
        model = make_registry(tmp_path, {"p": provider(server, "openai")}, {"m": {"provider": "p"}})
        assert model.model("m").ask(REQUEST).raw == ""


def test_options_are_part_of_what_was_asked() -> None:
    assert replace(REQUEST, options={}).sha256 == REQUEST.sha256
    assert replace(REQUEST, options=OPTIONS).sha256 != REQUEST.sha256
    turned = dict(reversed(OPTIONS.items()))
    assert replace(REQUEST, options=turned).sha256 == replace(REQUEST, options=OPTIONS).sha256


@pytest.mark.parametrize(
    ("interface", "body", "name"),
    [
        (
            "openai",
            {
                **chat(""),
                "choices": [
                    {
                        "message": {
                            "content": None,
                            "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}],
                        },
                        "finish_reason": "tool_calls",
                    }
                ],
            },
            "look",
        ),
        ("anthropic", message([{"type": "tool_use", "name": "look", "input": {}}]), "look"),
    ],
)
def test_a_reply_that_only_calls_a_tool_has_the_call_for_a_text(
    tmp_path: Path, interface: str, body: Any, name: str
) -> None:
    with hostile(Said(body)) as server:
        models = {"m": {"provider": "p"}}
        model = make_registry(tmp_path, {"p": provider(server, interface)}, models).model("m")
        reply = model.ask(replace(REQUEST, options={"tools": []}))
    assert reply.error == "" and name in reply.text
    assert isinstance(json.loads(reply.text), list)


def read_confidence(text: str, body: Any) -> float | None:
    return None if body is None else body["choices"][0]["logprobs"]["content"][0]["logprob"]


def play(tmp_path: Path, raw: str) -> tuple[Any, Any]:
    """The value of a turn, and the journal's reply."""
    options = Decoding(1.0, 9, options=OPTIONS)
    prompt = (Message("user", "Yes or no?"),)
    call = Call(
        *(1, "A", "judge", "round 1", "m", prompt, Read(read_confidence), lambda _: prompt),
        decoding=options,
        purpose="judge",
    )

    def steps() -> Any:
        yield [call]

    client = FakeClient(in_turn(Reply("Yes", raw=raw)), name="m")
    with Journal(tmp_path / "j.jsonl") as journal:
        session = run_session(1, steps, {"m": client}, journal, Limits(0, 1))
    assert client.asked[0].options == OPTIONS
    return session.turns[0].value, Journal(tmp_path / "j.jsonl").replies[0]


def test_a_function_of_two_arguments_reads_the_body(tmp_path: Path) -> None:
    raw = json.dumps({"choices": [{"logprobs": {"content": [{"logprob": -0.25}]}}]})
    value, journaled = play(tmp_path, raw)
    assert value == -0.25
    assert journaled.raw == raw


def test_where_nothing_came_but_a_text_there_is_no_body(tmp_path: Path) -> None:
    assert play(tmp_path, "")[0] is None
