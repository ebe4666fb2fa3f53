"""Every figure of every study, where there is nothing to draw: it and its caption say so.

Frames are empty, of the schemas of what a figure reads; a template of a caption speaks of what
would be drawn, and is not filled in.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dissensus.design.stopping import LOOKS
from dissensus.keep.codebook import SHARED, schemas
from dissensus.report.captions import write_caption
from dissensus.report.declared import Figure
from dissensus.report.style import sentence_of
from dissensus.report.view import Artefacts, View
from dissensus.study.configuration import load
from dissensus.study.experiment import Factor, Outcome
from dissensus.study.experiment.contrasts import CONTRASTS
from dissensus.study.experiment.courses import CONTRASTS_BY_ROUND
from dissensus.study.given import view_settings
from dissensus.study.makes import resolve
from dissensus.study.registry import STUDIES
from dissensus.study.study import Study
from dissensus.tables.artefact import Schema
from made_frames import frame_of
from played_study import study_of
from scripted import default_configuration

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


def figures() -> Iterator[Any]:
    """Study, its figure, and the schemas of what there is."""
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
        known |= {each.name: each for each in every.get(name, [])}
        if name not in every:
            known |= OF_EXPERIMENTS
        for figure in study.figures:
            yield pytest.param(study, figure, known, id=f"{name}-{figure.name}")


@pytest.mark.parametrize(("study", "figure", "known"), [*figures()])
def test_a_figure_of_nothing_says_so_and_so_does_its_caption(
    study: Study[Any], figure: Figure, known: dict[str, Schema], tmp_path: Path
) -> None:
    frames = {name: frame_of(known[name], []) for name in figure.reads}
    view = View.of(view_settings(study), True)
    drawn = resolve(figure.maker)(Artefacts({}, frames), view)
    sentence = sentence_of(drawn.figure)
    assert sentence.endswith("."), "it draws axes of nothing"
    (text,) = (text for axes in drawn.figure.axes for text in axes.texts)
    assert " ".join(text.get_text().split()) == sentence
    template = tmp_path / "template.rst"
    template.write_text("What would be drawn: {nothing}", encoding="utf-8")
    said = write_caption(tmp_path / "caption.rst", template, drawn.facts, True, sentence)
    assert said.startswith(sentence) and "would be drawn" not in said
