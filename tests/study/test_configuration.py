"""A configuration as a whole: files, models of both kinds, numbers given as text, two in one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dissensus.errors import ResourceError, SettingError
from dissensus.study.configuration import load, load_file
from dissensus_studies.language.simulated import SpeechSettings
from scripted import ROOT
from study.changed_settings import CONFIG, LANGUAGE, changed, complaint

BLOCK = "it must be a block of settings"
A = "models.simulated-a"


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_default_configuration_is_valid():
    settings = load(CONFIG)
    assert settings.simulated
    held = load_file(ROOT / "config.yaml")
    assert settings == held.model_copy(update={"simulated_models": {}})


def test_every_wrong_setting_has_a_line():
    values = changed("seed", -1)
    values["language"]["draws"] = 0
    values["language"]["panel"] = []
    values["models"]["simulated-a"]["speech"]["recycle"]["en"] = 7
    values["models"]["simulated-a"]["speech"]["topic_sd"] = -1
    with pytest.raises(SettingError) as caught:
        load(values, "mine.yaml")
    assert sorted(str(caught.value).split("\n")) == [
        "mine.yaml: language.draws holds 0; it must be at least 1.",
        "mine.yaml: language.panel holds []; it needs at least 4 entries.",
        "mine.yaml: models.simulated-a.speech.recycle.en holds 7; it must be below 1.0.",
        "mine.yaml: models.simulated-a.speech.topic_sd holds -1; it must be at least 0.0.",
        "mine.yaml: seed holds -1; it must be at least 0.",
    ]


def test_all_missing_files_are_named():
    values = changed("language/pool/coder_a", "a.csv")
    values["language"]["pool"]["coder_b"] = "b.csv"
    with pytest.raises(SettingError) as caught:
        load(values)
    assert len(str(caught.value).split("\n")) == 2


@pytest.mark.parametrize("value", ["nowhere", "resources/motions"])
def test_a_folder_without_argument_spaces_is_named(value):
    lines = complaint("models/simulated-a/speech/arguments", value).split("\n")
    assert lines == [
        f"config.yaml: {A}.speech.arguments holds {value!r}; it must be a folder with frames.yaml.",
        f"config.yaml: {A}.speech.arguments holds {value!r}; it must be a folder with generic.tsv.",
    ]


def test_simulated_and_real_models_do_not_mix():
    values = changed("models/gpt", {"provider": "openai"})
    values["language"]["panel"][3] = "gpt"
    with pytest.raises(SettingError) as caught:
        load(values)
    assert str(caught.value) == (
        "config.yaml: language.panel holds 'simulated-a'; gpt is a real model, and a run has "
        "simulated models or real ones; leave a study out (studies), or give it models of the "
        "other kind."
    )


def test_a_study_that_is_left_out_may_have_models_of_the_other_kind():
    values = changed("studies", ["language"])
    values["models"] |= {name: {"provider": "openai"} for name in "abcd"}
    values["language"]["panel"] = list("abcd")
    settings = load(values)
    assert (settings.used, settings.simulated) == (list("abcd"), False)
    values["studies"] = ["language", "deliberation"]
    with pytest.raises(SettingError, match=r"deliberation\.panel holds 'deliberation-a'; a is a"):
        load(values)


def test_a_batch_has_no_deadline():
    values = changed("studies", ["language"])
    values["providers"]["openai"]["batch"] = True
    values["models"] = {name: {"provider": "openai"} for name in "abcd"}
    values["language"]["panel"] = list("abcd")
    load(values)
    values["language"]["protocol"]["session_deadline_s"] = 600.0
    with pytest.raises(SettingError, match=r"session_deadline_s holds 600\.0; it must be null"):
        load(values)


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("seed", "7", 7),
        ("language/draws", "6", 6),
        ("language/protocol/temperature", "0.7", 0.7),
        ("language/protocol/system_message", "true", True),
        (
            "language/measures/weights",
            {"lexical": "0.3", "semantic": "0.7"},
            {"lexical": 0.3, "semantic": 0.7},
        ),
        ("language/pool/years", ["2023", "2024"], [2023, 2024]),
        ("language/measures/clip_percentiles", ["5", "95"], [5, 95]),
        ("language/diagnosis/effects", ["0", "0.5"], [0, 0.5]),
        ("models/simulated-a/timeout_rate", "0.5", 0.5),
        ("budget_usd", "20", 20),
        ("providers/openai/requests_per_minute", "600", 600),
    ],
    ids=lambda v: str(v)[:40],
)
def test_numbers_given_as_text_are_read(path, text, value):
    """Snakemake's --config hands over numbers inside braces and brackets as text."""
    held: Any = load(changed(path, text)).model_dump()
    for key in path.split("/"):
        held = held[key]
    assert held == value


def test_a_behaviour_reads_numbers_given_as_text_too():
    values = changed("models/simulated-a/speech/recycle", {"en": "0.5", "zh": "0.6"})
    speech = SpeechSettings.model_validate(load(values).models["simulated-a"].speech)
    assert speech.recycle == {"en": 0.5, "zh": 0.6}


@pytest.mark.parametrize("values", [None, [], "x", 3])
def test_a_configuration_that_is_no_block(values):
    with pytest.raises(SettingError, match=BLOCK):
        load(values)


@pytest.mark.parametrize("content", [b"", b"a: [", b"\xb1\xe0\xc2\xeb"])
def test_a_file_that_is_no_configuration(tmp_path: Path, content: bytes):
    file = tmp_path / "mine.yaml"
    file.write_bytes(content)
    with pytest.raises((SettingError, ResourceError), match=r"mine\.yaml"):
        load_file(file)


def test_a_second_file_takes_an_entry_away_with_null():
    values = changed("language/languages/de", LANGUAGE)
    values["language"]["languages"]["zh"] = None
    values["models"]["spare"] = None
    settings = load(values)
    assert list(settings.language.languages) == ["en", "de"]
    assert "spare" not in settings.models


def test_settings_do_not_change_afterwards():
    with pytest.raises(ValueError, match="frozen"):
        load(CONFIG).seed = 3
