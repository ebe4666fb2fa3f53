"""Panels of models: what stands in their configurations, and what is refused."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config

from dissensus.errors import SettingError
from dissensus.keep.archive import _settings
from dissensus.llm.model_files import ModelFiles
from dissensus.study.configuration import Configuration, load
from dissensus.study.panels import panel_faults, panel_values
from dissensus.study.registry import package_of
from scripted import ROOT
from study.changed_settings import changed

#: Those that the language study's settings name.
A, B, C, D = (f"simulated-{letter}" for letter in "abcd")
HOSTED = {"provider": "openai", "model": "gpt-5.2"}


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def with_panels(panels: Any, **further: Any) -> dict[str, Any]:
    """The language study with panels, and with further models that answer at an address."""
    values = {**changed("panels", panels), "studies": ["language"], **further}
    values["models"] |= {"gpt": HOSTED, "other": {"provider": "openai"}}
    return values


def loaded(panels: Any, **further: Any) -> Configuration:
    return load(with_panels(panels, **further))


def test_a_panel_is_a_run_with_other_models_under_the_same_names() -> None:
    whole = loaded({"same": {A: A}, "turned": {A: B, B: A}})
    assert [part.run for part in whole.parts] == ["demo.same", "demo.turned"]
    assert [part.panel for part in whole.parts] == ["same", "turned"]
    same, turned = (part.models for part in whole.parts)
    assert (turned[A], turned[B], turned[C]) == (same[B], same[A], same[C])
    # All else is the same, and so is the draw.
    assert {part.seed for part in whole.parts} == {whole.seed}
    assert len({part.language.model_dump_json() for part in whole.parts}) == 1
    # One ledger, one lock, one limit: those of the whole run.
    assert {part.home(part.results) for part in whole.parts} == {Path("results/demo")}
    assert not any(part.panels for part in whole.parts)


def test_settings_may_name_what_only_panels_have() -> None:
    values = with_panels({"one": {"agent": "gpt"}, "two": {"agent": "other"}})
    values["language"]["panel"] = ["agent"] * 4
    one, two = load(values).parts
    assert one.models["agent"].model_dump() == one.models["gpt"].model_dump()
    # A provider is asked for the model that answers, and not for the name that stands for it.
    assert two.models["agent"].model == "other"
    assert (one.simulated, one.waits) == (False, True)


WRONG: list[tuple[Any, str]] = [
    ({"one": {A: B}}, "panels holds ['one']; one panel is a run as it is; name a second, or none."),
    (
        {"one": {A: "nope"}, "two": {A: B}},
        f"panels.one.{A} holds 'nope'; models has ",
    ),
    (
        {"one": {"nobody": B}, "two": {A: B}},
        "panels.one.nobody holds 'simulated-b'; no setting of the run's studies names 'nobody'; "
        f"they name {A}, {B}, {C}, {D}.",
    ),
    (
        {"one": {}, "two": {A: B}},
        "panels.one holds {}; it must say which model stands for one of "
        f"{A}, {B}, {C}, {D}, such as {{{A}: ",
    ),
    (
        {"one": {A: A}, "two": {B: B}},
        "panels.one comes to the same models; leave one of them out.",
    ),
    ({"a.b": {A: B}, "two": {A: C}}, "panels.a.b cannot be a panel's name; it may have plain"),
    ({"one": [A], "two": {A: B}}, "panels.one holds ['simulated-a']; it must be a block of"),
    (
        {"one": {A: 3}, "two": {A: B}},
        f"panels.one.{A} holds 3; it must be a text; put it in quotes.",
    ),
    ({"x" * 61: {A: B}, "two": {A: C}}, "cannot be a panel's name; it may have 60 characters"),
    (
        {"one": {A: "gpt"}, "two": {A: B}},
        "give it models of the other kind. So it is with panels.one.",
    ),
    (
        {"one": {A: B}, "two": {A: "gpt", B: "gpt", C: "gpt", D: "gpt"}},
        "it has real ones, and panels.one has simulated models; give each kind a run of its own.",
    ),
]


@pytest.mark.parametrize(("panels", "sentence"), WRONG, ids=lambda v: str(v)[:40])
def test_wrong_panels_are_a_sentence(panels: Any, sentence: str) -> None:
    with pytest.raises(SettingError) as caught:
        loaded(panels)
    assert sentence in str(caught.value) and len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["replay", "part_of"])
def test_what_is_of_one_run_goes_with_no_panels(name: str) -> None:
    with pytest.raises(SettingError, match=f"{name} holds 'x'; a run with panels has none"):
        loaded({"one": {A: B}, "two": {A: C}}, **{name: "x"})


def test_the_names_of_a_run_and_a_panel_are_one_name_together() -> None:
    panels = {"one": {"a": "m"}, "two": {"a": "n"}}
    assert [*panel_faults("r" * 96, panels, ["m", "n"], ["a"])] == []
    for wrong in panel_faults("r" * 97, panels, ["m", "n"], ["a"]):
        assert "more than 100 letters" in wrong


def test_an_archive_of_a_panel_is_read_over_the_projects_panels() -> None:
    """Its settings stand in a file of their own, which Snakemake lays over config.yaml."""
    whole = with_panels({"same": {A: A}, "turned": {A: B, B: A}})
    panel = panel_values(
        ModelFiles.of(whole, "", package_of).merged, "turned", whole["panels"]["turned"]
    )
    merged = deepcopy(whole)
    update_config(merged, yaml.safe_load(_settings({**panel, "replay": "a.zip"})))
    again = load(merged)
    assert (again.run, again.panel, again.panels) == ("demo.turned", "turned", {})
    assert again.home(again.results) == Path("results/demo") and again.replay is None
    assert again.models[A].model_dump() == load(whole).models[B].model_dump()
