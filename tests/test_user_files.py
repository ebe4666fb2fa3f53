"""CSVs as people save them, and what is said of those that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.errors import ResourceError
from dissensus.user_files import read_csv


def test_a_line_break_inside_quotes_belongs_to_the_text(tmp_path: Path):
    (tmp_path / "a.csv").write_text('a,b\n"x\ny",1\nz,2\n', encoding="utf-8")
    assert [row for _, row in read_csv(tmp_path / "a.csv", ("a",))] == [
        {"a": "x\ny", "b": "1"},
        {"a": "z", "b": "2"},
    ]


def test_a_byte_order_mark_and_a_quoted_comma_are_no_part_of_the_text(tmp_path: Path):
    (tmp_path / "a.csv").write_bytes(b'\xef\xbb\xbfa,b\r\n"x, y",1\r\n')
    assert read_csv(tmp_path / "a.csv", ("a", "b")) == [(2, {"a": "x, y", "b": "1"})]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a\n1\n", "row 1: the column 'b' is missing; it needs a, b"),
        (b"a,b\n1\n", "row 2: it has 1 instead of 2 cells; put texts with commas in double"),
        (b"a,b\n1,2,3\n", "row 2: it has 3 instead of 2 cells"),
        (b"a,b\n1,2\n\xff,2\n", "row 3: byte 8 is not UTF-8"),
        (b'a,b\n1,"2\n', "not a CSV row"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_row(tmp_path: Path, content: bytes, sentence: str):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(ResourceError, match=sentence):
        read_csv(tmp_path / "a.csv", ("a", "b"))


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ResourceError, match=r"no\.csv cannot be read \(No such file"):
        read_csv(tmp_path / "no.csv", ("a",))
