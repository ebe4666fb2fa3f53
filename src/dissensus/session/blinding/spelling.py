"""Words as patterns, and texts as they are searched: without accents and what breaks a word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from dissensus.text.seen import UNSEEN as NOT_SEEN
from dissensus.text.seen import latin_twin

#: Between the words of a phrase.
SPACE = r"[\W_]{1,4}"
_LETTER = r"[^\W\d_]"
#: Scripts that write no spaces between words, and the letters that Hangul is taken apart to.
_UNSPACED = "[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u3040-\u9fff\uf900-\ufaff]"
#: Where a word begins. A number may stand beside a word, but is no part of another number.
BEGIN = rf"(?:(?<!{_LETTER})(?!\d)|(?=\d)(?<![^\W_])|(?={_UNSPACED}))"
#: Stands for a character that is not seen.
UNSEEN = "\0"
#: Letters that Unicode does not take apart, as they are written without their marks.
_PLAIN = {
    **{"\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u0131": "i", "\u00f0": "d"},
    **{"\u00e6": "ae", "\u0153": "oe", "\u00df": "ss", "\u00fe": "th"},
}
_DASHES = frozenset("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d")
_APOSTROPHES = frozenset("\u2018\u2019\u02bc\u00b4`")
#: A word broken at the end of a line.
_BROKEN = re.compile(rf"-(?<={_LETTER}-)[^\S\n]*[\r\n]\s*(?={_LETTER})")


@dataclass(frozen=True)
class Searched:
    """A text in plain letters, each with its place in the text itself.

    Accents are left out; dashes, apostrophes and white space are each of one kind. Small and
    capital letters stay.

    Attributes
    ----------
    text, joined : see :meth:`of`.
    plain : what is searched.
    folded : the same in small letters, see :func:`folded`.
    starts : of each character of ``plain``, where it begins in the text; then the text's length.
    has_joints : whether it matters if what they stand between is joined, see :meth:`of`.
    """

    text: str
    joined: bool
    plain: str
    folded: str
    starts: list[int]
    has_joints: bool

    @classmethod
    def of(cls, text: str, *, joined: bool) -> Searched:
        """A text in Unicode's decomposed form (NFD).

        Parameters
        ----------
        joined : whether what a character that is not seen, or a hyphen at the end of a line,
            stands between is one word; two words otherwise.
        """
        letters = {letter: _plain(letter) for letter in set(text)}
        has_joints = UNSEEN in letters.values()
        between = "" if joined else " "
        letters = {
            letter: between if piece == UNSEEN else piece for letter, piece in letters.items()
        }
        plain = text.translate({ord(letter): piece for letter, piece in letters.items()})
        starts = _starts(text, {letter: len(piece) for letter, piece in letters.items()})
        broken = {at for gap in _BROKEN.finditer(plain) for at in range(*gap.span())}
        if broken and joined:
            kept = [at for at in range(len(plain)) if at not in broken]
            plain, starts = "".join(plain[at] for at in kept), [starts[at] for at in kept]
        ends = [*starts, len(text)]
        return cls(text, joined, plain, folded(plain), ends, has_joints or bool(broken))

    def span(self, match: re.Match[str]) -> tuple[int, int]:
        """Where a match begins and ends in the text, with the accents of its last letter."""
        begin, end = match.span()
        return self.starts[begin], self.starts[end]


def _starts(text: str, lengths: Mapping[str, int]) -> list[int]:
    """Of each letter of a plain text, its place in the text; ``lengths``: character -> letters."""
    others = "".join(letter for letter, length in lengths.items() if length != 1)
    if not others:
        return list(range(len(text)))
    starts: list[int] = []
    last = 0
    for match in re.finditer(f"[{re.escape(others)}]", text):
        place = match.start()
        starts += range(last, place)
        starts += [place] * lengths[text[place]]
        last = place + 1
    return [*starts, *range(last, len(text))]


def folded(plain: str) -> str:
    """A plain text in small letters, equal where a pattern takes two for the same."""
    return plain.casefold().replace("\u0131", "i")


def beginnings(openings: Iterable[tuple[str, str]]) -> re.Pattern[str]:
    """Finds where one of some words may begin in a folded text, taking its first letter alone.

    Parameters
    ----------
    openings : first letter, and the pattern of what must follow, of each word.
    """
    after: dict[str, set[str]] = {}
    for letter, rest in openings:
        after.setdefault(letter, set()).add(rest)
    # Each way begins with a letter as it is, so that other letters are passed over at once.
    ways = [
        f"{re.escape(letter)}{_in_front(letter)}(?={any_of(sorted(rests))})"
        for letter, rests in after.items()
    ]
    return re.compile("|".join(ways) or "(?!)")


def _in_front(letter: str) -> str:
    """That no letter stands before a letter of ours, which has just been read; see ``BEGIN``."""
    return f"(?<!{_LETTER}{letter})" if letter.isascii() and letter.isalpha() else ""


def whole(words: Iterable[str], then: str = "") -> Iterator[tuple[str, str]]:
    """The openings of words in small letters that end where their letters do.

    Parameters
    ----------
    then : the pattern of what must follow them.
    """
    return ((word[0], f"{re.escape(word[1:])}(?!{_LETTER}){then}") for word in words)


def before(openings: Iterable[tuple[str, str]]) -> str:
    """The pattern of a space with one of some openings behind it."""
    return SPACE + any_of(sorted({re.escape(letter) + rest for letter, rest in openings}))


def plain(text: str) -> str:
    """A text in plain letters; see :class:`Searched`."""
    return Searched.of(unicodedata.normalize("NFD", text), joined=True).plain


@cache
def _plain(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() or character in "\n\r\t" else UNSEEN
    if character in _DASHES:
        return "-"
    if character in _APOSTROPHES:
        return "'"
    kind = unicodedata.category(character)
    if kind[0] == "Z" or character == "\x85":
        return "\n" if character in "\x85\u2028\u2029" else " "
    if kind in ("Cf", "Cc") or NOT_SEEN.match(character):
        return UNSEEN
    folded = character.casefold()
    letters = _PLAIN.get(character.lower()) or (character if len(folded) == 1 else folded)
    # Of full width, in bold and the like too.
    decomposed = unicodedata.normalize("NFKD", letters)
    kept = [letter for letter in decomposed if unicodedata.category(letter)[0] != "M"]
    return "".join(map(latin_twin, kept))


def one_of(*words: str, plural: bool = False) -> str:
    """The pattern of any of some words, with nothing of a word after it.

    Parameters
    ----------
    words : in plain letters.
    plural : whether an "s" or "es" may follow.
    """
    longest = sorted(set(words), key=lambda word: (-len(word), word))
    return any_of(map(re.escape, longest)) + ("(?:e?s)?" if plural else "") + end_of(words)


def end_of(words: Iterable[str]) -> str:
    """The pattern of where a word ends that ends as one of some words does."""
    last = {word[-1] for word in words}
    if all(letter.isascii() and letter.isalpha() for letter in last):
        return rf"(?!{_LETTER})"
    return rf"(?:(?<!\d)(?!{_LETTER})|(?<=\d)(?![^\W_])|(?<={_UNSPACED}))"


def any_of(patterns: Iterable[str]) -> str:
    """The pattern of any of some, the first that fits."""
    return f"(?:{'|'.join(patterns)})"
