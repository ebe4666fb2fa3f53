"""Every figure, table and headline of every study, where there is nothing to show.

Frames are empty, of the schemas of what each reads; a template of a caption speaks of what would be
drawn, and is not filled in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dissensus.design.stopping import LOOKS
from dissensus.keep.codebook import SHARED, schemas
from dissensus.report.captions import write_caption
from dissensus.report.declared import Declared, Figure
from dissensus.report.facts import unmarked
from dissensus.report.style import sentence_of
from dissensus.report.tables import Table, as_csv, as_markdown
from dissensus.report.view import Artefacts, View
from dissensus.study.configuration import load
from dissensus.study.experiment import Factor, Outcome
from dissensus.study.experiment.contrasts import CONTRASTS
from dissensus.study.experiment.courses import CONTRASTS_BY_ROUND
from dissensus.study.gather import outcomes_schema, turns_schema
from dissensus.study.given import view_settings
from dissensus.study.makes import resolve
from dissensus.study.registry import STUDIES
from dissensus.study.study import Study
from dissensus.tables.artefact import Schema
from dissensus_studies.consensus.inference import CONTRASTS as OF_CONSENSUS
from made_frames import frame_of
from played_study import study_of
from scripted import default_configuration

#: What Python prints where a number is none.
NO_NUMBER = re.compile(r"\b(nan|None)\b")
#: Those of an experiment, whose artefacts have the names of other studies' too.
OF_EXPERIMENTS = {each.name: each for each in (CONTRASTS, CONTRASTS_BY_ROUND, LOOKS)}


def experiment() -> Study[Any]:
    """With all that brings a figure: factors, rounds, and a rule by which it may stop."""
    cls = study_of(
        outcomes={"y": Outcome("Number."), "course": Outcome("By round.", by="round")},
        factors={"dose": Factor((1, 3), "crossed")},
    )
    stop = {"alpha": 0.05, "half_width": None, "most": None}
    return cls(cls.Settings.model_validate({"model": "m", "stop": stop}))


@cache
def studies() -> list[tuple[Study[Any], dict[str, Schema]]]:
    """Each study, and the schemas of what there is by their names."""
    return [*_studies()]


def _studies() -> Iterator[tuple[Study[Any], dict[str, Schema]]]:
    every = schemas()
    settings = load(default_configuration())
    own = experiment()
    for name in (*STUDIES, own.name):
        study = own if name == own.name else settings.study(name)
        if study.settings is None:
            # Imports have no block unless there is something to import.
            cls = type(study)
            study = cls(cls.Settings.model_validate({"tables": [{"file": "turns.csv"}]}))
        known: dict[str, Schema] = {each.name: each for each in every[SHARED]}
        known |= {"turns": turns_schema(study.ids), "outcomes": outcomes_schema(study.ids)}
        known |= {each.name: each for each in every.get(name, [])}
        if name not in every:
            known |= OF_EXPERIMENTS
        if name == "consensus":
            known |= {"contrasts": OF_CONSENSUS}
        yield study, known


def shown(kind: str) -> list[Any]:
    """Study, one of its figures or tables, and the schemas of what there is."""
    return [
        pytest.param(study, one, known, id=f"{study.name}-{one.name}")
        for study, known in studies()
        for one in getattr(study, kind)
    ]


def empty(reads: tuple[str, ...], known: dict[str, Schema]) -> Artefacts:
    return Artefacts({}, {name: frame_of(known[name], []) for name in reads})


@pytest.mark.parametrize(("study", "figure", "known"), shown("figures"))
def test_a_figure_of_nothing_says_so_and_so_does_its_caption(
    study: Study[Any], figure: Figure, known: dict[str, Schema], tmp_path: Path
) -> None:
    view = View.of(view_settings(study), True)
    drawn = resolve(figure.maker)(empty(figure.reads, known), view)
    sentence = sentence_of(drawn.figure)
    assert sentence.endswith("."), "it draws axes of nothing"
    (text,) = (text for axes in drawn.figure.axes for text in axes.texts)
    assert " ".join(text.get_text().split()) == sentence
    template = tmp_path / "template.rst"
    template.write_text("What would be drawn: {nothing}", encoding="utf-8")
    said = write_caption(tmp_path / "caption.rst", template, drawn.facts, True, sentence)
    assert said.startswith(sentence) and "would be drawn" not in said


@pytest.mark.parametrize(("study", "table", "known"), shown("tables"))
def test_a_table_of_nothing_is_made_and_prints_no_number_that_is_none(
    study: Study[Any], table: Declared, known: dict[str, Schema]
) -> None:
    view = View.of(view_settings(study), True)
    made: Table = resolve(table.maker)(empty(table.reads, known), view)
    assert made.name == table.name and made.note.strip(". ")
    text = as_markdown(made) + as_csv(made)
    assert made.title in text and not NO_NUMBER.search(text), text


@pytest.mark.parametrize(
    ("study", "known"), [pytest.param(*one, id=one[0].name) for one in studies()]
)
def test_a_headline_of_nothing_claims_nothing(study: Study[Any], known: dict[str, Schema]) -> None:
    if study.headline is None:
        return
    view = View.of(view_settings(study), True)
    found = resolve(study.headline.maker)(empty(study.headline.reads, known), view)
    assert found.card is None or "cannot be told" in found.card.finding
    for sentence in (*found.headlines, *found.against):
        assert not NO_NUMBER.search(unmarked(sentence)), sentence
