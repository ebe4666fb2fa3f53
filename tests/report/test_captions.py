"""Captions are clean reStructuredText, whatever names they are filled with."""

from __future__ import annotations

from pathlib import Path

import pytest
from docutils.core import publish_parts

from dissensus.report import captions
from dissensus.report.style import new_figure, notice, sentence_of


def test_a_caption_takes_no_marks_from_names() -> None:
    text = captions.fill(
        "{name} and **{other}**", {"name": "an_ {{x}} *y* `z`", "other": "b"}, False
    )
    body = publish_parts(text, writer="html", settings_overrides={"halt_level": 2})["body"]
    assert "an_ {{x}} *y* `z`" in body and "<strong>b</strong>" in body
    with pytest.raises(KeyError):
        captions.fill("{missing}", {}, False)


def test_the_caption_of_a_figure_of_one_sentence_is_that_sentence(tmp_path: Path) -> None:
    (tmp_path / "t.rst").write_text("Left: the means. {left}", encoding="utf-8")
    drawn = notice("No session has an outcome_.", True)
    said = captions.write_caption(
        tmp_path / "c.rst", tmp_path / "t.rst", {}, True, sentence_of(drawn)
    )
    assert said.startswith("No session has an outcome") and "Left" not in said
    assert sentence_of(new_figure(1.0, True)) == ""
