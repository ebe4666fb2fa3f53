"""What a paper printed: read by a schema, filled with what was computed, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.data_files import read_data
from dissensus.errors import ResourceError
from dissensus.report.claims.printed import Printed, show_printed
from dissensus.report.labels import number
from dissensus.report.tables import as_csv

FILE = """
title: Checked
columns: [Cell, Printed, Right]
note: "Within {tolerance}."
rows:
  sum: ["The sum", "5", "{sum}"]
  cell: ["Cell {which}", "{printed}", "{right}"]
  version: ["The version", "3.1 and 3.2", "inconsistent"]
tables:
  table_1:
    columns: [model, share, n]
    rows:
      - [a, 0.25, 4]
      - [b, 0.5, 2]
"""


@pytest.fixture
def printed(tmp_path: Path) -> Printed:
    return read(tmp_path, FILE)


def read(folder: Path, text: str) -> Printed:
    file = folder / "printed.yaml"
    file.write_text(text, "utf-8")
    return read_data(Printed, file)


def test_rows_are_filled_in_the_order_of_the_file(printed: Printed) -> None:
    cells = [{"which": which, "printed": "1", "right": right} for which, right in ("x2", "y3")]
    found = {"cell": cells, "sum": {"sum": "4"}}
    table = show_printed("table_printed", printed, found, {"tolerance": "0.5"})
    assert table.rows == (
        ("The sum", "5", "4"),
        ("Cell x", "1", "2"),
        ("Cell y", "1", "3"),
        ("The version", "3.1 and 3.2", "inconsistent"),
    )
    assert (table.title, table.columns) == ("Checked", ("Cell", "Printed", "Right"))
    assert (table.note, table.simulated) == ("Within 0.5.", False)
    beside_a_run = show_printed(
        "table_paper", printed, {**found, "cell": []}, {"tolerance": "1"}, is_simulated=True
    )
    assert len(beside_a_run.rows) == 2
    assert beside_a_run.note == "Within 1. Simulated models."


def test_what_is_filled_in_is_text_and_no_template(printed: Printed) -> None:
    found = {"sum": {"sum": "{which}"}, "cell": []}
    assert show_printed("t", printed, found, {"tolerance": "0"}).rows[0][2] == "{which}"


def test_a_number_that_is_a_cell_keeps_its_digits_in_the_table_as_data(tmp_path: Path) -> None:
    text = 'title: T\ncolumns: [One, Two]\nnote: N\nrows:\n  cell: ["{one}", "about {one}"]\n'
    found = {"cell": [{"one": number(1 / n, 2)} for n in (3, 7)]}
    table = show_printed("t", read(tmp_path, text), found)
    assert table.rows == (("0.33", "about 0.33"), ("0.14", "about 0.14"))
    assert as_csv(table).splitlines()[1:] == [
        "0.333333,about 0.33,false",
        "0.142857,about 0.14,false",
    ]


def test_the_numbers_of_the_paper_are_had_by_column(printed: Printed) -> None:
    table = printed.tables["table_1"]
    assert table.records[1] == {"model": "b", "share": 0.5, "n": 2}
    assert [table.numbers(row, "n", "share") for row in table.records] == [(4, 0.25), (2, 0.5)]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ({"total": {}}, "has no row 'total'; its file has sum, cell, version"),
        ({"sum": {"total": "4"}}, "sum has the slot 'sum', which nothing fills"),
        ({}, "sum has the slot 'sum', which nothing fills"),
    ],
)
def test_what_was_computed_fits_the_file(
    printed: Printed, found: dict[str, dict[str, str]], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        show_printed("table_printed", printed, found, {"tolerance": "0"})


@pytest.mark.parametrize(
    ("was", "is_now", "says"),
    [
        ('"5", "{sum}"', '"5"', "the row 'sum' has 2 cells instead of 3"),
        ("[b, 0.5, 2]", "[b, 0.5]", "row 2 has 2 cells instead of 3"),
        ("[b, 0.5, 2]", "[b, half, 2]", "the column 'share' has numbers and texts"),
        ('"{sum}"', '"{sum"', "is no text with slots in braces"),
        ('"{sum}"', '"{}"', "has a slot without a name"),
        ("title: Checked\n", "", "title"),
        ("note:", "notes:", "note"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, was: str, is_now: str, says: str) -> None:
    assert FILE.count(was) == 1
    with pytest.raises(ResourceError, match=r"printed\.yaml") as error:
        read(tmp_path, FILE.replace(was, is_now))
    assert says in str(error.value)
