"""Raw similarities of tiny sessions, worked by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from ..measures.components import lexical_components, semantic_components

SPEAKERS = ("P1", "O1", "P2", "O2", "P1", "O1", "P2", "O2")


def session(*texts: str) -> list[dict[str, str]]:
    return [
        {"speaker": who, "text": text, "rendered_from": ""}
        for who, text in zip(SPEAKERS, texts, strict=False)
    ]


def letters(text: str) -> list[int]:
    """A token for each letter."""
    return [ord(letter) for letter in text if letter.isalpha()]


def measured(sessions, repetitions=20, seed=1):
    encoded = {name: [letters(turn["text"]) for turn in turns] for name, turns in sessions.items()}
    return lexical_components(sessions, encoded, repetitions, seed)


def test_turns_with_nothing_in_common():
    row = measured({"s": session("a", "b", "c", "d", "e", "f", "g", "h")})["s"]
    for unit in ("turn", "speaker", "side"):
        assert row[f"s_lex_{unit}"] == pytest.approx(0, abs=1e-12)
    assert (row["tokens"], row["types"], row["matched_depth"]) == (8, 8, 1)


def test_turns_that_are_all_the_same():
    row = measured({"s": session(*["ab"] * 8)})["s"]
    for unit in ("turn", "speaker", "side"):
        assert row[f"s_lex_{unit}"] == pytest.approx(1)
    assert (row["tokens"], row["types"], row["matched_depth"]) == (16, 2, 2)


def test_what_a_unit_is():
    # Each speaker repeats itself and nobody else; each side then has two letters of its own.
    row = measured({"s": session(*"abcdabcd")})["s"]
    # Eight turns, four letters in pairs: JSD = log 4 of at most log 8.
    assert row["s_lex_turn"] == pytest.approx(1 - log(4) / log(8))
    assert row["s_lex_speaker"] == pytest.approx(0, abs=1e-12)
    assert row["s_lex_side"] == pytest.approx(0, abs=1e-12)
    # The sides say the same, and no two speakers of one side do.
    row = measured({"s": session(*"aabbaabb")})["s"]
    assert row["s_lex_side"] == pytest.approx(1)
    assert row["s_lex_speaker"] == pytest.approx(1 - log(2) / log(4))


def test_the_golden_divergence():
    # From the specification: three distributions, halves of three types, normalised JSD .369070.
    turns = session("ab", "bc", "ac")
    row = measured({"s": turns})["s"]
    assert row["s_lex_turn"] == pytest.approx(1 - 0.369070, abs=1e-6)


def test_lengths_are_matched_within_the_draw():
    short = session(*["ab", "abc", "abcd", "abcde"] * 2)
    long = session(*["abcdefgh"] * 8)
    alone = measured({"d1-zh": long})["d1-zh"]
    together = measured({"d1-en": short, "d1-zh": long})
    assert alone["matched_depth"] == 8
    assert {row["matched_depth"] for row in together.values()} == {2}
    # Cut to two letters of eight, identical turns are no longer so.
    assert alone["s_lex_turn_matched"] == pytest.approx(1)
    assert together["d1-zh"]["s_lex_turn_matched"] < 0.9
    assert together["d1-zh"]["s_lex_turn"] == alone["s_lex_turn"]


def test_renderings_count_among_the_texts_that_lengths_are_matched_over():
    rendering = [turn | {"rendered_from": "en"} for turn in session(*["abc"] * 8)]
    both = {"d1-en": session(*["abcdefgh"] * 8), "d1-en-zh": rendering}
    assert {row["matched_depth"] for row in measured(both).values()} == {3}


def test_the_excess_is_over_a_shuffle_of_the_same_tokens():
    # Turns that share no type: any shuffle mixes them, so they differ more than chance.
    apart = measured({"s": session(*(letter * 10 for letter in "abcdefgh"))})["s"]
    assert apart["s_lex_turn_excess"] < -0.5
    # One type alone: the shuffle changes nothing.
    same = measured({"s": session(*["aaaa"] * 8)})["s"]
    assert same["s_lex_turn_excess"] == pytest.approx(0)


def test_a_session_has_a_random_stream_of_its_own():
    one, two = session(*["abcdef", "abcxyz"] * 4), session(*["uvwxyz", "abcdef"] * 4)
    together = measured({"a": one, "b": two})
    assert measured({"b": two, "a": one}) == together
    assert measured({"a": one})["a"] == together["a"]
    assert measured({"a": one}, seed=2)["a"] != together["a"]


def test_a_turn_without_a_token_makes_its_own_session_missing():
    empty, whole = session("ab", "...", "ab", "cd"), session(*["abc"] * 4)
    rows = measured({"d1-en": empty, "d1-zh": whole})
    assert np.isnan(rows["d1-en"]["s_lex_turn"])
    assert np.isnan(rows["d1-en"]["s_lex_turn_matched"])
    assert rows["d1-zh"]["s_lex_turn"] == pytest.approx(1)
    assert rows["d1-zh"]["matched_depth"] == 2


def test_semantic_means_by_hand():
    # Proposition along one axis, opposition along another, at 60 degrees.
    along, aslant = [1.0, 0.0], [0.5, 3**0.5 / 2]
    vectors = np.array([along if who[0] == "P" else aslant for who in SPEAKERS], np.float32)
    means = semantic_components(session(*"abcdefgh"), vectors)
    assert means["s_sem_cross_side"] == pytest.approx(0.5, abs=1e-6)
    assert means["s_sem_same_side"] == pytest.approx(1, abs=1e-6)
    assert means["s_sem_same_speaker"] == pytest.approx(1, abs=1e-6)
    # 28 pairs: 16 across the sides, 12 within them.
    assert means["s_sem_pooled"] == pytest.approx((16 * 0.5 + 12) / 28, abs=1e-6)


def test_same_speaker_pairs_are_four():
    # A vector for each speaker, all at right angles.
    vectors = np.array([np.eye(4)[["P1", "O1", "P2", "O2"].index(who)] for who in SPEAKERS])
    means = semantic_components(session(*"abcdefgh"), vectors.astype(np.float32))
    assert means == {
        "s_sem_pooled": pytest.approx(4 / 28),
        "s_sem_cross_side": pytest.approx(0),
        "s_sem_same_side": pytest.approx(0),
        "s_sem_same_speaker": pytest.approx(1),
    }


def test_pooled_similarity_follows_from_the_centroid():
    vectors = np.random.default_rng(1).normal(size=(8, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    centroid = float(np.linalg.norm(vectors.mean(axis=0)))
    pooled = semantic_components(session(*"abcdefgh"), vectors.astype(np.float32))["s_sem_pooled"]
    assert pooled == pytest.approx((8 * centroid**2 - 1) / 7, abs=1e-6)
