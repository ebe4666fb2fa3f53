"""A replay ends with how many of the published numbers it has again."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dissensus.keep.packed import Packed
from dissensus.keep.published import compare_with_published, said_of
from dissensus.tables.artefact import Column, Schema, write
from dissensus.tables.common import text

RESULTS = Path("results/demo")
TABLE = Schema(
    name="made",
    row="thing",
    columns={
        "name": text("Which."),
        "estimate": Column("float?", "What was found.", "1"),
        "n": Column("int", "How many."),
    },
    key=("name",),
    paths=("made.parquet",),
)
ROWS = [
    {"name": "a", "estimate": 0.1 + 0.2, "n": 3},
    {"name": "b", "estimate": None, "n": 4},
    {"name": "c", "estimate": -1.5, "n": 5},
]


@pytest.fixture(autouse=True)
def _published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("published/trial", "results/demo/trial"):
        Path(folder).mkdir(parents=True)
        write(f"{folder}/made.parquet", TABLE, ROWS, {})


def said(**changes: Any) -> str:
    """The sentence, where the first row that the run made has other values."""
    write("results/demo/trial/made.parquet", TABLE, [{**ROWS[0], **changes}, *ROWS[1:]], {})
    return said_of(Packed(Path(), RESULTS), RESULTS)


def test_all_numbers_are_counted_and_no_missing_one() -> None:
    assert said() == "Replay: 5 of 5 numbers equal to the published."


def test_a_number_that_differs_is_told_from_a_rounded_one() -> None:
    assert said(estimate=0.4) == (
        "Replay: 4 of 5 numbers equal to the published; others are in trial/made.parquet (1)."
    )
    assert said(estimate=0.3) == (
        "Replay: 5 of 5 numbers equal to the published, 1 of them but for rounding."
    )
    assert said(n=4).startswith("Replay: 4 of 5 numbers")
    # One that is missing where there was one.
    assert said(estimate=None).startswith("Replay: 3 of 5 numbers")


def test_a_table_that_is_not_there_has_none_of_its_numbers() -> None:
    (RESULTS / "trial/made.parquet").unlink()
    assert said_of(Packed(Path(), RESULTS), RESULTS).startswith("Replay: 0 of 5 numbers")


def test_only_a_run_from_an_archive_that_wrote_its_page_says_it(tmp_path: Path) -> None:
    settings = cast(Any, SimpleNamespace(replay=None, results=RESULTS))
    assert compare_with_published(settings, 0.0) == []
    (tmp_path / "results.sha256").write_text(f"{'0' * 64}  results/demo/trial/made.parquet\n")
    (tmp_path / "ro-crate-metadata.json").write_text('{"@graph": []}')
    assert compare_with_published(settings, 0.0) == []
    (RESULTS / "index.html").write_text("x", "utf-8")
    assert compare_with_published(settings, time.time() + 60) == []
    first, second = compare_with_published(settings, 0.0)
    assert first == "Replay: 5 of 5 numbers equal to the published."
    assert second.startswith("The archive is not as it was packed: ")
