"""Markdown: texts of others are words there, all of them, and nothing else."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from dissensus.report.frames import Column
from dissensus.report.markdown import page, paragraphs, table
from dissensus.text.seen import UNSEEN
from hostile_texts import HOSTILE
from report.rendered import markdown_words


@given(st.text() | st.sampled_from(HOSTILE))
def test_paragraphs_show_the_whole_text(words: str) -> None:
    shown = "".join(markdown_words(paragraphs(words)).split())
    expected = UNSEEN.sub("\ufffd", re.sub("\r\n|[\v\f\r\x1c-\x1e\x85\u2028\u2029]", "\n", words))
    assert shown == "".join(expected.split())


def test_a_page_needs_no_trailing_blanks_and_ends_with_a_line() -> None:
    text = page("T", [table("A", [Column("x", "n")], [{"n": 1}], "n")], simulated=False)
    assert text == "# T\n\n**A.**\n\n|   x |\n|----:|\n|   1 |\n\n*Note.* n\n"
