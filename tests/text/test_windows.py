"""N-grams numbered, and spans of texts in batches."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.text.windows import REACH, batches, lay_out, ngrams, spans, stand_ins

enough = settings(max_examples=80)
TEXTS = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=30), min_size=1, max_size=8)


def arrays(texts):
    return [np.array(text, dtype=np.int64) for text in texts]


@enough
@given(st.lists(st.integers(0, 2), min_size=12, max_size=60))
def test_equal_ngrams_and_no_others_share_a_number(line):
    tokens = np.array(line)
    reach = [((0, 1), (0, 2)), ((-1, 1), (-2, 2)), ((-2, 2), (-4, 4))]
    for numbers, sides in zip(ngrams(tokens), reach, strict=True):
        for found, (first, last) in zip(numbers, sides, strict=True):
            grams = [
                tuple(line[(place + k) % len(line)] for k in range(first, last + 1))
                for place in range(len(line))
            ]
            pairs = set(zip(grams, found.tolist(), strict=True))
            assert len(pairs) == len(set(grams)) == len(set(found.tolist()))


@enough
@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.data())
def test_every_number_has_one_stand_in(numbers, data):
    numbers = np.array(numbers)
    some = data.draw(st.sets(st.integers(0, len(numbers) - 1), min_size=1))
    places = np.array(sorted(some))
    chosen, rows = stand_ins(numbers, places)
    assert set(chosen) <= some
    assert (np.diff(chosen) > 0).all()
    assert sorted(numbers[chosen]) == sorted(set(numbers[places]))
    assert (numbers[chosen[rows[places] - 1]] == numbers[places]).all()
    assert set(rows[~np.isin(numbers, numbers[places])]) <= {0}


@enough
@given(TEXTS, st.integers(1, 12), st.integers(1, 40))
def test_batches_hold_every_token_once(texts, longest, size):
    parts = spans(arrays(texts), longest)
    groups = list(batches(parts, size))
    assert sorted(number for group in groups for number in group) == list(range(len(parts)))
    for group in groups:
        assert len(group) == 1 or sum(len(parts[number]) for number in group) <= size
    for number, text in enumerate(texts):
        own = [part.tokens[part.start : part.stop] for part in parts if part.text == number]
        assert np.concatenate(own).tolist() == text
        assert max(map(len, own)) <= longest


def test_texts_that_share_phrases_come_together():
    rng = np.random.default_rng(3)
    phrases = rng.integers(0, 50_000, size=(2, 400))
    # Forty texts of two kinds by turns, each a stretch of its kind's phrases.
    texts = [phrases[n % 2][s : s + 100] for n, s in enumerate(rng.integers(0, 300, size=40))]
    groups = list(batches(spans(texts, 100), 2_000))
    kinds = [{number % 2 for number in group} for group in groups]
    assert kinds in ([{0}, {1}], [{1}, {0}])


@enough
@given(TEXTS, st.integers(1, 12))
def test_a_span_is_laid_out_in_its_context(texts, longest):
    parts = spans(arrays(texts), longest)
    layout = lay_out(parts)
    own = np.split(layout.own, np.cumsum([len(part) for part in parts])[:-1])
    for part, places in zip(parts, own, strict=True):
        around = np.arange(places[0] - REACH, places[-1] + REACH + 1)
        padded = np.pad(part.tokens + 1, REACH)
        assert (layout.tokens[around] == padded[part.start : part.stop + 2 * REACH]).all()
