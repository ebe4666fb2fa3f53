"""Thought that servers of open models leave in a reply is parted from what is said."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.llm.outcomes import finish_reason
from dissensus.llm.providers.anthropic import AnthropicInterface
from dissensus.llm.providers.openai import OpenAIInterface
from dissensus.llm.thought import split_thought
from hostile import chat

PARTED = {
    "tags": ("<think>Let me see.</think>The answer is B.", "The answer is B.", "Let me see."),
    "margins": ("\n<think>\nhm\n</think>\n\nYes.\n", "Yes.", "hm"),
    "empty thought": ("<think>\n\n</think>\n\nYes.", "Yes.", ""),
    "other tags": ("<THINKING>a</THINKING> b", "b", "a"),
    "no opening tag": ("Okay, so B.\n</think>\n\nB it is.", "B it is.", "Okay, so B."),
    "cut off within": ("<think>I wonder whether", "", "I wonder whether"),
    "twice": ("<think>a</think><think>b</think>c", "c", "a\n\nb"),
    "a tag within": ("<think>they say <think> is odd</think>c", "c", "they say <think> is odd"),
    "Kimi": ("◁think▷a◁/think▷b", "b", "a"),
    "Mistral": ("[THINK]a[/THINK]b", "b", "a"),
    "Seed": ("<seed:think>a</seed:think>b", "b", "a"),
    "harmony": (
        "<|channel|>analysis<|message|>User asks.<|end|><|start|>assistant<|channel|>final"
        "<|message|>It is B.<|return|>",
        "It is B.",
        "User asks.",
    ),
    "harmony with a tool's channel": (
        "<|start|>assistant<|channel|>commentary to=x <|constrain|>json<|message|>{}<|call|>"
        "<|channel|>analysis<|message|>so<|end|><|channel|>final<|message|>B",
        "B",
        "{}\n\nso",
    ),
    "harmony cut off": ("<|channel|>analysis<|message|>User as", "", "User as"),
    "harmony without tokens": (
        "analysisUser asks.assistantfinalIt is B.",
        "It is B.",
        "User asks.",
    ),
    "a token at the end": ("It is B.<|im_end|>", "It is B.", ""),
    "tokens at the end": ("It is B. <|eot_id|>\n</s> ", "It is B.", ""),
    "tokens at both ends": ("<s><|im_start|>assistant\nIt is B.<end_of_turn>", "It is B.", ""),
    "on as the user": ("B.<|im_end|>\n<|im_start|>user\nWhy?<|im_end|>\n", "B.", ""),
    "on as a role": ("B.<|im_end|>user\n<|im_end|>user", "B.", ""),
    "on as Llama's user": ("B<|eot_id|><|start_header_id|>user<|end_header_id|>", "B", ""),
    "on as Gemma's user": ("B<end_of_turn>\n<start_of_turn>user\nC", "B", ""),
    "on after a thought": ("<think>a</think>B</s>[INST] C [/INST] D", "B", "a"),
    "an answer between tags": ("<think>a</think><answer>B</answer>", "B", "a"),
}
WHOLE = (
    *("It is B.", "", "Models say <think> before they answer.", "Analysis shows that it is B."),
    *(
        "analysis of the case",
        "I think </b> so.",
        "a <|im_end|> b",
        "The tag <think> and </think>.",
    ),
    'x\n{"stance": "<think>"}',
)


@pytest.mark.parametrize(("reply", "text", "thought"), PARTED.values(), ids=PARTED)
def test_thought_is_parted_from_what_is_said(reply: str, text: str, thought: str) -> None:
    assert split_thought(reply) == (text, thought)
    assert split_thought(text) == (text, "")


@pytest.mark.parametrize("reply", WHOLE)
def test_what_is_no_thought_stays(reply: str) -> None:
    assert split_thought(reply) == (reply, "")


TOKENS = ("<think>", "</think>", "</s>", "<s>", "<|channel|>", "<|message|>", "final", "analysis")


@given(st.lists(st.sampled_from((*TOKENS, "word ", "\n", "assistantfinal", "A")), max_size=12))
def test_what_is_said_is_a_part_of_the_reply(pieces: list[str]) -> None:
    reply = "".join(pieces)
    said = split_thought(reply)
    assert said.text == said.text.strip()
    assert reply.count("word") >= said.text.count("word") + said.thought.count("word")


@pytest.mark.parametrize(
    "piece", ["<think>", "</think>", "<think></think>", "</s>", "<s>", " ", "<|channel|>", "\n"]
)
def test_a_heap_of_tokens_takes_no_time(piece: str) -> None:
    """A quadratic reading would take minutes."""
    began = time.process_time()
    split_thought(piece * (2_000_000 // len(piece)))
    split_thought("x" + piece * (2_000_000 // len(piece)) + "x")
    assert time.process_time() - began < 20


def openai(**message: Any) -> Any:
    body = chat("x")
    body["choices"][0]["message"] = {"role": "assistant", **message}
    return OpenAIInterface().parse(body)


def test_thought_is_kept_beside_the_text_by_either_interface() -> None:
    answer = openai(content="<think>hm</think>B")
    assert (answer.text, answer.thought, answer.error) == ("B", "hm", "")
    apart = openai(content="B", reasoning_content="hm")
    assert (apart.text, apart.thought) == ("B", "hm")
    only = openai(content="<think>hm")
    assert (only.text, only.thought, only.error) == ("", "hm", "empty")
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "B"}]
    body = {"content": blocks, "stop_reason": "end_turn", "usage": {}}
    said = AnthropicInterface().parse(body)
    assert (said.text, said.thought, said.finish_reason) == ("B", "hm", "stop")


def test_a_reply_cut_off_in_its_thought_is_one_of_length() -> None:
    body = chat("<think>I wonder", "MAX_TOKENS")
    answer = OpenAIInterface().parse(body)
    assert (answer.text, answer.finish_reason, answer.error) == ("", "length", "length")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        *(("stop", "stop"), ("STOP", "stop"), ("end_turn", "stop"), ("FinishReason.STOP", "stop")),
        *(("MAX_TOKENS", "length"), ("max_output_tokens", "length"), ("length", "length")),
        *(("FinishReason.SAFETY", "content_filter"), ("SAFETY", "content_filter")),
        *(("content_filter: RECITATION", "content_filter"), ("content-filter", "content_filter")),
        *(("FINISH_REASON_MAX_TOKENS", "length"), ("refusal", "refusal")),
        *(("tool_calls", "tool_calls"), ("", ""), (None, ""), (7, ""), ("Odd one", "Odd one")),
    ],
)
def test_finish_reasons_are_known_without_case_and_prefix(given: Any, reason: str) -> None:
    assert finish_reason(given) == reason
