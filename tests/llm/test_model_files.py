"""Files of models: they stand as if under models, and each fault has their name and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import DissensusError
from dissensus.study.configuration import Configuration, load
from scripted import ROOT, default_configuration

MODEL = """models:
  loud:
    provider: simulated
    behaviour: dissensus_studies.union.simulated
    speech:
      role: judge
      sharpness: 0.5
      strengths: {A.B: 1.0}
"""


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.yaml"
    path.write_text(MODEL, encoding="utf-8")
    return path


def loaded(file: Path, models: Any = None, **further: str) -> Configuration:
    """The default configuration with a file of models, and with entries of its own."""
    values = default_configuration()
    values["models"] |= models or {}
    values["simulated_models"] = {"own": str(file), **further}
    return load(values)


def said(file: Path, models: Any = None, **further: str) -> str:
    with pytest.raises(DissensusError) as caught:
        loaded(file, models, **further)
    return str(caught.value)


def rewritten(file: Path, text: str, other: str) -> Path:
    content = file.read_text(encoding="utf-8")
    assert text in content
    file.write_text(content.replace(text, other), encoding="utf-8")
    return file


def test_what_a_file_holds_stands_as_if_under_models(file: Path) -> None:
    assert loaded(file).models["loud"].speech["sharpness"] == 0.5


def test_a_file_that_was_edited_is_read_as_it_is_now(file: Path) -> None:
    """It is read once for each text that it has, and what is made of it changes nothing in it."""
    loaded(file, {"loud": {"speech": {"sharpness": 0.75}}})
    assert loaded(file).models["loud"].speech["sharpness"] == 0.5
    rewritten(file, "sharpness: 0.5", "sharpness: 0.25")
    assert loaded(file).models["loud"].speech["sharpness"] == 0.25


def test_the_configuration_is_merged_over_it_value_by_value(file: Path) -> None:
    """As by ``--config``, which hands over numbers as texts."""
    model = loaded(file, {"loud": {"empty_rate": "0.25", "speech": {"sharpness": 0.1}}})
    assert model.models["loud"].model_dump() == {
        "provider": "simulated",
        "behaviour": "dissensus_studies.union.simulated",
        "timeout_rate": 0.0,
        "empty_rate": 0.25,
        "speech": {"role": "judge", "sharpness": 0.1, "strengths": {"A.B": 1.0}},
    }


def test_null_takes_a_model_or_a_file_away(file: Path) -> None:
    assert "loud" not in loaded(file, {"loud": None}).models
    values = default_configuration() | {"simulated_models": {"own": None, "union": None}}
    assert set(load(values).simulated_models) == {*values["studies"]} - {"union"}


def test_a_diagnosis_takes_its_models_as_the_run_has_them() -> None:
    values = default_configuration()
    values["models"]["consensus-agent"]["speech"]["drift"] = 0.04
    values["consensus"]["diagnosis"]["agent"] = "consensus-agent"
    settings: Any = load(values)
    assert settings.consensus.diagnosis.agent is settings.models["consensus-agent"]


@pytest.mark.parametrize("name", ["no-such", "gpt"])
def test_a_diagnosis_names_a_simulated_model(name: str) -> None:
    values = default_configuration()
    values["models"] = {"gpt": {"provider": "openai"}, **values["models"]}
    values["union"]["diagnosis"]["people"]["coach"] = name
    with pytest.raises(DissensusError) as caught:
        load(values)
    assert str(caught.value).startswith(
        f"config.yaml: union.diagnosis.people.coach holds {name!r}; of simulated models, "
        "models has simulated-a, simulated-b, "
    )


@pytest.mark.parametrize(
    ("text", "other", "sentence"),
    [
        (
            "sharpness",
            "sharpnes",
            "line 7: models.loud.speech.sharpnes is no setting; 'sharpness' is.",
        ),
        (
            "    speech:",
            "    spech: 3\n    speech:",
            "line 5: models.loud.spech is no setting; 'speech' is.",
        ),
        ("0.5", "-1", "line 7: models.loud.speech.sharpness holds -1; it must be at least 0.0."),
        ("A.B", "<script>", "line 8: models.loud.speech.strengths holds '<script>'; Snakemake's"),
        ("  loud", "  a loud", "line 2: models.a loud cannot be a name; it may have"),
        (
            "    provider: simulated\n",
            "",
            "line 2: models.loud.provider is missing; it must be set.",
        ),
        (
            "models:",
            "seed: 3\nmodels:",
            "line 1: a file of models holds models alone, and it has 'seed'; put",
        ),
        ("models:", "- models:", "a file of models holds models alone, and it has none; put"),
        (MODEL, "", "a file of models holds models alone, and it has none; put"),
        (MODEL, "models: [a]", "line 1: models holds ['a']; it must be a block of models."),
        (
            "role: judge",
            "role: judge\n      role: coach",
            "line 7: models.loud.speech.role stands in line 6",
        ),
    ],
)
def test_a_fault_of_a_file_is_one_sentence_with_its_line(
    file: Path, text: str, other: str, sentence: str
) -> None:
    found = said(rewritten(file, text, other))
    assert "\n" not in found and found.endswith(".")
    assert found.startswith(f"{file}{',' if sentence.startswith('line') else ':'} {sentence}")


def test_a_fault_of_the_configuration_is_said_of_the_configuration(file: Path) -> None:
    models = {"loud": {"speech": {"sharpness": -1}}}
    assert said(file, models) == (
        "config.yaml: models.loud.speech.sharpness holds -1; it must be at least 0.0."
    )


def test_two_files_have_no_model_of_one_name(file: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.yaml"
    second.write_text(f"\n{MODEL}", encoding="utf-8")
    assert said(file, second=str(second)) == (
        f"{second}, line 3: models.loud stands in {file} already; rename one of them."
    )


def test_a_lost_file_is_named(file: Path) -> None:
    assert said(file, lost="nowhere.yaml") == (
        "config.yaml: simulated_models.lost holds 'nowhere.yaml'; there is no such file."
    )


@pytest.mark.parametrize("value", [3, "models.yaml", ["models.yaml"], {"own": 3}])
def test_the_files_are_a_block_of_paths(value: Any) -> None:
    with pytest.raises(DissensusError, match=r"^config\.yaml: simulated_models\S* holds .*\.$"):
        load(default_configuration() | {"simulated_models": value})
