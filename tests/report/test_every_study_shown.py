"""What every study shows, whatever its numbers: figures, captions and tables of made-up runs.

A study says in its `tests/shown.py` which runs: their sizes, the least first, and what they are
made of. What its figures and tables say of their numbers is tested in its own folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from docutils.core import publish_parts

from dissensus.keep.codebook import schemas
from dissensus.report.captions import SIMULATED, fill
from dissensus.report.declared import Declared
from dissensus.report.facts import unmarked
from dissensus.report.style import save, sentence_of
from dissensus.report.tables import Table, as_csv, as_markdown, as_page, caption_facts
from dissensus.report.view import Artefacts, Drawn
from dissensus.shipped import SHIPPED, shipped_folders
from dissensus.study.makes import resolve
from dissensus.study.registry import study_class
from drawn import outside, overlaps, visible_texts
from marking import thorough_but

STUDIES = [name for name, folder in shipped_folders().items() if (folder / "figures").is_dir()]
#: Words of the material that such letters stand in.
INNOCENT = ("dominance", "finance")
#: Columns that say how sure an estimate is, and words that claim an effect.
LIMITS = re.compile(r"(ci|family)_(low|high)|se|p_value|p_adjusted")
#: Kinds of numbers that may be missing.
NULLABLE = ("float?", "int?")
CLAIMS = re.compile(r"\bis (larger|smaller)\b|\bmore: [+−]")


@cache
def shown(study: str) -> ModuleType:
    return import_module(f"{SHIPPED}.{study}.tests.shown")


def figures(study: str) -> dict[str, Declared]:
    found = import_module(f"{SHIPPED}.{study}.figures").FIGURES
    return {declared.name: declared for declared in found}


class Recorded(dict[str, Any]):
    """Frames by their names, and those that were looked at."""

    def __init__(self, frames: Mapping[str, Any]) -> None:
        super().__init__(frames)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)


@cache
def made_by(study: str, maker: str, size: Any, simulated: bool = True) -> tuple[Any, set[str]]:
    """What a maker makes of a made-up run, and the artefacts that it has read."""
    artefacts, view = shown(study).made(size)
    frames = Recorded(artefacts.loaded)
    view = replace(view, simulated=simulated)
    return resolve(maker)(Artefacts(artefacts.paths, frames), view), frames.read


def drawn(study: str, name: str, size: Any) -> Drawn:
    made: Drawn = made_by(study, figures(study)[name].maker, size)[0]
    return made


def tables(study: str, size: Any, simulated: bool = True) -> list[Table]:
    declared = import_module(f"{SHIPPED}.{study}.figures").TABLES
    return [made_by(study, one.maker, size, simulated)[0] for one in declared]


def no_number_is_missing(text: str) -> bool:
    """Whether no number is printed as Python prints what is none."""
    for word in INNOCENT:
        text = text.replace(word, "").replace(word.capitalize(), "")
    return "nan" not in text.lower() and "None" not in text


def checked_caption(study: str, name: str, facts: Any) -> None:
    template = shipped_folders()[study] / f"captions/{name}.rst"
    text = fill(template.read_text("utf-8"), facts, simulated=True)
    assert "{" not in text and no_number_is_missing(text), text
    assert text.endswith(f"*{SIMULATED}*\n")
    publish_parts(text, writer="html", settings_overrides={"halt_level": 2})


def sizes(study: str) -> list[tuple[Any, Any]]:
    """Sizes of made-up runs with their marks: all but the least are thorough."""
    least, *others = shown(study).SIZES
    return [(least, ()), *((size, pytest.mark.thorough) for size in others)]


#: Each figure at each size.
FIGURES = [
    pytest.param(study, name, size, id=f"{study}-{name}-{number}", marks=marks)
    for study in STUDIES
    for name in figures(study)
    for number, (size, marks) in enumerate(sizes(study))
]


@pytest.mark.slow
@pytest.mark.parametrize(("study", "name", "size"), FIGURES)
def test_no_text_of_a_figure_is_cut_off_or_meets_another_and_its_caption_is_whole(
    study: str, name: str, size: Any
) -> None:
    made = drawn(study, name, size)
    texts = visible_texts(made.figure)
    assert any(text == "simulated models" for text, _ in texts)
    assert overlaps(texts) == []
    assert outside(texts, made.figure) == []
    checked_caption(study, name, made.facts)


@pytest.mark.parametrize(
    ("study", "name"),
    [
        pytest.param(study, name, marks=pytest.mark.thorough if number else ())
        for study in STUDIES
        for number, name in enumerate(figures(study))
    ],
)
def test_figures_of_real_models_do_not_call_them_simulated(study: str, name: str) -> None:
    artefacts, view = shown(study).made(shown(study).SIZES[0])
    real: Drawn = resolve(figures(study)[name].maker)(artefacts, replace(view, simulated=False))
    assert "simulated models" not in {text for text, _ in visible_texts(real.figure)}


@pytest.mark.parametrize("study", thorough_but(STUDIES, "identity"))
def test_the_bytes_of_a_figure_repeat(study: str, tmp_path: Path) -> None:
    """Of one figure of each study; of all, whole runs in other folders show it."""
    name, *_ = figures(study)
    artefacts, view = shown(study).made(shown(study).SIZES[0])
    for stem in ("one", "two"):
        figure = resolve(figures(study)[name].maker)(artefacts, view).figure
        save(figure, tmp_path / f"{stem}.svg", tmp_path / f"{stem}.png")
    one, two = (
        [(tmp_path / f"{stem}.{ending}").read_bytes() for ending in ("svg", "png")]
        for stem in ("one", "two")
    )
    assert one == two
    assert b">simulated models<" in one[0] and b"<dc:date>" not in one[0]
    assert len(one[1]) > 1000


@pytest.mark.parametrize(
    ("study", "size"),
    [
        pytest.param(study, size, id=f"{study}-{number}", marks=marks)
        for study in STUDIES
        for number, (size, marks) in enumerate(sizes(study))
    ],
)
def test_tables_are_whole_in_every_form_and_say_that_models_are_simulated(
    study: str, size: Any
) -> None:
    made = tables(study, size)
    declared = import_module(f"{SHIPPED}.{study}.figures").TABLES
    assert [table.name for table in made] == [one.name for one in declared]
    page = as_page(made, "Tables")
    for table in made:
        twice = {name for name in table.columns if table.columns.count(name) > 1}
        # As in a paper's tables, where each limit stands behind its mean.
        assert twice <= {"95% CI"}, table.name
        assert all(len(row) == len(table.columns) for row in table.rows), table.name
        assert no_number_is_missing(as_csv(table) + as_markdown(table)), table.name
        own = table.name not in shown(study).OF_NO_MODEL
        assert table.note.endswith("Simulated models.") is own, table.name
        assert f'<table id="{table.name}"' in page
    checked_caption(study, "tables", caption_facts(made))


@pytest.mark.parametrize("study", STUDIES)
def test_tables_of_real_models_do_not_call_them_simulated(study: str) -> None:
    for table in tables(study, shown(study).SIZES[0], simulated=False):
        assert "Simulated" not in as_markdown(table), table.name


def without_limits(frame: pd.DataFrame) -> pd.DataFrame:
    """What a run of too few draws gives: estimates, and nothing that could be said of them."""
    columns = [name for name in frame if LIMITS.fullmatch(str(name))]
    return frame.assign(**dict.fromkeys(columns, np.nan))


@pytest.mark.parametrize("study", STUDIES)
def test_an_effect_without_an_interval_is_not_claimed(study: str) -> None:
    headline = study_class(study).headline
    assert headline is not None
    state = resolve(headline.maker)
    # The least run of which something is claimed.
    artefacts, view = next(
        run
        for run in map(shown(study).made, shown(study).SIZES)
        if (card := state(*run).card) and "(no interval: " not in card.finding
    )
    bare = {name: without_limits(frame) for name, frame in artefacts.loaded.items()}
    for path in artefacts.paths:
        bare.setdefault(path, without_limits(artefacts.frame(path)))
    card = state(Artefacts(artefacts.paths, bare), view).card
    assert card is None or ("(no interval: " in card.finding or "cannot be told" in card.finding)
    assert card is None or not CLAIMS.search(unmarked(card.finding))


@pytest.mark.parametrize("size", thorough_but((0, 1), 0))
@pytest.mark.parametrize("study", STUDIES)
def test_makers_read_what_they_declare_and_nothing_else(study: str, size: int) -> None:
    made = import_module(f"{SHIPPED}.{study}.figures")
    for one in (*made.FIGURES, *made.TABLES, made.HEADLINE):
        _, read = made_by(study, one.maker, shown(study).SIZES[size])
        assert read == set(one.reads), one.maker


#: Artefacts whose numbers are counts of what is there: none is ever missing.
COUNTED = {"diagnostics"}


every_schema = cache(schemas)


@cache
def nullable(study: str) -> dict[str, set[str]]:
    """Name of an artefact -> its columns of numbers that may be missing."""
    every = every_schema()
    return {
        schema.name: {name for name, column in schema.columns.items() if column.kind in NULLABLE}
        for room in (*({*every} - {*STUDIES}), study)
        for schema in every[room]
    }


@pytest.mark.parametrize("study", STUDIES)
def test_numbers_that_are_all_missing_are_printed_nowhere(study: str) -> None:
    """As in a run of which nothing could be estimated."""
    artefacts, view = shown(study).made(shown(study).SIZES[0])
    for path in artefacts.paths:
        artefacts.frame(path)
    bare = {
        name: frame.assign(
            **dict.fromkeys(nullable(study).get(name, set()) & {*frame.columns}, np.nan)
        )
        for name, frame in artefacts.loaded.items()
        if name not in COUNTED
    }
    without = Artefacts(artefacts.paths, {**artefacts.loaded, **bare})
    for name, declared in figures(study).items():
        made: Drawn = resolve(declared.maker)(without, view)
        assert all(no_number_is_missing(text) for text, _ in visible_texts(made.figure)), name
        if not sentence_of(made.figure):
            checked_caption(study, name, made.facts)
    for one in import_module(f"{SHIPPED}.{study}.figures").TABLES:
        table = resolve(one.maker)(without, view)
        assert no_number_is_missing(as_csv(table) + as_markdown(table)), one.name
