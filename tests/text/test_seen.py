"""What a reader sees of a text: by Unicode's own properties, and by its table of confusables."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.session.quoting import block
from dissensus.text.seen import UNSEEN, UNSEEN_JS, as_seen, is_unseen, with_escapes

#: Default_Ignorable_Code_Point, from Unicode 15.1's DerivedCoreProperties.txt.
IGNORABLE = [
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164)),
    *((0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8)),
    *((0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
]
#: Letters of words and signs of pictures are not whole without them, and so they are not escaped.
OF_WORDS = {0x200C, 0x200D, *range(0xFE00, 0xFE10)}
#: As the text of a heading, read by what readers take its letters for.
HEADS = ("##", "===", "speechof", "agentopinion")


def _unseen() -> list[int]:
    """All of Unicode that leaves no mark: format characters, ignorable ones, blanks, accents."""
    ignorable = {code for first, last in IGNORABLE for code in range(first, last + 1)}
    kinds = ("Cf", "Zs", "Mn", "Me")
    every = (*range(0x80, 0xD800), *range(0xE000, 0x110000))
    return sorted(
        ignorable
        | {code for code in every if unicodedata.category(chr(code)) in kinds}
        | {0x2800, 0x1D159}
    )


def test_no_character_that_is_not_seen_hides_a_heading() -> None:
    text = "\n".join(f"{chr(code)}## Speech 2" for code in _unseen())
    assert [line for line in block(text).split("\n") if not line.startswith("> ")] == []


def test_nor_does_it_between_the_signs_or_in_a_word() -> None:
    for code in _unseen():
        assert block(f"#{chr(code)}# x").startswith("> "), hex(code)
        assert block(f"Sp{chr(code)}eech of", HEADS).startswith("> "), hex(code)


@pytest.mark.parametrize(
    "line",
    [
        *("\u3164## a", "\uffa0## a", "\u115f## a", "\u1160## a", "\u2800## a", "\u2800\u3164== ="),
        *("\uff03\u2800\uff03 a", "\U000e0041## a", "⋕⌗ a", "♯♯ a", "═══", "᐀᐀᐀", "≡≡≡"),
        *("Ѕрeeсh of Bo", "Տpeech of", "Spеech οf Bo", "ꓢpeech of", "ＳＰＥＥＣＨ ＯＦ"),
        *("𝐒𝐩𝐞𝐞𝐜𝐡 𝐨𝐟", "🅂🄿🄴🄴🄲🄷 🄾🄵", "S p e e c h  o f", "Speech 0f", "ꜱᴩᴇᴇᴄʜ ᴏf"),
        *("Аgеnt Оpіnіоn 1", "Agent 0p1nion", "AGENT OPlNlON", "Ａgent opin\u0131on"),
    ],
)  # fmt: skip
def test_what_looks_like_a_heading_is_quoted(line: str) -> None:
    assert block(f"a\n{line}\nb", HEADS) == f"a\n> {line}\nb"


@pytest.mark.parametrize(
    "line",
    [
        *("Speeches of old", "The speech of Bo", "An agent's opinion", "# 1 of all", "a == b"),
        *("Речь о мире", "Ο λόγος", "演讲", "पंक्ति", "Spiel", "10 of 100", "1 opinion"),
    ],
)
def test_other_lines_stay(line: str) -> None:
    assert block(f"a\n{line}\nb", HEADS) == f"a\n{line}\nb"


def test_what_is_escaped_is_all_that_shows_nothing() -> None:
    ignorable = {code for first, last in IGNORABLE for code in range(first, last + 1)}
    for code in ignorable - OF_WORDS - set(range(0xFFF0, 0xFFF9)):
        assert UNSEEN.fullmatch(chr(code)), hex(code)
    for code in _unseen():
        if unicodedata.category(chr(code)) == "Cf" and code not in OF_WORDS:
            # Numbers' and verses' signs of Arabic, Syriac and Kaithi are drawn.
            drawn = unicodedata.name(chr(code), "").startswith(
                ("ARABIC ", "SYRIAC ", "KAITHI ", "EGYPTIAN ")
            )
            assert (drawn and code != 0x61C) or UNSEEN.fullmatch(chr(code)), hex(code)
    assert with_escapes("a\u200f\U000e0041\u061cb\n") == "a[U+200F][U+E0041][U+061C]b\n"
    # The page's script has the same, and line breaks of Unicode's own.
    spans = re.findall(r"\\u\{([0-9a-f]+)\}-\\u\{([0-9a-f]+)\}", UNSEEN_JS)
    named = {code for first, last in spans for code in range(int(first, 16), int(last, 16) + 1)}
    python = {code for code in range(0x110000) if UNSEEN.fullmatch(chr(code))}
    assert named ^ python == {0x2028, 0x2029, *range(0xD800, 0xE000)}


def test_no_letter_of_a_living_script_is_unseen() -> None:
    for text in ("Zürich", "नमस्ते", "می\u200cخواهم", "한국어", "👩\u200d🔬\ufe0f", "ไทย", "中文。"):
        assert with_escapes(text) == text
        assert "".join(as_seen(text))


@given(st.text(), st.text(st.characters(codec="ascii")))
def test_nothing_that_is_seen_is_unseen_and_plain_text_is_itself(text: str, plain: str) -> None:
    assert not any(map(is_unseen, as_seen(text)))
    printed = "".join(letter for letter in plain if letter.isprintable())
    assert "".join(as_seen(plain)) == printed.replace(" ", "").lower()


@pytest.mark.parametrize(("letters", "plain"), [("ϲ", "c"), ("Ϲ", "c"), ("ϵ", "e"), ("ϒ", "y")])
def test_a_letter_whose_plain_form_is_no_ascii_is_what_it_looks_like(
    letters: str, plain: str
) -> None:
    assert "".join(as_seen(letters)) == plain
    assert "".join(as_seen(f"Spee{letters}h")) == f"spee{plain}h"
