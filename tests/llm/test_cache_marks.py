"""`cache: true`: what is marked for Anthropic's cache, and that nothing else changes by it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from dissensus.errors import BudgetReached
from dissensus.llm.call import Message, Request
from dissensus.llm.prefix_cache import MOST_MARKS, first_alike
from dissensus.llm.providers import identity
from dissensus.llm.providers.anthropic import conversation
from hostile import REQUEST, Said, answer, hostile, make_registry, prepare, provider

ROLES = ("user", "assistant")
#: Of one in, to read: 0.1; to write for minutes: 1.25; for an hour: 2.
PRICE = {"input": 3.0, "cached_input": 0.3, "output": 15.0}
SHARED = replace(REQUEST, messages=(Message("user", "a motion, a debate, a question", (9, 19)),))


@pytest.fixture(autouse=True)
def _prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(monkeypatch)


def sent(request: Request, marks: int = MOST_MARKS) -> dict[str, Any]:
    """The request's JSON, as Anthropic's own package knows it."""
    body = {"model": "m", **conversation(request, {"max_tokens": 9}, marks)}
    _theirs().validate_python(body)
    return body


@cache
def _theirs() -> TypeAdapter[Any]:
    # Its import takes more than a second, of every worker that reads this file.
    from anthropic.types.message_create_params import MessageCreateParamsNonStreaming

    return TypeAdapter(MessageCreateParamsNonStreaming)


def contents(body: dict[str, Any]) -> list[Any]:
    """The contents of a body in order, the system's first."""
    return [body.get("system", ""), *(message["content"] for message in body["messages"])]


def blocks(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a body, a text without any as one."""
    return [
        block
        for content in contents(body)
        for block in ([{"text": content}] if isinstance(content, str) else content)
        if block["text"]
    ]


def marked(body: dict[str, Any]) -> list[str]:
    """All that ends at a mark, from the beginning of the prompt."""
    pieces = blocks(body)
    return [
        "".join(piece["text"] for piece in pieces[: number + 1])
        for number, piece in enumerate(pieces)
        if "cache_control" in piece
    ]


def test_what_others_begin_with_is_marked() -> None:
    assert marked(sent(SHARED)) == ["a motion,", "a motion, a debate,"]
    assert blocks(sent(SHARED))[-1] == {"type": "text", "text": " a question"}


def test_the_system_message_and_all_before_the_last_message_are_marked() -> None:
    said = (Message("system", "Be A."), Message("user", "One?"), Message("assistant", "Two."))
    asked = replace(REQUEST, messages=(*said, Message("user", "Three?")))
    assert marked(sent(asked)) == ["Be A.", "Be A.One?", "Be A.One?Two."]
    assert sent(asked)["messages"][-1] == {"role": "user", "content": "Three?"}


def test_of_more_places_than_marks_the_first_and_the_last_are_marked() -> None:
    asked = replace(REQUEST, messages=(Message("user", "abcdefgh", (1, 2, 3, 4, 5, 6)),))
    assert marked(sent(asked)) == ["a", "abcd", "abcde", "abcdef"]
    assert len(blocks(sent(asked))) == 7, "a provider looks for earlier blocks by itself"
    assert marked(sent(asked, marks=1)) == ["a"]


def test_nothing_is_marked_unless_it_is_asked_for() -> None:
    assert conversation(SHARED, {}) == {
        "messages": [{"role": "user", "content": "a motion, a debate, a question"}]
    }


@given(
    st.lists(
        st.tuples(st.sampled_from(ROLES), st.text(min_size=1), st.lists(st.integers(0, 9))),
        min_size=1,
        max_size=4,
    ),
    st.text(),
    st.integers(1, MOST_MARKS),
)
def test_marks_change_no_word(
    said: list[tuple[Any, str, list[int]]], system: str, marks: int
) -> None:
    others = [
        Message(role, text, tuple(sorted(min(place, len(text)) for place in places)))
        for role, text, places in said
    ]
    asked = replace(REQUEST, messages=(Message("system", system), *others))
    texts = [
        content if isinstance(content, str) else "".join(block["text"] for block in content)
        for content in contents(sent(asked, marks))
    ]
    assert texts == [system, *(message.content for message in others)]
    assert len(marked(sent(asked, marks))) <= marks
    # Anthropic refuses a block of text in which nothing is to be seen.
    made = [block["text"] for block in blocks(sent(asked, marks)) if "type" in block]
    assert all(text.strip() for text in made)


def test_a_reply_stays_an_answer_whatever_is_marked() -> None:
    plain = replace(SHARED, messages=(Message("user", SHARED.messages[0].content),))
    assert plain.sha256 == SHARED.sha256 and plain == SHARED
    settings = {"provider": "p", "model": "m"}
    assert identity("m", {**settings, "cache": True}) == identity("m", settings)


@pytest.mark.parametrize(("interface", "marks"), [("anthropic", 2), ("openai", 0)])
def test_marks_are_sent_where_the_interface_has_some(
    tmp_path: Path, interface: str, marks: int
) -> None:
    counts = []
    with hostile(Said(answer(interface)), Said(answer(interface))) as server:
        for cache in (False, True):
            models = {"m": {"provider": "p", "cache": cache}}
            folder = tmp_path / str(cache)
            registry = make_registry(folder, {"p": provider(server, interface)}, models)
            assert registry.model("m").ask(SHARED).text == "Hello."
            assert registry.model("m").caches is cache
        counts = [json.dumps(asked.body).count("cache_control") for asked in server.calls]
    assert counts == [0, marks]


def test_a_studys_own_marks_leave_fewer_of_ours(tmp_path: Path) -> None:
    asked = replace(
        SHARED,
        messages=(Message("user", "abcdefgh", (1, 2, 3, 4, 5, 6)),),
        options={"tools": [{"name": "n", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]},
    )
    models = {"m": {"provider": "p", "cache": True}}
    with hostile(Said(answer("anthropic"))) as server:
        make_registry(tmp_path, {"p": provider(server, "anthropic")}, models).model("m").ask(asked)
        (call,) = server.calls
    assert json.dumps(call.body).count("cache_control") == MOST_MARKS


@pytest.mark.parametrize(("cache", "share"), [(False, 1.0), (True, 1.25)])
def test_what_marks_may_cost_is_reserved(tmp_path: Path, cache: bool, share: float) -> None:
    """The prompt at a token for three bytes, written to the cache for minutes at most."""
    text = SHARED.messages[0].content
    most = ((len(text) // 3 + 1) * 3.0 * share + SHARED.max_tokens * 15.0) / 1e6
    models = {"m": {"provider": "p", "price": PRICE, "cache": cache}}
    given = {"p": provider("http://127.0.0.1:9/v1", "anthropic")}
    with hostile(Said(answer("anthropic"))) as server:
        given = {"p": provider(server, "anthropic")}
        with pytest.raises(BudgetReached):
            make_registry(tmp_path / "less", given, models, budget_usd=most * 0.999).model("m").ask(
                SHARED
            )
        enough = math.nextafter(most, 1)
        make_registry(tmp_path / "enough", given, models, budget_usd=enough).model("m").ask(SHARED)


LONG = "word " * 1000
LONGER = LONG + "more " * 1000


def begins(text: str, *ends: int) -> tuple[Message, ...]:
    return (Message("user", f"{text} and so on", tuple(ends)),)


def test_which_prompt_is_answered_first_so_that_others_cost_less() -> None:
    one, two = len(LONG), len(LONGER)
    grown = [begins(LONG, one), begins(LONGER, one, two), begins(LONGER + LONG, one, two)]
    assert list(first_alike(grown)) == [None, 0, 1], "each waits for the longest before it"
    same = [begins(LONG, one), begins(LONG, one), begins("else", 4), begins(LONG, one)]
    assert list(first_alike(same)) == [None, 0, None, 0], "all wait for one, and not in a row"
    assert list(first_alike([begins("short", 5)] * 3)) == [None, None, None], "kept by no cache"
    assert list(first_alike([begins(LONG)] * 2)) == [None, None], "nobody said that it is shared"
