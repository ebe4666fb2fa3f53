"""A simulated speaker: private notes from passages, and speeches from notes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, cycle

import numpy as np

from dissensus.union.simulated import cues
from dissensus.union.simulated.material import (
    can_be_claimed,
    is_specific,
    passages,
    sentences,
)
from dissensus.union.simulated.prompts import Entry, Prompt, transcript
from dissensus.union.simulated.settings import SpeechSettings

_COACH = "My coach's advice is in these notes."
_COACHED_WORDS = re.compile(r"^Advice of .+ coach after earlier debates:$", re.MULTILINE)
_WORDS = re.compile(r"of about (\d+) words")
_PHRASES = re.compile(r"^Signature phrases: (.+)$", re.MULTILINE)
_ORDER = "Points to make: "
_NUMBERED = re.compile(r"\d+: ")
_SPREAD = 110.0
#: Sentences of its passage that may follow a point.
_AFTER = 8
_FILLERS = (
    "I say this without heat, because the matter is too serious for heat.",
    "I have tried how it looks from the other side, and found it no easier there.",
    "It is slow work to see it, and quick work to forget it again.",
    "If that seems a small thing, ask those to whom it was not small.",
    "There are two ways to hear that, and only one of them survives a second hearing.",
    "I would rather be told that I am wrong about it now than in ten years.",
    "None of this depends on anybody being wicked, or on anybody being wise.",
    "Put beside it what we do today, and see which of the two wants the excuse.",
    "That is the whole of it, and it is enough.",
    "Nobody in this room need take my word for it.",
    "I would ask those who doubt it to say which step they would not take.",
    "There is no need to make it larger than it is.",
    "What matters here is what follows from it.",
    "I have heard it put otherwise, and never better.",
    "We can test that, and we should.",
)


@dataclass(frozen=True)
class Target:
    """A claim of the other side that may be answered."""

    speaker: str
    speech: int
    claim: cues.ReadClaim


def notes(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """Private notes: which points to make, in which order, and the passages, their sentences
    numbered. A sentence stands there once, so that notes are as short as the passages.
    """
    kept = [sentences(text, prompt.speaker) for text in passages(prompt.part(0))]
    points: dict[str, int] = {}
    for number, sentence in enumerate(chain.from_iterable(kept), start=1):
        if can_be_claimed(sentence):
            points.setdefault(sentence, number)
    if points:
        drawn = rng.permutation(len(points))
        order = [list(points.values())[int(place)] for place in drawn]
    else:
        kept, order = [(filler,) for filler in _FILLERS], list(range(1, len(_FILLERS) + 1))
    told = [_COACH] if points and _COACHED_WORDS.search(prompt.told) else []
    told.append(f"{_ORDER}{', '.join(map(str, order))}")
    numbers = count(1)
    written = (
        "\n".join(f"{next(numbers)}: {sentence}" for sentence in passage) for passage in kept
    )
    return "\n\n".join(["\n".join(told), *written])


def speech_of(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """A speech: an opening, answers to the other side, claims, and a close."""
    return _Composer(prompt, speech, rng).compose()


class _Composer:
    def __init__(self, prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> None:
        private = prompt.part(1)
        self.prompt, self.speech, self.rng = prompt, speech, rng
        self.points, self.after = _read_notes(private)
        self.said: set[str] = set()
        self.fillers = cycle(_FILLERS)
        self.strength = (
            speech.strengths.get(prompt.speaker, 0.0)
            + speech.sides.get(prompt.side, 0.0)  # type: ignore[call-overload]
            + (speech.coached if _COACH in private else 0.0)
        )

    def compose(self) -> str:
        entries = transcript(self.prompt.part(0))
        opposing = [entry for entry in entries if entry.side != self.prompt.side]
        targets = [
            Target(entry.who, entry.number, claim)
            for entry in opposing
            for claim in cues.read(entry.text).claims
        ]
        own_claims = self._count(self.speech.claims, 1, min(8, len(self.points)))
        chosen = self._targets(targets, self._count(self.speech.answers, 0, len(targets)))
        blocks = self._answers(chosen, own_claims)
        first = [self._opening(opposing)]
        words = self._length() - sum(len(sentence.split()) for sentence in chain(first, *blocks))
        return self._filled(first, blocks, words)

    def _count(self, mean: float, least: int, most: int) -> int:
        return int(np.clip(self.rng.poisson(max(mean - least, 0)) + least, min(least, most), most))

    def _targets(self, targets: Sequence[Target], count: int) -> list[Target]:
        """Claims to be answered, the newer ones more often."""
        if not count:
            return []
        newest = max(target.speech for target in targets)
        weights = np.exp([-self.speech.recency * (newest - target.speech) for target in targets])
        drawn = self.rng.choice(len(targets), count, replace=False, p=weights / weights.sum())
        return [targets[int(place)] for place in sorted(drawn)]

    def _answers(self, targets: Sequence[Target], own_claims: int) -> list[list[str]]:
        """Paragraphs of sentences: an answer, and the claim that makes it, or a claim alone."""
        blocks: list[list[str]] = []
        number = 0
        for target in targets:
            by_claim = number < own_claims and bool(self.rng.random() < self.speech.own_claim)
            name = target.speaker or "The other side"
            bits = self._bits(target)
            blocks.append(cues.answer(name, target.claim.text, bits, by_claim=by_claim))
            if by_claim:
                blocks.append([self._claim(number)])
                number += 1
        blocks += [[self._claim(rest)] for rest in range(number, own_claims)]
        return blocks

    def _bits(self, target: Target) -> dict[str, bool]:
        """The three properties of an answer."""
        edge = self.strength - self.speech.strengths.get(target.speaker, 0.0)
        edge -= self.speech.hardness.get(target.claim.kind, 0.0)  # type: ignore[call-overload]
        edge -= self.speech.guard * target.claim.guarded
        chances = {"logic": edge, "new": edge, "undermines": edge - 0.7}
        return {name: bool(self.rng.random() < _logistic(at)) for name, at in chances.items()}

    def _claim(self, number: int) -> str:
        text = self.points[number % len(self.points)]
        weights = np.exp([self.strength, 0.3 * self.strength, -self.strength])
        kind = list(cues.KIND_CUES)[int(self.rng.choice(3, p=weights / weights.sum()))]
        guarded = self.speech.guard > 0 and bool(self.rng.random() < _logistic(self.strength))
        return cues.claim(number, text, kind, is_specific(text), guarded)

    def _opening(self, opposing: Sequence[Entry]) -> str:
        phrase = self._phrase()
        if not opposing:
            return f"Thank you. {phrase} Let me say what this debate is about."
        return f"Thank you. {phrase} I have listened to {opposing[-1].who} with care."

    def _phrase(self) -> str:
        match = _PHRASES.search(self.prompt.told)
        phrases = match[1].split("; ") if match else []
        if not phrases:
            return ""
        chosen = phrases[int(self.rng.integers(len(phrases)))].strip(" .")
        return f"{chosen[:1].upper()}{chosen[1:]}."

    def _length(self) -> int:
        asked = _WORDS.search(self.prompt.told)
        words = float(asked[1]) if asked else 1350.0
        if self.rng.random() < self.speech.off_length_rate:
            return int(words * (0.6 if self.rng.random() < 0.5 else 1.45))
        return int(np.clip(self.rng.normal(words, _SPREAD), 0.78 * words, 1.28 * words))

    def _filled(self, first: list[str], blocks: list[list[str]], words: int) -> str:
        """The speech, with sentences of the notes where they fit, up to a number of words."""
        paragraphs = [first, *blocks]
        self.said.update(self.points[: len(blocks)])
        queues = [self._queue(paragraph) for paragraph in paragraphs]
        place = 0
        while words > 0:
            at = place % len(paragraphs)
            sentence = cues.plain(next(queues[at]))
            closing = sum(cue in (cues.UNDERMINES_CUE, cues.BY_CUE) for cue in paragraphs[at])
            paragraphs[at].insert(len(paragraphs[at]) - closing, sentence)
            words -= len(sentence.split())
            place += 1
        close = f"{self._phrase()} I ask you to think of that when you vote.".strip()
        return "\n\n".join(" ".join(sentences).strip() for sentences in [*paragraphs, [close]])

    def _queue(self, paragraph: Sequence[str]) -> Iterator[str]:
        """What may follow in a paragraph: what its claim's passage says next, then other points."""
        claimed = [point for point in self.points if any(point in text for text in paragraph)]
        for point in self.after.get(claimed[0], []) if claimed else []:
            if point not in self.said:
                self.said.add(point)
                yield point
        yield from self._others()

    def _others(self) -> Iterator[str]:
        """Points that are not claimed, the last first, with what follows them; then anything."""
        while True:
            left = [point for point in reversed(self.points) if point not in self.said]
            if not left:
                break
            for point in (left[0], *self.after.get(left[0], [])):
                if point not in self.said:
                    self.said.add(point)
                    yield point
        yield from self.fillers


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def _read_notes(private: str) -> tuple[list[str], dict[str, list[str]]]:
    """The points of notes in their order, and what their passage says after each."""
    notes: dict[str, tuple[str, list[str]]] = {}
    order: list[str] = []
    for passage in private.split("\n\n"):
        lines = passage.splitlines()
        order += [
            number
            for line in lines
            if line.startswith(_ORDER)
            for number in line.removeprefix(_ORDER).split(", ")
        ]
        sentences = [line.partition(": ") for line in lines if _NUMBERED.match(line)]
        for place, (number, _, text) in enumerate(sentences):
            rest = [sentence for _, _, sentence in sentences[place + 1 : place + 1 + _AFTER]]
            notes[number] = text, rest
    after = dict(notes[number] for number in order if number in notes)
    return (list(after) or list(_FILLERS)), after
