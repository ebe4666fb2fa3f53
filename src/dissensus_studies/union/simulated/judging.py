"""A simulated judge: which side debated better, by what was read, with biases of a known size."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache

import numpy as np

from ..measures.tally import DEMOLISHED, SPECIFIC, WORTH, rebuttal_points
from . import cues
from .prompts import Prompt, transcript
from .settings import SpeechSettings


def vote(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """A vote for a slot on a blind panel, for a label where these are stated."""
    if rng.random() < speech.unreadable_rate:
        return "Both teams did well, and I would rather not choose."
    points, words = weighed(prompt.part(0))
    label = _FIRST.search(prompt.told)
    names = (label[1], _LABELS[label[1]]) if label else ("A", "B")
    logit = speech.sharpness * points + speech.slot_bias + speech.length_bias * words / 1000
    if label:
        logit += speech.side_bias * (1.0 if label[1] == "Proposition" else -1.0)
    chosen = names[0] if rng.random() < 1 / (1 + math.exp(-np.clip(logit, -50, 50))) else names[1]
    return json.dumps({"winner": chosen, "reason": "It answered more, and more of it was left."})


_FIRST = re.compile(r"^Team A is the (Proposition|Opposition)\b", re.MULTILINE)
_LABELS = {"Proposition": "Opposition", "Opposition": "Proposition"}


@lru_cache(maxsize=64)
def weighed(text: str) -> tuple[float, int]:
    """By how many points and words team A, which may speak second, is ahead of team B."""
    read = {entry.number: (entry.side == "A", cues.read(entry.text)) for entry in transcript(text)}
    fallen = {
        answer.quote
        for _, speech in read.values()
        for answer in speech.answers
        if answer.logic and answer.undermines
    }
    points, words = 0.0, 0
    for is_ahead, speech in read.values():
        sign = 1 if is_ahead else -1
        words += sign * speech.words
        for claim in speech.claims:
            worth = WORTH[claim.kind] + SPECIFIC * claim.specific
            points += (
                sign * worth * (DEMOLISHED if any(quote in claim.text for quote in fallen) else 1.0)
            )
        points += sign * sum(
            rebuttal_points(answer.logic, answer.new, answer.undermines)
            for answer in speech.answers
        )
    return points, words
