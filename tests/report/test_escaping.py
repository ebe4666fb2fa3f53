"""Texts of others in every format: what a reader sees is the text, and nothing of it is a mark."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.report.escaping import (
    Rst,
    complain,
    csv_cell,
    html,
    label,
    latex,
    line,
    markdown,
    plain,
    rst,
    say,
)
from hostile_texts import HOSTILE
from report.rendered import csv_rows, markdown_shape, markdown_words, rst_words

#: Marks of all formats beside letters, so that examples meet them in every order.
MARKS = st.text(st.sampled_from(list("ab1_*`\\|<>&[]()!:/#~$-=+.{}%@;,\"'^\n\t\x00\x1b\u2028 ")))
TEXTS = st.one_of(MARKS, st.text(), st.sampled_from(HOSTILE))
CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def squeezed(text: str) -> str:
    """Without blanks, of which formats keep one, many or none."""
    return "".join(text.split())


def words_of(page: str) -> str:
    parser = HTMLParser()
    found: list[str] = []
    parser.handle_data = found.append  # type: ignore[method-assign]
    parser.feed(page)
    parser.close()
    return "".join(found)


@given(TEXTS)
def test_no_control_character_is_left(text: str) -> None:
    assert not CONTROLS.search(plain(text).replace("\n", ""))
    assert len(line(text).splitlines()) <= 1
    assert "\n" not in label(text) and len(label(text)) <= 48
    line(text).encode()


@given(TEXTS)
def test_html_shows_the_text_and_makes_no_element(text: str) -> None:
    escaped = html(text)
    assert not re.search("[<>\"']", escaped)
    assert words_of(f"<p>{escaped}</p>") == plain(text)


@pytest.mark.slow
@given(TEXTS)
def test_markdown_shows_the_text_wherever_it_stands(text: str) -> None:
    escaped, shown = markdown(text), squeezed(line(text))
    if not shown:
        return
    for before, after in (("", ""), ("> ", ""), ("## ", ""), ("**", ".**"), ("<b>", "</b>")):
        made = f"{before}{escaped.strip()}{after}\n"
        assert markdown_shape(made) == markdown_shape(f"{before}words{after}\n"), made
    assert squeezed(markdown_words(escaped.strip())) == shown
    table = "| a | b |\n|---|---|\n| {} | c |\n"
    assert markdown_shape(table.format(escaped)) == markdown_shape(table.format("words"))
    assert squeezed(markdown_words(table.format(escaped))) == f"ab{shown}c"


@pytest.mark.slow
@given(TEXTS)
def test_a_caption_shows_the_text_wherever_it_stands(text: str) -> None:
    escaped, shown = rst(text), squeezed(label(text, 2000))
    if not shown:
        return
    for before, after in (("", ""), ("Before ", "% after."), ("Its (", ")"), ("One\n", "")):
        said = rst_words(f"{before}{escaped}{after}\n")
        assert squeezed(said) == squeezed(before) + shown + squeezed(after)
    if not escaped.endswith(" "):
        assert squeezed(rst_words(f"**{escaped}**\n")) == shown


def test_what_is_restructured_text_already_stays() -> None:
    marked = Rst(f"**Bold.** {rst('a*b')}")
    assert rst(marked) is marked == "**Bold.** a\\*b"


@given(st.lists(TEXTS, min_size=2, max_size=3))
def test_a_row_of_csv_has_its_cells_and_no_formula(cells: list[str]) -> None:
    (row,) = csv_rows(",".join(map(csv_cell, cells)) + "\n")
    assert [cell.replace("'", "") for cell in row] == [plain(c).replace("'", "") for c in cells]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        *(
            (kept, kept)
            for kept in ("-", "-0.12", "−3", "-1.5e-05", "-3%", "-0.1 to 0.2", "-0.03*")
        ),
        ("-1,200", '"-1,200"'),
        ("-0.1 [-0.2, 0.0] †", '"-0.1 [-0.2, 0.0] †"'),
        ("", ""),
        ("a|b", "a|b"),
        ("two\r\nlines", '"two\nlines"'),
        ('say "so"', '"say ""so"""'),
        ("=1", "'=1"),
        ("-a", "'-a"),
        ("--", "'--"),
        ("-1+1", "'-1+1"),
        ("＝1", "'＝1"),
        ("a; =1", '"a;\' =1"'),
    ],
)
def test_cells_of_csv(cell: str, written: str) -> None:
    assert csv_cell(cell) == written


@pytest.mark.parametrize(
    "kept", ["0.5 [0.1, 0.2]", "<0.001", "A & B", "hi_z", "zh-en", "-0.12", "2.5 of 3", "Does it?"]
)
def test_friendly_texts_stay_as_they_are_in_tables(kept: str) -> None:
    assert markdown(kept) == plain(kept) == line(kept) == label(kept) == kept


def test_addresses_are_no_links_where_markdown_makes_links_of_them() -> None:
    text = "see http://example.org or www.example.org: there"
    assert markdown(text) == "see http\\://example.org or www\\.example.org: there"


def test_a_long_name_is_cut() -> None:
    assert label("long" * 2500, 5) == "long…"
    assert label("a b c d", 5) == "a b…"


def test_lines_for_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say(["  indented", *HOSTILE])
    complain(ValueError("one\ntwo\x1b[2J"))
    told = capsys.readouterr()
    assert told.out.startswith("  indented\n")
    assert len(told.out.splitlines()) == len(HOSTILE) + 1
    assert not CONTROLS.search(told.out.replace("\n", ""))
    assert told.err == "one\ntwo\N{REPLACEMENT CHARACTER}[2J\n"


def test_halves_of_pairs_can_be_encoded() -> None:
    assert line(json.loads('"\\ud800 alone"')).encode().decode() == "\ufffd alone"


_COMMANDS = {
    **{r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^"},
    **{r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"\textasciigrave{}": "`"},
    **{"{[}": "[", "-{}": "-"},
}
_OF_LATEX = re.compile(
    "|".join([*map(re.escape, _COMMANDS), r"\\[{}$&#%_]", r"[^\\{}$&#%_~^<>|\[`]"])
)


@given(TEXTS)
def test_latex_reads_the_text_and_nothing_of_it_as_a_mark(text: str) -> None:
    """A line is letters and known commands from end to end, and these are the text."""
    found, place = [], 0
    written = latex(text)
    while place < len(written):
        token = _OF_LATEX.match(written, place)
        assert token, written[place:]
        found.append(_COMMANDS.get(token[0], token[0].removeprefix("\\")))
        place = token.end()
    assert "".join(found) == line(text)
    assert "--" not in written and "\n" not in written
