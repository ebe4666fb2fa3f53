"""Chunks: slices of a text, none too long, that give it back."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.text.corpora.chunks import Chunk, chunk

#: Prose, Chinese, emoji, runs of marks, and no white space at all.
TEXTS = st.one_of(
    st.text(st.sampled_from("ab. !?\n\"'…"), max_size=300),
    st.text(st.sampled_from("我们不要。！？”…\n"), max_size=300),
    st.text(st.sampled_from("👩\u200d👧👦🇫🇷e\u0301 "), max_size=300),
    st.text(st.sampled_from("xyz"), max_size=300),
    st.text(max_size=300),
)
SIZES = st.integers(1, 60).flatmap(lambda most: st.tuples(st.just(most), st.integers(0, most - 1)))


def restored(chunks: list[Chunk]) -> str:
    """The text, from where its chunks begin and what they have."""
    text = ""
    for start, piece in chunks:
        assert start <= len(text)
        assert text[start:] == piece[: len(text) - start]
        text = text[:start] + piece
    return text


@given(TEXTS, SIZES)
def test_chunks_are_short_overlap_little_and_give_the_text_back(text: str, sizes: tuple[int, int]):
    most, overlap = sizes
    chunks = chunk(text, most, overlap)
    assert restored(chunks) == text
    assert all(0 < len(piece) <= most for _, piece in chunks)
    for (start, piece), (later, _) in pairwise(chunks):
        assert start < later
        assert 0 <= start + len(piece) - later <= overlap


def test_a_short_text_is_one_chunk_and_an_empty_one_none():
    assert chunk("A sentence.") == [(0, "A sentence.")]
    assert chunk("a" * 1000) == [(0, "a" * 1000)]
    assert chunk("") == []


def pieces(text: str, most: int, overlap: int = 0) -> list[str]:
    return [piece for _, piece in chunk(text, most, overlap)]


def test_a_text_is_cut_at_the_best_place_by_hand():
    assert pieces("One two.\nThree.\n\nFour. Five", 24) == ["One two.\nThree.\n\n", "Four. Five"]
    assert pieces("One two. Three.\nFour. Five", 24) == ["One two. Three.\n", "Four. Five"]
    assert pieces("One two. Three four five", 18) == ["One two. ", "Three four five"]
    assert pieces('He said "No." She left it', 20) == ['He said "No." ', "She left it"]
    assert pieces("It is 3.14 or so, they say", 16) == ["It is 3.14 or ", "so, they say"]
    assert pieces("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert pieces("我们不要。他们要，我们不", 8) == ["我们不要。", "他们要，我们不"]


def test_a_chunk_begins_with_what_ends_the_one_before_by_hand():
    text = "First one. Second one. Third one. Fourth one."
    assert pieces(text, 36, 15) == ["First one. Second one. Third one. ", "Third one. Fourth one."]
    assert pieces("one two three four", 14, 6) == ["one two three ", "three four"]
    assert pieces("abcdefghij", 6, 2) == ["abcdef", "efghij"]
    # No place within the overlap is better than the overlap itself.
    assert pieces("one twothreefour five", 17, 5) == ["one twothreefour ", "four five"]


def test_the_defaults_are_those_of_the_source():
    words = "word " * 1000
    chunks = chunk(words)
    assert {len(piece) for _, piece in chunks[:-1]} == {1000}
    assert [start for start, _ in chunks][:3] == [0, 800, 1600]


@pytest.mark.parametrize(("most", "overlap"), [(10, 10), (10, -1), (0, 0)])
def test_an_overlap_must_be_less_than_a_chunk(most: int, overlap: int):
    with pytest.raises(ValueError, match="overlap is"):
        chunk("text", most, overlap)


@pytest.mark.parametrize("unit", [".", "\n", "a", " ", '."', "\n ", "。"])
def test_a_long_text_of_one_thing_takes_no_long_time(unit: str):
    text = unit * (300_000 // len(unit))
    begun = time.process_time()
    chunks = chunk(text)
    assert time.process_time() - begun < 3
    assert restored(chunks) == text
