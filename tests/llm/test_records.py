"""A line of JSON knows whether it is as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.llm.records import read_line, was_finished, write_line

values = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text(), max_size=2)
members = st.dictionaries(st.text(max_size=5), values, min_size=1, max_size=4)


@given(said=members)
def test_what_is_written_is_read(said):
    line = write_line(said)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert read_line(line[:-1]) == said
    assert was_finished(line[:-1])


@given(said=members, data=st.data())
def test_any_changed_byte_of_what_it_says_is_seen(said, data):
    line = write_line(said)[:-1]
    place = data.draw(st.integers(0, line.rindex(b', "line_sha256"') - 1))
    bad = bytearray(line)
    bad[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ValueError, match=r"."):
        read_line(bytes(bad))


@given(said=members, data=st.data())
def test_a_line_cut_short_was_not_finished(said, data):
    line = write_line(said)[:-1]
    assert not was_finished(line[: data.draw(st.integers(0, len(line) - 1))])


def test_a_text_that_looks_like_a_digest_is_a_text():
    said = {"text": ', "line_sha256": "0123456789abcdef"}'}
    assert read_line(write_line(said)[:-1]) == said


def test_a_line_without_a_digest_is_of_an_earlier_version():
    assert read_line(b'{"a": 1}') == {"a": 1}
    assert not was_finished(b'{"a": 1}')
