"""Which names stand for which models."""

from __future__ import annotations

import pytest

from dissensus.llm.model_names import answers_for, is_snapshot


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
