"""What a reader sees of a text: which characters leave no trace, and which look like others.

One list of them for whatever shows, compares or searches the words of others.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import chain

#: Letters and signs that show nothing: fillers of Hangul, the blank of Braille, a null note head.
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"
#: Ranges of what has no shape, and so hides what it does: soft hyphens and joiners of graphemes,
#: what turns the direction of writing, selectors, spaces without width, interlinear marks, tags.
#: The joiners of letters (U+200C, U+200D) and the selectors of emoji belong to words and signs.
_RANGES = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200B), (0x200E, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF)),
    *((0xFFF9, 0xFFFB), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
    *((ord(blank), ord(blank)) for blank in _BLANKS),
)
#: And of what no text may hold or a terminal would obey: control characters but for tabs and line
#: feeds, halves of pairs, no characters.
_CONTROLS = (*((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xD800, 0xDFFF), (0xFFFE, 0xFFFF)),)


def _class(ranges: tuple[tuple[int, int], ...]) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


#: What shows nothing and takes the room of a letter.
BLANK = re.compile(f"[{_BLANKS}]")
#: A character that no reader sees.
UNSEEN = re.compile(f"[{_class((*_CONTROLS, *_RANGES))}]")
#: The same but for line breaks of whatever kind, as JavaScript's expressions have it with flag u.
UNSEEN_JS = "".join(
    f"\\u{{{first:x}}}-\\u{{{last:x}}}"
    for first, last in (*_CONTROLS, *_RANGES, (0x2028, 0x2029))
    if first != 0xD800
)


def with_escapes(text: str) -> str:
    """A text with what no reader sees written out, such as ``[U+200F]``."""
    return UNSEEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


@cache
def is_unseen(character: str) -> bool:
    """Whether a character leaves no mark of its own: space, control, format, accent or filler."""
    return unicodedata.category(character)[0] in "ZCM" or character in _BLANKS


#: ASCII -> what looks like it and has no plain form in ASCII (NFKD): from Unicode's table of
#: confusables (unicode.org/Public/security, UTS 39), where one character stands for one, and some
#: Greek and Cyrillic letters whose capitals are in it.
_ALIKE = {
    "#": "⋕⌗♯⧣⧤⧥",
    "-": "˗‐‒–⁃−➖Ⲻ",
    "2": "ƧϨᒿ\ua644\ua6ef\ua75a",
    "3": "ƷȜЗӠⳌ\ua76a\ua7ab\U000118ca\U00016f3b\U0001d206",
    "4": "Ꮞ\U000118af",
    "5": "Ƽ\U000118bb",
    "6": "бᏮⳒ\U000118d5",
    "7": "\U000104d2\U000118c6\U0001d212",
    "8": "Ȣȣ৪੪\U0001031a",
    "9": "৭੧୨൭Ⳋ\ua76e\U000118ac\U000118cc\U000118d6",
    "=": "᐀≡═⹀\u30a0\ua4ff\U0001f7f0",
    "a": "ɑΑαАаᎪᗅ⍺\ua4ee\U000102a0\U00016f40",
    "b": "ƄΒВЬвᏏᏴᑲᖯᗷ\ua4d0\ua7b4\U00010282\U000102a1\U00010301",
    "c": (
        "СсϲϹᏟᴄⲤⲥ\ua4da\uabaf\U000102a2\U00010302\U00010415\U0001043d\U0001051c\U000118e9"
        "\U000118f2\U0001f74c"
    ),
    "d": "ԁᎠᏧᑯᗞᗪ\ua4d2\ua4d3",
    "e": "ΕεЕеҽᎬ℮⋿ⴹ\ua4f0\uab32\U00010286\U000118a6\U000118ae",
    "f": (
        "Ϝքᖴẝ\ua4dd\ua798\ua799\uab35\U00010287\U000102a5\U00010525\U000118a2\U000118c2\U0001d213"
    ),
    "g": "ƍɡԌցᏀᏳᶃ\ua4d6",
    "h": "ΗНнһհᎻᏂᕼⲎ\ua4e7\U000102cf",
    "i": "ıɩɪιіӏᎥ⍳\ua647\uab75\U000118c3",
    "j": "ͿϳЈјᎫᒍ\ua4d9\ua7b2",
    "k": "ΚκКкᏦᛕⲔ\ua4d7\U00010518",
    "l": (
        "ƖǀΙІӀ\u06f1Ꮮᒪᛁ∣⏽ⲒⳐⵏ\ua4e1\ua4f2\U0001028a\U00010309\U00010320\U0001041b\U00010526"
        "\U000118a3\U000118b2\U00016f16\U00016f28\U0001d22a"
    ),
    "m": "ΜϺМмᎷᗰᛖⲘ\ua4df\U000102b0\U00010311",
    "n": "ΝηпոռⲚ\ua4e0\U00010513",
    "o": (
        "ΟοσОоՕօ\u06f5०০੦૦ଠ୦௦౦೦ഠ൦๐໐ဝ၀ჿዐᴏᴑⲞⲟⵔ\u3007\ua4f3\uab3d\U00010292\U000102ab\U00010404"
        "\U0001042c\U000104c2\U000104ea\U00010516\U000114d0\U000118b5\U000118c8\U000118d7"
        "\U000118e0"
    ),
    "p": "ΡρРрᏢᑭᴘᴩ⍴Ⲣⲣ\ua4d1\U00010295",
    "q": "ԛգզⵕ",
    "r": "ƦгᎡᏒᖇᴦⲅ\ua4e3\uab47\uab48\uab81\U000104b4\U00016f35\U0001d216",
    "s": "ƽЅѕՏᏕᏚ\ua4e2\ua731\uabaa\U00010296\U00010420\U00010448\U000118c1\U00016f3a",
    "t": "ΤτТтᎢ⊤⟙Ⲧ\ua4d4\U00010297\U000102b1\U00010315\U000118bc\U00016f0a\U0001f768",
    "u": "ʋυՍսሀᑌᴜ∪⋃\ua4f4\ua79f\uab4e\uab52\U000104ce\U000104f6\U000118b8\U000118d8\U00016f42",
    "v": (
        "νѴѵ\u06f7Ꮩᐯᴠ∨⋁ⴸ\ua4e6\ua6df\uaba9\U0001051d\U00011706\U000118a0\U000118c0\U00016f08"
        "\U0001d20d"
    ),
    "w": "ɯωѡԜԝաᎳᏔᴡ\ua4ea\uab83\U0001170a\U0001170e\U0001170f\U000118e6\U000118ef",
    "x": (
        "×ΧχХхᕁᕽ᙭᙮ᚷ╳⤫⤬⨯Ⲭⵝ\ua4eb\ua7b3\U00010290\U000102b4\U00010317\U00010322\U00010527\U000118ec"
    ),
    "y": "ɣʏΥγУуҮүყᎩᎽᶌỿⲨ\ua4ec\uab5a\U000102b2\U000118a4\U000118dc\U00016f43",
    "z": "ΖᏃᴢ\ua4dc\uab93\U000102f5\U000118a9\U000118c4\U000118e5",
}
_PLAIN = {ord(other): plain for plain, others in _ALIKE.items() for other in others}
#: Letters of ASCII in another dress, by their names: ø, small capitals, squared letters.
_DRESSED = re.compile(
    r"(?:LATIN (?:SMALL |CAPITAL )?LETTER (?:SMALL CAPITAL )?"
    r"|(?:CROSSED )?NEGATIVE (?:SQUARED|CIRCLED) LATIN CAPITAL LETTER "
    r"|REGIONAL INDICATOR SYMBOL LETTER )([A-Z])(?: WITH .+)?"
)


@cache
def _seen(character: str) -> str:
    """What a reader takes a character for, in small letters; "" for one that is not seen."""
    plain = ""
    # What itself looks like a letter may have a plain form that does not: ϲ, whose form is ς.
    parts = character if ord(character) in _PLAIN else unicodedata.normalize("NFKD", character)
    for part in parts:
        if is_unseen(part):
            continue
        alike = _PLAIN.get(ord(part), part)
        dressed = _DRESSED.fullmatch(unicodedata.name(part, "")) if not alike.isascii() else None
        plain += dressed[1] if dressed else alike
    return plain.casefold()


def latin_twin(letter: str) -> str:
    """The letter of ASCII that another alphabet's letter is taken for, in its case; else itself."""
    twin = _PLAIN.get(ord(letter), letter) if unicodedata.category(letter)[0] == "L" else letter
    return twin.upper() if letter.isupper() else twin


def as_seen(text: str) -> Iterator[str]:
    """What a reader takes a text for, letter by letter: plain, small, without space and accents.

    Letters that look like those of ASCII are these.
    """
    return chain.from_iterable(map(_seen, text))
