"""Every setting is described once, and editors know what files of settings may hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dissensus.settings import Settings
from dissensus.shipped import SHIPPED
from dissensus.study.configuration import Configuration, with_blocks
from dissensus.study.editor_schema import Place, all_comments, blocks, comments, defined, texts
from dissensus.study.registry import STUDIES
from dissensus.user_files import read_yaml
from dissensus_studies.language.simulated import SpeechSettings as Debater
from scripted import ROOT, default_configuration

#: The study of imports asks no model, so that none simulates one.
SIMULATED = [name for name in STUDIES if name != "debates"]
FILES = [Path("config.yaml"), *(f"studies/{name}/simulated.yaml" for name in SIMULATED)]


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def held() -> Any:
    """What checks by the schema, which a test says is the one that is made."""
    schema = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text("utf-8"))
    return jsonschema.validators.validator_for(schema)(schema)


@pytest.fixture
def whole() -> type[Configuration]:
    """The configuration with a block for each study of the project."""
    ours = [name for name, module in STUDIES.items() if module.startswith(f"{SHIPPED}.")]
    return with_blocks(tuple(ours), tuple(ours))


def places(cls: type[Settings]) -> Iterator[tuple[Place, bool]]:
    """Every setting below a block, and whether it is a plain value."""
    for name in cls.model_fields:
        below = blocks(cls, name)
        yield defined(cls, name), not below
        for inner in below:
            yield from places(inner)


def test_every_setting_is_described_once(whole: type[Configuration]) -> None:
    """By a comment in config.yaml or in a file of models, or by the text below it in its class."""
    speeches = [import_module(f"{SHIPPED}.{name}.simulated").SpeechSettings for name in SIMULATED]
    # Blocks of studies that other tests have registered are none of the project's.
    others = {name for name, module in STUDIES.items() if not module.startswith(f"{SHIPPED}.")}
    found = (place for cls in (whole, *speeches) for place in places(cls))
    settings = {place: plain for place, plain in found if place.name not in others}
    assert len(settings) > 300
    said = {place: list(found) for place, found in all_comments(whole).items()}
    for place in settings:
        if place.cls is not whole and (text := texts(place.cls).get(place.name)):
            said.setdefault(place, []).append(text)
    names = {
        place: f"{place.cls.__module__}.{place.cls.__name__}.{place.name}" for place in settings
    }
    assert [names[p] for p, is_plain in settings.items() if is_plain and p not in said] == []
    assert [names[place] for place, found in said.items() if len(found) > 1] == []
    assert set(said) <= set(settings)


def test_a_comment_is_that_above_and_that_on_the_line(
    tmp_path: Path, whole: type[Configuration]
) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "# Not of it.\n\n# Of the\n# run,\nrun: a  # its name\nseed: 1\n"
        "models:\n  a:  # One.\n    behaviour: dissensus_studies.language.simulated\n"
        "    timeout_rate: 0.0  # of a\n    speech: &s\n      offset: 0.1  # The model's.\n"
        "  b: {behaviour: dissensus_studies.language.simulated, timeout_rate: 0.1}  # not of it\n"
        "  c: {behaviour: dissensus_studies.language.simulated, speech: *s}\n"
    )
    found = {(p.cls.__name__, p.name): text for p, text in comments(file, whole).values()}
    assert found == {
        ("Configuration", "run"): "Of the run, its name",
        ("SimulatedModelSettings", "timeout_rate"): "of a",
        (Debater.__name__, "offset"): "The model's.",
    }


@pytest.mark.parametrize("file", FILES, ids=str)
def test_editors_find_nothing_wrong_in_the_projects_files(file: Path, held: Any) -> None:
    held.validate(read_yaml(file))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("sed",), 1),
        (("union", "epochs"), "four"),
        (("models", "simulated-a", "timout_rate"), 0.1),
        (("models", "simulated-a", "speech", "ofset"), 0.1),
        (("models", "union-coach", "speech", "offset"), 0.1),
    ],
)
def test_editors_find_what_is_wrong(path: tuple[str, ...], value: Any, held: Any) -> None:
    values = default_configuration()
    # What null takes away, editors mark.
    del values["simulated_models"]
    held.validate(values)
    block: Any = values
    for key in path[:-1]:
        block = block[key]
    block[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        held.validate(values)
