"""The turns of a block embedded: a row a turn and embedder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dissensus.tables.artefact import read, write

from ..measures.embed import EMBEDDINGS, embed_block


class Lengths:
    """Vectors that tell a text's length, of a width of their own."""

    def __init__(self, name: str, width: int) -> None:
        self.name = name
        self.dimensions = width

    def embed(self, texts):
        rows = [[len(text), *[1.0] * (self.dimensions - 1)] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(-1, self.dimensions)


SESSIONS = {
    name: [{"session_id": name, "turn": turn, "text": name[0] * turn} for turn in (1, 2)]
    for name in ("d001-en", "d001-zh")
}


def test_a_row_a_turn_and_embedder(tmp_path: Path):
    path = tmp_path / "embeddings.parquet"
    table = embed_block(SESSIONS, [Lengths("one", 3), Lengths("two", 2)])
    write(path, EMBEDDINGS, table, {})
    rows = read(path, EMBEDDINGS).to_pylist()
    ids = [(row["session_id"], row["turn"], row["embedder"]) for row in rows]
    turns = [(name, turn) for name in SESSIONS for turn in (1, 2)]
    assert ids == [(*turn, "one") for turn in turns] + [(*turn, "two") for turn in turns]
    expected = [[float(turn), 1.0, 1.0] for _, turn in turns]
    expected += [[float(turn), 1.0] for _, turn in turns]
    assert [row["vector"] for row in rows] == expected


def test_no_session_and_no_embedder(tmp_path: Path):
    for number, table in enumerate(
        (embed_block({}, [Lengths("one", 3)]), embed_block(SESSIONS, []))
    ):
        path = tmp_path / f"{number}.parquet"
        write(path, EMBEDDINGS, table, {})
        assert read(path, EMBEDDINGS).num_rows == 0
