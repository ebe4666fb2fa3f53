"""A block of sessions measured: every session, tokeniser and embedder, and reuse by speaker."""

from __future__ import annotations

from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pytest

from dissensus.tables.artefact import read, write

from ..measures.block import measure_block
from ..measures.components import COMPONENTS
from ..measures.reuse import REUSE

SPEAKERS = ("P1", "O1", "P2", "O2", "P1", "O1", "P2", "O2")


def session(name: str, texts: list[str]) -> list[dict[str, object]]:
    draw, language = name.split("-")
    ids = {"session_id": name, "draw_id": draw, "language": language, "model": "m"}
    ids |= {"rendered_from": ""}
    return [
        {**ids, "turn": number, "speaker": who, "text": text}
        for number, (who, text) in enumerate(zip(SPEAKERS, texts, strict=True), start=1)
    ]


ENGLISH = [f"speech {n} is about point {n % 3} and costs" for n in range(8)]
CHINESE = [f"第{n}次发言讨论第{n % 3}点与代价" for n in range(8)]
SESSIONS = {
    "d001-en": session("d001-en", ENGLISH),
    "d001-zh": session("d001-zh", CHINESE),
    "d002-en": session("d002-en", ENGLISH[::-1]),
}


def embedded(sessions, names=("one", "two")) -> list[dict[str, object]]:
    rng = np.random.default_rng(5)
    rows = []
    for name in names:
        for turns in sessions.values():
            for turn in turns:
                vector = rng.normal(size=4)
                ids = {"session_id": turn["session_id"], "turn": turn["turn"]}
                rows.append({**ids, "embedder": name, "vector": vector / np.linalg.norm(vector)})
    return rows


@pytest.fixture(scope="module")
def measured():
    return measure_block(SESSIONS, {}, embedded(SESSIONS), ["words", "tekken"], 5, 1)


def test_there_is_a_row_a_session_tokeniser_and_embedder(measured, tmp_path: Path):
    components, reuse = measured
    assert {(row["session_id"], row["tokenizer"], row["embedder"]) for row in components} == {
        (name, by, with_)
        for name in SESSIONS
        for by in ("words", "tekken")
        for with_ in ("one", "two")
    }
    assert len(components) == 12
    write(tmp_path / "c.parquet", COMPONENTS, components, {})
    write(tmp_path / "r.parquet", REUSE, reuse, {})
    assert read(tmp_path / "c.parquet", COMPONENTS).num_rows == 12
    assert read(tmp_path / "r.parquet", REUSE).num_rows == 12


def test_lexical_parts_do_not_depend_on_the_embedder_nor_semantic_ones_on_the_tokeniser(measured):
    rows = {(r["session_id"], r["tokenizer"], r["embedder"]): r for r in measured[0]}
    for name in SESSIONS:
        assert (
            rows[name, "words", "one"]["s_lex_turn_matched"]
            == rows[name, "words", "two"]["s_lex_turn_matched"]
        )
        assert (
            rows[name, "words", "one"]["s_sem_pooled"]
            == rows[name, "tekken", "one"]["s_sem_pooled"]
        )
        assert (
            rows[name, "words", "one"]["s_sem_pooled"] != rows[name, "words", "two"]["s_sem_pooled"]
        )


def test_semantic_parts_are_those_of_the_sessions_own_vectors():
    vectors = embedded(SESSIONS, ["one"])
    measured = measure_block(SESSIONS, {}, vectors, ["words"], 2, 1)[0]
    rows = {row["session_id"]: row for row in measured}
    for name in SESSIONS:
        own = np.array([row["vector"] for row in vectors if row["session_id"] == name])
        pairs = (own @ own.T)[np.triu_indices(8, 1)]
        assert rows[name]["s_sem_pooled"] == pytest.approx(pairs.mean(), abs=1e-6)


def test_the_order_of_the_vectors_does_not_matter():
    vectors = embedded(SESSIONS)
    assert measure_block(SESSIONS, {}, vectors[::-1], ["words"], 2, 1)[0][0]["s_sem_pooled"] in {
        row["s_sem_pooled"] for row in measure_block(SESSIONS, {}, vectors, ["words"], 2, 1)[0]
    }


def test_lengths_are_matched_within_draws_only():
    sessions = {
        "d001-en": session("d001-en", ["one two three four"] * 8),
        "d002-en": session("d002-en", ["one two"] * 8),
        "d002-zh": session("d002-zh", ["学校，医院，警察"] * 8),
    }
    rows = measure_block(sessions, {}, embedded(sessions, ["one"]), ["words"], 2, 1)[0]
    assert {row["session_id"]: row["matched_depth"] for row in rows} == {
        **{"d001-en": 4, "d002-en": 2, "d002-zh": 2}
    }


@pytest.mark.parametrize("tokenizers", [["words"], ["tekken"]])
def test_words_and_characters_do_not_depend_on_the_tokeniser(tokenizers):
    texts = ["It's so.", "本院愿意。", *["so"] * 6]
    sessions = {"d001-en": session("d001-en", texts)}
    [row] = measure_block(sessions, {}, embedded(sessions, ["one"]), tokenizers, 2, 1)[0]
    assert row["characters"] == len("".join(texts))
    # It's, so; 本院, 愿意 (segmented); and so six times over.
    assert row["words"] == 10


def test_a_session_measures_the_same_alone(measured):
    alone = {"d002-en": SESSIONS["d002-en"]}
    found = measure_block(alone, {}, embedded(alone), ["words", "tekken"], 5, 1)[0]
    for row in found:
        [other] = [
            other
            for other in measured[0]
            if all(other[k] == row[k] for k in ("session_id", "tokenizer", "embedder"))
        ]
        lexical = [name for name in row if name.startswith("s_lex")]
        assert [row[name] for name in lexical] == [other[name] for name in lexical]


def test_reuse_is_of_a_speakers_own_two_turns(measured):
    rows = [row for row in measured[1] if row["session_id"] == "d001-en"]
    assert [(row["speaker"], row["first_turn"], row["second_turn"]) for row in rows] == [
        *(("P1", 1, 5), ("O1", 2, 6), ("P2", 3, 7), ("O2", 4, 8))
    ]
    for row in rows:
        first, second = ENGLISH[row["first_turn"] - 1], ENGLISH[row["second_turn"] - 1]
        by_character = SequenceMatcher(None, first, second, autojunk=False).ratio()
        by_word = SequenceMatcher(None, first.split(), second.split(), autojunk=False).ratio()
        assert row["characters"] == pytest.approx(by_character)
        assert row["tokens"] == pytest.approx(by_word)


def test_a_block_of_failures_has_no_rows():
    assert measure_block({}, {}, [], ["words"], 2, 1) == ([], [])
