"""Tables in every form, and where they are written."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from dissensus.report.labels import (
    in_brackets,
    interval,
    marked,
    number,
    p_value,
    share_interval,
    signed,
    whole,
)
from dissensus.report.tables import as_csv, as_markdown, as_page, make, write_table, write_tables


def test_a_table_in_three_forms() -> None:
    table = make("t", "Title", ("Name", "Value"), [("a|b", "0.1"), ("c", "<0.001")], "N = 2.", True)
    assert as_markdown(table) == (
        "**Title.**\n\n| Name |  Value |\n|------|-------:|\n| a\\|b |    0.1 |\n"
        "| c    | <0.001 |\n\n*Note.* N = 2. Simulated models.\n"
    )
    assert as_csv(table) == "Name,Value,simulated\na|b,0.1,true\nc,<0.001,true\n"
    html = as_page([table], "Tables")
    assert "&lt;0.001" in html and '<html lang="en">' in html and "http:" not in html
    with pytest.raises(ValueError, match="as its header"):
        make("t", "Title", ("Name", "Value"), [("a",)], "", False)


def test_thousands_stand_apart_for_people_and_not_for_spreadsheets() -> None:
    table = make("t", "T", ("What", "N"), [("draws", "10000"), ("motions", "69")], "N.", False)
    assert "10,000" in as_markdown(table)
    assert ">10,000<" in as_page([table], "T")
    assert as_csv(table) == "What,N,simulated\ndraws,10000,false\nmotions,69,false\n"


def test_a_csv_has_all_digits_of_numbers_and_each_header_once() -> None:
    columns = ("Arm", "Effect", "95% CI", "Mean", "95% CI", "Share", "Bias", "p", "n", "With")
    effect, bias = number(-0.12345, 2, "−"), in_brackets(number(0.1, 2), "se", number(0.0123, 2))
    share = share_interval(1 / 3, 0.12, 0.29)
    limits = marked(interval(-0.2, 0.1234567, 1), " †"), interval(1, 2)
    given = (effect, limits[0], signed(1.5), limits[1], share, bias, p_value(0.0004))
    rows = [
        ("a", *given, whole(1_234_567), "b"),
        ("–", "–", "–", number(2), "–", "–", "–", "–", "7", "–"),
    ]
    assert rows[0][1:6] == ("−0.12", "[-0.2, 0.1] †", "+1.500", "[1.000, 2.000]", "33.3% [12, 29]")
    assert rows[0][6:9] == ("0.10 (0.01)", "<0.001", "1,234,567")
    made = list(csv.DictReader(io.StringIO(as_csv(make("t", "T", columns, rows, "N.", True)))))
    assert made[0] == {
        **{"Arm": "a", "Effect": "-0.12345", "Effect ci_low": "-0.2", "Effect ci_high": "0.123457"},
        **{"Mean": "1.5", "Mean ci_low": "1", "Mean ci_high": "2"},
        **{"Share (%)": "33.3333", "Share ci_low": "12", "Share ci_high": "29"},
        **{"Bias": "0.1", "Bias se": "0.0123", "p": "0.0004", "n": "1234567", "With": "b"},
        "simulated": "true",
    }
    known = {"Mean": "2", "n": "7", "simulated": "true"}
    assert made[1] == dict.fromkeys(made[0], "") | known


def test_a_column_with_words_in_it_stays_as_people_see_it() -> None:
    columns, rows = ("Votes", "95% CI"), [(number(0.1234, 2), "–"), ("none", interval(0, 1, 0))]
    assert as_csv(make("t", "T", columns, rows, "N.", False)) == (
        "Votes,Votes ci_low,Votes ci_high,simulated\n0.12,,,false\nnone,0,1,false\n"
    )


def test_people_see_one_minus_sign() -> None:
    rows = [("well-known", "-0.1 [-0.2, 0.3]")]
    table = make("t", "T", ("What-else", "Value"), rows, "N.", False)
    assert "−0.1 [−0.2, 0.3]" in as_markdown(table) and "well-known" in as_markdown(table)
    assert "−0.1 [−0.2,\N{NO-BREAK SPACE}0.3]" in as_page([table], "T")


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


def test_a_table_for_a_paper_and_no_row_of_it_is_an_option(tmp_path: Path) -> None:
    rows = [("a_b & c", "−0.1"), ("[1, 2]", "10000")]
    table = make("t", "50% of $1", ("What", "Value"), rows, "N.", True)
    files = [str(tmp_path / f"t.{kind}") for kind in ("csv", "md", "html", "tex")]
    write_tables([table], files[:1], files[1:2], files[2], "T", files[3:])
    text = Path(files[3]).read_text("utf-8")
    assert text.split("\n")[1:12] == [
        r"\begin{table}",
        r"\caption{50\% of \$1}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"What & Value \\",
        r"\midrule",
        r"a\_b \& c & −0.1 \\",
        r"{[}1, 2] & 10,000 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "",
    ]
    assert r"\emph{Note.} N. Simulated models." in text


@pytest.mark.parametrize("title", ["Arms", "Arms.", "Arms?"])
def test_a_title_has_one_full_stop_in_markdown(title: str) -> None:
    made = make("t", title, ("a",), [("1",)], "A note.", simulated=False)
    first = as_markdown(made).splitlines()[0]
    assert first == ("**Arms?**" if title.endswith("?") else "**Arms.**")
