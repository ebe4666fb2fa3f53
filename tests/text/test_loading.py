"""Measures are loaded once before they are needed, where they may not be there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dissensus.errors import ProviderError
from dissensus.plan.preflight import check_measures
from dissensus.study.configuration import Configuration, load
from dissensus.text import loading
from dissensus.text.loading import check_loadable
from dissensus.user_files import read_yaml
from scripted import ROOT


@pytest.mark.parametrize(
    ("kind", "name", "sentence"),
    [
        ("tokenizer", "tiktoken:nope", "tokenizer 'tiktoken:nope': tiktoken has no such encoding"),
        ("tokenizer", "hf:/nonexistent", "tokenizer 'hf:/nonexistent': no usable tokenizer.json"),
        ("embedder", "sentence-transformers:/no", "embedder 'sentence-transformers:/no': "),
    ],
)
def test_what_cannot_be_loaded_is_said_as_its_loader_says_it(
    kind: loading.Kind, name: str, sentence: str
) -> None:
    with pytest.raises(ProviderError) as caught:
        check_loadable(kind, name)
    assert str(caught.value).startswith(sentence)


def test_a_tokenizer_that_is_there(tmp_path: Path) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel

    Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]")).save(str(tmp_path / "tokenizer.json"))
    check_loadable("tokenizer", f"hf:{tmp_path}")


def test_what_breaks_while_loading_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ProviderError, match="no usable tokenizer"):
        check_loadable("tokenizer", f"hf:{tmp_path}")
    done = subprocess.run(
        [sys.executable, "-m", "dissensus.text.loading", "tokenizer", "colour"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Configuration:
    """The default configuration with an embedder and a tokeniser that nobody has."""
    monkeypatch.chdir(ROOT)
    values = read_yaml(ROOT / "config.yaml")
    values["language"]["measures"] |= {
        "tokenizer": "tiktoken:nope",
        "alternative_embedders": ["openai:text-embedding-3-large"],
    }
    return load(values)


def test_the_setting_is_named_and_only_where_sessions_are_to_be_run(
    settings: Configuration,
) -> None:
    check_measures(settings, [])
    check_measures(settings, ["identity", "deliberation"])
    with pytest.raises(ProviderError, match=r"^language\.measures\.tokenizer: tokenizer 'tiktok"):
        check_measures(settings, ["language"])
    with pytest.raises(ProviderError):
        check_measures(settings, ["language"], ["cost", "preregistration"])


def test_what_only_says_what_a_run_costs_needs_none_of_it(settings: Configuration) -> None:
    (sentence,) = check_measures(settings, ["language"], ["cost"])
    assert sentence.startswith("Before the run, not for its cost: language.measures.tokenizer: ")


def test_what_comes_with_the_package_and_what_a_provider_has_is_not_loaded(
    settings: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "dissensus.plan.preflight.check_loadable", lambda kind, name: asked.append(name)
    )
    check_measures(settings, settings.studies)
    assert asked == ["tiktoken:nope", "words", "use-multilingual"]
    monkeypatch.setattr(loading.subprocess, "run", lambda *_, **__: 1 / 0)
    for name in ("words", "tekken"):
        check_loadable("tokenizer", name)
    check_loadable("embedder", "use-multilingual")
