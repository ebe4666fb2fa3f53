"""Thought that servers of open models leave in a reply is parted from what is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dissensus.errors import SettingError
from dissensus.llm.call import Reply
from dissensus.llm.journal import Journal
from dissensus.llm.marks import TABLE, marks_sha256, read_marks
from dissensus.llm.outcomes import finish_reason
from dissensus.llm.providers.anthropic import AnthropicCodec
from dissensus.llm.providers.openai import OpenAICodec
from dissensus.llm.thought import split_thought
from fake_client import FakeClient
from hostile import REQUEST, chat

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
    # Marks of other models, and of none that has a name here.
    "Gemma 4": ("<|channel>thought\nHm, hm.\n<channel|>It is B.<turn|>", "It is B.", "Hm, hm."),
    "Gemma 4 without thought": ("<|channel>thought\n<channel|>It is B.", "It is B.", ""),
    "Gemma 4 cut off": ("<|channel>thought\nLet me", "", "Let me"),
    "Gemma 4's end alone": ("Let me see.\n<channel|>It is B.", "It is B.", "Let me see."),
    "Apertus": ("<|inner_prefix|>a<|inner_suffix|>B", "B", "a"),
    "MedGemma": ("<unused94>thought\na<unused95>B", "B", "a"),
    "Command": ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>B<|END_RESPONSE|>", "B", "a"),
    "OpenThinker": (
        "<|begin_of_thought|>\na\n<|end_of_thought|>\n\n<|begin_of_solution|>\nB\n<|end_of_solution|>",
        "B",
        "a",
    ),
    "Kimi K3": (
        "<|open|>think<|sep|>a<|close|>think<|sep|><|open|>response<|sep|>B<|close|>response<|sep|>",
        "B",
        "a",
    ),
    "Inkling": (
        "<|message_model|><|content_thinking|>a<|end_message|><|message_model|><|content_text|>B"
        "<|end_message|>",
        "B",
        "a",
    ),
    "Solar": ("<|think|>a<|end|><|begin|>assistant<|content|>B<|end|>", "B", "a"),
    "Granite": ("Here is my thought process:\na\n\nHere is my response:\nB", "B", "a"),
    "half pipes": ("<|thinking>a<thinking|>B", "B", "a"),
    "full-width pipes": ("<｜think｜>a<｜/think｜>B", "B", "a"),
    "attributes": ('<think effort="low">a</think>B', "B", "a"),
    "as HTML writes it": ("&lt;think&gt;a&lt;/think&gt;B", "B", "a"),
    "spaces within": ("<think >a< /think >B", "B", "a"),
    "brackets": ("[reasoning]a[/reasoning]\nB", "B", "a"),
    "Chinese": ("<思考>甲</思考>乙", "乙", "甲"),
    "other names": ("<inner_monologue>a</inner_monologue>B", "B", "a"),
    "a name of two words": ("<Thought Process>a</Thought Process>B", "B", "a"),
    "itself its end": ("<think/>B", "B", ""),
    # How marks go wrong.
    "closed by another name": ("<think>a</thinking>B", "B", "a"),
    "closed by another shape": ("<think>a<|/think|>B", "B", "a"),
    "words before": ("Sure.\n<think>\na\n</think>\n\nIt is B.", "Sure.\n\nIt is B.", "a"),
    "words before on its line": ("Sure. <think>Hm.</think> It is B.", "Sure. It is B.", "Hm."),
    "words that it touches": ("Okay<think>a</think>It is B.", "Okay It is B.", "a"),
    "words between": ("One.\n<think>a</think>\nTwo.\n<think>b</think>\nThree.",
                      "One.\n\nTwo.\n\nThree.", "a\n\nb"),
    "begun twice": ("<think>\n<think>\na\n</think>\nB", "B", "a"),
    "begun twice, then once": ("<think>\n<think>a</think>B. <think>c</think>D", "B. D", "a\n\nc"),
    "nested": ("<think>a<think>b</think>c</think>D", "D", "a\n\nb\n\nc"),
    "ended twice": ("<think>a</think>\n\n</think>\n\nB", "B", "a"),
    "an end within a thought": (
        "<think>The tag </think> is odd.\n</think>\nB", "B", "The tag </think> is odd."
    ),
    "an end that touches": ("So it is B.</think>It is B.", "It is B.", "So it is B."),
    "ended by the answer": ("<think>a<answer>B</answer>", "B", "a"),
    "harmony without its begin": (
        "a<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "B", "a"
    ),
    "words after an answer": ("<think>a</think><answer>B</answer>\nC", "B\n\nC", "a"),
    # Going on as somebody else.
    "on after </s>": ("It is B.</s>User: And you?", "It is B.", ""),
    "on after a space": ("It is B</s> Human: And you?\nAssistant: C", "It is B", ""),
    "on after a break": ("It is B.<|eot_id|>\nuser\nWhy?", "It is B.", ""),
    "on as Gemma 4's user": ("It is B.<turn|>\n<|turn>user\nWhy?", "It is B.", ""),
    "on without an end": ("It is B.\n[INST] why? [/INST] C", "It is B.", ""),
    "on as DeepSeek's user": ("It is B.<｜end▁of▁sentence｜><｜User｜>Why?", "It is B.", ""),
    # By the shapes of further templates.
    "on as EXAONE's user": ("It is B.[|endofturn|]\n[|user|]Why?", "It is B.", ""),
    "on as MiniMax's user": ("It is B.[e~[\n]~b]user\nWhy?", "It is B.", ""),
    "on as Seed's user": ("It is B.<seed:eos><seed:bos>user\nWhy?", "It is B.", ""),
    "on as Nemotron's user": ("It is B.\n<SPECIAL_11>User\nWhy?", "It is B.", ""),
    "begun as GLM begins": ("[gMASK]<sop>It is B.", "It is B.", ""),
    # Folded as pages do, and under headings.
    "folded": (
        '<details type="reasoning" done="true" duration="5">\n<summary>Thought</summary>\n> Hm.\n'
        "</details>\nIt is B.",
        "It is B.",
        "<summary>Thought</summary>\n> Hm.",
    ),
    "folded after words": (
        "Well. <details type='thinking'>a</details> It is B.", "Well.  It is B.", "a"
    ),
    "folded without an end": ("<details type=reasoning>Hm. It", "", "Hm. It"),
    "headings": (
        "**Thinking Process:**\n1. Hm.\n\n**Final Answer:**\nIt is B.", "It is B.", "1. Hm."
    ),
    "headings of Markdown": ("## Thoughts\nHm.\n\n### Response\nIt is B.", "It is B.", "Hm."),
    "a heading and an end": ("**Thinking Process:**\n\n1. Hm.\n</think>\n\nIt is B.", "It is B.",
                             "**Thinking Process:**\n\n1. Hm."),
    "on as nobody": ("It is B.<|endoftext|>The weather is fine.", "It is B.", ""),
}  # fmt: skip
WHOLE = (
    *("It is B.", "", "Models say <think> before they answer.", "Analysis shows that it is B."),
    *(
        "analysis of the case",
        "I think </b> so.",
        "a <|im_end|> b",
        "The tag <think> and </think>.",
    ),
    'x\n{"stance": "<think>"}',
    # Spoken of, and nothing before or after is lost.
    "They end with </think>. That is odd.",
    "The tag `</think>` is odd. I say B.",
    "Some write (</think>) so; we do not.",
    "Some write (</s>) so. User: is a label.",
    "The tag </think> ends a thought, they say. We disagree.",
    "They all end with </think>",
    "A reply that ends in **</think>** is cut.",
    "A speech with <|im_start|>user in it, and <|channel>thought too.",
    "We quote “<think>no</think>” and go on.",
    "标记</think>是模型写的。我们说乙。",
    "Models open with <think> and close with </think>, which is a habit.",
    "[Thought] We say that B is right.",
    "</think> is a tag, and no argument.",
    "<details><summary>More</summary>It is B.</details>",
    'We write `<details type="reasoning">` so.',
    "**Reasoning:**\nIt is cheap.\n\n**Answer:**\nB",
    "**Thinking Process:**\n1. It is B.",
    "## Thoughts on the motion\nIt is B.\n\n## Answer\nB",
    "I mention <|eot_id|> here. It is a token.",
)


@pytest.mark.parametrize(("reply", "text", "thought"), PARTED.values(), ids=PARTED)
def test_thought_is_parted_from_what_is_said(reply: str, text: str, thought: str) -> None:
    assert split_thought(reply) == (text, thought)
    assert split_thought(text) == (text, "")


def test_every_name_has_every_shape() -> None:
    """The table's names and shapes, each with each: no pair of them is speech."""
    table = yaml.safe_load(TABLE.read_text("utf-8"))["thought"]
    shapes = [mark for mark in table["begins"] if "NAME" in mark]
    for name in table["names"]:
        for shape in shapes:
            reply = f"{shape.replace('NAME', name)}\nHm.\n</think>\nB it is."
            assert split_thought(reply) == ("B it is.", "Hm."), reply
        for shape in (mark for mark in table["ends"] if "NAME" in mark):
            reply = f"<think>\nHm.\n{shape.replace('NAME', name)}\nB it is."
            assert split_thought(reply) == ("B it is.", "Hm."), reply


def test_a_user_adds_marks_by_a_file_and_by_a_model(tmp_path: Path) -> None:
    reply = "%%ponder%%\nHm.\n%%done%%\nB it is."
    assert split_thought(reply).thought == ""
    (tmp_path / "marks.yaml").write_text(
        "thought: {names: [ponder], begins: ['%%NAME%%'], ends: ['%%done%%']}"
    )
    added = read_marks(tmp_path / "marks.yaml")
    assert split_thought(reply, added) == ("B it is.", "Hm.")
    # A name that is added has all shapes.
    assert split_thought("<ponder>Hm.</ponder>B", added) == ("B", "Hm.")
    own = read_marks(None, {"begins": ["%%ponder%%"], "ends": ["%%done%%"]})
    assert split_thought(reply, own) == ("B it is.", "Hm.")
    assert len({added.sha256, own.sha256, read_marks().sha256}) == 3
    # What a session depends on is known without the patterns.
    assert marks_sha256(tmp_path / "marks.yaml") == added.sha256


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("thought: {begins: [think]}", "thought.begins.0 holds 'think'; a mark begins with a sign"),
        ("thought: {words: [[a]]}", "thought.words holds"),
        ("thoughts: {}", "thoughts"),
        ("- a", "it holds"),
    ],
)
def test_a_file_of_marks_that_is_none_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "marks.yaml"
    path.write_text(text)
    with pytest.raises(SettingError) as caught:
        read_marks(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_a_journal_is_read_with_the_marks_that_are_known_now(tmp_path: Path) -> None:
    reply = "%%ponder%%\nHm.\n%%done%%\nB it is."
    client = FakeClient(lambda _: Reply(reply), marks=read_marks())
    journal = Journal(tmp_path / "j.jsonl")
    assert journal.ask(client, REQUEST).text == reply
    client.marks = read_marks(None, {"begins": ["%%ponder%%"], "ends": ["%%done%%"]})
    again = Journal(tmp_path / "j.jsonl").ask(client, REQUEST)
    assert (again.text, again.thought) == ("B it is.", "Hm.")
    assert len(client.asked) == 1


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


def openai(**message: Any) -> Any:
    body = chat("x")
    body["choices"][0]["message"] = {"role": "assistant", **message}
    return OpenAICodec().parse(body)


def test_thought_is_kept_beside_the_text_by_either_interface() -> None:
    answer = openai(content="<think>hm</think>B")
    assert (answer.text, answer.thought, answer.error) == ("B", "hm", "")
    apart = openai(content="B", reasoning_content="hm")
    assert (apart.text, apart.thought) == ("B", "hm")
    only = openai(content="<think>hm")
    assert (only.text, only.thought, only.error) == ("", "hm", "empty")
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "B"}]
    body = {"content": blocks, "stop_reason": "end_turn", "usage": {}}
    said = AnthropicCodec().parse(body)
    assert (said.text, said.thought, said.finish_reason) == ("B", "hm", "stop")


def test_a_reply_cut_off_in_its_thought_is_one_of_length() -> None:
    body = chat("<think>I wonder", "MAX_TOKENS")
    answer = OpenAICodec().parse(body)
    assert (answer.text, answer.finish_reason, answer.error) == ("", "length", "length")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        *(("stop", "stop"), ("STOP", "stop"), ("end_turn", "stop"), ("FinishReason.STOP", "stop")),
        *(("MAX_TOKENS", "length"), ("max_output_tokens", "length"), ("length", "length")),
        *(("FinishReason.SAFETY", "content_filter"), ("SAFETY", "content_filter")),
        *(("content_filter: RECITATION", "content_filter"), ("content-filter", "content_filter")),
        *(("FINISH_REASON_MAX_TOKENS", "length"), ("refusal", "refusal")),
        *(("tool_calls", "tool_calls"), (None, ""), ("", "unknown"), (7, "unknown")),
        *(("Odd one", "Odd one"), ("abort", "error"), ("tool_use", "tool_calls")),
    ],
)
def test_finish_reasons_are_known_without_case_and_prefix(given: Any, reason: str) -> None:
    assert finish_reason(given) == reason
