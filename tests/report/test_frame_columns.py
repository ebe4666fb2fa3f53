"""Tables as columns: a cell is what its column writes of its row."""

from __future__ import annotations

import pytest

from dissensus.report.frames import Column, tabulate
from dissensus.report.labels import interval, number
from dissensus.report.view import View

VIEW = View("union", {"confidence": 0.95}, True)


def test_a_column_writes_one_value_or_several_of_a_row() -> None:
    row = {"n": 3, "estimate": 0.5, "ci_low": 0.25, "ci_high": 0.75, "assigned": 4}
    columns = (
        Column("N", "n"),
        Column("Estimate", "estimate", number),
        Column("CI", ("ci_low", "ci_high"), interval),
        Column("Held", ("n", "assigned"), "{}/{}".format),
    )
    table = tabulate("t", "A table", columns, [row], "A note.", VIEW, {"fact": "x"})
    assert table.columns == ("N", "Estimate", "CI", "Held")
    assert table.rows == (("3", "0.500", "[0.250, 0.750]", "3/4"),)
    assert table.note == "A note. Simulated models." and table.facts == {"fact": "x"}


def test_a_table_without_rows_has_its_header() -> None:
    table = tabulate("t", "A table", [Column("N", "n")], [], "", VIEW)
    assert (table.columns, table.rows) == (("N",), ())


def test_a_row_without_the_key_is_an_error_that_names_it() -> None:
    with pytest.raises(KeyError, match="n_clusters"):
        tabulate("t", "A table", [Column("N", "n_clusters")], [{"n": 1}], "", VIEW)
