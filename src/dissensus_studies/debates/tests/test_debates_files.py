"""Files that no reader of turns can read are sentences that fit, and spreadsheets are read."""

from __future__ import annotations

import gzip
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus.errors import ResourceError

from ..turns import read_table
from .made_xlsx import write_xlsx

TABLE = "session,speaker,text\na,x,café\n"
MODELS = {"person": "false"}


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.csv", TABLE.encode("utf-16"), "a.csv is in UTF-16; save it as CSV in UTF-8."),
        ("a.csv", TABLE.encode("utf-16-le"), "a.csv is in UTF-16; save it as CSV in UTF-8."),
        (
            "a.csv",
            TABLE.encode("cp1252"),
            "row 2: byte 28 is not UTF-8 (in Windows-1252 it would be 'café'); save the file as",
        ),
        ("a.csv", TABLE.encode("mac-roman"), "row 2: byte 28 is not UTF-8"),
        (
            "a.jsonl",
            '{"session": "a", "speaker": "x", "text": "naïve"}'.encode("latin-1"),
            "line 1: byte 44 is not UTF-8 (in Windows-1252 it would be 'naïve'); save the file as",
        ),
        ("a.jsonl", '{"session": "a"}'.encode("utf-16"), "a.jsonl is in UTF-16"),
        ("a.csv", gzip.compress(TABLE.encode(), mtime=0), "a.csv is packed with gzip; unpack it."),
        ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an old or an encrypted spreadsheet"),
        ("a.xlsx", TABLE.encode(), "a.xlsx cannot be read as a spreadsheet"),
        ("a.xlsx", b"", "a.xlsx cannot be read as a spreadsheet"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it may be damaged or have a password"),
        ("a.xls", b"", "a.xls ends in '.xls'; a file of turns ends in .csv, "),
    ],
)
def test_another_encoding_is_named(tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ResourceError) as caught:
        read_table(tmp_path / name, {}, {})
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "xlsx"])
def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"turns.{ending}"
    with pytest.raises(ResourceError) as caught:
        read_table(path, {}, {})
    assert str(caught.value) == f"{path} is not there; name a file of turns."
    path.mkdir()
    with pytest.raises(ResourceError, match="is no file; name a file of turns"):
        read_table(path, {}, {})


def test_a_file_of_another_kind_than_its_ending_says_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_xlsx(path, {"turns": [["session"]]})
    with pytest.raises(ResourceError, match=r"a\.csv is packed as a ZIP, as spreadsheets are"):
        read_table(path, {}, {})
    pq.write_table(pa.table({"session": ["a"]}), path)
    with pytest.raises(ResourceError, match=r"a\.csv is Parquet; give it the ending \.parquet"):
        read_table(path, {}, {})


def test_a_column_of_parquet_may_stand_within_another(tmp_path: Path) -> None:
    row = {"session": "a", "speaker": "x", "text": "So.", "meta": {"arm": "b"}, "c.d": "role"}
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "a.parquet")
    (session,) = read_table(
        tmp_path / "a.parquet", {"arm": "meta.arm", "role": "c.d"}, MODELS
    ).sessions
    assert (session.fields["arm"], session.turns[0].role) == ("b", "role")
    with pytest.raises(ResourceError, match="the column 'none' is missing"):
        read_table(tmp_path / "a.parquet", {"arm": "none.arm"}, MODELS)


HEAD = ["session", "speaker", "text", "round", "value"]


def test_a_spreadsheet_is_read_cell_by_cell(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    rows: list[list[str | float | None]] = [
        [*HEAD],
        ["007", "x", "=1+1 is <two>\nlines", 1, 0.5],
        [None, None, None, None, None],
        ["007", "y", 7, 1.0, "yes"],
        [7, "x", "Seven.", None, None],
    ]
    write_xlsx(path, {"notes": [["About these debates."]], "turns": rows, "empty": []})
    first, second = read_table(path, {}, MODELS).sessions
    assert (first.source, second.source) == ("007", "7")
    assert [(turn.text, turn.value, turn.round) for turn in first.turns] == [
        ("=1+1 is <two>\nlines", "0.5", 1),
        ("7", '"yes"', 1),
    ]
    # Rows are numbered as the spreadsheet numbers them.
    assert first.turns[1].place == f"{path}, row 4"


def test_a_small_workbook_that_unpacks_to_very_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    write_xlsx(path, {"turns": [["session", "speaker", "text"], ["a", "x", "0" * (40 << 20)]]})
    assert path.stat().st_size < 100_000
    with pytest.raises(
        ResourceError, match=r"a\.xlsx has 41,\d{3},\d{3} bytes when it is unpacked"
    ):
        read_table(path, {}, MODELS)
    # One whose rows repeat, as tables do, is read.
    write_xlsx(path, {"turns": [["session", "speaker", "text"], *[["a", "x", "Yes."]] * 500]})
    assert len(read_table(path, {}, MODELS).sessions[0].turns) == 500


def test_a_workbook_that_a_spreadsheet_program_wrote(tmp_path: Path) -> None:
    """By openpyxl 3.1: the first two debates of ``examples/transcripts/groups.csv``."""
    path = Path(__file__).with_name("files") / "groups.xlsx"
    names = {"session": "group", "arm": "condition", "speaker": "name", "text": "said"}
    columns = {**names, "item": "topic", "value": "stance", "person": "human"}
    table = read_table(path, columns, {})
    assert [(each.source, len(each.turns)) for each in table.sessions] == [("h001", 9), ("h002", 9)]
    assert {turn.round for each in table.sessions for turn in each.turns} == {1, 2, 3}


@pytest.mark.parametrize(
    ("sheets", "sentence"),
    [
        ({"one": []}, "has no sheet with rows"),
        ({"one": [["a"]], "two": [["b"]]}, "no column is called 'session'"),
        (
            {"one": [[*HEAD], ["a", "x", "t"]], "two": [[*HEAD], ["a", "x", "t"]]},
            "the sheets 'one', 'two' all have these columns; leave one in",
        ),
        (
            {"one": [[*HEAD, "text"], ["a", "x", "t"]]},
            "row 1 of the sheet 'one': the column 'text'",
        ),
        ({"one": [[*HEAD], ["a", None, "t"]]}, "row 2: speaker is empty"),
    ],
)
def test_a_spreadsheet_that_is_wrong_is_a_sentence(
    tmp_path: Path, sheets: dict[str, list[list[str]]], sentence: str
) -> None:
    write_xlsx(tmp_path / "a.xlsx", sheets)
    with pytest.raises(ResourceError) as caught:
        read_table(tmp_path / "a.xlsx", {}, {})
    assert sentence in str(caught.value)


@pytest.mark.thorough
def test_a_spreadsheet_that_would_not_fit_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with ZipFile(path, "w", ZIP_DEFLATED) as packed, packed.open("xl/workbook.xml", "w") as part:
        for _ in range(1100):
            part.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 21
    with pytest.raises(ResourceError, match="has 1,153,433,600 bytes when it is unpacked"):
        read_table(path, {}, {})
