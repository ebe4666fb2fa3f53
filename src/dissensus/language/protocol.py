"""The debate: eight turns in a fixed order, one call each, on the paper's own prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from dissensus.digests import digest
from dissensus.errors import ResourceError
from dissensus.llm.call import Message
from dissensus.session.format_rules import SpeechRules
from dissensus.session.protocol import Call, Decoding, Steps, Turn
from dissensus.session.templates import fill, without
from dissensus.user_files import read_entries

#: Sentences that a speech must have, by the strategy of its round (appendix D.1).
SENTENCES = {"opening": 5, "rebuttal": 5, "closing": 4}

_NEEDED = (
    *("template", "language_instruction", "roles", "positions", "strategies", "schedule"),
    *("repair", "previous_speaker", "history", "history_entry", "system"),
)


@dataclass(frozen=True)
class Prompts:
    """The wording of one language condition, read from ``resources/prompts/language``."""

    wording: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | Path) -> Prompts:
        """Read a prompt file.

        Raises
        ------
        ResourceError : it is not YAML, a part is missing, or a turn has an unknown speaker.
        """
        wording = read_entries(path, _NEEDED, "resources/prompts/language/en.yaml")
        for number, slot in enumerate(wording["schedule"], start=1):
            for part, known in (("speaker", wording["roles"]), ("strategy", SENTENCES)):
                if slot.get(part) not in known:
                    raise ResourceError(
                        f"{path}: turn {number} of the schedule has the {part} "
                        f"{slot.get(part)!r}; it may be one of {', '.join(known)}."
                    )
        return cls(wording)

    @cached_property
    def sha256(self) -> str:
        return digest(self.wording)


def debate(
    prompts: Prompts,
    topic: str,
    cast: Mapping[str, str],
    *,
    script: str,
    words_per_sentence: int,
    system_message: bool,
    decoding: Decoding,
) -> Callable[[], Steps]:
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
    return partial(_steps, prompts.wording, topic, dict(cast), rules, system_message, decoding)


def _steps(
    wording: Mapping[str, Any],
    topic: str,
    cast: Mapping[str, str],
    rules: Callable[[int], SpeechRules],
    system_message: bool,
    decoding: Decoding,
) -> Steps:
    transcript: list[Turn] = []
    for number, slot in enumerate(wording["schedule"], start=1):
        prompt = turn_prompt(wording, topic, slot, transcript)
        opening: tuple[Message, ...] = ()
        if system_message:
            role = wording["roles"][slot["speaker"]]
            opening = (Message("system", fill(wording["system"], ROLE=role, TOPIC=topic)),)
        transcript += yield [
            Call(
                number=number,
                speaker=slot["speaker"],
                role=wording["roles"][slot["speaker"]],
                round_label=slot["round"],
                model=cast[slot["speaker"]],
                messages=(*opening, Message("user", prompt)),
                format=rules(SENTENCES[slot["strategy"]]),
                again=partial(_again, opening, prompt, wording["repair"]),
                decoding=decoding,
                purpose="debate",
            )
        ]


def turn_prompt(
    wording: Mapping[str, Any], topic: str, slot: Mapping[str, str], transcript: list[Turn]
) -> str:
    """The one user message of a turn (appendix D.1), its optional blocks filled or left out."""
    previous = history = ""
    template = wording["template"]
    if not transcript:
        blocks = ("OPTIONAL_PREVIOUS_SPEAKER_BLOCK", "OPTIONAL_DEBATE_HISTORY_BLOCK")
        template = without(template, blocks)
    else:
        previous = fill(wording["previous_speaker"], PREVIOUS_SPEECH=transcript[-1].text)
        entries = [
            fill(wording["history_entry"], ROLE=t.role, ROUND_INFO=t.round_label, SPEECH=t.text)
            for t in transcript
        ]
        history = fill(wording["history"], HISTORY="\n".join(entries))
    filled = fill(
        template,
        TOPIC=topic,
        LANGUAGE_INSTRUCTION=wording["language_instruction"],
        ROLE=wording["roles"][slot["speaker"]],
        ROUND_INFO=slot["round"],
        POSITION_LINE=wording["positions"][slot["speaker"][0]],
        OPTIONAL_PREVIOUS_SPEAKER_BLOCK=previous,
        OPTIONAL_DEBATE_HISTORY_BLOCK=history,
        STRATEGY_PROMPT=wording["strategies"][slot["strategy"]],
    )
    return filled.rstrip("\n")


def _again(
    opening: tuple[Message, ...], prompt: str, repair: str, violations: tuple[str, ...]
) -> tuple[Message, ...]:
    """The same prompt with the repair instruction appended (appendix D.4)."""
    instruction = fill(repair, VIOLATION_REASON="; ".join(violations))
    return (*opening, Message("user", f"{prompt}\n\n{instruction}"))
