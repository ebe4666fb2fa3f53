"""Modules that compose the words of simulated models: what each must have, and what it may."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from dissensus.errors import SettingError
from dissensus.llm import behaviours
from dissensus.llm.behaviours import check_speech, identity_of, speech_of
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
    with pytest.raises(AttributeError, match="speak"):
        check_speech("stammer", {})
    with pytest.raises(ImportError):
        check_speech("no.such.module", {})


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
