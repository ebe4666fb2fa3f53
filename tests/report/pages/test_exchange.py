"""The exchange that a card quotes: a speech that answers another, in the speakers' own words."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dissensus.report.pages.exchange import Exchange, exchange_of, quoted, shown
from dissensus.study.gather import OUTCOMES, TURNS
from dissensus.tables.artefact import write
from hostile_texts import hostile
from made_frames import frame_of

WORDS = st.text("ab .!?“”'\"…{", max_size=80)


def test_a_speech_that_quotes_stands_below_the_sentence_that_it_quotes() -> None:
    speeches = [
        ("P1", "Good evening. Rent rises put families out of their homes. That is all."),
        ("P2", "I quote my own side: 'Rent rises put families out', and agree."),
        ("O1", "Hm. Whoever says “rent rises put families out …” forgets supply. It falls."),
    ]
    # A speaker of the same side may be the first who quotes; a speech that quotes itself is none.
    said = "Rent rises put families out of their homes."
    assert quoted(speeches)[0] == ("P1", said)
    others = [speeches[0], ("P1", speeches[1][1]), speeches[2]]
    assert quoted(others) == [
        ("P1", said),
        ("O1", "Whoever says “rent rises put families out …” forgets supply. It falls."),
    ]


def test_without_a_quotation_two_neighbours_speak() -> None:
    speeches = [("A", "One."), ("A", "Two."), ("B", "Three."), ("A", "Four.")]
    assert quoted(speeches) == [("B", "Three."), ("A", "Four.")]
    assert quoted([("A", "One."), ("A", "Two.")]) == []
    assert quoted([("A", '{"vote": 1}'), ("B", '{"vote": 2}')]) == []


@given(st.lists(st.tuples(st.sampled_from("ABC"), WORDS), max_size=6))
def test_what_is_quoted_was_said_by_that_speaker(speeches: list[tuple[str, str]]) -> None:
    lines = quoted(speeches)
    assert len(lines) in (0, 2)
    for speaker, words in lines:
        said = {" ".join(text.split()) for who, text in speeches if who == speaker}
        assert any(words.removesuffix(" …").strip() in text for text in said)


def test_a_session_that_was_lost_or_has_no_speech_is_not_quoted(tmp_path: Path) -> None:
    names = ("s1", "s2", "s3")
    outcomes = [{"session_id": name, "complete": name != "s1"} for name in names]
    turns = [
        {"session_id": name, "role": role, "speaker": speaker, "text": f"Said by {speaker}."}
        for name, role in zip(names, ("speech", "judge", "speech"), strict=True)
        for speaker in ("A", "B")
    ]
    for schema, rows in ((OUTCOMES, outcomes), (TURNS, turns)):
        write(tmp_path / f"{schema.name}.parquet", schema, frame_of(schema, rows), {})
    found = exchange_of(tmp_path, None, ("judge",), ())
    assert found == Exchange("s3", [("A", "Said by A."), ("B", "Said by B.")])
    assert exchange_of(tmp_path, None, ("judge", "speech"), ()) is None


def test_hostile_words_stay_words() -> None:
    plain = re.findall(r"<(/?\w+)", "".join(shown(Exchange("s", [("A", "a"), ("B", "b")]), "x")))
    for text in hostile(9):
        drawn = "".join(shown(Exchange("s", [(text, text), ("B", text)]), "x"))
        tags = re.findall(r"<(/?\w+)", drawn)
        assert [tag for tag in tags if "span" not in tag] == plain
