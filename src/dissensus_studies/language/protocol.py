"""The debate: eight turns in a fixed order, one call each, on the paper's own prompt."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from dissensus.llm.call import Message
from dissensus.session.format_rules import SpeechRules
from dissensus.session.protocol import Call, Decoding, Steps, Turn, restartable
from dissensus.session.templates import fill

from .prompts import Prompts

#: Sentences that a speech must have, by the strategy of its round (appendix D.1).
SENTENCES = {"opening": 5, "rebuttal": 5, "closing": 4}


@restartable
def debate(
    prompts: Prompts,
    topic: str,
    cast: Mapping[str, str],
    *,
    script: str,
    words_per_sentence: int,
    system_message: bool,
    decoding: Decoding,
) -> Steps:
    """The debate as a protocol.

    Parameters
    ----------
    prompts : the wording.
    topic : the motion, in the language of the debate.
    cast : role (P1, P2, O1, O2) -> model.
    script : writing system that the speeches must be in.
    words_per_sentence : the most words of a sentence.
    system_message : whether to send the private system message too.
    decoding : of every speech.
    """
    rules = partial(SpeechRules, words=words_per_sentence, script=script)
    transcript: list[Turn] = []
    for number, turn in enumerate(prompts.schedule, start=1):
        prompt, role = prompts.turn(topic, turn, transcript), prompts.roles[turn.speaker]
        opening: tuple[Message, ...] = ()
        if system_message:
            opening = (Message("system", fill(prompts.system, ROLE=role, TOPIC=topic)),)
        transcript += yield [
            Call(
                number=number,
                speaker=turn.speaker,
                role=role,
                round_label=turn.round,
                model=cast[turn.speaker],
                messages=(*opening, Message("user", prompt)),
                format=rules(SENTENCES[turn.strategy]),
                again=partial(_again, opening, prompt, prompts.repair),
                decoding=decoding,
                purpose="debate",
            )
        ]


def _again(
    opening: tuple[Message, ...], prompt: str, repair: str, violations: tuple[str, ...]
) -> tuple[Message, ...]:
    """The same prompt with the repair instruction appended (appendix D.4)."""
    instruction = fill(repair, VIOLATION_REASON="; ".join(violations))
    return (*opening, Message("user", f"{prompt}\n\n{instruction}"))
