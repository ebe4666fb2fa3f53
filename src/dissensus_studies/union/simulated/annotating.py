"""A simulated annotator: claims and rebuttals read back from speeches, and scores."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from . import cues
from .phrases import PHRASES
from .prompts import Entry, Prompt, transcript
from .settings import SpeechSettings

_LISTED = re.compile(r"^(?P<id>\d+\.\d+) \((?P<side>proposition|opposition)\): (?P<text>.+)$", re.M)
_WANTED = re.compile(
    r"^List every rebuttal of a claim of the (\w+) by a later speech of the (\w+)", re.M
)
_ASKED_BEFORE = re.compile(r"^You were asked before", re.MULTILINE)
_NUMBER = re.compile(r"to be scored: speech (\d+)")
_SCORE = re.compile(r"^Speech (\d+): ([\d.]+)$", re.MULTILINE)
_PHRASES = re.compile(r"^Signature phrases: (.+)$", re.MULTILINE)
#: Logits, or points, for each property that a rubric's dimension looks at.
_KIND_SCORES = {"evidence_backed": 1.0, "principled": 0.5, "assertion": -0.5}


def claims(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """The claims of one speech, less some that are missed, some of a wrong kind."""
    listed = []
    for claim in cues.read(prompt.part(0)).claims:
        if rng.random() < speech.missed:
            continue
        kind = claim.kind
        if rng.random() < speech.wrong_kind:
            others = [name for name in PHRASES.leads if name != kind]
            kind = others[int(rng.integers(len(others)))]
        listed.append({"text": claim.text, "type": kind, "specific": claim.specific})
    return json.dumps({"claims": listed}, ensure_ascii=False)


def rebuttals(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """The rebuttals of one side, less some that are missed, with some wrong answers."""
    wanted = _WANTED.search(prompt.told)
    side = wanted[2] if wanted else ""
    blind = rng.random() < speech.one_direction
    if _ASKED_BEFORE.search(prompt.told):
        blind = blind and rng.random() >= speech.cured
    if side == "opposition" and blind:
        return json.dumps({"rebuttals": []})
    listed = {match["text"]: match["id"] for match in _LISTED.finditer(prompt.told)}
    answers: list[dict[str, Any]] = []
    for entry in transcript(prompt.part(0)):
        if entry.side == side:
            answers += _rebuttals(entry, listed, speech, rng)
    return json.dumps({"rebuttals": answers}, ensure_ascii=False)


def _rebuttals(
    entry: Entry, listed: dict[str, str], speech: SpeechSettings, rng: np.random.Generator
) -> list[dict[str, Any]]:
    read = cues.read(entry.text)
    answers = []
    for answer in read.answers:
        target = cues.quoted_in(answer.quote, list(listed))
        if not target or rng.random() < speech.missed:
            continue
        bits = (answer.logic, answer.new, answer.undermines)
        logic, new, undermines = (bit != (rng.random() < speech.wrong_answer) for bit in bits)
        answers.append(
            {
                "target": listed[target],
                "by": listed.get(read.claims[answer.by - 1].text, "") if answer.by else "",
                "speech": entry.number,
                "logic": bool(logic),
                "new": bool(new),
                "undermines": bool(undermines),
            }
        )
    return answers


def rubric(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """Five scores of the speech that the prompt names."""
    number = _NUMBER.search(prompt.told)
    entries = transcript(prompt.part(0))
    entry = next(
        (candidate for candidate in entries if number and candidate.number == int(number[1])), None
    )
    text = entry.text if entry else ""
    read = cues.read(text)
    kinds = [_KIND_SCORES[claim.kind] for claim in read.claims] or [0.0]
    strong = sum(answer.logic and answer.undermines for answer in read.answers)
    cited = sum(claim.kind == "evidence_backed" for claim in read.claims)
    phrases = _PHRASES.search(prompt.told)
    arguments = phrases[1].split("; ") if phrases else []
    spoken = sum(argument.casefold().strip(" .") in text.casefold() for argument in arguments)
    means = {
        "argument_strength": 5.0 + 2.5 * float(np.mean(kinds)),
        "rebuttal_quality": 4.5 + 1.2 * strong,
        "evidence_grounding": 4.0 + 1.0 * cited,
        "rhetorical_effectiveness": 5.5 + 0.2 * len(read.claims),
        "persona_fidelity": 5.0 + 1.5 * spoken,
    }
    return json.dumps(
        {
            name: round(float(np.clip(mean + speech.scoring_sd * rng.normal(), 1, 10)), 1)
            for name, mean in means.items()
        }
    )


def recalibrate(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """Ranks and scores that keep the rules, or, at a rate and at first, that do not."""
    scores = {int(number): float(score) for number, score in _SCORE.findall(prompt.told)}
    for entry in transcript(prompt.part(0)):
        scores.setdefault(entry.number, 5.0)
    noisy = {number: score + 0.2 * rng.normal() for number, score in scores.items()}
    order = sorted(noisy, key=lambda number: (-noisy[number], number))
    best = min(9.5, max(4.0, max(noisy.values(), default=5.0)))
    spread = max(2.0, max(noisy.values(), default=0.0) - min(noisy.values(), default=0.0))
    step = min(spread, best - 1.0) / max(len(order) - 1, 1)
    broken = not prompt.again and rng.random() < speech.bad_ranks_rate
    entries = [
        {
            "speech": number,
            "rank": 1 if broken else rank,
            "score": round(best - step * (rank - 1), 2),
        }
        for rank, number in enumerate(order, start=1)
    ]
    return json.dumps({"speeches": entries})
