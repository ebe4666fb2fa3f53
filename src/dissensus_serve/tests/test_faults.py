"""Each fault as each client sees it, and which tries get one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from clients import anthropic, asked, asked_message, by_anthropic, by_openai, openai
from dissensus.llm.outcomes import RULES, outcome_of
from dissensus_serve.faults import KINDS, LASTING, Faults
from serving import Server, serving


def test_every_outcome_is_a_fault_that_can_be_had():
    assert set(KINDS) == set(RULES)


def chat(server: Server, **options: Any) -> Any:
    client = by_openai(server, **options)
    return client.chat.completions.create(**asked()).choices[0]


def message(server: Server, **options: Any) -> Any:
    return by_anthropic(server, **options).messages.create(**asked_message())


def embed(server: Server, **options: Any) -> Any:
    client = by_openai(server, **options)
    return client.embeddings.create(model="text-embedding-3-large", input=["a", "b"])


ERRORS = (
    ("rate_limit", "RateLimitError", "RateLimitError", 429, 429),
    ("overload", "InternalServerError", "InternalServerError", 503, 529),
    ("rejected", "BadRequestError", "BadRequestError", 400, 400),
    ("context_overflow", "BadRequestError", "BadRequestError", 400, 400),
    ("authentication", "AuthenticationError", "AuthenticationError", 401, 401),
    ("credit", "RateLimitError", "BadRequestError", 429, 400),
)


@pytest.mark.parametrize(("kind", "theirs", "others", "status", "other_status"), ERRORS)
def test_errors_have_the_status_and_form_of_their_interface(
    kind: str, theirs: str, others: str, status: int, other_status: int
):
    with serving("--fault", f"{kind}=1", "--retry-after", "7") as server:
        with pytest.raises(getattr(openai, theirs)) as first:
            chat(server)
        with pytest.raises(getattr(anthropic, others)) as second:
            message(server)
        with pytest.raises(getattr(openai, theirs)):
            embed(server)
        counted = server.stats()
    assert (first.value.status_code, second.value.status_code) == (status, other_status)
    assert outcome_of(status, first.value.body) == kind
    assert outcome_of(other_status, second.value.body) == kind
    assert second.value.body["type"] == "error"
    assert second.value.body["request_id"] == second.value.request_id
    told = [error.value.response.headers.get("retry-after") for error in (first, second)]
    assert told == (["7", "7"] if kind in ("rate_limit", "overload") else [None, None])
    assert counted["faults"] == {kind: 3}
    assert counted["calls"]["chat"]["answered"] == 0
    assert counted["tokens"] == {}


def test_codes_that_tell_a_quota_and_a_window_apart():
    with serving("--fault", "credit=1") as server, pytest.raises(openai.RateLimitError) as credit:
        chat(server)
    assert credit.value.code == "insufficient_quota"
    with serving("--fault", "context_overflow=1") as server:
        with pytest.raises(openai.BadRequestError) as window:
            chat(server)
        with pytest.raises(anthropic.BadRequestError, match="prompt is too long"):
            message(server)
    assert window.value.code == "context_length_exceeded"


def test_a_server_error_is_an_error_or_a_gateways_page_by_turns():
    with serving("--fault", "server_error=1") as server:
        seen = {"chat": set(), "message": set()}
        for _ in range(2):
            with pytest.raises(openai.InternalServerError) as first:
                chat(server)
            with pytest.raises(anthropic.InternalServerError) as second:
                message(server)
            seen["chat"].add((first.value.status_code, type(first.value.body)))
            seen["message"].add((second.value.status_code, type(second.value.body)))
    for kinds in seen.values():
        assert {status for status, _ in kinds} == {500, 502}


@pytest.mark.parametrize("ask", [chat, message, embed])
def test_a_connection_is_reset_before_and_in_the_middle_by_turns(ask: Callable[..., Any]):
    errors = []
    with serving("--fault", "connection=1") as server:
        for _ in range(2):
            with pytest.raises((openai.APIConnectionError, anthropic.APIConnectionError)) as error:
                ask(server)
            errors.append(type(error.value.__cause__).__name__)
        counted = server.stats()
    assert counted["faults"] == {"connection": 2}
    lost = next(iter(counted["tokens"].values()))
    assert lost["lost_input"] > 0 and lost["input"] == 0
    assert set(errors) == {"ReadError", "RemoteProtocolError"}


@pytest.mark.parametrize("ask", [chat, message, embed])
def test_a_time_out_is_silent_until_it_goes_away(ask: Callable[..., Any]):
    with serving("--fault", "timeout=1") as server:
        with pytest.raises((openai.APITimeoutError, anthropic.APITimeoutError)):
            ask(server, timeout=0.2)
        until(lambda: server.stats()["in_flight"]["now"] == 0)
    with serving("--fault", "timeout=1", "--hang", "0.1") as server:
        with pytest.raises((openai.APIConnectionError, anthropic.APIConnectionError)):
            ask(server, timeout=5)
        counted = next(iter(server.stats()["calls"].values()))
    assert (counted["faults"], counted["abandoned"]) == ({"timeout": 1}, 0)


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that must become so soon."""
    for _ in range(200):
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError("it never became so")


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages"])
def test_a_malformed_answer_is_torn_or_a_page_or_without_an_answer(path: str):
    with serving("--fault", "malformed=1") as server:
        answers = [httpx2.post(server.address + path, json=asked()) for _ in range(3)]
    assert {answer.status_code for answer in answers} == {200}
    forms = {form(answer.text) for answer in answers}
    assert forms == {"torn", "page", "no answer"}


def form(text: str) -> str:
    if text.startswith("<html>"):
        return "page"
    try:
        return "answer" if "id" in json.loads(text) else "no answer"
    except ValueError:
        return "torn"


def test_answers_without_words_have_the_finish_of_their_interface():
    with serving("--fault", "empty=1") as server:
        choice, said = chat(server), message(server)
        assert (choice.message.content, choice.finish_reason) == ("", "stop")
        assert (said.content, said.stop_reason) == ([], "end_turn")
        # The client itself refuses an answer without vectors.
        raw = httpx2.post(
            f"{server.address}/v1/embeddings",
            json={"model": "text-embedding-3-large", "input": "a"},
        )
        assert raw.json()["data"] == []
        tokens = server.stats()["tokens"]["simulated-a"]
    assert (tokens["output"], tokens["lost_input"]) == (0, 0)
    with serving("--fault", "refusal=1") as server:
        choice, said = chat(server), message(server)
        assert choice.message.content is None and choice.message.refusal
        assert (said.content, said.stop_reason) == ([], "refusal")
        assert len(embed(server).data) == 2
    with serving("--fault", "content_filter=1") as server:
        choice = chat(server)
        assert (choice.message.content, choice.finish_reason) == ("", "content_filter")
        with pytest.raises(anthropic.BadRequestError) as error:
            message(server)
        assert outcome_of(400, error.value.body) == "content_filter"


def test_an_answer_cut_by_length_is_the_beginning_of_the_whole():
    with serving() as server:
        whole = chat(server).message.content
    with serving("--fault", "length=1") as server:
        choice, said = chat(server), message(server)
    assert (choice.finish_reason, said.stop_reason) == ("length", "max_tokens")
    assert whole.startswith(choice.message.content) and len(choice.message.content) < len(whole)
    assert said.content[0].text == choice.message.content


def test_a_try_after_a_fault_succeeds_through_the_packages_own_retries():
    with serving("--faults", "0.5", "--hang", "0.05", "--retry-after", "0.01") as server:
        answers = {chat(server, max_retries=40, timeout=5).message.content for _ in range(3)}
        counted = server.stats()
    assert len(answers - {"", None}) == 1
    assert sum(counted["faults"].values()) > 0


@pytest.mark.parametrize("rate", [0.07, 0.3, 1.0])
def test_the_share_of_faults_is_the_rate_in_an_even_mix(rate: float):
    kinds = [kind for kind in KINDS if kind not in LASTING]
    faults = Faults({kind: rate / len(kinds) for kind in kinds}, seed=3)
    drawn = [faults.draw("chat", f"{n:064x}").fault for n in range(40000)]
    assert sum(map(bool, drawn)) / 40000 == pytest.approx(rate, abs=0.01)
    for kind in kinds:
        assert drawn.count(kind) / 40000 == pytest.approx(rate / len(kinds), abs=0.006)


def test_the_draws_go_by_seed_request_and_number_of_the_try_alone():
    rates = {"rate_limit": 0.4, "empty": 0.2}
    digests = [f"{n:064x}" for n in range(20)]
    first, second = Faults(rates, seed=3), Faults(rates, seed=3)
    by_request = [[first.draw("chat", d).fault for _ in range(6)] for d in digests]
    by_try = [[second.draw("chat", d).fault for d in reversed(digests)] for _ in range(6)]
    assert [list(column)[::-1] for column in zip(*by_request, strict=True)] == by_try
    other = Faults(rates, seed=4)
    assert [[other.draw("chat", d).fault for _ in range(6)] for d in digests] != by_request


def test_what_a_request_cannot_escape_it_gets_at_every_try():
    faults = Faults({"length": 0.5}, seed=3)
    tries = {d: {faults.draw("chat", f"{d:064x}").fault for _ in range(5)} for d in range(40)}
    assert {frozenset(seen) for seen in tries.values()} == {frozenset({""}), frozenset({"length"})}
