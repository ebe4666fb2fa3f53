"""Every route as the true clients see it, and the same words for the same request."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from clients import SPEECH, anthropic, asked, asked_message, by_anthropic, by_openai, openai, prompt
from dissensus.session.format_rules import SpeechRules
from dissensus_serve.replies import tokens
from scripted import default_configuration
from serving import Server, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as started:
        yield started


def test_a_chat_completion_holds_a_debate_speech(server: Server):
    made = by_openai(server).chat.completions.with_raw_response.create(**asked(), seed=3)
    answer = made.parse()
    text = answer.choices[0].message.content
    assert answer.model == "simulated-a"
    assert answer.system_fingerprint == "dissensus-simulated"
    assert answer.choices[0].finish_reason == "stop"
    assert text and text.count(".") + text.count("?") >= 4
    assert answer.usage is not None and answer.usage.prompt_tokens_details is not None
    assert answer.usage.prompt_tokens == tokens(prompt())
    assert answer.usage.completion_tokens == tokens(text)
    assert answer.usage.prompt_tokens_details.cached_tokens == 0
    assert made.headers["x-dissensus-simulated"] == "1"
    assert made.headers["x-request-id"].startswith("req_")


def test_a_message_holds_a_debate_speech(server: Server):
    made = by_anthropic(server).messages.with_raw_response.create(**asked_message())
    answer = made.parse()
    text = answer.content[0].text
    assert answer.stop_reason == "end_turn"
    assert answer.model == "simulated-a"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (
        tokens(prompt()),
        tokens(text),
    )
    assert made.headers["request-id"].startswith("req_")


def test_both_interfaces_say_the_same_to_the_same_request(server: Server):
    messages = [{"role": "user", "content": prompt()}]
    chat = by_openai(server).chat.completions.create(
        **asked(messages=[{"role": "system", "content": "Be brief."}, *messages])
    )
    message = by_anthropic(server).messages.create(
        **asked_message(
            messages=[{"role": "user", "content": [{"type": "text", "text": prompt()}]}]
        ),
        system="Be brief.",
    )
    assert chat.choices[0].message.content == message.content[0].text


@pytest.mark.parametrize(
    "change",
    [
        {"model": "simulated-b"},
        {"temperature": 0.3},
        {"top_p": 0.9},
        {"seed": 8},
        {"seed": None, "extra_body": {"random_seed": 8}},
        {"max_tokens": 511},
        {"messages": [{"role": "user", "content": prompt(history=SPEECH)}]},
    ],
)
def test_any_change_to_a_request_is_another_draw(server: Server, change: dict[str, Any]):
    client = by_openai(server)
    if change.get("seed", 0) is None:
        change = {**change, "seed": openai.omit}
    first = client.chat.completions.create(**{**asked(), "seed": 7})
    other = client.chat.completions.create(**{**asked(), "seed": 7, **change})
    assert first.id != other.id


def test_a_restarted_server_answers_byte_for_byte(server: Server):
    bodies = [{**asked(), "seed": seed} for seed in range(6)]
    wanted = [post(server, "/v1/chat/completions", body).content for body in bodies]
    wanted += [post(server, "/v1/messages", body).content for body in bodies]
    with serving("--seed", "9", "--faults", "0.5", "--hang", "0") as other:
        got = [
            until_answered(other, path, body).content
            for path in ("/v1/chat/completions", "/v1/messages")
            for body in reversed(bodies)
        ]
    assert got == wanted[5::-1] + wanted[:5:-1]


def test_max_completion_tokens_cuts_an_answer_as_max_tokens_does(server: Server):
    client = by_openai(server)
    whole = client.chat.completions.create(**asked())
    for name in ("max_tokens", "max_completion_tokens"):
        request = {k: v for k, v in asked().items() if k != "max_tokens"} | {name: 20}
        short = client.chat.completions.create(**request)
        assert short.choices[0].finish_reason == "length"
        assert short.usage is not None and short.usage.completion_tokens == 20
        assert len(short.choices[0].message.content or "") == 80
    assert whole.choices[0].finish_reason == "stop"
    message = by_anthropic(server).messages.create(**asked_message(max_tokens=20))
    assert message.stop_reason == "max_tokens"


def test_words_that_are_no_debate_prompt_are_answered_too(server: Server):
    answer = by_openai(server).chat.completions.create(
        model="simulated-a", messages=[{"role": "user", "content": "Hello"}]
    )
    assert "simulated model" in (answer.choices[0].message.content or "")


def test_embeddings_are_unit_vectors_in_the_order_of_the_texts(server: Server):
    client = by_openai(server)
    texts = ["the cat sat on the mat", "on the mat the cat sat", "议会应当立法", "tax"]
    packed = client.embeddings.create(model="text-embedding-3-large", input=texts)
    floats = client.embeddings.create(
        model="text-embedding-3-large", input=texts[::-1], encoding_format="float"
    )
    vectors = [item.embedding for item in packed.data]
    assert [item.index for item in packed.data] == [0, 1, 2, 3]
    for got, expected in zip(vectors, [item.embedding for item in floats.data][::-1], strict=True):
        assert got == pytest.approx(expected, rel=1e-6)
        assert len(got) == 256
        assert math.fsum(x * x for x in got) == pytest.approx(1, abs=1e-6)
    near, far = dot(vectors[0], vectors[1]), dot(vectors[0], vectors[3])
    assert far < 0.5 < near < 1 - 1e-6
    assert packed.usage.prompt_tokens == sum(tokens(text) for text in texts)


def dot(a: list[float], b: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("texts", [[], [""], "", ["a"] * 2049, [1, 2]])
def test_embeddings_of_nothing_are_refused(server: Server, texts: Any):
    with pytest.raises(openai.BadRequestError):
        by_openai(server).embeddings.create(model="text-embedding-3-large", input=texts)


def test_both_clients_list_the_models(server: Server):
    known = [*default_configuration()["models"]]
    known.append("text-embedding-3-large")
    assert {"simulated-b", "identity-deferring", "deliberation-judge"} < set(known)
    listed = list(by_openai(server).models.list())
    assert [model.id for model in listed] == known
    assert {model.owned_by for model in listed} == {"dissensus-simulated"}
    assert [model.id for model in by_anthropic(server).models.list()] == known
    assert by_openai(server).models.retrieve("simulated-b").id == "simulated-b"
    assert by_anthropic(server).models.retrieve("simulated-b").display_name.startswith("simulated-")


def test_an_unknown_model_is_a_404_in_each_format(server: Server):
    chat, messages = by_openai(server), by_anthropic(server)
    with pytest.raises(openai.NotFoundError) as first:
        chat.chat.completions.create(**asked(model="gpt-9"))
    assert first.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError):
        chat.models.retrieve("gpt-9")
    with pytest.raises(openai.NotFoundError):
        chat.embeddings.create(model="simulated-a", input="a")
    with pytest.raises(anthropic.NotFoundError) as second:
        messages.messages.create(**asked_message(model="claude-9"))
    assert second.value.body == {
        "type": "error",
        "error": {"type": "not_found_error", "message": "model: claude-9"},
        "request_id": second.value.request_id,
    }
    with pytest.raises(anthropic.NotFoundError):
        messages.models.retrieve("claude-9")
    with pytest.raises(openai.NotFoundError, match="Invalid URL"):
        chat.responses.create(model="simulated-a", input="a")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", b"{torn"),
        ("/v1/chat/completions", b"[]"),
        ("/v1/chat/completions", b"{}"),
        ("/v1/chat/completions", b'{"model": "simulated-a"}'),
        ("/v1/chat/completions", b'{"model": "simulated-a", "messages": []}'),
        ("/v1/chat/completions", b'{"model": "simulated-a", "messages": [{"role": "user"}]}'),
        ("/v1/chat/completions", b'{"model": "simulated-a", "messages": [7]}'),
        ("/v1/messages", b"{torn"),
        ("/v1/messages", b'{"model": "simulated-a", "messages": []}'),
        ("/v1/embeddings", b"[]"),
        ("/v1/batches", b"[]"),
        ("/v1/messages/batches", b'{"requests": [{"params": 1}]}'),
    ],
)
def test_a_request_that_cannot_be_read_is_a_400(server: Server, path: str, body: bytes):
    answer = httpx2.post(server.address + path, content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]


def test_streaming_is_off(server: Server):
    with pytest.raises(openai.BadRequestError, match="streaming is off"):
        by_openai(server).chat.completions.create(**asked(), stream=True)
    with pytest.raises(anthropic.BadRequestError, match="streaming is off"):
        by_anthropic(server).messages.create(**asked_message(), stream=True)


def test_names_keys_and_parameters_are_as_the_options_say():
    options = (
        *("--model", "gpt-5.2=simulated-a", "--model", "org/claude=simulated-b"),
        *("--embedding", "small", "--dimensions", "64", "--report-model", "gpt-5.2-2025-12-11"),
        *("--refuse-parameter", "max_tokens", "--key-from", "THE_KEY"),
    )
    with serving(*options, env={"THE_KEY": "sk-right-key-0123"}) as server:
        right = by_openai(server, key="sk-right-key-0123")
        request = asked(model="gpt-5.2")
        limit = request.pop("max_tokens")
        answer = right.chat.completions.create(**request, max_completion_tokens=limit)
        assert answer.model == "gpt-5.2-2025-12-11"
        with pytest.raises(openai.BadRequestError, match="max_completion_tokens") as refused:
            right.chat.completions.create(**request, max_tokens=512)
        assert (refused.value.code, refused.value.param) == ("unsupported_parameter", "max_tokens")
        vector = right.embeddings.create(model="small", input="a").data[0].embedding
        assert len(vector) == 64
        assert right.models.retrieve("org/claude").id == "org/claude"
        with pytest.raises(openai.AuthenticationError) as wrong:
            by_openai(server, key="sk-wrong-key-0123").chat.completions.create(**request)
        assert wrong.value.code == "invalid_api_key"
        assert "wrong-key" not in str(wrong.value)
        odd = httpx2.get(f"{server.address}/v1/models", headers={b"x-api-key": "nö".encode()})
        assert (odd.status_code, odd.json()["type"]) == (401, "error")
        with pytest.raises(anthropic.AuthenticationError, match="invalid x-api-key"):
            by_anthropic(server, key="wrong").messages.create(**asked_message(model="org/claude"))
        assert server.stats()["calls"]["messages"]["refused"] == {"401": 1}


def test_fixed_words_keep_the_rules_in_speeches_and_closings():
    with serving("--words", "fixed", "--model", "any", "--config", "/no/such/file") as server:
        client = by_openai(server)
        for closing, sentences in ((False, 5), (True, 4)):
            answer = client.chat.completions.create(
                **asked("any", [{"role": "user", "content": prompt(closing=closing)}])
            )
            text = answer.choices[0].message.content or ""
            assert SpeechRules(sentences, words=50, script="latin").violations(text) == ()


def post(server: Server, path: str, body: dict[str, Any]) -> httpx2.Response:
    return httpx2.post(server.address + path, json=body)


def until_answered(server: Server, path: str, body: dict[str, Any]) -> httpx2.Response:
    """Ask again until nothing goes wrong."""
    for _ in range(60):
        try:
            answer = post(server, path, body)
            made = answer.json()
        except (httpx2.HTTPError, ValueError):
            continue
        if answer.status_code != 200 or made.get("status") == "ok":
            continue
        if made.get("content") or (
            made.get("choices") and made["choices"][0]["message"]["content"]
        ):
            return answer
    raise AssertionError("no answer in 60 tries")


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def with_field(name: str, value: str) -> str:
    message = '{"role": "user", "content": "x"}'
    return f'{{"model": "simulated-a", "messages": [{message}], "{name}": {value}}}'


#: Requests that are no requests. The depths around 1,000 can be read and not written.
ODD = [
    *(nested(depth) for depth in (100, 100_000)),
    *(with_field("temperature", nested(depth)) for depth in (1, 900, 960, 970, 980, 100_000)),
    *(with_field("seed", text) for text in ("[3]", '"x"', "{}", "9" * 5_000)),
    *(with_field("max_tokens", text) for text in ("0", '"x"', "1e400", "[]")),
    *("[]", "1", "null", '"x"', "{}", "\0", '{"model": 1}', '{"model": "simulated-a"}'),
    '{"model": "simulated-a", "messages": [{"role": {}, "content": "x"}]}',
    '{"model": "simulated-a", "messages": [{"role": "user", "content": {"a": 1}}]}',
    f'{{"model": "simulated-a", "input": [{nested(900)}]}}',
]


@pytest.mark.parametrize("path", ["chat/completions", "messages", "embeddings"])
def test_what_is_no_request_is_refused_with_a_sentence(server: Server, path: str):
    for body in ODD:
        answer = httpx2.post(f"{server.address}/v1/{path}", content=body)
        assert answer.status_code == 400, body[:90]
        assert answer.json()["error"]["message"]
    assert "Traceback" not in server.errors()


def test_a_batch_that_is_nested_deeply_has_no_traceback(server: Server):
    for depth in (900, 960, 970, 980, 100_000):
        body = f'{{"requests": [{{"custom_id": "a", "params": {nested(depth)}}}]}}'
        answer = httpx2.post(f"{server.address}/v1/messages/batches", content=body)
        assert answer.status_code in (200, 400)
    assert "Traceback" not in server.errors()
