"""What a model wrote before its answer: thought that servers leave in the text, and stray tokens.

Hosted models keep their thought apart; servers of open models often pass it on between tags, or in
the channels of the harmony format, or forget the tag that begins it. It is no part of what was
said: peers, judges and measures never see it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

#: The tags that thought stands between, by the models that have them.
_TAGS = (
    # Of DeepSeek, Qwen, GLM, MiniMax and most others; the last of Seed.
    *(rf"<{name}>" for name in ("think", "thinking", "thought", "reasoning", "seed:think")),
    # Of Kimi, Mistral and Command.
    *("◁think▷", r"\[THINK\]", r"<\|START_THINKING\|>"),
)
_ENDS = (
    *(rf"</{name}>" for name in ("think", "thinking", "thought", "reasoning", "seed:think")),
    *("◁/think▷", r"\[/THINK\]", r"<\|END_THINKING\|>"),
)
_BEGINS = re.compile(r"\s*(?:" + "|".join(f"({tag})" for tag in _TAGS) + ")", re.IGNORECASE)
_ANY_BEGIN = re.compile("|".join(_TAGS), re.IGNORECASE)
_END = [re.compile(end, re.IGNORECASE) for end in _ENDS]
_ANY_END = re.compile("|".join(_ENDS), re.IGNORECASE)

#: gpt-oss begins a thought with ``<|channel|>analysis<|message|>`` and the answer with
#: ``<|channel|>final<|message|>``; some servers drop the special tokens and leave the words.
_CHANNEL = re.compile(
    r"(?:<\|start\|>assistant)?<\|channel\|>\s*([a-z]+)[^\n]{0,200}?<\|message\|>"
)
_PLAIN_ANALYSIS = re.compile(r"\s*analysis(?=[A-Z])")
_PLAIN_FINAL = "assistantfinal"
_HARMONY = re.compile(r"<\|(?:start|end|return|call|message|channel|constrain)\|>(?:assistant\b)?")

#: What ends a turn in some chat template, and begins one.
_STRAY = (
    *("im_end", "im_start", "eot_id", "end_of_text", "endoftext", "end", "eom_id", "return"),
    *("end_of_turn", "END_OF_TURN_TOKEN", "END_RESPONSE", "START_RESPONSE", "user", "assistant"),
)
_STRAY_ENDS = (
    *(f"<|{name}|>" for name in _STRAY),
    *("</s>", "<eos>", "<end_of_turn>", "[/INST]", "<｜end▁of▁sentence｜>", "</answer>"),
)
_STRAY_BEGINS = (
    *("<s>", "<bos>", "<answer>", "<|START_RESPONSE|>", "<|begin_of_text|>"),
    *("<｜begin▁of▁sentence｜>", "<｜Assistant｜>"),
    *("<|im_start|>assistant", "<start_of_turn>model"),
)
_LEADING = re.compile(rf"(?:\s|{'|'.join(map(re.escape, _STRAY_BEGINS))})*")
#: Where a model whose server does not stop it goes on as somebody else, after the end of its turn.
_RUN_ON = re.compile(
    r"<\|im_end\|>\s*(?:<\|im_start\|>|\n|(?:user|assistant|system)\b)|"
    r"<\|eot_id\|>\s*<\|start_header_id\|>|<end_of_turn>\s*<start_of_turn>|</s>\s*(?:<s>|\[INST\])"
)


class Said(NamedTuple):
    """A reply: what was said, and the thought before it ("" for none), both without margins."""

    text: str
    thought: str


def split_thought(reply: str) -> Said:
    """Part a model's reply into what it says and the thought before it.

    A thought that has no end was cut off: all of it is thought, and nothing is said. What follows
    the end of the model's turn, where it goes on as somebody else, is neither. Tags in the middle
    of a reply are words. Takes time linear in the reply's length.
    """
    ran_on = _RUN_ON.search(reply)
    begin, end = _inner(reply, 0, ran_on.start() if ran_on else len(reply))
    if _CHANNEL.match(reply, begin):
        return _of_channels(reply[begin:])
    if (begun := _PLAIN_ANALYSIS.match(reply, begin)) and _PLAIN_FINAL in reply:
        thought, _, final = reply[begun.end() : end].partition(_PLAIN_FINAL)
        return Said(final.strip(), thought.strip())
    thoughts: list[str] = []
    while begin < end and (begun := _BEGINS.match(reply, begin)):
        ended = _END[(begun.lastindex or 1) - 1].search(reply, begun.end(), end)
        thoughts.append(reply[begun.end() : ended.start() if ended else end].strip())
        begin, end = _inner(reply, ended.end() if ended else end, end)
    # Some templates begin the thought in the prompt, so that the reply has only its end.
    ended = None if thoughts else _ANY_END.search(reply, begin, end)
    if ended and not _ANY_BEGIN.search(reply, begin, ended.start()):
        thoughts.append(reply[begin : ended.start()].strip())
        begin, end = _inner(reply, ended.end(), end)
    return Said(reply[begin:end], "\n\n".join(filter(None, thoughts)))


def _of_channels(text: str) -> Said:
    """What was said in the last final channel; all other channels are thought."""
    parts = _CHANNEL.split(text)
    thoughts, said = [parts[0]], ""
    for name, words in zip(parts[1::2], parts[2::2], strict=True):
        if name == "final":
            said = words
        else:
            thoughts.append(words)
    cleaned = (_HARMONY.sub("", words).strip() for words in thoughts)
    return Said(_HARMONY.sub("", said).strip(), "\n\n".join(filter(None, cleaned)))


def _inner(text: str, begin: int, end: int) -> tuple[int, int]:
    """The part of a text that is left without white space and stray tokens at its two ends."""
    begin = max(begin, _LEADING.match(text, begin, end).end())  # type: ignore[union-attr]
    while begin < end:
        if text[end - 1].isspace():
            end -= 1
        elif token := next((mark for mark in _STRAY_ENDS if text.endswith(mark, begin, end)), ""):
            end -= len(token)
        else:
            break
    return begin, end
