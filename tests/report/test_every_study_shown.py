"""What every study shows, whatever its numbers: figures, captions and tables of made-up runs.

A study says in its `tests/shown.py` which runs: their sizes, the least first, and what they are
made of. What its figures and tables say of their numbers is tested in its own folder.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from docutils.core import publish_parts

from dissensus.report.captions import SIMULATED, fill
from dissensus.report.declared import Declared
from dissensus.report.style import save
from dissensus.report.tables import Table, as_csv, as_markdown, as_page, caption_facts
from dissensus.report.view import Drawn
from dissensus.shipped import SHIPPED, shipped_folders
from dissensus.study.makes import resolve
from drawn import outside, overlaps, visible_texts

STUDIES = [name for name, folder in shipped_folders().items() if (folder / "figures").is_dir()]
#: Words of the material that such letters stand in.
INNOCENT = ("dominance", "finance")


@cache
def shown(study: str) -> ModuleType:
    return import_module(f"{SHIPPED}.{study}.tests.shown")


def figures(study: str) -> dict[str, Declared]:
    found = import_module(f"{SHIPPED}.{study}.figures").FIGURES
    return {declared.name: declared for declared in found}


@cache
def drawn(study: str, name: str, size: Any) -> Drawn:
    made: Drawn = resolve(figures(study)[name].maker)(*shown(study).made(size))
    return made


def tables(study: str, size: Any, simulated: bool = True) -> list[Table]:
    artefacts, view = shown(study).made(size)
    declared = import_module(f"{SHIPPED}.{study}.figures").TABLES
    view = replace(view, simulated=simulated)
    return [resolve(one.maker)(artefacts, view) for one in declared]


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
    """Sizes of made-up runs with their marks: the last is the largest, and is thorough."""
    *others, last = shown(study).SIZES
    return [*((size, ()) for size in others), (last, pytest.mark.thorough)]


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
    ("study", "name"), [(study, name) for study in STUDIES for name in figures(study)]
)
def test_figures_of_real_models_do_not_call_them_simulated(study: str, name: str) -> None:
    artefacts, view = shown(study).made(shown(study).SIZES[0])
    real: Drawn = resolve(figures(study)[name].maker)(artefacts, replace(view, simulated=False))
    assert "simulated models" not in {text for text, _ in visible_texts(real.figure)}


@pytest.mark.parametrize("study", STUDIES)
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
