"""Modules that compose the words of simulated models: what each must have, and what it may."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dissensus.errors import SettingError
from dissensus.llm.providers import behaviours
from dissensus.llm.providers.behaviours import check_speech, identity_of, speech_of
from dissensus.settings import Settings


class Speech(Settings):
    rate: float = 0.5


def behaviour(monkeypatch: pytest.MonkeyPatch, **members: Any) -> ModuleType:
    module = ModuleType("stammer")
    vars(module).update({"speak": lambda *_: "", **members})
    monkeypatch.setitem(sys.modules, "stammer", module)
    return module


def test_speech_is_checked_by_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    behaviour(monkeypatch, SpeechSettings=Speech)
    check_speech("stammer", {"rate": 0.1})
    with pytest.raises(SettingError, match=r"^speech\.rat "):
        check_speech("stammer", {"rat": 0.1})


def test_a_check_of_its_own_goes_first_and_neither_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Any] = []
    behaviour(monkeypatch, SpeechSettings=Speech, check=seen.append)
    check_speech("stammer", {"rat": 0.1})
    behaviour(monkeypatch)
    check_speech("stammer", {"anything": 1})
    assert seen == [{"rat": 0.1}]


def test_what_cannot_speak_is_no_behaviour(monkeypatch: pytest.MonkeyPatch) -> None:
    vars(behaviour(monkeypatch)).pop("speak")
    with pytest.raises(SettingError, match=r"'stammer'; that module has no function speak\("):
        check_speech("stammer", {})
    for name in ("no.such.module", ".stammer", ""):
        with pytest.raises(SettingError, match=r"it must be an importable module"):
            check_speech(name, {})
    with pytest.raises(SettingError, match=r"nowhere'; there is no nowhere\.py in .*dissensus\."):
        check_speech("dissensus.nowhere", {})


def test_what_a_check_says_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(speech: dict[str, Any]) -> None:
        if speech["rate"] > 1:
            raise ValueError("a rate is from 0 to 1.")

    behaviour(monkeypatch, check=refuse)
    with pytest.raises(SettingError, match=r"^speech holds {'rate': 2}; a rate is from 0 to 1\.$"):
        check_speech("stammer", {"rate": 2})
    with pytest.raises(SettingError, match=rf"KeyError in {__file__}, line \d+: 'rate'\.$"):
        check_speech("stammer", {})


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "import nowhere",
            r"ModuleNotFoundError in .*stutter\.py, line 1: No module named 'nowhere'",
        ),
        ("a = 1\nb = a[2]", r"TypeError in .*stutter\.py, line 2: 'int' object"),
        ("a = 1\n  b = 2", r"IndentationError in .*stutter\.py, line 2: unexpected indent"),
    ],
)
def test_a_behaviour_that_cannot_be_imported_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    (tmp_path / "stutter.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SettingError, match=words):
        check_speech("stutter", {})


def test_words_depend_on_the_code_where_nothing_else_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(behaviours, "code_digest", lambda name: f"code of {name}")
    behaviours._code.cache_clear()
    assert identity_of(behaviour(monkeypatch), {}) == "code of stammer"
    said = behaviour(monkeypatch, identity=lambda settings: settings["speech"]["file"])
    assert identity_of(said, {"speech": {"file": "a"}}) == "a"
    behaviours._code.cache_clear()


def test_a_speech_is_validated_once() -> None:
    first = speech_of(Speech, {"rate": 0.25})
    assert first.rate == 0.25 and speech_of(Speech, {"rate": 0.25}) is first
    with pytest.raises(SettingError):
        speech_of(Speech, {"rate": "x"})
