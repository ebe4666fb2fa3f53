"""A simulated judge: scores the reasons of a turn, or says whether its stance follows."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from dissensus.llm.call import Message

from .reading import JudgedTurn
from .speech import SpeechSettings

_VALIDITY = {"weak": 4.0, "fair": 7.0, "strong": 9.5}
_CREDIBILITY = (4.0, 7.0, 9.5)
_RIVAL_CREDIBILITY = 6.0


def judge(messages: Sequence[Message], speech: SpeechSettings, rng: np.random.Generator) -> str:
    """The reply of a judge; see the package."""
    content = messages[-1].content
    turn = JudgedTurn(content)
    if '"follows"' in content:
        reply = json.dumps(_verdict(turn, speech, rng), ensure_ascii=False)
    else:
        reply = json.dumps(_assessment(turn, speech, rng), ensure_ascii=False)
    rate = speech.bad_json_rate
    if "Your last reply could not be read" in content:
        rate /= 4
    return "I cannot say." if rng.random() < rate else reply


def _verdict(
    turn: JudgedTurn, speech: SpeechSettings, rng: np.random.Generator
) -> dict[str, object]:
    follows = turn.stance == turn.conclusion
    if rng.random() < speech.misjudgement_rate:
        follows = not follows
    named = turn.conclusion or "nothing"
    return {
        "follows": follows,
        "reason": f"The text concludes {named} and the stance is {turn.stance or 'not stated'}.",
    }


def _assessment(
    turn: JudgedTurn, speech: SpeechSettings, rng: np.random.Generator
) -> dict[str, object]:
    reasons = [
        (text, _validity(text), _CREDIBILITY[min(items, len(_CREDIBILITY) - 1)])
        for text, items in turn.reasons
    ]
    rivals = [(quote, _validity(quote), _RIVAL_CREDIBILITY) for quote in turn.rivals]

    def scored(text: str, validity: float, credibility: float) -> dict[str, object]:
        exact = np.array([validity, credibility]) + speech.scoring_sd * rng.standard_normal(2)
        first, second = np.clip(np.rint(exact), 1, 10)
        return {"text": text[:80], "validity": int(first), "credibility": int(second)}

    return {
        "claim": f"The answer is {turn.stance or 'not stated'}.",
        "reasons": [scored(*reason) for reason in reasons or [("none given", 1.0, 1.0)]],
        "rivals": [scored(*rival) for rival in rivals],
    }


def _validity(text: str) -> float:
    """By the word that the simulated debaters put in."""
    return next((score for word, score in _VALIDITY.items() if f" {word} " in text), 4.0)
