"""Whatever happens to a file's bytes, it is a sentence that names the file, and no other rows."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from dissensus.errors import ArtefactError
from dissensus.tables.artefact import Column, Schema, provenance_of, read, write

SCHEMA = Schema(
    "turns",
    "turn",
    {"turn": Column("int", "Which one."), "text": Column("string", "What was said.")},
    key=("turn",),
)
#: A session's few turns, and enough of them for the other encoding.
FEW, MANY = 8, 4000
DAMAGED = r"turns\.parquet is damaged \(.+\); delete it and it will be made again\."


def written(folder: Path, turns: int) -> Path:
    rows = [{"turn": n, "text": f"speech {n} " * 20} for n in range(1, turns + 1)]
    write(folder / "turns.parquet", SCHEMA, rows, {"stage": "test"})
    return folder / "turns.parquet"


def flip(path: Path, position: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1 << bit
    path.write_bytes(data)


def refused(path: Path) -> None:
    for reading in (read, lambda path: read(path, SCHEMA), provenance_of):
        with pytest.raises(ArtefactError, match=DAMAGED):
            reading(path)


def test_a_flip_in_every_byte_of_a_small_file_is_seen(tmp_path: Path):
    path = written(tmp_path, 1)
    good = path.read_bytes()
    for position in range(len(good)):
        bad = bytearray(good)
        bad[position] ^= 1 << position % 8
        path.write_bytes(bad)
        with pytest.raises(ArtefactError, match=DAMAGED):
            read(path)


def test_flipped_bits_of_a_large_file_are_seen(tmp_path: Path):
    path = written(tmp_path, MANY)
    good = path.read_bytes()
    draw = random.Random(1)
    # The footer's end, with its length and its magic, and places anywhere.
    places = {*range(16), *range(len(good) - 200, len(good)), *draw.sample(range(len(good)), 200)}
    for position in places:
        path.write_bytes(good)
        flip(path, position, draw.randrange(8))
        refused(path)


def cut_by_arrow(path: Path) -> None:
    pq.write_table(pq.read_table(path).take([0, 1, 3, 5, 7]), path)


def cut_by_pandas(path: Path) -> None:
    pd.read_parquet(path).iloc[[0, 1, 3, 5, 7]].to_parquet(path, index=False)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def swapped(path: Path) -> None:
    other = path.with_name("other")
    other.mkdir()
    # The whole of another file inside this one.
    path.write_bytes(path.read_bytes() + written(other, FEW - 1).read_bytes()[4:])


@pytest.mark.parametrize("harm", [cut_by_arrow, cut_by_pandas, truncated, longer, swapped])
def test_a_file_that_another_tool_wrote_again_is_refused(
    tmp_path: Path, harm: Callable[[Path], object]
):
    path = written(tmp_path, FEW)
    harm(path)
    refused(path)


def test_what_is_damaged_is_named_before_it_is_parsed(tmp_path: Path, monkeypatch):
    path = written(tmp_path, FEW)
    flip(path, len(path.read_bytes()) // 2)
    monkeypatch.setattr(pq, "ParquetFile", lambda *_, **__: pytest.fail("it was parsed"))
    refused(path)
