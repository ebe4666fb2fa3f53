"""Words: as written in English, by segmentation in Chinese, and alike where the two mix."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.text.words import count_words, split_words

enough = settings(max_examples=100)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \n — … 。！", []),
        ("Don’t tax well-being; don't!", ["Don’t", "tax", "well-being", "don't"]),
        ("It rose 3.5% to $1,000.50.", ["It", "rose", "3.5", "to", "1,000.50"]),
        ("“Naïve” cafés, GPT-4o", ["Naïve", "cafés", "GPT-4o"]),
        ("政府应该提供免费医疗。", ["政府", "应该", "提供", "免费", "医疗"]),
        ("GDP增长2.5个百分点", ["GDP", "增长", "2.5", "个", "百分点"]),
        ("他们don't同意", ["他们", "don't", "同意"]),
        ("２０２４年", ["２０２４", "年"]),
    ],
)
def test_words(text, words):
    assert split_words(text) == words
    assert count_words(text) == len(words)


def test_a_chinese_name_does_not_change_how_the_english_is_counted():
    english = "It doesn't matter, well-being cost 1,000 more."
    assert split_words(f"{english} 仁") == [*split_words(english), "仁"]


def test_texts_without_chinese_load_no_dictionary():
    looked = "import sys; from dissensus.text.words import split_words; split_words({!r}); "
    looked += "print('rjieba' in sys.modules)"
    found = [
        subprocess.run(
            [sys.executable, "-c", looked.format(text)], check=True, capture_output=True, text=True
        ).stdout.strip()
        for text in ("Don’t tax well-being.", "仁")
    ]
    assert found == ["False", "True"]


def test_fewer_words_than_characters_in_chinese():
    text = "我们认为言论自由是民主社会的基石，不应当受到政府的限制。"
    assert 10 <= count_words(text) < len(text) - 2


@enough
@given(
    st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("我们的国 '-.,3a"), max_size=60)
)
def test_words_hold_every_letter_and_digit_in_order(text):
    joined = "".join(split_words(text))
    assert re.sub(r"\W", "", joined) == re.sub(r"\W", "", text)
