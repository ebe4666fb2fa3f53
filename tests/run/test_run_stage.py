"""A function that says what it makes is run on files, each read as its annotation has it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from dissensus.errors import ArtefactError
from dissensus.run.embedding import call_rows, embedding_calls
from dissensus.run.run_stage import run_function
from dissensus.settings import Settings
from dissensus.study.makes import TurnsBySession, made_by, makes
from dissensus.tables.artefact import Schema, provenance_of, read, write, write_text
from dissensus.tables.common import common, number, text

TURNS = Schema("turns", "turn", common("session_id", "turn"), key=("session_id", "turn"))
LENGTHS = Schema(
    "lengths",
    "session",
    {**common("session_id"), "length": number("Turns."), "kinds": text("What was given.")},
    key=("session_id",),
)
TOTALS = Schema("totals", "sum", {"total": number("Of all.")}, key=())


class Block(Settings):
    factor: float


@dataclass(frozen=True)
class Record:
    name: str


@makes(lengths=LENGTHS, totals=TOTALS)
def measure(
    turns: TurnsBySession,
    rows: list[dict[str, Any]],
    frame: pd.DataFrame | None,
    table: pa.Table,
    block: Block,
    record: Record,
    names: list[str],
    default: int = 3,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    assert frame is not None
    kinds = [type(each).__name__ for each in (rows, frame, table, block, record, names)]
    assert len(rows) == len(frame) == table.num_rows == sum(map(len, turns.values()))
    made = [
        {"session_id": name, "length": block.factor * len(said), "kinds": " ".join(kinds)}
        for name, said in turns.items()
    ]
    return made, [{"total": float(len(rows) * default)}]


@makes(totals=TOTALS)
def total(turns: list[dict[str, Any]], **rest: Any) -> list[dict[str, Any]]:
    return [{"total": float(len(turns) + sum(rest.values()))}]


def shards(folder: Path) -> list[str]:
    """Two files of three turns of two sessions."""
    paths = [str(folder / f"{name}.parquet") for name in "ab"]
    write(paths[0], TURNS, [{"session_id": "d1", "turn": n} for n in (1, 2)], {})
    write(paths[1], TURNS, [{"session_id": "d2", "turn": 1}], {})
    return paths


def test_files_and_settings_come_as_the_annotations_have_them(tmp_path: Path) -> None:
    paths = shards(tmp_path)
    inputs = {**dict.fromkeys(("turns", "rows", "frame", "table"), paths), "unused": "x.parquet"}
    outputs = {name: str(tmp_path / f"{name}.parquet") for name in ("lengths", "totals")}
    settings = {"block": {"factor": 2.0}, "record": {"name": "x"}, "names": ["a"]}
    run_function(measure, inputs, outputs, settings, {"stage": "s"})
    lengths = read(outputs["lengths"], LENGTHS).to_pylist()
    assert [(row["session_id"], row["length"]) for row in lengths] == [("d1", 4.0), ("d2", 2.0)]
    assert lengths[0]["kinds"] == "list DataFrame Table Block Record list"
    assert read(outputs["totals"], TOTALS).to_pylist() == [{"total": 9.0}]
    assert provenance_of(outputs["totals"])["stage"] == "s"


def test_settings_that_are_not_named_go_together(tmp_path: Path) -> None:
    path, out = shards(tmp_path)[0], str(tmp_path / "totals.parquet")
    run_function(total, {"turns": path}, {"totals": out}, {"a": 1, "b": 2}, {})
    assert read(out, TOTALS).to_pylist() == [{"total": 5.0}]


def test_what_embeds_is_given_the_embedder_and_its_calls_are_written(tmp_path: Path) -> None:
    calls = embedding_calls("total_calls")
    asked: list[tuple[str, Path]] = []

    @makes(totals=TOTALS, calls=calls)
    def norm(turns: TurnsBySession, embed: Any, share: float) -> list[dict[str, Any]]:
        return [{"total": share * embed(list(turns))}]

    class Embedder:
        def __init__(self, name: str, journal: Path) -> None:
            asked.append((name, journal))
            self.calls: list[dict[str, Any]] = []

        def embed(self, texts: list[str]) -> float:
            self.calls = call_rows(0, [])
            return float(len(texts))

    outputs = {name: str(tmp_path / f"{name}.parquet") for name in ("totals", "calls")}
    settings = {"embedder": "p:e", "share": 0.5}
    run_function(norm, {"turns": shards(tmp_path)}, outputs, settings, {}, Embedder)
    assert read(outputs["totals"], TOTALS).to_pylist() == [{"total": 1.0}]
    assert read(outputs["calls"], calls).num_rows == 0
    assert asked == [("p:e", tmp_path / "journal/embeddings/totals")]
    run_function(norm, {"turns": []}, outputs, settings, {}, Embedder)
    assert read(outputs["totals"], TOTALS).to_pylist() == [{"total": 0.0}]


def test_what_is_made_is_taken_by_place_or_by_name() -> None:
    @dataclass
    class Made:
        totals: Any
        lengths: Any

    assert made_by(total, [1]) == {"totals": (TOTALS, [1])}
    assert made_by(measure, ([1], [2]))["totals"] == (TOTALS, [2])
    assert made_by(measure, Made(totals=[2], lengths=[1]))["lengths"] == (LENGTHS, [1])
    with pytest.raises(ValueError, match="zip"):
        made_by(measure, ([1],))


def test_what_lacks_an_argument_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "totals.parquet"
    with pytest.raises(TypeError, match="turns"):
        run_function(total, {}, {"totals": str(out)}, {}, {})
    assert not out.exists()


def test_a_damaged_file_is_a_sentence(tmp_path: Path) -> None:
    path = Path(shards(tmp_path)[0])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ArtefactError, match=r"a\.parquet"):
        run_function(total, {"turns": str(path)}, {"totals": str(tmp_path / "t.parquet")}, {}, {})


def test_texts_are_written_as_they_say_and_schemas_may_come_with_the_rows(tmp_path: Path) -> None:
    @makes(totals=None, page=write_text)
    def page(
        turns: list[Path], simulated: bool, word: str, **more: Path
    ) -> tuple[tuple[Schema, list[dict[str, Any]]], str]:
        said = f"{word} {simulated} {sorted(more)} {more['other'].name}"
        return (TOTALS, [{"total": float(len(turns))}]), said

    inputs = {"turns": shards(tmp_path), "other": "x.yaml", "third": "y.yaml"}
    outputs = {"totals": str(tmp_path / "totals.parquet"), "page": str(tmp_path / "page.md")}
    run_function(page, inputs, outputs, {"word": "so"}, {}, simulated=True)
    assert read(outputs["totals"], TOTALS).to_pylist() == [{"total": 2.0}]
    assert Path(outputs["page"]).read_text("utf-8") == "so True ['other', 'third'] x.yaml"


def test_a_function_may_be_given_what_makes_embedders(tmp_path: Path) -> None:
    @makes(totals=TOTALS)
    def both(names: list[str], embedder_of: Any) -> list[dict[str, Any]]:
        return [{"total": float(sum(embedder_of(name, tmp_path) for name in names))}]

    out = str(tmp_path / "totals.parquet")
    run_function(both, {}, {"totals": out}, {"names": ["a", "bc"]}, {}, lambda name, _: len(name))
    assert read(out, TOTALS).to_pylist() == [{"total": 3.0}]
