"""The head of a report: what the run is, and whether its models are real."""

from __future__ import annotations

import pytest
from docutils.core import publish_string

from dissensus.study.summary import summarise
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
