"""ROUGE by hand, and on Chinese, where the usual package finds no words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.text.rouge import rouge_l, rouge_n

TEXTS = st.lists(st.sampled_from("abcde"), max_size=12).map(" ".join)


def test_scores_are_those_by_hand() -> None:
    said, reference = "the cat sat on the mat", "the cat lay on a mat"
    # Shared: the, cat, on, mat; then "the cat"; in order: the cat on mat.
    assert rouge_n(said, reference, 1) == pytest.approx(2 * 4 / 12)
    assert rouge_n(said, reference, 2) == pytest.approx(2 * 1 / 10)
    assert rouge_l(said, reference) == pytest.approx(2 * 4 / 12)
    # A word counts as often as both have it.
    assert rouge_n("yes yes yes", "yes no", 1) == pytest.approx(2 * 1 / 5)
    # Order matters to the subsequence alone.
    assert rouge_n("b a", "a b", 1) == 1.0 and rouge_l("b a", "a b") == 0.5


def test_chinese_words_are_found() -> None:
    said, other = "城市应该修建更多的公园", "城市不应该修建公园"
    assert rouge_n(said, said, 1) == rouge_n(said, said, 2) == rouge_l(said, said) == 1.0
    assert 0.3 < rouge_l(said, other) < 1.0
    assert rouge_n(said, "完全无关", 1) == 0.0


@given(TEXTS, TEXTS)
def test_a_score_is_a_share_and_the_same_either_way(said: str, reference: str) -> None:
    for score in (lambda a, b: rouge_n(a, b, 1), lambda a, b: rouge_n(a, b, 2), rouge_l):
        assert 0.0 <= score(said, reference) <= 1.0
        assert score(said, reference) == pytest.approx(score(reference, said))
    if said:
        assert rouge_l(said, said) == 1.0
    # A common subsequence is made of common words.
    assert rouge_l(said, reference) <= rouge_n(said, reference, 1) + 1e-12
