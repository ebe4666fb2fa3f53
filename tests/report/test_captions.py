"""Captions are clean reStructuredText, whatever names they are filled with."""

from __future__ import annotations

import pytest
from docutils.core import publish_parts

from dissensus.report import captions


def test_a_caption_takes_no_marks_from_names() -> None:
    text = captions.fill(
        "{name} and **{other}**", {"name": "an_ {{x}} *y* `z`", "other": "b"}, False
    )
    body = publish_parts(text, writer="html", settings_overrides={"halt_level": 2})["body"]
    assert "an_ {{x}} *y* `z`" in body and "<strong>b</strong>" in body
    with pytest.raises(KeyError):
        captions.fill("{missing}", {}, False)
