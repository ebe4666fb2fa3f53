"""Remote models against a server that does everything wrong, through the true packages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import ProviderError
from dissensus.llm.journal import Journal
from dissensus.llm.outcomes import RULES
from hostile import (
    MODEL_MEMBERS,
    PRICE,
    REQUEST,
    Said,
    answer,
    ask,
    chat,
    empty,
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


# What is sent


def test_openai_is_sent_what_the_request_says(tmp_path: Path) -> None:
    with hostile(Said(chat("  Hello.\n"))) as server:
        reply = ask(tmp_path, server)
    assert (reply.text, reply.error, reply.finish_reason) == ("Hello.", "", "stop")
    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (12, 3, 0)
    assert (reply.answered_by, reply.fingerprint, reply.request_id) == ("m", "fp_1", "chatcmpl-1")
    assert (reply.cost_usd, reply.faults, reply.faults_usd) == (None, (), 0.0)
    [asked] = server.calls
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "你好"},
        ],
        "temperature": 0.2,
        "max_tokens": 64,
        "seed": 9,
    }


def test_anthropic_is_sent_what_the_request_says(tmp_path: Path) -> None:
    usage = {"input_tokens": 2, "output_tokens": 3, "cache_read_input_tokens": 7}
    usage["cache_creation_input_tokens"] = 1
    said = message([{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo."}], usage=usage)
    with hostile(Said(said, headers=[("request-id", "req_9")])) as server:
        reply = ask(tmp_path, server, "anthropic")
    assert (reply.text, reply.error, reply.finish_reason) == ("Hello.", "", "stop")
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == (10, 7, 3)
    assert (reply.answered_by, reply.fingerprint, reply.request_id) == ("m", "", "req_9")
    [asked] = server.calls
    assert asked.path == "/v1/messages"
    assert asked.body == {
        "model": "m",
        "system": "be brief",
        "messages": [{"role": "user", "content": "你好"}],
        "temperature": 0.2,
        "max_tokens": 64,
    }


@every_interface
def test_parameters_are_renamed_left_out_and_added(tmp_path: Path, interface: str) -> None:
    model = {
        "model": "other",
        "rename": {"max_tokens": "max_completion_tokens", "temperature": None, "seed": None},
        "parameters": {"reasoning_effort": "none", "top_p": None},
    }
    with hostile(Said(answer(interface))) as server:
        ask(tmp_path, server, interface, model)
    sent = server.calls[0].decoding
    assert server.calls[0].model == "other"
    assert sent["max_completion_tokens"] == 64
    assert sent["reasoning_effort"] == "none"
    assert not {"max_tokens", "temperature", "seed", "top_p"} & set(sent)


@every_interface
@pytest.mark.parametrize("rename", [{}, {"top_p": None}, {"top_p": "nucleus"}])
def test_top_p_is_sent_by_its_name_or_left_out(
    tmp_path: Path, interface: str, rename: dict[str, str | None]
) -> None:
    with hostile(Said(answer(interface))) as server:
        models = {"m": {"provider": "p", "rename": rename}}
        model = make_registry(tmp_path, {"p": provider(server, interface)}, models).model("m")
        model.ask(replace(REQUEST, top_p=0.9))
    sent = {name: value for name, value in server.calls[0].decoding.items() if value == 0.9}
    name = rename.get("top_p", "topP" if interface == "gemini" else "top_p")
    assert sent == ({name: 0.9} if name else {})


@every_interface
def test_another_model_than_asked_is_told(tmp_path: Path, interface: str) -> None:
    with hostile(Said(answer(interface, **{MODEL_MEMBERS[interface]: "smaller-model"}))) as server:
        assert ask(tmp_path, server, interface).answered_by == "smaller-model"


# What comes back


@every_interface
def test_a_call_that_is_given_up_tells_of_its_last_answer(tmp_path: Path, interface: str) -> None:
    with hostile(Said(empty(interface)), Said(b"", 500)) as server:
        reply = ask(tmp_path, server, interface, retries=2)
    assert (reply.error, reply.faults) == ("server_error", ("empty", "server_error"))
    assert (reply.text, reply.finish_reason, reply.answered_by) == ("", "stop", "m")
    assert (reply.input_tokens, reply.output_tokens, reply.cost_usd) == (12, 3, None)


# Every outcome, in both formats

INVALID = "invalid_request_error"
STATUSES = {
    "rate_limit": (429, "Rate limit reached", "rate_limit_error"),
    "overload": (503, "Overloaded", "overloaded_error"),
    "server_error": (500, "It broke", "api_error"),
    "timeout": (408, "Too late", "timeout_error"),
    "connection": (499, "Client closed request", "api_error"),
    "context_overflow": (400, "prompt is too long: 9 tokens > 8 maximum", INVALID),
    "content_filter": (400, "Output blocked by content filtering policy", INVALID),
}


@every_interface
@pytest.mark.parametrize("outcome", STATUSES)
def test_an_error_is_its_outcome(tmp_path: Path, interface: str, outcome: str) -> None:
    status, words, kind = STATUSES[outcome]
    with hostile(Said(error(interface, words, kind), status)) as server:
        reply = ask(tmp_path, server, interface)
    tries = RULES[outcome].tries or 4
    assert (reply.text, reply.error, reply.finish_reason) == ("", outcome, "error")
    assert reply.faults == (outcome,) * (tries - 1)
    assert reply.faults_said == (words,) * tries
    assert len(server.calls) == tries


@every_interface
def test_what_a_later_try_mends_leaves_faults_only(tmp_path: Path, interface: str) -> None:
    kinds = ("rate_limit", "overload", "server_error")
    said = [Said(error(interface, *STATUSES[kind][1:]), STATUSES[kind][0]) for kind in kinds]
    with hostile(*said, Said(answer(interface))) as server:
        reply = ask(tmp_path, server, interface)
    assert (reply.text, reply.error, reply.faults) == ("Hello.", "", kinds)
    assert reply.faults_said == tuple(STATUSES[kind][1] for kind in kinds)


@pytest.mark.parametrize(
    ("retries", "outcome", "tries"), [(0, 500, 1), (2, 500, 3), (9, 200, 5), (9, 404, 3)]
)
def test_tries_are_bounded_by_the_rule_and_by_retries(
    tmp_path: Path, retries: int, outcome: int, tries: int
) -> None:
    said = [Said(chat()), *[Said(chat(""), outcome)] * tries, Said(chat())]
    with hostile(*said) as server:
        made = make_registry(tmp_path, {"p": provider(server, retries=retries)}).model("m")
        made.ask(REQUEST)
        reply = made.ask(REQUEST)
    # After a rejection a short question tells whether the model takes others.
    assert len(server.calls) == 1 + tries + (outcome == 404)
    assert len(reply.faults) == tries - 1


@every_interface
@pytest.mark.parametrize(
    ("status", "words", "kind", "says"),
    [
        (401, "invalid x-api-key", "authentication_error", "does not accept the key"),
        (403, "No permission", "permission_error", "does not accept the key"),
        (402, "Insufficient Balance", "unknown_error", "no credit left"),
        (429, "You exceeded your current quota", "insufficient_quota", "no credit left"),
        (400, "Your credit balance is too low", INVALID, "no credit left"),
    ],
)
def test_no_other_call_could_fare_better(
    tmp_path: Path, interface: str, status: int, words: str, kind: str, says: str
) -> None:
    with hostile(Said(error(interface, words, kind), status)) as server:
        model = make_registry(tmp_path, {"p": provider(server, interface)}).model("m")
        journal = Journal(tmp_path / "journal.jsonl")
        with pytest.raises(ProviderError, match=says) as caught:
            journal.ask(model, REQUEST)
    assert words in str(caught.value)
    assert "models.m" in str(caught.value)
    assert len(server.calls) == 1
    assert len(journal) == 0


@every_interface
def test_a_model_that_never_answered_and_rejects_stops_the_run(
    tmp_path: Path, interface: str
) -> None:
    said = Said(error(interface, "Unsupported parameter: 'seed'", INVALID), 400)
    with (
        hostile(said) as server,
        pytest.raises(ProviderError, match=r"models\.m: .*Unsupported parameter: 'seed'.*rename"),
    ):
        ask(tmp_path, server, interface)
    assert len(server.calls) == 3


@every_interface
@pytest.mark.parametrize("status", [301, 308, 404, 405])
def test_an_address_with_nothing_to_ask_is_named_as_one(
    tmp_path: Path, interface: str, status: int
) -> None:
    page = Said(b"<html>Nothing here</html>", status, headers=[("location", "http://127.0.0.1:9")])
    with (
        hostile(page, models=Said(b"", 404)) as server,
        pytest.raises(
            ProviderError, match=r"check providers\.p\.base_url and the model's name"
        ) as said,
    ):
        ask(tmp_path, server, interface)
    assert "rename" not in str(said.value)


@pytest.mark.parametrize("usage", [{"prompt_tokens": 1, "completion_tokens": 1}, None])
def test_a_model_that_answered_before_only_rejects_this(tmp_path: Path, usage: Any) -> None:
    said = Said(error("openai", "No.", INVALID), 422)
    with hostile(Said(chat(usage=usage)), *[said] * 3, Said(chat())) as server:
        made = make_registry(
            tmp_path, {"p": provider(server)}, {"m": {"provider": "p", "price": PRICE}}
        )
        assert made.model("m").ask(REQUEST).text == "Hello."
        assert made.model("m").ask(REQUEST).error == "rejected"


# Texts that are cut off, and refusals

OPENAI_ENDS = [("length", "length"), ("content_filter", "content_filter"), ("refusal", "refusal")]
ANTHROPIC_ENDS = [("max_tokens", "length"), ("refusal", "refusal")]
ENDS = [
    *(("openai", said, outcome) for said, outcome in OPENAI_ENDS),
    *(("anthropic", said, outcome) for said, outcome in ANTHROPIC_ENDS),
]


@pytest.mark.parametrize(("interface", "said", "outcome"), ENDS)
def test_an_end_without_a_text_is_an_outcome(
    tmp_path: Path, interface: str, said: str, outcome: str
) -> None:
    body = chat(None, said) if interface == "openai" else message([], said)
    with hostile(Said(body)) as server:
        reply = ask(tmp_path, server, interface, {"price": PRICE})
    assert (reply.text, reply.error, reply.finish_reason) == ("", outcome, outcome)
    assert (reply.faults, reply.output_tokens, len(server.calls)) == ((), 3, 1)
    assert reply.faults_usd == pytest.approx((12 * 1000 + 3 * 10_000) / 1e6)


@pytest.mark.parametrize(("interface", "said", "outcome"), ENDS)
def test_an_end_with_a_text_is_the_text(
    tmp_path: Path, interface: str, said: str, outcome: str
) -> None:
    body = chat("Cut", said) if interface == "openai" else message("Cut", said)
    with hostile(Said(body)) as server:
        reply = ask(tmp_path, server, interface)
    assert (reply.text, reply.error, reply.finish_reason) == ("Cut", "", outcome)


def test_words_of_refusal_are_words(tmp_path: Path) -> None:
    body = chat(None)
    body["choices"][0]["message"]["refusal"] = "I would rather not."
    with hostile(Said(body)) as server:
        reply = ask(tmp_path, server)
    assert (reply.text, reply.error, reply.finish_reason) == ("I would rather not.", "", "refusal")


# Usage and money


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 3}, (12, 3)),
        # Thought beside the completion: the total has it, or its own count alone.
        ({"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 40}, (12, 28)),
        (
            {
                **{"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": None},
                "completion_tokens_details": {"reasoning_tokens": 25},
            },
            (12, 28),
        ),
        # Thought that is part of the completion.
        (
            {
                **{"prompt_tokens": 12, "completion_tokens": 28, "total_tokens": 40},
                "completion_tokens_details": {"reasoning_tokens": 25},
            },
            (12, 28),
        ),
        (
            {
                **{"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": "none"},
                "completion_tokens_details": [1],
            },
            (12, 3),
        ),
        ({"prompt_tokens": 12, "completion_tokens": True}, None),
        ({"prompt_tokens": True, "completion_tokens": 3}, None),
        ({"prompt_tokens": -5, "completion_tokens": -1}, None),
        ({"prompt_tokens": float("nan"), "completion_tokens": 3}, None),
        ({"prompt_tokens": 10**400, "completion_tokens": 3}, None),
        ({"prompt_tokens": 12, "completion_tokens": None}, None),
        # As some gateways write numbers.
        ({"prompt_tokens": "12", "completion_tokens": "3"}, (12, 3)),
        ({"prompt_tokens": "12.5", "completion_tokens": "-3"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_an_answer_that_does_not_say_what_it_used_counts_for_the_most(
    tmp_path: Path, usage: Any, told: tuple[int, int] | None
) -> None:
    with hostile(Said(chat(usage=usage))) as server:
        made = make_registry(
            tmp_path, {"p": provider(server)}, {"m": {"provider": "p", "price": PRICE}}
        )
        reply = made.model("m").ask(REQUEST)
    assert reply.text == "Hello."
    prompt = sum(len(m.content.encode()) for m in REQUEST.messages) // 3 + 1
    tokens = told or (prompt, REQUEST.max_tokens)
    assert reply.cost_usd == pytest.approx((tokens[0] * 1000 + tokens[1] * 10_000) / 1e6)
    lines = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert [line["sure"] for line in lines] == [told is not None]
    assert lines[0]["usd"] == pytest.approx(reply.cost_usd)


def test_more_than_was_reserved_is_booked_and_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 5012}
    with (
        hostile(*[Said(chat(usage=usage))] * 2) as server,
        caplog.at_level("WARNING", "dissensus"),
    ):
        made = make_registry(
            tmp_path, {"p": provider(server)}, {"m": {"provider": "p", "price": PRICE}}
        )
        replies = [made.model("m").ask(replace(REQUEST, seed=seed)) for seed in (1, 2)]
    assert [reply.output_tokens for reply in replies] == [5000, 5000]
    [said] = caplog.messages
    assert "models.m: providers.p counts 12 tokens in and 5,000 out" in said


def test_what_no_request_can_carry_is_said_and_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hostile(Said(chat())) as server:
        made = make_registry(
            tmp_path, {"p": provider(server)}, {"m": {"provider": "p", "price": PRICE}}
        )
        monkeypatch.setenv("OPENAI_ORG_ID", "org-1\norg-2")
        with pytest.raises(ProviderError, match=r"variable OPENAI_ORG_ID holds 'org-1\\norg-2'"):
            made.model("m").ask(REQUEST)
        assert not (tmp_path / "ledger.jsonl").exists()
        monkeypatch.setenv("OPENAI_ORG_ID", "org-1\r\n")
        assert ask(tmp_path, server).text == "Hello."


def test_more_cached_than_the_prompt_is_beside_it(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_cache_hit_tokens": 99}
    with hostile(Said(chat(usage=usage))) as server:
        reply = ask(tmp_path, server)
    assert (reply.input_tokens, reply.cached_tokens) == (111, 99)
