"""Masks: a debate's texts without names, honorifics and words for the sides.

What this cannot remove is the position that is argued: verbs such as "oppose the motion" stay, and
so does whatever else tells a reader who would say such a thing. What is removed:

- Names of the debate's speakers: whole, and each part of two letters or more by itself, with their
  titles and initials, in any case, in the plural, with or without accents, in full width or bold,
  over line ends, and with hyphens and spaces of any kind. A name that is a word too (Stone, May)
  goes wherever that word stands. Initials alone stay.
- Honorifics of anybody: Dr, Prof, Mr, Mrs, Ms, Mx, Lord, Lady, Sir, Dame, Rt Hon, MP, KC and QC
  everywhere; Professor, Doctor, Miss, Madam, Baron and Baroness before a name. The plurals Lords,
  Ladies and MPs are nobody's title, and stay.
- Words for the sides: proposition and opposition, in the plural too and whatever they mean there;
  Prop and Opp; government and treasury benches; ayes and noes; the affirmative and the negative,
  the proposing and the opposing, the pro and the con side; proposer and opposer; proponents,
  supporters and opponents of the motion. "My opponent" and "the honourable member" stand for a
  speaker of the other side, "my honourable friend" for one of the own. Opponents and proponents of
  anything else stay, since both sides have them, and so do "the other side", "our side" and "the
  government".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated

from dissensus.session.blinding.people import names, names_begin
from dissensus.session.blinding.phrases import (
    AFTER_NAME,
    ARTICLE,
    BEFORE_NAME,
    BEFORE_NAME_BEGIN,
    DETERMINED,
    DETERMINERS,
    GONE,
    JOINED_TITLES,
    MARKS,
    OTHER,
    OWN,
    PERSON,
    PHRASES,
    PHRASES_BEGIN,
    SIDE_PHRASES,
    SIDES,
    SLOT_OF,
    SPEAKER_OF,
    TEAM,
    TEAM_OF,
)
from dissensus.session.blinding.spelling import BEGIN, Searched, any_of, before, beginnings, whole
from dissensus.session.prompt_files import Part, Text, slots
from dissensus.session.templates import fill

__all__ = ["SLOT_OF", "Blinder", "Masks", "slotted"]


class Masks(Part):
    """What stands where a name or a side was: the one that is meant by its slot, A or B."""

    speaker: Annotated[str, slots("SLOT")]
    side: Annotated[str, slots("SLOT")]
    person: Text
    """Somebody of whom nothing shows on which side they are."""


@dataclass(frozen=True)
class Blinder:
    """Masks the texts of one debate.

    Attributes
    ----------
    people : name -> side, of every speaker.
    words : what stands in the place of what is removed.
    """

    people: Mapping[str, str]
    words: Masks

    def mask(self, text: str, side: str | None = None) -> str:
        """A text, masked, with a character of :data:`SLOT_OF` wherever a slot is named.

        It is in Unicode's composed form (NFC); all that is not masked stays as it is.

        Parameters
        ----------
        side : side of whoever speaks; None for what is nobody's speech.
        """
        for mark in MARKS:
            text = text.replace(mark, "")
        text = unicodedata.normalize("NFD", text)
        # What is taken out may leave a word that was not one before.
        while (marked := self._marked_once(text)) != text:
            text = marked
        return unicodedata.normalize("NFC", text.translate(self._masks(side)))

    def _marked_once(self, text: str) -> str:
        searched = Searched.of(text, joined=True)
        for joined in (True, False) if searched.has_joints else (True,):
            for pattern in (_names(tuple(sorted(self.people.items()))), _phrases()):
                if searched.text is not text or searched.joined != joined:
                    searched = Searched.of(text, joined=joined)
                text = _marked(searched, pattern)
        return text

    def _masks(self, speaking: str | None) -> dict[int, str]:
        """Mark -> what stands in its place."""
        words = self.words
        speaker = {side: fill(words.speaker, SLOT=slot) for side, slot in SLOT_OF.items()}
        other = {SIDES[0]: SIDES[1], SIDES[1]: SIDES[0]}
        masks = {
            **{SPEAKER_OF[side]: speaker[side] for side in SIDES},
            **{TEAM_OF[side]: fill(words.side, SLOT=SLOT_OF[side]) for side in SIDES},
            PERSON: words.person,
            OWN: speaker[speaking] if speaking else words.person,
            OTHER: speaker[other[speaking]] if speaking else words.person,
            TEAM: "a group",
            GONE: "",
        }
        return {ord(mark): text for mark, text in masks.items()}


def slotted(text: str, slots: Mapping[str, str]) -> str:
    """A masked text with its slots named; ``slots``: side -> A or B."""
    for side, mark in SLOT_OF.items():
        text = text.replace(mark, slots[side])
    return text


@dataclass(frozen=True)
class _Pattern:
    """What is searched in plain texts.

    Attributes
    ----------
    regex, marks : the pattern, and what stands for each of its groups.
    begins : finds in a folded text where a match may begin. To try the pattern there alone takes
        a small part of the time of a search.
    """

    regex: re.Pattern[str]
    marks: Mapping[str, str]
    begins: re.Pattern[str]

    def matches(self, searched: Searched) -> Iterator[re.Match[str]]:
        """As ``regex.finditer`` gives them."""
        if len(searched.folded) != len(searched.plain):
            # Its places are not those of the plain text.
            yield from self.regex.finditer(searched.plain)
            return
        end = 0
        for begin in self.begins.finditer(searched.folded):
            if begin.start() >= end and (match := self.regex.match(searched.plain, begin.start())):
                yield match
                end = match.end()


def _marked(searched: Searched, pattern: _Pattern) -> str:
    text, pieces, last = searched.text, [], 0
    for match in pattern.matches(searched):
        begin, end = searched.span(match)
        pieces += [text[last:begin], pattern.marks[str(match.lastgroup)]]
        last = end
    return "".join([*pieces, text[last:]]) if pieces else text


@lru_cache
def _names(people: tuple[tuple[str, str], ...]) -> _Pattern:
    """The names of a debate's speakers, with the honorifics around them."""
    named, marks = _grouped(names(dict(people)))
    joined = ((word[0], word[1:]) for word in JOINED_TITLES)
    openings = [*whole(BEFORE_NAME_BEGIN), *joined, *names_begin(dict(people))]
    begins = beginnings([*openings, *whole(["the"], before(openings))])
    regex = _compiled(f"{BEFORE_NAME}{named}{AFTER_NAME}" if marks else "(?!)")
    return _Pattern(regex, marks, begins)


@cache
def _phrases() -> _Pattern:
    """What is removed from the texts of all debates."""
    (phrases, marks), (sides, others) = _grouped(PHRASES), _grouped(SIDE_PHRASES, "s")
    regex = _compiled(any_of([phrases, ARTICLE + sides]))
    openings = [*whole(PHRASES_BEGIN)]
    determined = whole(DETERMINERS, before([*openings, *whole(DETERMINED)]))
    return _Pattern(regex, marks | others, beginnings([*openings, *determined]))


def _grouped(marked: Iterable[tuple[str, str]], letter: str = "g") -> tuple[str, dict[str, str]]:
    """One pattern of some, each a group, and group -> mark."""
    groups = {f"{letter}{number}": part for number, part in enumerate(marked)}
    pattern = any_of(f"(?P<{name}>{pattern})" for name, (_, pattern) in groups.items())
    return pattern, {name: mark for name, (mark, _) in groups.items()}


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(BEGIN + pattern, re.IGNORECASE)
