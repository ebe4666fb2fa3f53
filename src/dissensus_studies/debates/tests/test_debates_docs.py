"""The commands of docs/transcripts.md work on the examples that they name."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from dissensus.cli import main
from dissensus.session.turn_fields import TURN_FIELDS
from dissensus.settings import validate
from dissensus.user_files import read_settings
from support import ROOT

from ..settings import DebatesSettings

PAGE = (ROOT / "docs/transcripts.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs/study-reference.md").read_text(encoding="utf-8")


def test_every_import_of_the_page_writes_a_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples/transcripts", tmp_path / "examples/transcripts")
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^dissensus (import .+)$", PAGE, re.M)
    assert len(commands) == 10
    for command in commands:
        assert main(shlex.split(command)) == 0, capsys.readouterr().err
    said = capsys.readouterr().out
    assert "12 sessions with 108 turns; arms: people, models." in said
    assert "15 sessions with 132 turns; arms: people, models." in said
    assert "sessions of different arms are paired by item" in said
    paths = sorted(tmp_path.glob("*.yaml"))
    others = ["arena", "autogen", "corpus", "openai", "table"]
    assert [path.stem for path in paths] == sorted(
        ["both", "chats", "discussions", "groups", *others]
    )
    for path in paths:
        block = validate(DebatesSettings, read_settings(path)["debates"], path.name)
        assert all(Path(file).is_file() for file in block.files().values())


def test_the_page_leads_to_every_field() -> None:
    assert "(study-reference.md#fields-of-a-table-of-turns)" in PAGE
    _, _, listed = REFERENCE.partition("\n## Fields of a table of turns\n")
    assert [*re.findall(r"(?m)^\| `(\w+)` \|", listed)] == [*TURN_FIELDS]
