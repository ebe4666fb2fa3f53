"""Simulated people of the union study: speakers, assistants, annotators, judges and coaches.

They see only the messages that they are sent, like any other model. What is planted in them, the
whole chain of measures and estimates must find again.

**A speaker** has a strength s: that of its name in ``strengths``, plus that of its side in
``sides``, plus ``coached`` where its prompt had a coach's advice. Its notes take sentences from the
passages of its corpus, each as likely as any other. A speech has 1 + Poisson(claims - 1) claims,
which are such sentences with what their passages say after them, and Poisson(answers) answers to
claims of the other side; a claim of k speeches before the newest is answered with the weight
exp(-recency k). A claim names a source with the weight exp(s), a reason exp(.3 s), neither exp(-s).
An answer to a claim addresses its logic, and brings something new, each with probability logistic(s
- t - h), and undermines it with logistic(s - t - h - .7); t is what ``strengths`` has for the
claim's speaker, and h the ``hardness`` of the claim's kind. Where ``guard`` is above 0, a claim
meets what is said against it in advance with probability logistic(s), and says so; h is then larger
by ``guard``: so all of a speaker's strength, the coach's part too, protects its claims, by words
that others can read. A share ``own_claim`` of answers is made by the next claim of the speech. A
claim is of its kind by the words before it, and kinds go to the claims that they fit; an answer
quotes some words of what it answers, and goes on with what the notes have nearest to it. No
sentence is said twice: a speech ends where the notes do, or at a length that is normal around the
number asked for, and a share ``off_length_rate`` ends at six tenths of that. Which words stand for
what is in ``phrases``; a speaker's name says which half of them is the speaker's own.

**An annotator** reads claims and answers from their cues. It misses a share ``missed`` of each,
calls a share ``wrong_kind`` of claims by another kind, and gets a share ``wrong_answer`` of the
three questions wrong; at ``one_direction`` it finds no rebuttals by the opposition, of which a
share ``cured`` is mended when it is asked again. Scores are sums of what it reads and a normal
error.

**A judge** votes for slot A with probability logistic(sharpness d + slot_bias + length_bias w /
1000), d being the points that A is ahead in the tally of what the judge reads, and w the words. On
a panel with labels, the same is said of the label that stands first, plus side_bias where that is
Proposition and minus it where that is Opposition.

**Assistants** extract claims as arguments, define, rise at each argument with probability
``rises``. **A coach** sorts claims by what became of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.llm.call import Message
from dissensus.llm.providers.behaviours import speech_of

from . import annotating, assisting, judging, speaking
from .material import style
from .prompts import Prompt, read_prompt
from .settings import SpeechSettings

__all__ = ["SpeechSettings", "speak"]

_REPLIES: dict[str, Callable[[Prompt, SpeechSettings, np.random.Generator], str]] = {
    "style": lambda prompt, speech, rng: style(prompt.part(0)),
    "prepare": speaking.notes,
    "speech": speaking.speech_of,
    "extract": assisting.extraction,
    "offer": assisting.offers,
    "answer": assisting.answer,
    "definitions": assisting.definitions,
    "contest": assisting.contest,
    "memo": assisting.memo,
    "cluster": assisting.cluster,
    "claims": annotating.claims,
    "rebuttals": annotating.rebuttals,
    "rubric": annotating.rubric,
    "recalibrate": annotating.recalibrate,
    "blind": judging.vote,
    "labelled": judging.vote,
}
#: Replies that are no structured ones.
_FREE = ("prepare", "speech", "answer")


def speak(
    messages: Sequence[Message], settings: Mapping[str, Any], rng: np.random.Generator
) -> str:
    """Compose one reply.

    Parameters
    ----------
    messages : prompts of the union study.
    settings : the model's entry of the configuration, with ``speech``.
    rng : source of every random choice.
    """
    speech = speech_of(SpeechSettings, settings["speech"])
    prompt = read_prompt(messages)
    if prompt.kind not in _REPLIES:
        return "I do not know what I am asked."
    broken = prompt.kind not in _FREE and rng.random() < speech.bad_json_rate
    reply = _REPLIES[prompt.kind](prompt, speech, rng)
    return reply[: len(reply) // 2] if broken and not prompt.again else reply
