"""Marks of other families than the table was written from, by the shape that they have."""

from __future__ import annotations

import html
from itertools import product

import pytest

from dissensus.llm.thought import split_thought

SPEECH = "We should keep the tax. It is fair."
THOUGHT = "Let me see. They want me to say no."
NEXT = "And what of the poor?"
#: How templates end a turn, and let a model begin its own, and a user the next: InternLM, Baichuan,
#: StepFun, Ling, TeleChat, Solar, MiniMax, Hunyuan, Llama 4, Kimi, PLaMo, Jamba, Nemotron, phi-4,
#: nanochat, Yi.
ENDS = (
    *("<eoa>", "[UNUSED_TOKEN_145]", "<reserved_106>", "<TOKENS_UNUSED_1>", "<|EOT|>", "<_end>"),
    *(
        "<|role_end|>",
        "<|im:end|>",
        "<end_of_sentence>",
        "<｜hy_place▁holder▁no▁2｜>",
        "<|eod_id|>",
    ),
    *("<|extra_0|>", "<|plamo:op|>", "<extra_id_1>", "<|end_of_message|>", "<|stop|>", "<pad>"),
    *("<|im_sep|>", "</assistant>", "<|END_OF_ASSISTANT|>", "[|stop|]", "<unk>", "<|x_y:z|>"),
)
BEGINS = (
    *("<|header_start|>ROLE<|header_end|>\n\n", "<|im_ROLE|>ROLE<|im_middle|>", "<|BOT|>ROLE\n"),
    *("<|im_start|>ROLE<|im_sep|>", "<role>ROLE</role>", "<_ROLE>", "<extra_id_1>ROLE\n"),
    *("<｜hy_ROLE｜>", "<|im:start|>ROLE<|im:content|>", "<|plamo:op|>ROLE\n<|plamo:msg|>"),
    *("<|bom|><|ROLE|> ", "<|startofROLE|>", "<|ROLE_start|>", "[UNUSED_TOKEN_146]ROLE\n"),
    *("<beginning_of_sentence>ROLE name=ROLE\n", "### ROLE:\n", "<|role_start|>ROLE<|role_end|>"),
    *("<|ROLE|>:", "[|ROLE|]", "<|start_of_role|>ROLE<|end_of_role|>"),
)


@pytest.mark.parametrize(("end", "between"), [*product(ENDS, ["", "\n"])])
def test_a_token_at_the_end_is_no_speech(end: str, between: str) -> None:
    assert split_thought(f"{SPEECH}{between}{end}\n").text == SPEECH
    assert split_thought(f"{SPEECH}{between}{end}{ENDS[0]}").text == SPEECH


@pytest.mark.parametrize("end", ENDS)
def test_one_that_is_spoken_of_stays(end: str) -> None:
    for said in (f"Its last token is `{end}`", f'They say "{end}"', f"A reply has `{end}` in it."):
        assert split_thought(said).text == said


@pytest.mark.parametrize("end", ["<|stop|>", "<unk>", "<|x_y:z|>", "[|stop|]"])
def test_one_that_ends_no_sentence_stays(end: str) -> None:
    assert split_thought(f"What of the token {end}").text == f"What of the token {end}"
    assert split_thought(f"{SPEECH} {end}").text == SPEECH


@pytest.mark.parametrize(
    ("begin", "role"), [*product(BEGINS, ["assistant", "ASSISTANT", "Assistant"])]
)
def test_what_lets_the_model_begin_is_no_speech(begin: str, role: str) -> None:
    assert split_thought(begin.replace("ROLE", role) + SPEECH).text == SPEECH


@pytest.mark.parametrize(("begin", "role"), [*product(BEGINS, ["user", "User", "USER"])])
def test_who_else_begins_ends_the_speech(begin: str, role: str) -> None:
    assert split_thought(f"{SPEECH}\n{begin.replace('ROLE', role)}{NEXT}").text == SPEECH


def test_a_token_that_may_begin_thought_stays_and_is_told() -> None:
    said = f"<|ponder|>{THOUGHT}<|/ponder|>{SPEECH}"
    assert split_thought(said).text == said


NAMES = (
    *("scratch_pad", "SCRATCHPAD", "internal_reasoning", "seed:cot_budget_reflect", "mm:think"),
    *("ns:reasoning", "réflexion", "pensamiento", "Denken", "размышление", "생각", "ｔｈｉｎｋ"),
)


@pytest.mark.parametrize("name", NAMES)
def test_tags_have_spaces_of_names_and_languages(name: str) -> None:
    split = split_thought(f"<{name}>{THOUGHT}</{name}>\n{SPEECH}")
    assert split == (SPEECH, THOUGHT)
    assert split_thought(f"{THOUGHT}</{name}>\n{SPEECH}") == (SPEECH, THOUGHT)


@pytest.mark.parametrize("way", ["named", "numbered", "hexadecimal", "JSON", "Markdown"])
def test_signs_are_written_in_many_ways(way: str) -> None:
    signs = {
        "named": (html.escape("<"), html.escape(">")),
        "numbered": (f"&#{ord('<')};", f"&#{ord('>')};"),
        "hexadecimal": (f"&#x{ord('<'):x};", f"&#x{ord('>'):X};"),
        "JSON": (f"\\u{ord('<'):04x}", f"\\u{ord('>'):04x}"),
        "Markdown": ("\\<", "\\>"),
    }[way]
    said = f"<think>{THOUGHT}</think>\n{SPEECH}".replace("<", "\0").replace(">", signs[1])
    assert split_thought(said.replace("\0", signs[0])) == (SPEECH, THOUGHT)


#: What is around thought, before the answer.
AROUND = (
    ("<details><summary>Thinking</summary>\n", "</details>\n"),
    ("<details open>\n<summary>Thought for 3 seconds</summary>\n", "\n</details>\n"),
    ('<details class="thinking">', "</details>"),
    ("<details id='reasoning' open><summary>x</summary>", "</details>"),
    ("```thinking\n", "\n```\n"),
    ("~~~ thought\n", "\n~~~\n"),
    (":::think\n", "\n:::\n"),
    ("<!-- thinking: ", " -->\n"),
    ("<!--thinking-->", "<!--/thinking-->\n"),
    ("Thinking:\n", "\n\nAnswer:\n"),
    ("THINKING:\n", "\nFINAL ANSWER:\n"),
    ("**Thinking:** ", "\n\n**Answer:** "),
    ("Thinking...\n\n", "\n...done thinking.\n\n"),
    ("=== Thinking ===\n", "\n=== Answer ===\n"),
    ("--- thinking ---\n", "\n--- end thinking ---\n"),
    ("💭 Thinking\n", "\n\n💬 Answer\n"),
    ("Here's my thinking process:\n", "\nHere is my answer:\n"),
    ("**思考:**\n", "\n**回答:**\n"),
    ("## 思考過程\n", "\n## 最終答案\n"),
)


@pytest.mark.parametrize(("begin", "end"), AROUND)
def test_thought_is_set_apart_in_many_ways(begin: str, end: str) -> None:
    split = split_thought(begin + THOUGHT + end + SPEECH)
    assert split.text == SPEECH and THOUGHT in split.thought


@pytest.mark.parametrize(
    "said",
    [
        "**Thinking Long Term:** taxes must last.",
        "Thinking:\nthat is what this house lacks.",
        "```\nthinking\n```\nis a word.",
        "Here's my thinking process: I keep the tax.",
        "<details><summary>Sources</summary>None.</details>",
        "Model United Nations\nis a game.",
        "AI\nis a tool.",
        "The answer:\nkeep it.",
        "A line\n### Users: many of them.",
    ],
)
def test_speech_that_only_looks_so_stays(said: str) -> None:
    assert split_thought(said).text == said
