"""Tables in every form, and where they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.report.tables import as_csv, as_markdown, as_page, make, write_table, write_tables


def test_a_table_in_three_forms() -> None:
    table = make("t", "Title", ("Name", "Value"), [("a|b", "0.1"), ("c", "<0.001")], "N = 2.", True)
    assert as_markdown(table) == (
        "**Title.**\n\n| Name |  Value |\n|------|-------:|\n| a\\|b |    0.1 |\n"
        "| c    | <0.001 |\n\n*Note.* N = 2. Simulated models.\n"
    )
    assert as_csv(table) == "Name,Value\na|b,0.1\nc,<0.001\n"
    html = as_page([table], "Tables")
    assert "&lt;0.001" in html and '<html lang="en">' in html and "http:" not in html
    with pytest.raises(ValueError, match="as its header"):
        make("t", "Title", ("Name", "Value"), [("a",)], "", False)


def test_thousands_stand_apart_for_people_and_not_for_spreadsheets() -> None:
    table = make("t", "T", ("What", "N"), [("draws", "10000"), ("motions", "69")], "N.", False)
    assert "10,000" in as_markdown(table)
    assert ">10,000<" in as_page([table], "T")
    assert as_csv(table) == "What,N\ndraws,10000\nmotions,69\n"


def test_tables_are_written_where_their_names_are(tmp_path: Path) -> None:
    tables = [make(name, name, ("A",), [(name,)], "N.", False) for name in ("one", "two")]
    commas, markdowns = (
        [str(tmp_path / f"{name}.{ending}") for name in ("one", "two")] for ending in ("csv", "md")
    )
    write_tables(tables, commas, markdowns, str(tmp_path / "index.html"), "Both")
    for table in tables:
        assert (tmp_path / f"{table.name}.csv").read_text("utf-8") == as_csv(table)
        assert (tmp_path / f"{table.name}.md").read_text("utf-8") == as_markdown(table)
    assert (tmp_path / "index.html").read_text("utf-8") == as_page(tables, "Both")
    with pytest.raises(ValueError, match=r"one would be written to .*two\.csv"):
        write_tables(tables, commas[::-1], markdowns, str(tmp_path / "index.html"), "Both")
    with pytest.raises(ValueError, match=r"one would be written to .*two\.md"):
        write_table(tables[0], commas[0], markdowns[1])
