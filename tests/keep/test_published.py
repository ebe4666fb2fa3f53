"""A replay ends with how many of the published numbers it has again."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dissensus.keep.packed import Packed
from dissensus.keep.published import compare_with_published, said_of
from dissensus.report.facts import FACTS
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
    # One that is missing where there was one costs no other.
    assert said(estimate=None).startswith("Replay: 4 of 5 numbers")


def again(rows: list[dict[str, Any]], schema: Schema = TABLE, name: str = "made") -> str:
    """The sentence, where the run made other rows."""
    write(f"results/demo/trial/{name}.parquet", schema, rows, {})
    return said_of(Packed(Path(), RESULTS), RESULTS)


def test_rows_are_compared_by_their_key() -> None:
    assert again(ROWS[::-1]) == "Replay: 5 of 5 numbers equal to the published."
    # The values of two rows change places.
    swapped = [{**ROWS[0], "n": 4}, {**ROWS[1], "n": 3}, ROWS[2]]
    assert again(swapped).startswith("Replay: 3 of 5 numbers")
    # A row that is gone, and one that nobody published.
    assert again([*ROWS[1:], {**ROWS[0], "name": "d"}]) == (
        "Replay: 3 of 5 numbers equal to the published; others are in trial/made.parquet (2); "
        "2 numbers more, which the archive has not."
    )
    assert again([ROWS[0], {**ROWS[1], "estimate": 0.0}, ROWS[2]]).endswith(
        "published; 1 number more, which the archive has not."
    )


def test_a_further_sentence_makes_no_fact_another() -> None:
    """Facts are named by their places; what they state is the same in other places."""
    facts = [
        {
            **{"sentence": f"finding:{place}", "place": 1, "printed": f"{value}", "key": "{}"},
            **{"artefact": "contrasts", "column": column, "statistic": "", "times": 1.0},
            "value": value,
        }
        for place, (column, value) in enumerate([("estimate", 0.5), ("n", 9.0), ("n", 9.0)], 1)
    ]
    write("published/trial/facts.parquet", FACTS, facts, {})
    assert again(facts, FACTS, "facts").startswith("Replay: 11 of 11 numbers")
    moved = [{**fact, "sentence": f"finding:{place}"} for place, fact in enumerate(facts, 2)]
    first = {**facts[0], "printed": "0.7", "value": 0.7}
    assert again([first, *moved], FACTS, "facts") == (
        "Replay: 11 of 11 numbers equal to the published; "
        "2 numbers more, which the archive has not."
    )
    # Another value under the same words is another number.
    wrong = [{**facts[0], "value": 0.6}, *facts[1:]]
    assert again(wrong, FACTS, "facts").startswith("Replay: 10 of 11 numbers")


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
