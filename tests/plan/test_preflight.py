"""What is refused before a run makes its first call."""

from __future__ import annotations

import json

import pytest

from dissensus.errors import SettingError
from dissensus.plan.preflight import check_inputs
from dissensus.shipped import SHIPPED
from dissensus.study.configuration import load
from scripted import ROOT, default_configuration


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def refusal(study: str, setting: str, value: object) -> str:
    """What is said of a run of one study with one of its settings changed."""
    values = json.loads(json.dumps(default_configuration())) | {"studies": [study]}
    values[study][setting] = value
    with pytest.raises(SettingError) as caught:
        check_inputs(load(values))
    return str(caught.value)


@pytest.mark.parametrize("study", default_configuration()["studies"])
def test_the_simulated_models_of_each_study_pass(study: str) -> None:
    check_inputs(load(default_configuration() | {"studies": [study]}))


def test_a_simulated_debater_is_no_judge() -> None:
    assert refusal("deliberation", "judges", ["deliberation-a"]) == (
        "deliberation.judges holds 'deliberation-a'; it is simulated, and no judge; name a model "
        "whose speech.role is judge."
    )


def test_a_simulated_judge_is_no_debater() -> None:
    said = refusal("deliberation", "panel", ["deliberation-judge"] * 5)
    assert said.startswith("deliberation.panel holds 'deliberation-judge'; it is simulated, and no")


@pytest.mark.parametrize(
    ("study", "setting", "value", "behaviour"),
    [
        ("deliberation", "judges", ["union-judge-a"], "union"),
        ("deliberation", "panel", ["simulated-a"] * 5, "language"),
        ("union", "judges", ["deliberation-judge"], "deliberation"),
        ("language", "panel", ["identity-deferring"] * 4, "identity"),
    ],
)
def test_a_simulated_model_of_another_study_is_refused(
    study: str, setting: str, value: list[str], behaviour: str
) -> None:
    said = refusal(study, setting, value)
    assert said.startswith(f"{study}.{setting} holds {value[0]!r}; {SHIPPED}.{behaviour}.simulated")
    assert said.endswith(f"name a model whose behaviour is {SHIPPED}.{study}.simulated.")
