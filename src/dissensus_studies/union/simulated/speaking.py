"""A simulated speaker: private notes from passages, and speeches from notes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count

import numpy as np

from . import cues
from .material import (
    can_be_claimed,
    content,
    is_specific,
    passages,
    sentences,
)
from .notes import Notes, read_notes
from .phrases import PHRASES, Sides
from .prompts import Entry, Prompt, transcript
from .settings import SpeechSettings
from .voice import NOTHING, Voice, motion_of, surname, term_in

_COACH = "My coach's advice is in these notes."
_COACHED_WORDS = re.compile(r"^Advice of .+ coach after earlier debates:$", re.MULTILINE)
_WORDS = re.compile(r"of about (\d+) words")
_PHRASES = re.compile(r"^Signature phrases: (.+)$", re.MULTILINE)
_DEFINED = re.compile(r"^(?P<what>Scope|Exclusions): (?P<words>[^\n;]+)", re.MULTILINE)
_SPREAD = 110.0
#: Words of which a principle is spoken with.
_OF_PRINCIPLE = re.compile(
    r"\b(?:ought|should|must|may|right|rights|equal\w*|fair\w*|owe[sd]?|free\w*|consent\w*|if)\b",
    re.IGNORECASE,
)
_OF_NUMBER = re.compile(
    r"\b(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|\w+teen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|hundred|thousand|study|survey|register|audit)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Target:
    """A claim of the other side that may be answered."""

    speaker: str
    speech: int
    claim: cues.ReadClaim


@dataclass(frozen=True)
class Planned:
    """A claim that a speech will make."""

    text: str
    kind: str
    guarded: bool


@dataclass
class Paragraph:
    """A paragraph: what it begins with, what its run of the notes says next, and what ends it.

    ``answers``: it answers somebody, or is the claim that makes the answer before it.
    """

    sentences: list[str]
    runs: list[Iterator[str]] = field(default_factory=list)
    end: list[str] = field(default_factory=list)
    answers: bool = False

    @property
    def text(self) -> str:
        return " ".join([*self.sentences, *self.end])


def notes(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """Private notes: which points to make, in which order, and the passages, their sentences
    numbered. A sentence stands there once, so that notes are as short as the passages.
    """
    kept = [sentences(text, prompt.speaker) for text in passages(prompt.part(0))]
    points: dict[str, int] = {}
    for number, sentence in enumerate(chain.from_iterable(kept), start=1):
        if can_be_claimed(sentence):
            points.setdefault(sentence, number)
    drawn = rng.permutation(len(points))
    order = [list(points.values())[int(place)] for place in drawn]
    told = [_COACH] if points and _COACHED_WORDS.search(prompt.told) else []
    numbers = count(1)
    written = (
        "\n".join(f"{next(numbers)}: {sentence}" for sentence in passage) for passage in kept
    )
    return "\n\n".join(["\n".join([*told, Notes.order(order)]), *written])


def speech_of(prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> str:
    """A speech: an opening, answers to the other side, claims, and a close."""
    return _Composer(prompt, speech, rng).compose()


class _Composer:
    def __init__(self, prompt: Prompt, speech: SpeechSettings, rng: np.random.Generator) -> None:
        private = prompt.part(1)
        self.prompt, self.speech, self.rng = prompt, speech, rng
        # A stream of its own, so that other words change nothing of what a speech does.
        (self.words,) = rng.spawn(1)
        self.notes = read_notes(private, prompt.motion)
        self.voice = Voice(prompt.speaker, self.words)
        self.named: set[str] = set()
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
        listed = [claim.text for entry in entries for claim in cues.read(entry.text).claims]
        planned = self._planned(self._count(self.speech.claims, 1, min(8, self.notes.claimable)))
        chosen = self._targets(targets, self._count(self.speech.answers, 0, len(targets)))
        self.notes.keep(claim.text for claim in planned)
        leave = self.notes.closing(self._phrases())
        first = self._opening(entries, planned)
        blocks = self._blocks(chosen, planned, listed)
        last = Paragraph([self._framed(PHRASES.closings, planned), *leave])
        filled = self._filled([first, *blocks], last, self._length())
        return "\n\n".join(block.text for block in (*filled, last))

    def _count(self, mean: float, least: int, most: int) -> int:
        return int(np.clip(self.rng.poisson(max(mean - least, 0)) + least, min(least, most), most))

    def _planned(self, count: int) -> list[Planned]:
        """The claims: kinds are drawn, and each goes to the claim whose words fit it best."""
        texts = self.notes.points[:count]
        weights = np.exp([self.strength, 0.3 * self.strength, -self.strength])
        kinds = self.rng.choice(list(PHRASES.leads), size=len(texts), p=weights / weights.sum())
        guards = self.rng.random(len(texts)) < _logistic(self.strength)
        drawn = sorted(
            zip(kinds.tolist(), guards.tolist(), strict=True),
            key=lambda pair: list(PHRASES.leads).index(pair[0]),
        )
        left, claims = [*texts], []
        for kind, guarded in drawn:
            best = max(left, key=lambda text: _fit(text, kind))
            left.remove(best)
            claims.append(Planned(best, kind, self.speech.guard > 0 and guarded))
        return sorted(claims, key=lambda claim: texts.index(claim.text))

    def _targets(self, targets: Sequence[Target], count: int) -> list[Target]:
        """Claims to be answered, the newer ones more often."""
        if not count:
            return []
        newest = max(target.speech for target in targets)
        weights = np.exp([-self.speech.recency * (newest - target.speech) for target in targets])
        drawn = self.rng.choice(len(targets), count, replace=False, p=weights / weights.sum())
        return [targets[int(place)] for place in sorted(drawn)]

    def _blocks(
        self, targets: Sequence[Target], planned: Sequence[Planned], listed: Sequence[str]
    ) -> list[Paragraph]:
        """An answer, and the claim that makes it, which is the nearest to what it answers, or a
        claim alone.
        """
        left, replies = [*planned], dict[int, Planned]()
        for place, target in enumerate(targets):
            if left and self.rng.random() < self.speech.own_claim:
                words = content(target.claim.text)
                replies[place] = max(left, key=lambda claim: len(words & content(claim.text)))
                left.remove(replies[place])
        ordered, blocks = [*replies.values(), *left], []
        for place, target in enumerate(targets):
            blocks.append(self._answer(target, listed))
            if place in replies:
                blocks.append(self._claim(ordered, ordered.index(replies[place]), reply=True))
        rest = range(len(replies), len(ordered))
        return [*blocks, *(self._claim(ordered, place, reply=False) for place in rest)]

    def _answer(self, target: Target, listed: Sequence[str]) -> Paragraph:
        """Whom it answers, and sentences of the notes that are near to what was claimed."""
        text = target.claim.text
        bits = self._bits(target)
        others = [other for other in listed if other != text]
        quote = cues.fragment(text, others)
        address = self.voice.say(PHRASES.addresses, name=self._called(target.speaker), quote=quote)
        block = Paragraph([cues.capital(address)], answers=True)
        name = self._called(target.speaker)
        term = term_in(quote, self.words)
        term = term_in(text, self.words) if term == NOTHING else term
        for bit, leads in (("logic", PHRASES.logic), ("new", PHRASES.new)):
            if bits[bit]:
                lead = cues.capital(self.voice.say(leads))
                start = self.notes.nearest(text)
                block.sentences += self._bridge(name, term, quote, start)
                block.sentences.append(f"{lead}: {start or f'{term} shows it.'}")
                block.runs = [self.notes.run(start)] if start else block.runs
        if not block.runs:
            start = self.notes.nearest(text)
            block.sentences += [*self._bridge(name, term, quote, start), start] if start else []
            block.runs = [self.notes.run(start)] if start else []
        if bits["undermines"]:
            block.end.append(cues.capital(self.voice.say(PHRASES.fallen, name=name, term=term)))
        return block

    def _bridge(self, name: str, term: str, quote: str, start: str) -> list[str]:
        """What joins a quotation and the sentence that answers it, where they share no word."""
        if not start or content(quote) & content(start):
            return []
        other = term_in(start, self.words)
        if term == other:
            return []
        if NOTHING in (term, other):
            return []
        return [cues.capital(self.voice.say(PHRASES.bridges, name=name, term=term, other=other))]

    def _called(self, name: str) -> str:
        """A full name the first time, then the surname."""
        is_known = name in self.named
        self.named.add(name)
        return (surname(name) if is_known else name) or "the other side"

    def _bits(self, target: Target) -> dict[str, bool]:
        """The three properties of an answer."""
        edge = self.strength - self.speech.strengths.get(target.speaker, 0.0)
        edge -= self.speech.hardness.get(target.claim.kind, 0.0)  # type: ignore[call-overload]
        edge -= self.speech.guard * target.claim.guarded
        chances = {"logic": edge, "new": edge, "undermines": edge - 0.7}
        return {name: bool(self.rng.random() < _logistic(at)) for name, at in chances.items()}

    def _claim(self, planned: Sequence[Planned], number: int, *, reply: bool) -> Paragraph:
        """The claim of a number, from 0, with what the notes say after it."""
        claim = planned[number]
        lead = self.voice.say(PHRASES.leads[claim.kind], term=term_in(claim.text, self.words))
        first, between, last = PHRASES.ordinals
        ordinals = first if not number else last if number == len(planned) - 1 else between
        text = cues.claim(
            claim.text,
            lead,
            guard=self.voice.say(PHRASES.guards) if claim.guarded else "",
            reply=self.voice.say(PHRASES.replies) if reply else "",
            ordinal="" if reply or self.words.random() < 0.5 else self.voice.say(ordinals),
        )
        return Paragraph([text], [self.notes.run(claim.text)], answers=reply)

    def _opening(self, entries: Sequence[Entry], planned: Sequence[Planned]) -> Paragraph:
        """What is proposed, what the words mean, and how the speaker comes to it."""
        sentences = [self._framed(PHRASES.openings, planned)]
        if not entries:
            sentences.append(self._definition(planned))
        elif len(entries) == 1:
            sentences += self._contest()
        start = self.notes.opening(self._phrases())
        runs = [self.notes.run(start)] if start else []
        return Paragraph([*sentences, *([start] if start else [])], runs)

    def _framed(self, ways: Sides, planned: Sequence[Planned]) -> str:
        """A sentence on the motion and on two things that the speech is about."""
        term, other = self._terms(planned)
        templates = ways.opposition if self.prompt.side == "opposition" else ways.proposition
        motion = motion_of(self.prompt.motion)
        return cues.capital(self.voice.say(templates, motion=motion, term=term, other=other))

    def _terms(self, planned: Sequence[Planned]) -> tuple[str, str]:
        texts = [*(claim.text for claim in planned), *self.notes.points]
        named = dict.fromkeys(term_in(text, self.words) for text in texts)
        drawn = [name for name in named if name != NOTHING][:6] or [NOTHING]
        order = self.words.permutation(len(drawn))
        return drawn[int(order[0])], drawn[int(order[-1])]

    def _definition(self, planned: Sequence[Planned]) -> str:
        return PHRASES.definition.format(
            motion=motion_of(self.prompt.motion),
            definition=self._one_of(PHRASES.definitions),
            scope=self._one_of(PHRASES.scopes),
            exclusion=self._one_of(PHRASES.exclusions),
            term=self._terms(planned)[0],
        )

    def _one_of(self, ways: Sequence[str]) -> str:
        return ways[int(self.words.integers(len(ways)))]

    def _contest(self) -> list[str]:
        """What is made of the definition, where there is one."""
        defined = {match["what"]: match["words"] for match in _DEFINED.finditer(self.prompt.told)}
        if len(defined) < 2:
            return []
        ways = PHRASES.contested if self.rng.random() < 0.5 else PHRASES.accepted
        scope, exclusion = defined["Scope"], defined["Exclusions"]
        return [self.voice.say(ways, scope=scope, exclusion=exclusion)]

    def _phrases(self) -> list[str]:
        match = _PHRASES.search(self.prompt.told)
        return [phrase.strip(" .").casefold() for phrase in match[1].split("; ")] if match else []

    def _length(self) -> int:
        asked = _WORDS.search(self.prompt.told)
        words = float(asked[1]) if asked else 1350.0
        if self.rng.random() < self.speech.off_length_rate:
            return int(0.6 * words)
        return int(np.clip(self.rng.normal(words, _SPREAD), 0.78 * words, 1.28 * words))

    def _filled(self, blocks: Sequence[Paragraph], last: Paragraph, words: int) -> list[Paragraph]:
        """Each paragraph in turn goes on by a sentence, until the length or the notes are used;
        what they have left then makes paragraphs of its own.
        """
        filled = [*blocks]
        left = words - sum(len(block.text.split()) for block in (*blocks, last))
        while left > 0:
            went_on = False
            for block in filled:
                sentence = next(chain.from_iterable(block.runs), "") if left > 0 else ""
                if sentence:
                    block.sentences.append(sentence)
                    left -= len(sentence.split())
                    went_on = True
            if not went_on:
                rest = self.notes.rest()
                if not rest:
                    break
                filled.insert(_place(rest[0], filled), Paragraph(rest))
                left -= len(" ".join(rest).split())
        return filled


def _place(start: str, blocks: Sequence[Paragraph]) -> int:
    """Behind the paragraph that it shares most words with, once all answers are given."""
    words = content(start)
    answered = [place for place, block in enumerate(blocks, 1) if block.answers]
    free = range(max(answered, default=1), len(blocks) + 1)
    return max(free, key=lambda place: len(words & content(blocks[place - 1].text)))


def _fit(text: str, kind: str) -> float:
    """How well the words of a claim go with a kind."""
    numbers, principles = len(_OF_NUMBER.findall(text)), len(_OF_PRINCIPLE.findall(text))
    if kind == "evidence_backed":
        return 2.0 * numbers + is_specific(text) - principles
    return principles - numbers if kind == "principled" else -numbers - principles


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
