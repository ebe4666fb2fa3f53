"""Simulated assistants and coaches: extraction, definitions, points of information, memos."""

from __future__ import annotations

import json
import re

import numpy as np

from dissensus.text.terms import commonest_terms
from dissensus.union.simulated import cues
from dissensus.union.simulated.material import sentences
from dissensus.union.simulated.prompts import Prompt
from dissensus.union.simulated.settings import SpeechSettings

_NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_FATE = re.compile(r"^- (survives|contested|demolished): (.+)$", re.MULTILINE)
_UNANSWERED = re.compile(r"never answered:\n(.+?)\nScores of", re.DOTALL)
_QUESTIONS = (
    "Is that true of those who had no choice in it?",
    "Who answers for it when it goes wrong?",
    "Would the speaker say the same of the case next door?",
    "How does the speaker know that, rather than hope it?",
)
_ANSWERS = (
    "I do say the same of it, and for the same reason.",
    "That is the right question, and my last point was the answer to it.",
    "If it goes wrong, those who decided it will have to say so in the open.",
    "I know it because it was counted.",
)


def extraction(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """The arguments of a speech: its claims."""
    points = [{"point": claim.text} for claim in cues.read(prompt.part(0)).claims]
    return json.dumps({"arguments": points, "tone": "measured", "devices": []}, ensure_ascii=False)


def offers(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """A point of information at each of some arguments."""
    offered = [
        {"argument": int(number), "point": f"You say: “{text}” {_one_of(_QUESTIONS, rng)}"}
        for number, text in _NUMBERED.findall(prompt.told)
        if rng.random() < speech.rises
    ]
    return json.dumps({"offers": offered}, ensure_ascii=False)


def answer(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """One to three sentences."""
    drawn = rng.choice(len(_ANSWERS), size=int(rng.integers(1, 4)), replace=False)
    return " ".join(_ANSWERS[int(place)] for place in drawn)


def definitions(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    motion = prompt.motion or "the motion"
    spoken = sentences(prompt.part(0)) or (motion,)
    return json.dumps(
        {
            "terms": [{"term": motion, "definition": "a change of law, made with safeguards"}],
            "scope": "one country, over the next generation",
            "exclusions": ["emergencies"],
            "framing": cues.plain(spoken[min(2, len(spoken) - 1)]),
        },
        ensure_ascii=False,
    )


def contest(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    contested = ["that safeguards would come with it"] if rng.random() < 0.5 else []
    return json.dumps(
        {
            "accepted": ["one country, over the next generation"],
            "contested": contested,
            "counter_framing": "who bears the loss when it fails" if contested else "",
        }
    )


def memo(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """What became of a student's claims, and what to do about it."""
    unanswered = _UNANSWERED.search(prompt.told)
    fates = _FATE.findall(prompt.told[: unanswered.start()] if unanswered else prompt.told)
    worked = [text for fate, text in fates if fate == "survives"][:3]
    failed = [text for fate, text in fates if fate == "demolished"][:3]
    missed = [text for _, text in _FATE.findall(unanswered[1])][:3] if unanswered else []
    advice = [
        *(f"Lead with this, which nobody took down: {text}" for text in worked[:1]),
        *(f"Leave this out, or bring its source: {text}" for text in failed[:1]),
        "Name a source for every claim, and answer the newest speech first.",
    ]
    return json.dumps(
        {"worked": worked, "failed": failed, "missed": missed, "advice": advice},
        ensure_ascii=False,
    )


def cluster(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """The terms that most of the claims have."""
    claims = sentences(prompt.part(0))
    (name,) = commonest_terms([claims])
    return json.dumps(
        {"name": name, "description": claims[0] if claims else ""}, ensure_ascii=False
    )


def _one_of(texts: tuple[str, ...], rng: np.random.Generator) -> str:
    return texts[int(rng.integers(len(texts)))]
