"""Facts: found by the full key of one row, printed as ever, read back with where they are from."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.errors import ArtefactError
from dissensus.report.escaping import rst
from dissensus.report.facts import (
    FACTS,
    Fact,
    Facts,
    Origin,
    fact_rows,
    number_of,
    told,
    unmarked,
    with_origin,
)
from dissensus.report.labels import interval, number, p_clause, percent, signed
from dissensus.report.view import Artefacts, View
from dissensus.tables.artefact import Column, Schema, write
from dissensus.tables.common import text

_JUDGES = Schema(
    "judges",
    "judge and statistic",
    {
        "judge": text("Its name."),
        "statistic": text("What is stated."),
        "estimate": Column("float?", "The number."),
        "n": Column("int", "Debates."),
    },
    key=("judge", "statistic"),
)
_ROWS = [
    {"judge": "all", "statistic": "share_a", "estimate": 0.5976, "n": 82},
    {"judge": "all", "statistic": "krippendorff_alpha", "estimate": 0.2843, "n": 80},
    {"judge": "c", "statistic": "krippendorff_alpha", "estimate": None, "n": 1},
]


@pytest.fixture
def judges(tmp_path: Path) -> Facts:
    write(tmp_path / "judges.parquet", _JUDGES, _ROWS, {})
    return Artefacts({"judges": tmp_path / "judges.parquet"}).facts("judges")


def test_a_row_is_found_by_its_full_key_or_not_at_all(judges: Facts) -> None:
    assert judges.row(judge="all", statistic="krippendorff_alpha")["estimate"] == 0.2843
    with pytest.raises(ArtefactError, match="named by judge, statistic; statistic is not given"):
        judges.row(judge="all")
    with pytest.raises(ArtefactError, match="judges has 0 rows with"):
        judges.row(judge="b", statistic="share_a")
    twice = Facts("judges", pd.concat([judges.frame, judges.frame]), judges.key)
    with pytest.raises(ArtefactError, match="judges has 2 rows with"):
        twice.row(judge="all", statistic="share_a")
    with pytest.raises(ArtefactError, match="2 values of n with"):
        judges.shared("n", judge="all")


def test_what_is_printed_is_read_back_with_its_cell(judges: Facts) -> None:
    row = judges.row(judge="all", statistic="krippendorff_alpha")
    sentence = (
        f"Alpha is {number(row['estimate'], 2)} ({percent(row['estimate'])}), n = {row['n']}."
    )
    plain, found = told(sentence)
    assert plain == "Alpha is 0.28 (28.4%), n = 80." == unmarked(sentence)
    first, second, third = fact_rows("finding:1", found)
    assert first["artefact"] == "judges" and first["column"] == "estimate"
    assert json.loads(first["key"]) == {"judge": "all", "statistic": "krippendorff_alpha"}
    assert (first["printed"], first["value"], first["times"]) == ("0.28", 0.2843, 1.0)
    assert (second["printed"], second["value"], second["times"]) == ("28.4%", 0.2843, 100.0)
    assert (third["printed"], third["place"], third["sentence"]) == ("80", 3, "finding:1")
    assert set(first) == set(FACTS.columns)


def test_what_is_stated_of_several_rows_says_how(judges: Facts) -> None:
    above = judges.over("sum", "estimate > 0.3", judge=["all", "c"])
    assert str(above).startswith("1") and unmarked(f"{above:,}") == "1"
    ((printed, origin),) = told(f"{above}")[1]
    assert (printed, origin.statistic, origin.column) == ("1", "sum", "estimate > 0.3")
    assert dict(origin.key) == {"judge": ("all", "c")}
    assert judges.over("mean", "estimate", judge="all") == pytest.approx((0.5976 + 0.2843) / 2)
    assert judges.over("distinct", "judge") == 2 and judges.over("count", "estimate") == 2


def test_how_many_rows_there_are_is_counted_in_their_artefact(judges: Facts) -> None:
    count = number_of(judges.rows(statistic="krippendorff_alpha"))
    ((printed, origin),) = told(f"{count} judges")[1]
    assert (printed, origin.artefact, origin.statistic) == ("2", "judges", "count")
    again = judges.over("count", origin.column, **dict(origin.key))
    assert again == 2 and dict(origin.key)["judge"] == ("all", "c")


def test_settings_are_facts_too() -> None:
    view = View("own", {"confidence": 0.9, "levels": [0.8, 0.6], "planted": {"a": {"x": 2}}}, True)
    ((printed, origin),) = told(f"{view.level} intervals")[1]
    assert (printed, origin.artefact, origin.column) == ("90%", "settings", "confidence")
    assert (origin.value, origin.times) == (0.9, 100.0)
    assert view.fact("levels")[1].origin.column == "levels.1"
    assert unmarked(f"{view.planted_facts['a']['x']}") == "2"


def test_a_number_in_another_unit_is_the_same_cell_and_a_sum_of_two_is_none() -> None:
    cell = Fact(0.25, Origin("a", (), "x"))
    assert (100 * cell).origin.value == 0.25 and (100 * cell).origin.times == 100.0
    assert told(signed(100 * cell, 1)) == ("+25.0", [("+25.0", (100 * cell).origin)])
    assert told(f"{cell + cell}") == ("0.5", []) == told(f"{cell * cell * 8}")


def test_every_way_to_print_a_number_leaves_its_mark() -> None:
    cell = Fact(0.0004, Origin("a", (), "x"))
    for text_, plain in (
        (p_clause(cell), "p < 0.001"),
        (interval(-1 * cell, cell, 4, "−"), "[−0.0004, 0.0004]"),
        (f"{cell:g}", "0.0004"),
    ):
        assert told(text_)[0] == plain and told(text_)[1], plain
    assert told(str(rst(f"*{number(cell, 4)}*")))[1] == [("0.0004", cell.origin)]


@given(st.text(alphabet="ab\ufe00\ufe01\ufe0f ", max_size=30))
def test_texts_of_others_keep_their_characters(words: str) -> None:
    """What follows an emoji is no mark, nor is a mark behind what it does not stand for."""
    mark = with_origin("7", Fact(7.0, Origin("a", (), "x")))[1:]
    assert told(f"{words}b{mark}") == (f"{words}b{mark}", [])
