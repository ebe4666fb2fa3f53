"""The head of a report: what the run is, whether its models are real. What the reader is told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from docutils.core import publish_string

from dissensus.report.findings import FINDINGS
from dissensus.report.view import FIGURE_MARKS
from dissensus.run.summary import summarise, write_reader_page
from dissensus.tables.artefact import write
from report.rendered import rst_words

STUDIES = {"language": "A trial " + "of many words " * 30 + "(en, zh).", "mine": "Does it?"}


def test_each_study_has_its_paragraph_and_simulated_models_are_named() -> None:
    text = summarise("demo", 7, STUDIES, simulated=True)
    assert text.startswith("dissensus\n=========\n")
    assert "run **demo** (seed 7)" in text
    assert "**language**\n   A trial" in text and "**mine**\n   Does it?" in text
    assert "All models of this run are simulated" in text
    assert max(map(len, text.splitlines())) <= 120


def test_real_models_are_not_called_simulated() -> None:
    assert "simulated" not in summarise("paper", 7, STUDIES, simulated=False)


@pytest.mark.parametrize("own", ["A title " * 12 + "=" * 108, "A * word " * 40, "well-known " * 40])
def test_where_a_paragraph_is_broken_makes_no_mark(own: str) -> None:
    said = rst_words(summarise("demo", 7, {"mine": own}, simulated=False))
    assert " ".join(own.split()) in " ".join(said.split())


def test_it_is_restructured_text_without_a_warning() -> None:
    options = {"report_level": 1, "halt_level": 1, "input_encoding": "unicode"}
    made = publish_string(
        summarise("demo", 7, STUDIES, simulated=True), writer="html", settings_overrides=options
    )
    assert b"<strong>mine</strong>" in made


def test_the_reader_is_told_what_came_of_each_study(tmp_path: Path) -> None:
    said = [("headline", "It does."), ("against", "In <b>one</b> arm."), ("lost", "None.")]
    rows = [
        {"place": place, "kind": kind, "sentence": sentence}
        for place, (kind, sentence) in enumerate(said, start=1)
    ]
    findings, marks = tmp_path / "mine/findings.parquet", tmp_path / "mine/figure_marks.parquet"
    write(findings, FINDINGS, rows, {})
    dots = [("wins", "d002"), ("wins", "d001"), ("wins", "d002")]
    places = [
        {"figure": figure, "mark": n, "x": 0.1 * n, "y": 0.5, "target": target}
        for n, (figure, target) in enumerate(dots, start=1)
    ]
    write(marks, FIGURE_MARKS, places, {})
    titles = {"mine": {"wins": "Who wins"}, "plain": {}}
    page = write_reader_page([findings], [marks], "demo", titles, simulated=True)
    (told,) = re.findall(r"^Reader\.start\(\.\.\.(.*)\);$", page, re.MULTILINE)
    assert "<b>" not in told
    assert json.loads(told) == [
        "demo",
        {
            "mine": {
                "findings": ["It does.", "In <b>one</b> arm."],
                "figures": [{"name": "wins", "title": "Who wins", "targets": ["d001", "d002"]}],
            },
            "plain": {"findings": [], "figures": []},
        },
    ]
