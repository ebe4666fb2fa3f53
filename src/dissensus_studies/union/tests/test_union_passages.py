"""Passages: only the speaker's own, unique, diverse, the same again."""

from __future__ import annotations

import runpy
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dissensus.errors import ProviderError
from dissensus.llm.call import Reply
from dissensus.run.embedding import embedding_calls
from dissensus.run.spending import spending
from dissensus.run.stage import Stage
from dissensus.tables.artefact import read, write
from dissensus.text.embeddings import Vectors, cosine_matrix, embedder
from scripted import ROOT

from ..passages import PASSAGE_CALLS, QUERIES, Search, retrieve
from ..tables import CHUNKS, MOTIONS, PASSAGES

DIMENSIONS = 64
MOTION: dict[str, Any] = {
    "motion_id": "lot",
    "motion": "This House would draw lots",
    "about": "",
    "proposition": ["B", "A"],
    "opposition": ["D", "C"],
    "students": ["B"],
    "source": "m.yaml",
}


class Planted:
    """Vectors that a test decides; other texts get one of their own, always the same."""

    def __init__(self, **vectors: Sequence[float]) -> None:
        self.vectors = vectors
        self.texts: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        found = np.array([self.vector(text) for text in texts])
        return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)

    def vector(self, text: str) -> np.ndarray[Any, Any]:
        known = self.vectors.get(text)
        if known is not None:
            return np.pad(np.array(known, dtype=float), (0, DIMENSIONS - len(known)))
        seed = int.from_bytes(text.encode()[-8:], "big")
        return np.random.default_rng([seed, len(text)]).normal(size=DIMENSIONS)


def chunks(speaker: str, *texts: str) -> list[dict[str, Any]]:
    return [
        {"speaker": speaker, "document": "bio/a.md", "chunk": n, "start": 9 * n, "text": text}
        for n, text in enumerate(texts, start=1)
    ]


def everybody(number: int = 40) -> list[dict[str, Any]]:
    return [
        row for name in "DBAC" for row in chunks(name, *(f"{name} says {n}" for n in range(number)))
    ]


def test_every_speaker_has_a_pool_of_own_passages_each_once():
    rows = retrieve([MOTION], everybody(), Search(Planted(), 20, 0.3))
    for name in "ABCD":
        own = [row for row in rows if row["speaker"] == name]
        assert [row["rank"] for row in own] == list(range(1, 21))
        assert len({row["text"] for row in own}) == 20
        assert all(row["text"].startswith(f"{name} says") for row in own)
        # All questions take their turns.
        asked = [query.replace("{MOTION}", MOTION["motion"]) for query in QUERIES]
        assert [row["query"] for row in own] == asked * 2
    assert [row["speaker"] for row in rows] == sorted(row["speaker"] for row in rows)


def test_texts_are_embedded_once_and_their_order_changes_nothing():
    embed = Planted()
    other = {**MOTION, "motion_id": "b", "motion": "This House would not"}
    rows = retrieve([MOTION, other], everybody(), Search(embed, 20, 0.3))
    assert max(Counter(embed.texts).values()) == 1
    shuffled = sorted(everybody(), key=lambda row: (row["chunk"], row["speaker"]))
    assert retrieve([MOTION, other], shuffled, Search(Planted(), 20, 0.3)) == rows
    alone = retrieve([other], everybody(), Search(Planted(), 20, 0.3))
    assert [row for row in rows if row["motion_id"] == "b"] == alone


def test_a_small_corpus_gives_what_it_has_and_a_text_counts_once():
    rows = chunks("A", "one", "two", "one", "three") + [
        row for name in "BCD" for row in chunks(name, f"{name} alone")
    ]
    found = retrieve([MOTION], rows, Search(Planted(), 20, 0.5))
    by_speaker = Counter(row["speaker"] for row in found)
    assert by_speaker == {"A": 3, "B": 1, "C": 1, "D": 1}
    assert {row["text"] for row in found if row["speaker"] == "A"} == {"one", "two", "three"}
    assert {row["chunk"] for row in found if row["text"] == "one"} == {1}


def test_words_on_the_matter_join_every_question():
    embed = Planted()
    retrieve([{**MOTION, "about": "sortition, juries"}], everybody(2), Search(embed, 20, 0.3))
    matter = f"{MOTION['motion']} sortition, juries"
    assert {query.replace("{MOTION}", matter) for query in QUERIES} <= set(embed.texts)


def test_no_passage_is_of_a_biography_where_there_is_more():
    rows = [*chunks("A", "born", "raised"), *chunks("B", "born", "married")]
    rows += [*chunks("C", "born"), *chunks("D", "born")]
    rows[1]["document"], rows[3]["document"] = "speeches/b.md", "Bio/c.md"
    found = retrieve([MOTION], rows, Search(Planted(), 20, 0.3))
    said = {name: {row["text"] for row in found if row["speaker"] == name} for name in "ABCD"}
    assert said == {"A": {"raised"}, "B": {"born", "married"}, "C": {"born"}, "D": {"born"}}


def planted(**vectors: Sequence[float]) -> Planted:
    """All questions alike."""
    asked = [query.replace("{MOTION}", MOTION["motion"]) for query in QUERIES]
    return Planted(**vectors, **dict.fromkeys(asked, (1.0,)))


def texts_of(found: list[dict[str, Any]]) -> list[str]:
    return [row["text"] for row in found if row["speaker"] == "A"]


def test_equal_passages_come_in_the_order_of_the_corpus():
    names = [f"t{n}" for n in range(9)]
    embed = planted(**dict.fromkeys(names, (0.6, 0.8)))
    rows = chunks("A", *names) + [row for name in "BCD" for row in chunks(name, name)]
    for diversity in (0.0, 0.4, 1.0):
        assert texts_of(retrieve([MOTION], rows, Search(embed, 5, diversity))) == names[:5]


def test_only_what_is_near_to_a_question_is_taken_however_diverse():
    """A pool of 3 is of the 3 that are nearest, though what is far would be more diverse."""
    near = {f"near{n}": [1.0, 0.01 * n] for n in range(3)}
    far = {f"far{n}": [-1.0, float(n)] for n in range(5)}
    rows = chunks("A", *far, *near) + [row for name in "BCD" for row in chunks(name, name)]
    found = retrieve([MOTION], rows, Search(planted(**near, **far), 3, 0.9))
    assert set(texts_of(found)) == set(near)


def test_diversity_keeps_near_copies_out():
    """Ten copies of each of 30 passages, each a little off."""
    rng = np.random.default_rng(3)
    vectors = {}
    for topic in range(30):
        centre = rng.normal(size=DIMENSIONS)
        centre[0] = abs(centre[0]) + 4
        for copy in range(10):
            vectors[f"{topic} {copy}"] = list(centre + 0.01 * rng.normal(size=DIMENSIONS))
    rows = chunks("A", *vectors) + [row for name in "BCD" for row in chunks(name, name)]

    def topics(diversity: float) -> list[str]:
        found = texts_of(retrieve([MOTION], rows, Search(planted(**vectors), 50, diversity)))
        return [text.split()[0] for text in found]

    assert max(Counter(topics(0.0)).values()) == 10
    # The nearest 50 have copies of five topics or a few more: each comes once before any again.
    kinds = len(set(topics(0.6)))
    assert len(set(topics(0.6)[:kinds])) == kinds


class Paid:
    """An embedder behind an address, and what it was asked."""

    name = "p:e"
    reply = Reply("", input_tokens=7, cost_usd=0.25)

    def __init__(self) -> None:
        self.calls: list[SimpleNamespace] = []

    def encode(self, texts: list[str]) -> Vectors:
        self.calls.append(SimpleNamespace(keys=texts, reply=self.reply))
        return Planted()(texts)


def stage(name: str, paid: Paid | None = None, asked: list[Path] | None = None) -> Stage:
    """A stage of the workflow, with the settings of a rule."""

    def known(_: str, journal: Path) -> Paid:
        assert paid is not None and asked is not None
        asked.append(journal)
        return paid

    settings = {"embedder": name, "pool": 5, "diversity": 0.3}
    made = Stage(settings, 0, ["dissensus_studies.union.passages:retrieve_passages"], "", True, {})
    vars(made)["registry"] = SimpleNamespace(embedder=known)
    return made


def run_script(folder: Path, a_stage: Stage) -> None:
    write(folder / "motions.parquet", MOTIONS, [MOTION], {})
    write(folder / "chunks.parquet", CHUNKS, everybody(12), {})
    inputs = {name: str(folder / f"{name}.parquet") for name in ("motions", "chunks")}
    outputs = {"passages": "passages", "calls": "passage_calls"}
    main = runpy.run_path(str(ROOT / "workflow/scripts/study/run_stage.py"))["main"]
    main(inputs, {key: str(folder / f"{name}.parquet") for key, name in outputs.items()}, a_stage)


def test_the_script_uses_the_runs_own_embedder(tmp_path: Path):
    run_script(tmp_path, stage("use-multilingual"))
    rows = read(tmp_path / "passages.parquet", PASSAGES).to_pylist()
    assert Counter(row["speaker"] for row in rows) == dict.fromkeys("ABCD", 5)
    assert read(tmp_path / "passage_calls.parquet", PASSAGE_CALLS).num_rows == 0
    first = rows[0]
    pair = embedder("use-multilingual").embed([first["query"], first["text"]])
    assert first["similarity"] == pytest.approx(cosine_matrix(pair)[0, 1], abs=1e-6)
    before = (tmp_path / "passages.parquet").read_bytes()
    run_script(tmp_path, stage("use-multilingual"))
    assert (tmp_path / "passages.parquet").read_bytes() == before


def test_the_script_writes_down_what_a_paid_embedder_costs(tmp_path: Path):
    paid, asked = Paid(), []
    run_script(tmp_path, stage("p:e", paid, asked))
    (journal,) = asked
    assert journal.parent == tmp_path / "journal/embeddings"
    assert journal.name.startswith("passages-")
    calls = read(tmp_path / "passage_calls.parquet", PASSAGE_CALLS).to_pylist()
    assert [row["texts"] for row in calls] == [12, 12, 12, 12, len(QUERIES)]
    (spent,) = spending([], calls, {})
    assert (spent["purpose"], spent["model"], spent["calls"]) == ("embed", "p:e", 5)
    assert (spent["input_tokens"], spent["first_usd"]) == (35, 1.25)


def test_an_embedder_that_fails_ends_in_its_sentence(tmp_path: Path):
    class Broken(Paid):
        def encode(self, texts: list[str]) -> Vectors:
            raise ProviderError("embedder 'p:e' gave no vectors (timeout); start again.")

    with pytest.raises(ProviderError, match="gave no vectors"):
        run_script(tmp_path, stage("p:e", Broken(), []))
    assert not (tmp_path / "passages.parquet").exists()


def test_calls_for_embeddings_have_one_schema_under_every_name():
    other = embedding_calls("map_calls")
    assert (other.name, other.columns) == ("map_calls", PASSAGE_CALLS.columns)
