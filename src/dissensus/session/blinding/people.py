"""The names of a debate's speakers as patterns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from dissensus.session.blinding.phrases import PERSON, SPEAKER_OF
from dissensus.session.blinding.spelling import any_of, end_of, folded, one_of, plain

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
#: Words of names that are honorifics, in small letters.
_HONORIFICS = {
    *("dr", "prof", "professor", "doctor", "mr", "mrs", "ms", "mx", "miss", "madam", "lord"),
    *("lady", "sir", "dame", "baron", "baroness", "rt", "right", "hon", "honourable", "honorable"),
    *("the", "mp", "kc", "qc", "phd"),
}
#: Words inside a name that stand for nobody by themselves.
_PARTICLES = {
    *("al", "bin", "da", "das", "de", "del", "della", "den", "der", "di", "do", "dos", "du", "e"),
    *("el", "ibn", "la", "le", "los", "of", "san", "ter", "the", "und", "van", "von", "y", "zu"),
}
#: Between the parts of a name; none where they are written as one.
_JOINT = r"[\s_\-]{0,5}"


def parts_of(name: str) -> tuple[str, ...]:
    """The words of a name in plain letters, without honorifics at its beginning and end."""
    words = _WORD.findall(plain(name))
    while len(words) > 1 and words[0].lower() in _HONORIFICS:
        del words[0]
    while len(words) > 1 and words[-1].lower() in _HONORIFICS:
        del words[-1]
    return tuple(words)


def names(people: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(mark, pattern) of every way to name a speaker, what is longer first.

    Parameters
    ----------
    people : name -> side.
    """
    parts = {name: parts_of(name) for name in people}
    lone = {name: {word.lower() for word in _lone(words)} for name, words in parts.items()}
    shared = Counter(word for words in lone.values() for word in words)
    by_length = sorted(people, key=lambda name: (-len(name), name))
    for name in by_length:
        if parts[name]:
            yield SPEAKER_OF[people[name]], _whole(parts[name])
    for name in by_length:
        unshared = {word for word in lone[name] if shared[word] == 1}
        if unshared:
            yield SPEAKER_OF[people[name]], _part(unshared, parts[name])
    for word in sorted(word for word in shared if shared[word] > 1):
        sides = {people[name] for name in people if word in lone[name]}
        mark = SPEAKER_OF[sides.pop()] if len(sides) == 1 else PERSON
        yield mark, one_of(word, plural=True)


def names_begin(people: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What a name of :func:`names` may begin with, for :func:`~spelling.beginnings`.

    Parameters
    ----------
    people : name -> side.
    """
    for words in map(parts_of, people):
        spelt = {folded(word) for word in {*words, *_lone(words)}}
        yield from ((word[0], _escaped(word[1:])) for word in spelt if len(word) > 1)
        # As an initial, which more of the name follows, or as a name of one letter.
        initials = [letter for word in words for letter in folded(word[0].upper())]
        more = any_of(
            sorted({*map(_escaped, spelt), *(rf"{initial}[\W_]" for initial in initials)})
        )
        yield from ((letter, rf"[\W_]{{1,5}}{more}" * (len(words) > 1)) for letter in initials)


def _lone(words: tuple[str, ...]) -> Iterator[str]:
    """Those of a name's words that are masked by themselves; of O'Brien, Brien too."""
    for place, word in enumerate(words):
        is_inside = 0 < place < len(words) - 1
        if not (is_inside and word.lower() in _PARTICLES):
            yield from (part for part in {word, *word.split("'")} if len(part) > 1)


def _whole(words: tuple[str, ...]) -> str:
    # Initials without a space between them would be a word of their own.
    joint = rf"[\W_]{{{int(any(len(word) == 1 for word in words))},5}}"
    return f"{joint.join(map(_escaped, words))}(?:e?s)?{end_of(words)}"


def _part(unshared: set[str], words: tuple[str, ...]) -> str:
    """A name in part: a word that is this speaker's alone, and what of the name is around it."""
    alike = {word for word in words if len(word) > 1} | set(_lone(words))
    around, mine = (any_of(map(_escaped, sorted(some, key=_longest))) for some in (alike, unshared))
    letters = "".join(sorted({word[0].upper() for word in words}))
    initials = rf"(?:(?-i:[{re.escape(letters)}])(?:\.\s?|\s)-?){{0,3}}"
    joined = f"{initials}(?:{around}{_JOINT}){{0,6}}?{mine}(?:{_JOINT}{around}){{0,6}}"
    return f"{joined}(?:e?s)?{end_of(alike)}"


def _escaped(word: str) -> str:
    return re.escape(word).replace("'", "'?")


def _longest(word: str) -> tuple[int, str]:
    return -len(word), word
