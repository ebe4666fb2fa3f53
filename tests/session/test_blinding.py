"""Masks: no name, honorific or side word is left, and nothing else is lost."""

from __future__ import annotations

import re
import time
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dissensus.session import blinding
from dissensus.session.blinding import SLOT_OF, Blinder, slotted
from dissensus.session.blinding.phrases import (
    ARTICLE,
    GONE,
    PHRASES,
    SIDE_PHRASES,
    TITLE,
)
from dissensus.session.blinding.spelling import Searched
from dissensus_studies.union.tests.union_sessions import OPPOSITION, PROPOSITION, WORDING
from hostile_texts import HOSTILE

SIDES = ("proposition", "opposition")
FIRST, SECOND = {SIDES[0]: "A", SIDES[1]: "B"}, {SIDES[0]: "B", SIDES[1]: "A"}
PEOPLE = {**dict.fromkeys(PROPOSITION, SIDES[0]), **dict.fromkeys(OPPOSITION, SIDES[1])}
MASKS = WORDING.judging.masks
BLINDER = Blinder(PEOPLE, MASKS)
#: Written out here, not taken from the code.
NAMES = (
    *(
        "mara",
        "lindqvist",
        "tobias",
        "achterberg",
        "yusra",
        "haddad",
        "ines",
        "calvário",
        "calvario",
    ),
    *("roth", "gideon", "ashworth", "kwabena", "osei", "boateng"),
)
HONORIFICS = ("dr", "prof", "mr", "mrs", "ms", "lord", "lady", "sir", "dame", "mp", "rt hon")
#: Every letter, one at a time.
ANYWHERE = re.compile("(?s:.)")
WORDS_FOR_SIDES = ("proposition", "opposition", "propositions", "proposer", "opposer")


def masked(text: str, own: str | None = None, people: dict[str, str] | None = None) -> str:
    blinder = Blinder(people, MASKS) if people else BLINDER
    return slotted(blinder.mask(text, own), FIRST)


def searched_in_full(text: str, people: dict[str, str] | None = None) -> str:
    """As :func:`masked`, with every pattern tried at every place."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_names", "_phrases"):
            made = getattr(blinding, name)
            full = lambda *a, made=made: replace(made(*a), begins=ANYWHERE)  # noqa: E731
            patch.setattr(blinding, name, full)
        return masked(text, people=people)


def left(text: str, words: tuple[str, ...]) -> list[str]:
    """Those of some words that stand in a text as words, in any case, marks aside."""
    plain = "".join(
        one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one)
    )
    bare = [re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", word)) for word in words]
    return [
        word
        for word in bare
        if re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", plain, re.IGNORECASE)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr Mara Lindqvist is right.", "a speaker of team A is right."),
        ("dr. lindqvist's view", "a speaker of team A's view"),
        ("Mara, and Roth too", "a speaker of team A, and a speaker of team B too"),
        ("the Haddads and the HADDAD", "a speaker of team A and a speaker of team A"),
        ("Rt Hon Gideon Ashworth MP spoke", "a speaker of team B spoke"),
        ("the Rt. Hon. Ashworth, MP, spoke", "a speaker of team B, spoke"),
        ("Calvário-Roth", "a speaker of team B"),
        ("Ines Calva\u0301rio\u2011Roth", "a speaker of team B"),
        ("CALVARIO \u2013 ROTH!", "a speaker of team B!"),
        ("Prof\u00a0Ines\u2003Calvário\u2010Roth", "a speaker of team B"),
        ("Tobias\n  Achterberg.", "a speaker of team A."),
        ("Kwabena Osei-\n  Boateng.", "a speaker of team B."),
        ("Mr Achter-\nberg", "a speaker of team A"),
        ("Had\u200bdad and Hadd\u00adad", "a speaker of team A and a speaker of team A"),
        ("Had\u061cdad and Hadd\U000e0041ad", "a speaker of team A and a speaker of team A"),
        ("Dr\u3164Lindqvist, Mara\u2800Lindqvist", "a speaker of team A, a speaker of team A"),
        ("_Haddad_ @YusraHaddad", "_a speaker of team A_ @a speaker of team A"),
        ("Haddad2024 and Roth (2021)", "a speaker of team A2024 and a speaker of team B (2021)"),
        ("The Proposition's case", "team A's case"),
        ("side opposition, the opposition benches", "team B, team B"),
        ("the government benches, the Government", "team A, the Government"),
        ("Opp 2 and Prop 1 prop it up", "team B 2 and team A 1 prop it up"),
        ("propositions", "team A"),
        ("the proposer of the motion", "a speaker of team A"),
        ("opponents of the motion", "a speaker of team B"),
        ("opponents of slavery", "opponents of slavery"),
        ("The Ayes have it; noes!", "team A have it; team B!"),
        ("the affirmative side; affirmative action", "team A; affirmative action"),
        ("Dr Smith and an MP, sir", "Smith and a person, a person"),
        ("Professor Haddad, a professor", "a speaker of team A, a professor"),
        ("We miss Miss Haddad", "We miss a speaker of team A"),
        ("the Lords; ladies; MPs; proponents", "the Lords; ladies; MPs; proponents"),
        ("side opp and side Prop; prop it up", "team B and team A; prop it up"),
        ("\uff32\uff4f\uff54\uff48\uff0c so", "a speaker of team B\uff0c so"),
        ("\U0001d413\U0001d428\U0001d41b\U0001d422\U0001d41a\U0001d42c!", "a speaker of team A!"),
        ("\uff2f\uff50\uff50\uff4f\uff53\uff49\uff54\uff49\uff4f\uff4e", "team B"),
        ("a\U0001d455b\U0001d7d8", "a\U0001d455b\U0001d7d8"),
        ("\u041daddad, R\u043eth", "a speaker of team A, a speaker of team B"),
        ("T\u043ebi\u0430\u0455", "a speaker of team A"),
        ("\u041d\u043e one, \u0441\u043e\u043d", "\u041d\u043e one, \u0441\u043e\u043d"),
        ("Team A is better; each team a chance", "a group is better; each team a chance"),
        ("Dr M. Lindqvist and K.O. Boateng", "a speaker of team A and a speaker of team B"),
        ("I, Y. Haddad, say", "I, a speaker of team A, say"),
        ("Ｌｉｎｄｑｖｉｓｔ, 𝐑𝐨𝐭𝐡", "a speaker of team A, a speaker of team B"),
        ("@DrLindqvist #ProfRoth", "@a speaker of team A #a speaker of team B"),
        ("Professors Lindqvist and Roth", "a speaker of team A and a speaker of team B"),
        ("Rev. Ashworth, Senator Haddad", "a speaker of team B, a speaker of team A"),
        ("the Rt Hon'ble Ashworth", "a speaker of team B"),
        ("General Motors, the president", "General Motors, the president"),
        ("Lindqvist-led and anti-Haddad", "a speaker of team A-led and anti-a speaker of team A"),
        ("the proposing team, the pro side", "team A, team A"),
        ("side opp, the prop bench", "team B, team A"),
        ("the opposing benches; an opposing view", "a group; an opposing view"),
        ("pros and cons, no side", "pros and cons, no side"),
        ("propositional oppositely Rothko haddadism", "propositional oppositely Rothko haddadism"),
    ],
)  # fmt: skip
def test_what_is_masked_and_what_stays(text: str, expected: str) -> None:
    assert masked(text) == expected


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("my honourable friend", True),
        ("our right honourable and learned friends", True),
        ("my Hon. Friend", True),
        ("the honourable member opposite", False),
        ("this Right Honourable gentleman", False),
        ("my opponent", False),
        ("our opponents", False),
    ],
)
def test_a_form_of_address_is_of_the_side_that_it_means(text: str, own: bool) -> None:
    for side in SIDES:
        meant = side if own else SIDES[1 - SIDES.index(side)]
        assert masked(text, side) == f"a speaker of team {FIRST[meant]}"
    assert masked(text) == "a person"


def test_a_part_that_two_speakers_share_says_no_more_than_it_does() -> None:
    people = {"Ada Stone": SIDES[0], "Bo Stone": SIDES[1], "Cy May": SIDES[0], "Di May": SIDES[0]}
    assert masked("Stone and May", people=people) == "a person and a speaker of team A"
    assert masked("Ada Stone, Bo Stone", people=people) == (
        "a speaker of team A, a speaker of team B"
    )


def test_a_name_that_is_a_word_goes_wherever_the_word_stands() -> None:
    people = {"Ada Stone": SIDES[0], "Theresa May": SIDES[1]}
    assert masked("It may be set in stone.", people=people) == (
        "It a speaker of team B be set in a speaker of team A."
    )


def test_particles_and_initials_stay_by_themselves() -> None:
    people = {"Jan van der Berg": SIDES[0], "J. R. Ewing": SIDES[1]}
    assert masked("Jan van der Berg", people=people) == "a speaker of team A"
    assert masked("a van of the J series", people=people) == "a van of the J series"
    assert masked("J.R. Ewing and Ewing", people=people) == (
        "a speaker of team B and a speaker of team B"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Søren Kjær", "SOREN KJAER, Søren Kjær"),
        ("Anna Weiß", "ANNA WEISS, weiss, Weiß"),
        ("Łukasz Żak", "Lukasz Zak, ŁUKASZ, żak"),
        ("Iris", "\u0131ris, \U0001d6a4ris, \u0130RIS"),
        ("Nuala O'Brien", "O\u2019Brien, o'brien, Nuala O\u2018BRIEN, OBrien, Brien"),
        ("Анна Котова", "АННА КОТОВА, Анна, Котова"),
        ("李明", "李明說，李明"),
        ("김민준", "김민준이"),
    ],
)
def test_names_of_other_languages(name: str, text: str) -> None:
    assert masked(text, people={name: SIDES[0]}).replace("a speaker of team A", "") in (
        *(", ", ", , ", ", , , , ", "說，", "이"),
    )


#: Names with what means something in a regular expression, and with letters of many scripts.
NAME = st.lists(
    st.text(st.sampled_from("abcxyzÄéßøñ.*+?()[]{}|^$\\'-"), min_size=1, max_size=8),
    min_size=1,
    max_size=3,
).map(" ".join)
FILLER = st.lists(
    st.sampled_from(
        [
            *(*NAMES, *HONORIFICS, *WORDS_FOR_SIDES, "Dr.", "RT. HON.", "the", "my", "friend"),
            *("team", "A", "B", "honourable", "of the motion", "and", ",", ".", "\n", "-", "an"),
            *("\u2011", "\u200b", "'s", "s", "Opp", "Prop", "(", "_", "word", "Achter-\nberg"),
        ]
    ),
    max_size=14,
)


@given(FILLER, st.sampled_from([" ", "", "\n", "\u00a0", "-"]), st.sampled_from([*SIDES, None]))
@example(["Rt", "Dr", "Hon"], " ", None)
@example(["team", "Dr", "A"], " ", None)
def test_no_name_honorific_or_side_word_is_left(
    words: list[str], space: str, own: str | None
) -> None:
    text = masked(space.join(words), own)
    if own is None:
        assert text == searched_in_full(space.join(words))
    # What the masks say is no word of the text.
    rest = re.sub(r"a speaker of team [AB]|team [AB]|a person", "\n", text)
    assert left(rest, (*NAMES, *HONORIFICS, *WORDS_FOR_SIDES)) == []
    assert not re.search(r"\b(Opp|Prop)\b", rest)


#: The only phrase with a condition on what comes after it is a title.
WHOLE_PHRASES = [TITLE, *(pattern for mark, pattern in PHRASES if mark != GONE)]


@pytest.mark.parametrize(
    "pattern", [*WHOLE_PHRASES, *(ARTICLE + pattern for _, pattern in SIDE_PHRASES)]
)
def test_every_phrase_is_looked_for_where_it_begins(pattern: str) -> None:
    way = re.compile(pattern, re.IGNORECASE)

    @settings(max_examples=15)
    @given(st.from_regex(way, fullmatch=True))
    def check(phrase: str) -> None:
        assert_looked_for(way, phrase, blinding._phrases())

    check()


def assert_looked_for(way: re.Pattern[str], said: str, pattern: blinding._Pattern) -> None:
    searched = Searched.of(unicodedata.normalize("NFD", said), joined=True)
    # What is made from a pattern may have signs that a text in plain letters has not.
    if way.match(searched.plain):
        assert pattern.begins.match(searched.folded), said


@settings(max_examples=40)
@given(NAME, FILLER, st.sampled_from([" ", "", "\n", ". ", "-"]))
@example("x", ["x"], " ")
@example("O'Brien", ["the", "DrO", "Brien"], " ")
@example("J. Smith", ["Mr", "J", "Smith"], " ")
def test_every_name_is_looked_for_where_it_begins(name: str, words: list[str], space: str) -> None:
    text = space.join([*words, name, *words[::-1], *name.split(), name[:1].upper(), name])
    people = {name: SIDES[0], "Ann B. Lee": SIDES[1]}
    assert masked(text, people=people) == searched_in_full(text, people)


@settings(max_examples=60)
@given(NAME, NAME, st.sampled_from([str.upper, str.lower, str.title, str.casefold, str]))
@example("A.B*C (x)", "c+", str)
@example("Maß", "[a]", str.upper)
def test_no_part_of_any_name_is_left(one: str, other: str, change: object) -> None:
    parts = [
        part
        for name in (one, other)
        for part in re.findall(r"[^\W_]+", unicodedata.normalize("NFC", name))
    ]
    # Single letters stay, and so do words that honorifics and masks have.
    parts = [part for part in parts if len(part) > 1]
    assume(parts)
    people = {one: SIDES[0]} if one == other else {one: SIDES[0], other: SIDES[1]}
    said = change(f"I say {one} and {other}; {' or '.join(parts)}'s.")  # type: ignore[operator]
    text = masked(said, people=people)
    assert text == searched_in_full(said, people)
    rest = re.sub(r"a speaker of team [AB]|a person", "\n", text)
    assert left(rest, tuple(change(part) for part in parts)) == []  # type: ignore[operator]


@given(st.text(max_size=200) | FILLER.map(" ".join))
def test_passes_are_exact_swaps(text: str) -> None:
    marked = BLINDER.mask(text, SIDES[0])
    one, other = slotted(marked, FIRST), slotted(marked, SECOND)
    masks = re.compile(r"team ([AB])(?![^\W_])")
    swapped = masks.sub(lambda found: f"team {'AB'[found[1] == 'A']}", one)
    assert swapped == other
    assert len(masks.findall(one)) >= sum(marked.count(mark) for mark in SLOT_OF.values())


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Co", "Cs"]), max_size=100))
def test_a_text_without_any_of_it_stays_as_it_is(text: str) -> None:
    people = {"Qwxzj Vbnmk": SIDES[0]}
    plain = unicodedata.normalize("NFKC", text).casefold()
    assume(not re.search(r"p|o|m|d|l|s|k|q|t|n|a|h|v", plain))
    assert masked(text, people=people) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_masked_and_stay_texts(text: str) -> None:
    said = masked(f"{text} Dr Haddad {text}")
    assert "Haddad" not in said
    assert masked(text) == unicodedata.normalize("NFC", text)
    assert said == searched_in_full(f"{text} Dr Haddad {text}")


@pytest.mark.parametrize(
    "part",
    [
        *("Dr ", "M.P. ", "M. ", "Rev. ", "the ", "my right honourable ", "Mara ", "Osei-", "- "),
        *("Achter-\n", "\u200b", "Rt ", "hon ", "Lindqvist", "side ", "opp ", "team ", "van der "),
    ],
)
def test_many_of_one_word_take_no_time(part: str) -> None:
    began = time.process_time()
    masked(part * (50_000 // len(part)))
    assert time.process_time() - began < 5


def test_a_mark_in_a_text_is_no_slot() -> None:
    marks = "".join(chr(code) for code in range(0xE001, 0xE00C))
    assert masked(f"a{marks}b") == "ab"


def test_a_speech_is_masked_in_little_time() -> None:
    """Patterns that go back over a text would take minutes for these."""
    for text in ("the " * 20_000, "a" * 50_000, "Dr " * 20_000, "Tobias " * 5_000, " " * 50_000):
        masked(text)
