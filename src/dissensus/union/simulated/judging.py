"""A simulated judge: which side debated better, by what was read, with biases of a known size."""

from __future__ import annotations

import json
import math
from functools import lru_cache

import numpy as np

from dissensus.union.measures.tally import DEMOLISHED, SPECIFIC, WORTH, rebuttal_points
from dissensus.union.simulated import cues
from dissensus.union.simulated.prompts import Prompt, transcript
from dissensus.union.simulated.settings import SpeechSettings


def vote(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """A vote for a slot on a blind panel, for a label where these are stated."""
    if rng.random() < speech.unreadable_rate:
        return "Both teams did well, and I would rather not choose."
    first, points, words = weighed(prompt.part(0))
    logit = speech.sharpness * points + speech.slot_bias + speech.length_bias * words / 1000
    if first in _LABELS:
        logit += speech.side_bias * (1.0 if first == "Proposition" else -1.0)
    names = ("A", "B") if first not in _LABELS else (first, _LABELS[first])
    chosen = names[0] if rng.random() < 1 / (1 + math.exp(-np.clip(logit, -50, 50))) else names[1]
    return json.dumps({"winner": chosen, "reason": "It answered more, and more of it was left."})


_LABELS = {"Proposition": "Opposition", "Opposition": "Proposition"}


@lru_cache(maxsize=64)
def weighed(text: str) -> tuple[str, float, int]:
    """What stands first, and by how many points and words it is ahead of the other."""
    entries = transcript(text)
    first = entries[0].side if entries else "A"
    # Slot A may speak second: its name counts, not its place.
    ahead = "A" if first in "AB" else first
    read = {entry.number: (entry.side == ahead, cues.read(entry.text)) for entry in entries}
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
    return ahead, points, words
