"""Contents of messages as servers send them: what is speech, what thought, and what neither."""

from __future__ import annotations

from typing import Any

import pytest

from dissensus.llm.codec import NoAnswer
from dissensus.llm.providers.anthropic import AnthropicCodec
from dissensus.llm.providers.openai import OpenAICodec

SAID = {"type": "text", "text": "Hi."}
#: Content and other members of a message -> what is said and what is thought.
MESSAGES: dict[str, tuple[Any, dict[str, Any], str, str]] = {
    "Magistral": (
        [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, SAID],
        *({}, "Hi.", "Hm."),
    ),
    "Databricks": (
        [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]}, SAID],
        *({}, "Hi.", "Hm."),
    ),
    "a thought with a text": ([{"type": "reasoning", "text": "Hm."}, SAID], {}, "Hi.", "Hm."),
    "two thoughts": (
        [{"type": "thinking", "thinking": "Hm."}, {"type": "Thinking", "thinking": "So."}, SAID],
        *({}, "Hi.", "Hm.\n\nSo."),
    ),
    "OpenRouter": (
        "Hi.",
        {"reasoning": None, "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        *("Hi.", "Hm."),
    ),
    "LiteLLM": (
        *("Hi.", {"thinking_blocks": [{"type": "thinking", "thinking": "Hm."}]}),
        *("Hi.", "Hm."),
    ),
    "vLLM": ("Hi.", {"reasoning": "Hm.", "reasoning_content": ""}, "Hi.", "Hm."),
    "an object": ("Hi.", {"reasoning": {"content": "Hm."}}, "Hi.", "Hm."),
    "Copilot": ("Hi.", {"reasoning_text": "Hm."}, "Hi.", "Hm."),
    "texts alone": (["Hi.", " There."], {}, "Hi. There.", ""),
    "one part": (SAID, {}, "Hi.", ""),
    "one without a type": ({"text": "Hi."}, {}, "Hi.", ""),
    "types of others": (
        [{"type": "TEXT", "text": "Hi."}, {"type": "markdown", "text": " There."}],
        *({}, "Hi. There.", ""),
    ),
    "nothing among them": ([None, SAID], {}, "Hi.", ""),
    "what is no text": (
        [{"type": "image_url", "image_url": {}}, SAID, {"type": "reference", "reference_ids": [1]}],
        *({}, "Hi.", ""),
    ),
    "tools": ([{"type": "tool_result", "text": "12"}, SAID], {}, "Hi.", ""),
}  # fmt: skip


def _answer(content: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"finish_reason": "stop", "message": {"content": content, **more}}]}


@pytest.mark.parametrize("name", MESSAGES)
def test_what_is_said_and_thought(name: str) -> None:
    content, more, text, thought = MESSAGES[name]
    reply = OpenAICodec().parse(_answer(content, **more))
    assert (reply.text, reply.thought, reply.error) == (text, thought, "")


def test_a_refusal_may_be_a_part() -> None:
    for message in (
        _answer([{"type": "refusal", "refusal": "I will not."}]),
        _answer(None, refusal="I will not."),
    ):
        reply = OpenAICodec().parse(message)
        assert reply.text == "I will not." and reply.finish_reason == "refusal"


@pytest.mark.parametrize("content", [5, True, [5], [{"type": "text", "text": 5}], [[SAID]]])
def test_what_is_no_content_is_no_answer(content: Any) -> None:
    with pytest.raises(NoAnswer):
        OpenAICodec().parse(_answer(content))


@pytest.mark.parametrize("sign", ["\u200b", "\u2060\ufeff", "\u00a0\u3000", "\U000e0041", "\u2800"])
def test_what_nobody_sees_is_empty(sign: str) -> None:
    for content in (sign, [{"text": sign}], [sign, {"type": "output_text", "text": sign}]):
        assert OpenAICodec().parse(_answer(content)).error == "empty"


@pytest.mark.parametrize(
    "block",
    [
        {"type": "redacted_thinking", "data": "x"},
        {"type": "server_tool_use", "id": "1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "content": [{"text": "12"}]},
        {"type": "compaction", "content": "before"},
        "",
    ],
)
def test_anthropic_s_other_blocks_are_no_speech(block: Any) -> None:
    reply = AnthropicCodec().parse({"content": [block, SAID], "stop_reason": "end_turn"})
    assert reply.text == "Hi." and not reply.error
