"""The reference of a study of one's own: it is of today's code, and nothing is left out."""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import re
from types import ModuleType

import pytest

from dissensus.study import experiment
from dissensus.study.experiment.design import OF_THE_RUN, ExperimentDesign
from support import ROOT

PAGE = (ROOT / "docs/study-reference.md").read_text("utf-8")
SECTIONS = {part.splitlines()[0].lstrip("# "): part for part in re.split(r"(?m)^(?=##)", PAGE)[1:]}
#: What is a class with fields.
CLASSES = [
    name
    for name in experiment.__all__
    if dataclasses.is_dataclass(getattr(experiment, name)) and name != "Session"
]


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs/study_reference.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(section: str) -> dict[str, list[str]]:
    """First cell of each row, without its signs of code -> the other cells."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in SECTIONS[section].splitlines()
        if line.startswith("| `")
    ]
    return {first.strip("`"): rest for first, *rest in cells}


def test_the_page_is_of_todays_docstrings(writer: ModuleType) -> None:
    assert writer.page() == PAGE, "docs/study-reference.md is out of date: make docs"


def test_the_page_names_all_that_a_study_imports() -> None:
    missing = [name for name in experiment.__all__ if not re.search(rf"\b{name}\b", PAGE)]
    assert missing == []


@pytest.mark.parametrize("name", CLASSES)
def test_every_field_has_its_default_and_a_sentence(name: str) -> None:
    fields = {each.name: each for each in dataclasses.fields(getattr(experiment, name))}
    listed = rows(name)
    assert sorted(listed) == sorted(fields)
    for field, (default, meaning) in listed.items():
        assert meaning
        if fields[field].default is not dataclasses.MISSING:
            assert default == f"`{fields[field].default!r}`"


@pytest.mark.parametrize("name", ["call", "tool"])
def test_every_argument_of_a_call_has_a_sentence(name: str) -> None:
    arguments = [*inspect.signature(getattr(experiment.Session, name)).parameters][1:]
    listed = rows(f"session.{name}")
    assert sorted(listed) == sorted(arguments)
    assert all(meaning for (meaning,) in listed.values())


def test_every_setting_of_all_studies_is_a_row() -> None:
    listed = rows("Settings")
    assert {name.partition(".")[0] for name in listed} >= set(OF_THE_RUN)
    assert listed["protocol.max_tokens"][0] == "1000" and listed["again"][0] == "false"
    assert {"stop.alpha", "diagnosis.prices", "labels.scale", "inference.flips"} <= set(listed)


def test_what_a_class_may_declare_is_a_row() -> None:
    declared = {
        name
        for name, kind in inspect.get_annotations(ExperimentDesign).items()
        # Made from what is declared.
        if "Schema" not in str(kind) and name != "sharing"
    }
    assert declared <= set(rows("The class"))
