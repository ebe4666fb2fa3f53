"""What a reader's own study raises is a sentence with its file and line."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from dissensus.errors import ResourceError, SettingError
from dissensus.study.own_code import naming_the_line

CODE = """
def steps(spec):
    said = spec
    yield said["nobody"]
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "mine_with_a_fault"
    folder.mkdir()
    (folder / "study.py").write_text(CODE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    import_module("mine_with_a_fault.study")
    return "mine_with_a_fault.study"


def test_the_line_of_a_fault_is_named(module: str) -> None:
    steps = sys.modules[module].steps
    with pytest.raises(ResourceError) as raised, naming_the_line(module, "the session t001-a"):
        next(steps({}))
    file = sys.modules[module].__file__
    assert str(raised.value) == (
        f"{file}, line 4: the session t001-a ended with KeyError: 'nobody'; "
        "correct the study and start again: what was paid for is kept."
    )


def test_sentences_and_faults_of_ours_stay_what_they_are(module: str) -> None:
    with pytest.raises(SettingError, match="as it is"), naming_the_line(module, "x"):
        raise SettingError("as it is")
    # Nothing of the study is in the traceback.
    with pytest.raises(ZeroDivisionError), naming_the_line(module, "x"):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), naming_the_line("dissensus.errors", "x"):
        raise ZeroDivisionError
