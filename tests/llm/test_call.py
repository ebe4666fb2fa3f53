"""A request's digest is its identity: any change to it is another call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dissensus.llm.call import Message, Request, answers_for, is_snapshot

REQUEST = Request("m", "id", (Message("user", "你好"),), 0.2, 512, 7)


def test_equal_requests_share_a_digest():
    assert REQUEST.sha256 == Request("m", "id", (Message("user", "你好"),), 0.2, 512, 7).sha256
    assert len(REQUEST.sha256) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"model": "n"},
        {"identity": "other"},
        {"messages": (Message("user", "你好 "),)},
        {"messages": (Message("system", "你好"),)},
        {"messages": (Message("user", "你"), Message("user", "好"))},
        {"temperature": 0.3},
        {"max_tokens": 511},
        {"seed": 8},
    ],
)
def test_every_part_counts(change):
    assert replace(REQUEST, **change).sha256 != REQUEST.sha256


@pytest.mark.parametrize("name", ["id", "", 'i"d', "identity", "你好"])
def test_the_other_digest_leaves_the_identity_alone_out(name: str):
    named = replace(REQUEST, identity=name)
    assert named.sha256s == (named.sha256, replace(REQUEST, identity="").sha256)


# Names of models


@pytest.mark.parametrize(
    ("asked", "answered_by"),
    [
        ("gpt-5.2", "gpt-5.2"),
        ("gpt-5.2", "gpt-5.2-2025-12-11"),
        ("gpt-5.2-2025-12-11", "gpt-5.2"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
        ("mistral-large-latest", "mistral-large-2512"),
        ("mistral-large-latest", "mistral-large"),
        ("mistral-large-2512", "mistral-large-latest"),
        ("gpt-5.2", "openai/gpt-5.2-2025-12-11"),
        ("openai/gpt-5.2", "gpt-5.2"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5-20250929"),
        ("deepseek/deepseek-v3.2", "deepseek/deepseek-v3.2-20251201"),
        ("llama3", "llama3:latest"),
        ("GPT-5.2", "gpt-5.2"),
        ("gpt-5.2", ""),
        ("", "gpt-5.2"),
    ],
)
def test_these_are_the_same(asked: str, answered_by: str) -> None:
    assert answers_for(asked, answered_by)


@pytest.mark.parametrize(
    ("asked", "answered_by"),
    [
        ("gpt-5.2", "gpt-5.2-mini"),
        ("gpt-5.2", "gpt-5.2-pro-2025-12-11"),
        ("gpt-5", "gpt-5.2"),
        ("gpt-5", "gpt-5.2-2025-12-11"),
        ("gpt-5.2-2025-12-11", "gpt-5.2-2026-02-01"),
        ("mistral-large-2512", "mistral-large-2411"),
        ("deepseek-chat", "deepseek-v4-flash"),
        ("openai/gpt-5.2", "openai/gpt-5.2-chat"),
        ("llama3:8b", "llama3:70b"),
        ("mistral-large-latest", "mistral-small-2603"),
    ],
)
def test_these_are_not(asked: str, answered_by: str) -> None:
    assert not answers_for(asked, answered_by)


def test_a_base_is_no_snapshot_of_its_snapshot() -> None:
    assert is_snapshot("gpt-5.2-2025-12-11", "gpt-5.2")
    assert not is_snapshot("gpt-5.2", "gpt-5.2-2025-12-11")
