"""A debate put into another language by a model: one call a speech, to measure the instrument."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from dissensus.llm.call import Message
from dissensus.report.labels import language_name
from dissensus.session.format_rules import SpeechRules
from dissensus.session.inputs import Inputs
from dissensus.session.placeholders import unsized
from dissensus.session.prompt_files import Part, read_prompts, slots
from dissensus.session.protocol import PLACEHOLDER, Call, Decoding, Steps
from dissensus.session.quoting import one_line
from dissensus.session.templates import fill
from dissensus.text.sentences import split_sentences

from .protocol import SENTENCES
from .settings import TRANSLATING

#: A translation has as many sentences as its speech, however long they are in its language.
_ANY_LENGTH = 10_000


class TranslationPrompts(Part):
    """The wording of a translation, read from ``language.instrument.prompts``."""

    template: Annotated[str, slots("LANGUAGE", "SPEECH")]
    repair: Annotated[str, slots("VIOLATION_REASON")]

    @classmethod
    def read(cls, path: str | Path) -> TranslationPrompts:
        """Read a prompt file.

        Raises
        ------
        ResourceError : a part is missing, or has a slot that it may not have.
        """
        return read_prompts(cls, path)


def expected_turns(schedule: Sequence[Any]) -> list[dict[str, Any]]:
    """The turns of a debate as they are assumed where calls are counted before a run."""
    return [
        {
            **{"turn": number, "speaker": turn.speaker, "role": turn.speaker},
            **{"round_label": turn.round, "text": PLACEHOLDER, "strategy": turn.strategy},
        }
        for number, turn in enumerate(schedule, start=1)
    ]


def translate(
    prompts: TranslationPrompts,
    session: str,
    expected: Sequence[Mapping[str, Any]],
    *,
    into: str,
    script: str,
    model: str,
    decoding: Decoding,
    inputs: Inputs,
) -> Callable[[], Steps]:
    """A debate's translation as a protocol, with one turn for each of its turns.

    Parameters
    ----------
    prompts : the wording.
    session : the debate's id.
    expected : see :func:`expected_turns`.
    into : language that it is put into, as the configuration names it.
    script : writing system of that language.
    model : that translates.
    decoding : of every translation.
    inputs : where the debate is read.
    """

    def steps() -> Steps:
        calls = []
        for turn in inputs.turns(session, expected):
            speech = one_line(str(turn["text"]))
            prompt = fill(prompts.template, LANGUAGE=language_name(into), SPEECH=speech)
            calls.append(
                Call(
                    number=int(turn["turn"]),
                    speaker=str(turn["speaker"]),
                    role=str(turn["role"]),
                    round_label=str(turn["round_label"]),
                    model=model,
                    messages=(Message("user", prompt),),
                    format=SpeechRules(_sentences(turn), _ANY_LENGTH, script),
                    again=partial(_again, prompt, prompts.repair),
                    decoding=decoding,
                    purpose=TRANSLATING,
                )
            )
        yield calls

    return steps


def _sentences(turn: Mapping[str, Any]) -> int:
    """How many sentences a translation must have: as many as its speech."""
    if unsized(str(turn["text"])) == PLACEHOLDER:
        return SENTENCES[str(turn["strategy"])]
    return len(split_sentences(str(turn["text"])))


def _again(prompt: str, repair: str, violations: tuple[str, ...]) -> tuple[Message, ...]:
    """The same prompt with what was broken, as debaters are asked again."""
    instruction = fill(repair, VIOLATION_REASON="; ".join(violations))
    return (Message("user", f"{prompt}\n\n{instruction}"),)
