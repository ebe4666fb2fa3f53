"""The page of a study's files: every artefact that is there, with the columns that it has."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from dissensus.report.pages.columns import columns_page, files_of
from dissensus.tables.artefact import Column, Schema, write
from hostile_texts import HOSTILE

SCORES = Schema(
    name="scores",
    row="session",
    columns={
        "session_id": Column("string", "Names the session."),
        "of_{judge}": Column("float?", "Points of a judge.", "points"),
    },
    key=("session_id",),
    where={"judge": "[a-z]+"},
)


def folder_of(path: Path, meaning: str = "Points of a judge.") -> Path:
    columns = {**SCORES.columns, "of_{judge}": Column("float?", meaning, "points")}
    schema = Schema(SCORES.name, SCORES.row, columns, SCORES.key, SCORES.where)
    rows = [{"session_id": "a", "of_x": 1.0, "of_y": None}, {"session_id": "b", "of_x": 2.0}]
    write(path / "scores.parquet", schema, rows, {})
    write(path / "design_diagnosis.parquet", schema, rows, {})
    for name in ("a", "b", "c"):
        write(path / f"transcripts/{name}.parquet", schema, rows[:1], {})
    return path


def cells(page: str, anchor: str) -> list[list[str]]:
    """The rows of a file's table, as text."""
    section = page.partition(f'id="{anchor}"')[2].partition("</section>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", section, re.S)[1:]
    return [
        [unescape(re.sub("<.*?>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in rows
    ]


def test_every_file_has_its_columns_at_an_anchor(tmp_path: Path) -> None:
    files = files_of(folder_of(tmp_path))
    page = columns_page("demo", "own", files, simulated=True)
    # By the names that the file has, not by those of the schema's families.
    assert cells(page, "scores") == [
        ["session_id", "string", "", "Names the session."],
        ["of_x", "float?", "points", "Points of a judge."],
        ["of_y", "float?", "points", "Points of a judge."],
    ]
    assert "2 rows. One row per session. Rows are named by <code>session_id</code>." in page
    assert "3 files, one a session. One row per session." in page
    assert "design_diagnosis" not in page
    for target in re.findall(r'href="([^"#]+)"', page):
        assert target in ("../index.html", "index.html") or (tmp_path / target).exists()
    assert set(re.findall(r'href="#(\w+)"', page)) == {"scores", "transcripts", "content"}
    assert "Simulated models" in page and "simulated" not in columns_page("r", "own", files, False)


def test_what_a_file_says_of_itself_is_text(tmp_path: Path) -> None:
    for number, text in enumerate(HOSTILE):
        folder = tmp_path / str(number)
        page = columns_page(text, text, files_of(folder_of(folder, text)), simulated=False)
        plain = columns_page("r", "s", files_of(folder_of(folder)), simulated=False)
        assert re.findall(r"<(\w+)", page) == re.findall(r"<(\w+)", plain)


def test_a_study_without_files_has_an_empty_page(tmp_path: Path) -> None:
    assert files_of(tmp_path) == []
    assert "<table>" not in columns_page("demo", "own", [], simulated=False)
