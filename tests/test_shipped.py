"""The files of shipped studies, by the names that settings have and had for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.errors import SettingError
from dissensus.llm.model_files import ModelFiles
from dissensus.llm.settings import SimulatedModelSettings
from dissensus.shipped import SHIPPED, former_names, placed, shipped_folders
from dissensus.study.configuration import load
from dissensus.study.registry import package_of
from dissensus.user_files import read_settings
from scripted import ROOT


def test_every_folder_that_declares_a_study_is_one() -> None:
    folders = shipped_folders()
    assert [*folders] == sorted(path.parent.name for path in (ROOT / "studies").glob("*/study.py"))
    assert all(folder == ROOT / "src" / SHIPPED / name for name, folder in folders.items())


def test_files_of_a_study_are_found_wherever_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "studies/union/prompts/debate.yaml"
    assert placed({"a": [name]}) == {"a": [str(shipped_folders()["union"] / "prompts/debate.yaml")]}
    # A reader's own comes first, and what is nowhere stays as it is, to be named in an error.
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).touch()
    assert placed(name) == name
    for text in ("studies/nowhere/a.yaml", "studies/union/nowhere.yaml", "studies/union", "other"):
        assert placed(text) == text
    assert placed(7) == 7


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("dissensus.union.simulated", "dissensus_studies.union.simulated"),
        ("dissensus.union.simulated.cues", "dissensus_studies.union.simulated.cues"),
        ("resources/prompts/identity/debate.yaml", "studies/identity/prompts/debate.yaml"),
        ("resources/simulated/language.yaml", "studies/language/simulated.yaml"),
    ],
)
def test_a_former_name_is_taken_for_todays_with_a_sentence(
    former: str, now: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert placed({"x": former}) == {"x": now}
    (sentence,) = former_names({"models": {"a": [former]}})
    assert sentence == (
        f"models.a.0 holds {former!r}, which is called {now} now; it is taken for that."
    )
    assert [*former_names({"x": now})] == []


def test_names_of_no_shipped_study_are_left_alone() -> None:
    for text in (
        "dissensus.nowhere.simulated",
        "resources/prompts/nowhere/a.yaml",
        "mine.simulated",
    ):
        assert placed(text) == text and [*former_names(text)] == []


def test_a_configuration_with_former_names_is_read_as_todays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    own = tmp_path / "own.yaml"
    own.write_text(
        "models: {m: {provider: simulated, behaviour: dissensus.union.simulated}}\n", "utf-8"
    )
    values = read_settings(ROOT / "config.yaml")
    values["simulated_models"] = {"union": "resources/simulated/union.yaml"}
    values["studies"] = ["union"]
    values["union"]["prompts"] = "resources/prompts/union/debate.yaml"
    values["models"] = {
        "union-coach": {"provider": "simulated", "behaviour": "dissensus.union.simulated"}
    }
    files = ModelFiles.of({**values, "simulated_models": {"own": str(own)}}, "", package_of)
    assert files.merged["models"]["m"]["behaviour"] == "dissensus_studies.union.simulated"
    assert {line.split(" holds")[0] for line in files.former} == {
        "union.prompts",
        "models.union-coach.behaviour",
        "models.m.behaviour",
    }
    settings = load(values)
    assert settings.study("union").settings.prompts == "studies/union/prompts/debate.yaml"
    coach = settings.models["union-coach"]
    assert isinstance(coach, SimulatedModelSettings)
    assert coach.behaviour == "dissensus_studies.union.simulated"


def test_a_behaviour_is_named_as_of_the_folder_of_its_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    own = tmp_path / "own.yaml"
    own.write_text("models:\n  m: {provider: simulated, behaviour: .simulated}\n", "utf-8")
    file = shipped_folders()["union"] / "simulated.yaml"
    for name, path in (("union", own), ("mine", file)):
        models = ModelFiles.of({"simulated_models": {name: str(path)}}, "", package_of).merged
        assert {model["behaviour"] for model in models["models"].values()} == {
            "dissensus_studies.union.simulated"
        }
    with pytest.raises(SettingError, match=r"own.yaml, line 2: models.m.behaviour holds '.simul"):
        _ = ModelFiles.of({"simulated_models": {"mine": str(own)}}, "", package_of).merged
