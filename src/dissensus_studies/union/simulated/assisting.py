"""Simulated assistants and coaches: extraction, definitions, points of information, memos."""

from __future__ import annotations

import json
import re

import numpy as np

from dissensus.text.terms import commonest_terms

from . import cues
from .material import sentences
from .phrases import PHRASES
from .prompts import Prompt
from .settings import SpeechSettings
from .voice import NOTHING, Voice, term_in

_NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_FATE = re.compile(r"^- (survives|contested|demolished): (.+)$", re.MULTILINE)
_UNANSWERED = re.compile(r"never answered:\n(.+?)\nScores of", re.DOTALL)
_OTHER = re.compile(r"^(?P<other>[^:\n]+) rises at argument", re.MULTILINE)


def _question(template: str) -> re.Pattern[str]:
    """A question, after what it quotes, with what it is about."""
    before, after = map(re.escape, template.split("{term}"))
    return re.compile(f"[:,] {before}(?P<term>[^“”\n]+?){after}$")


_ASKED = {
    kind: [_question(question) for question in questions.asked]
    for kind, questions in PHRASES.questions.items()
}
_QUOTE = re.compile(r"“(?P<quote>[^”\n]+)”")
_DEFINED = re.compile(
    r"By “(?P<term>[^”\n]+)” I mean (?P<definition>[^;\n]+); (?P<scope>[^;\n]+?), "
    r"with (?P<test>[^;\n]+) as the test; not (?P<exclusion>[^.\n]+)\."
)
_LISTED = re.compile(r"^(?P<what>Scope|Exclusions): (?P<words>[^\n;]+)", re.MULTILINE)
_CONTESTED = re.compile("|".join(f"(?:{cues.pattern(phrase)})" for phrase in PHRASES.contested))


def extraction(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """The arguments of a speech: its claims."""
    points = [{"point": claim.text} for claim in cues.read(prompt.part(0)).claims]
    return json.dumps({"arguments": points, "tone": "measured", "devices": []}, ensure_ascii=False)


def offers(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """A point of information at each of some arguments: words of it, and a question on them."""
    offered = []
    for number, text in _NUMBERED.findall(prompt.told):
        if rng.random() >= speech.rises:
            continue
        voice = Voice(prompt.speaker, rng)
        kind = list(PHRASES.questions)[int(rng.integers(len(PHRASES.questions)))]
        question = voice.say(PHRASES.questions[kind].asked, term=term_in(text, rng))
        point = voice.say(PHRASES.points, quote=cues.fragment(text), question=question)
        offered.append({"argument": int(number), "point": cues.capital(point)})
    return json.dumps({"offers": offered}, ensure_ascii=False)


def answer(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """One or two sentences: what was asked, and what else in the speech bears on it."""
    voice, point = Voice(prompt.speaker, rng), prompt.part(1)
    kind, term = _asked(point, rng)
    reply = [cues.capital(voice.say(PHRASES.questions[kind].answered, term=term))]
    quote = _QUOTE.search(point)
    asked = quote["quote"] if quote else ""
    if term == NOTHING and quote:
        reply = [f"“{quote['quote']}”, I said. {reply[0]}"]
    others = [claim.text for claim in cues.read(prompt.part(0)).claims if asked not in claim.text]
    other = _OTHER.search(prompt.told)
    if others and rng.random() < 0.6:
        name = other["other"] if other else "my friend"
        words = cues.fragment(others[int(rng.integers(len(others)))])
        reply.append(cues.capital(voice.say(PHRASES.answer_ends, name=name, quote=words)))
    return " ".join(reply)


def _asked(point: str, rng: np.random.Generator) -> tuple[str, str]:
    """What kind of question a point asks, and about what; of others, a knowledge of its words."""
    for kind, questions in _ASKED.items():
        for question in questions:
            match = question.search(point)
            if match:
                return kind, match["term"]
    return "knowledge", term_in(point, rng)


def definitions(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """What the first speech says that it means; of one that says nothing, what it begins with."""
    text = prompt.part(0)
    spoken = sentences(text) or (prompt.motion or "the motion",)
    claims = [claim.text for claim in cues.read(text).claims]
    match = _DEFINED.search(text)
    terms = [{"term": prompt.motion or "the motion", "definition": cues.plain(spoken[0])}]
    if match:
        terms = [
            {"term": match["term"], "definition": match["definition"]},
            {"term": "the test", "definition": match["test"]},
        ]
    return json.dumps(
        {
            "terms": terms,
            "scope": match["scope"] if match else "what the first speech speaks of",
            "exclusions": [match["exclusion"]] if match else [],
            "framing": next(iter(claims), cues.plain(spoken[-1])),
        },
        ensure_ascii=False,
    )


def contest(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """What the second speech says of the definition, and what it puts in its place."""
    text = prompt.part(0)
    defined = {match["what"]: match["words"] for match in _LISTED.finditer(prompt.told)}
    claims = [claim.text for claim in cues.read(text).claims]
    contested = [
        defined[name] for name in ("Exclusions",) if name in defined and _CONTESTED.search(text)
    ]
    return json.dumps(
        {
            "accepted": [defined["Scope"]] if "Scope" in defined else [],
            "contested": contested,
            "counter_framing": next(iter(claims), "") if contested else "",
        },
        ensure_ascii=False,
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
        *(f"Answer this, which nobody of your side did: {text}" for text in missed[:1]),
    ]
    advice = advice or ["Name a source for every claim, and answer the newest speech first."]
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
