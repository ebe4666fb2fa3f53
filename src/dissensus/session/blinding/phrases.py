"""Honorifics and words for the sides as patterns, each with the mark that takes its place.

Marks are single characters of Unicode's private use area, which no prompt has.
"""

from __future__ import annotations

from dissensus.session.blinding.spelling import SPACE, any_of, one_of

#: What the sides of a debate are called.
SIDES = _PROPOSITION, _OPPOSITION = "proposition", "opposition"
#: Side -> what stands for its slot until a pass says which that is.
SLOT_OF = {_PROPOSITION: "\ue001", _OPPOSITION: "\ue002"}
#: Side -> the mark of one of its speakers, and of all of it.
SPEAKER_OF = {_PROPOSITION: "\ue003", _OPPOSITION: "\ue004"}
TEAM_OF = {_PROPOSITION: "\ue005", _OPPOSITION: "\ue006"}
#: Somebody; a speaker of the side of whoever speaks; one of the other side; a team; nothing.
PERSON, OWN, OTHER, TEAM, GONE = "\ue007", "\ue008", "\ue009", "\ue00a", "\ue00b"
MARKS = (*SLOT_OF.values(), *SPEAKER_OF.values(), *TEAM_OF.values(), PERSON, OWN, OTHER, TEAM, GONE)


def _words(text: str) -> str:
    """The pattern of a phrase; a word in it may be one of several, as in ``hon/honourable``."""
    return SPACE.join(one_of(*word.split("/")) for word in text.split())


def _maybe(text: str) -> str:
    """The pattern of a phrase that may stand before another, with the space between."""
    return f"(?:{_words(text)}{SPACE})?"


#: How often a word may be repeated; without an end, a text of nothing else would take hours.
_FEW = "{0,6}"
_CAPITAL = "(?-i:(?=[A-Z]))"
_HONOURABLES = ("hon", "hon'ble", "honourable", "honorable")
_SHORT_TITLES = ("dr", "drs", "prof", "profs", "mr", "messrs", "mrs", "ms", "mx", "m.p")
_TITLES = ("mp", "kc", "qc", "lord", "lady", "sir", "dame")
_LONG_TITLES = (
    *("professor", "professors", "doctor", "doctors", "miss", "madam", "baron", "baroness"),
)
#: Removed wherever they stand.
_ALWAYS = any_of(
    [
        _words(f"rt/right {'/'.join(_HONOURABLES)}"),
        rf"{one_of(*_SHORT_TITLES)}\.?",
        one_of(*_TITLES),
    ]
)
#: Removed before a name; in small letters some of them are words like others.
_BEFORE_NAME = _CAPITAL + one_of(*_LONG_TITLES, "hon", "hon'ble", "honourable")
#: Removed before the name of a speaker alone, where they can be nothing else.
_SPEAKERS_TITLES = (
    *("rev", "reverend", "senator", "councillor", "cllr", "president", "minister", "judge"),
    *("justice", "ambassador", "captain", "general", "colonel", "comrade", "count", "countess"),
    *("lords", "ladies", "herr", "frau", "madame", "monsieur", "signor", "signora", "senor"),
    *("senora", "don", "dona"),
)
_BEFORE_SPEAKER = one_of(*_SPEAKERS_TITLES)
#: Written as one word with a name, as in @DrStone.
JOINED_TITLES = ("dr", "prof", "mr", "mrs", "ms", "lord", "lady", "sir", "dame")
_JOINED = f"(?:{any_of(JOINED_TITLES)}(?-i:(?=[A-Z])))?"
TITLE = rf"(?:{_ALWAYS}|{_BEFORE_NAME})\.?"
POST_NOMINAL = any_of([rf"{one_of('m.p')}\.?", one_of("mp", "kc", "qc", "phd")])

_HON = one_of(*_HONOURABLES)
_HONOURABLE = (
    f"(?:{_words('right/rt/very/most/learned/noble/gallant/good')}{SPACE}){_FEW}"
    rf"{_HON}\.?{SPACE}"
    f"(?:{_words('and/learned/gallant/noble')}{SPACE}){_FEW}"
)
_MEMBER = one_of(
    *("member", "gentleman", "gentlemen", "lady", "ladies", "friend", "opponent"), plural=True
)
_BENCHES = ("side", "team", "bench", "benches")
_BESIDE = f"{SPACE}{one_of(*_BENCHES)}"
_OF_THE_MOTION = f"{SPACE}{_words('of the motion')}"


def _side(words: tuple[str, ...], before: tuple[str, ...], short: str) -> str:
    """All of a side: by a word of its own, or by one that is of a side beside another only."""
    return any_of(
        [
            f"{_maybe('side')}{one_of(*words)}(?:{_BESIDE})?",
            f"{one_of(*before, short)}{_BESIDE}",
            f"{_CAPITAL}{one_of(short)}(?:{_BESIDE})?",
            f"{_words('side')}{SPACE}{one_of(short)}",
        ]
    )


def _one_of_side(word: str, of_the_motion: tuple[str, ...]) -> str:
    """One of a side, or some, by what they do with the motion."""
    return any_of(
        [
            f"{one_of(word, plural=True)}(?:{_OF_THE_MOTION})?",
            f"{one_of(*of_the_motion, plural=True)}{_OF_THE_MOTION}",
        ]
    )


_FOR_WORDS = ("proposition", "propositions", "ayes", "yeas")
_FOR_BEFORE = ("government", "govt", "gov", "treasury", "affirmative", "proposing", "pro", "yes")
_FOR_MOTION = ("proponent", "supporter", "advocate", "defender")
_AGAINST_WORDS = ("opposition", "oppositions", "noes", "nays")
_AGAINST_BEFORE = ("negative", "con", "nay")
_AGAINST_MOTION = ("opponent", "critic")

#: What may stand around a name. A full stop is of the title or of the space, and once that is known
#: it is not tried again: of many titles in a row, each would double the ways.
BEFORE_NAME = f"{_maybe('the')}(?>(?:{TITLE}|{_BEFORE_SPEAKER}\\.?){SPACE}){_FEW}{_JOINED}"
AFTER_NAME = f"(?:{SPACE}{POST_NOMINAL}){_FEW}"
#: The words that what stands before a name begins with, besides "the" and the titles that are
#: joined to it.
BEFORE_NAME_BEGIN = (
    *("rt", "right", *_HONOURABLES, *_SHORT_TITLES, *_TITLES, *_LONG_TITLES),
    *_SPEAKERS_TITLES,
)
#: (mark, pattern), the first that fits counts; names come before all of them.
PHRASES = (
    (OWN, f"{_words('my/our')}{SPACE}{_HONOURABLE}{one_of('friend', 'colleague', plural=True)}"),
    (OTHER, f"{_words('my/our')}{SPACE}{one_of('opponent', plural=True)}"),
    (
        OTHER,
        f"{_words('the/this/that/my/our')}{SPACE}{_HONOURABLE}{_MEMBER}"
        f"(?:{SPACE}{_words('opposite')})?",
    ),
    (GONE, rf"{TITLE}\s+(?=(?-i:[A-Z]))"),
    (PERSON, f"{_maybe('the/a/an')}{_ALWAYS}"),
)
#: What may stand before the phrases for a side.
ARTICLE = _maybe("the/a/an")
#: (mark, pattern), as above.
SIDE_PHRASES = (
    (SPEAKER_OF[_PROPOSITION], _one_of_side("proposer", _FOR_MOTION)),
    (SPEAKER_OF[_OPPOSITION], _one_of_side("opposer", _AGAINST_MOTION)),
    (TEAM_OF[_PROPOSITION], _side(_FOR_WORDS, _FOR_BEFORE, "prop")),
    (TEAM_OF[_OPPOSITION], _side(_AGAINST_WORDS, _AGAINST_BEFORE, "opp")),
    # Whoever speaks may mean the other side or the own.
    (TEAM, f"{one_of('opposing')}{_BESIDE}"),
    # A text's own words for the slots would pass for a mask.
    (TEAM, rf"{_words('team')}{SPACE}(?-i:[AB])(?![^\W_])"),
)

#: The words that a phrase begins with: some, before which the first of these may stand, and others
#: that come after these alone.
DETERMINERS = ("my", "our", "the", "this", "that", "a", "an")
DETERMINED = ("very", "most", "learned", "noble", "gallant", "good")
PHRASES_BEGIN = (
    *("side", "opposing", "team", "prop", "opp"),
    *("rt", "right", *_HONOURABLES, *_SHORT_TITLES, *_TITLES, *_LONG_TITLES),
    *(*_FOR_WORDS, *_FOR_BEFORE, *_AGAINST_WORDS, *_AGAINST_BEFORE),
    *(
        word + plural
        for word in ("proposer", "opposer", *_FOR_MOTION, *_AGAINST_MOTION)
        for plural in ("", "s", "es")
    ),
)
