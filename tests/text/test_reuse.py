"""Reuse ratios are difflib's, with autojunk off."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.text.reuse import reuse_ratio

enough = settings(max_examples=150)

texts = st.text(alphabet="ab c我们", max_size=60)
tokens = st.lists(st.integers(0, 5), max_size=40)


@enough
@given(st.tuples(texts, texts) | st.tuples(tokens, tokens))
def test_equals_difflib(pair):
    a, b = pair
    assert reuse_ratio(a, b) == difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()


def test_known_values():
    assert reuse_ratio("abcd", "bcde") == 0.75
    assert reuse_ratio(["we", "must", "act"], ["they", "must", "act"]) == pytest.approx(2 / 3)
    assert reuse_ratio("", "") == 1.0
    assert reuse_ratio("abc", "") == 0.0


def test_long_english_keeps_its_letters():
    # With autojunk, every letter of a long English text is too frequent to count.
    text = "the state should pay for the health of its people because it can. " * 5
    other = "we reply that " + text
    assert difflib.SequenceMatcher(None, text, other).ratio() < 0.1
    assert reuse_ratio(text, other) > 0.95
