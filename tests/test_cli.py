"""The lines at the end of each command's help work as they stand, after `make reproduce`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dissensus.cli import main
from marking import thorough_but
from serving import serving
from support import Project
from test_reproduced import reproduced  # noqa: F401


def told(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    """The help of a command."""
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    return capsys.readouterr().out


def examples(capsys: pytest.CaptureFixture[str], *command: str) -> list[str]:
    """What stands behind `dissensus` in the lines that a command's help ends with."""
    _, lines = told(capsys, *command).split("examples, after `make reproduce`:\n")
    return re.findall(r"^  dissensus (.+)$", lines, re.M)


def test_every_command_has_an_example_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    listed = told(capsys).partition("  COMMAND\n")[2].partition("\n\n")[0]
    names = re.findall(r"^ {4}(\w+) ", listed, re.M)
    assert {"run", "read", "replies"} <= {*names}
    for name in names:
        assert all(line.startswith(name) for line in examples(capsys, name))
        assert examples(capsys, name)


def test_outside_a_checkout_no_help_names_its_makefile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = told(capsys, "new")
    assert "examples:\n  dissensus new echo" in shown and "make reproduce" not in shown


@pytest.mark.parametrize("command", thorough_but([(), ("read",), ("replies",)], ("read",)), ids=str)
def test_an_example_prints_something(
    reproduced: Project,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    monkeypatch.chdir(reproduced.folder)
    for line in examples(capsys, *command):
        assert main(shlex.split(line.partition(" >")[0])) == 0
        assert len(capsys.readouterr().out) > 100


def test_the_server_of_the_example_starts(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = examples(capsys, "serve")
    with serving(*shlex.split(line.replace("--port 8321", ""))[1:]) as server:
        assert "calls" in server.stats()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "plan",
            "There is no command plan (a rule of the workflow is run by `dissensus run plan`)",
        ),
        ("d001-en", "There is no command d001-en"),
    ],
)
def test_a_command_that_there_is_not_is_named_with_what_runs_a_rule(
    command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([command])
    assert capsys.readouterr().err == f"{said}; `dissensus --help` lists what there is.\n"
