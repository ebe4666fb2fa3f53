"""Provenance says what made a file, and nothing that differs between two runs of the same."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from dissensus.tables import provenance as module
from dissensus.tables.provenance import provenance
from scripted import ROOT


def test_it_says_what_made_the_file():
    said = provenance("gather_turns", True, {"a": 1})
    assert (said["stage"], said["simulated"]) == ("gather_turns", True)
    assert said["versions"]["python"] == platform.python_version()
    assert said["versions"]["numpy"] == np.__version__
    assert said["versions"]["dissensus"] == version("dissensus")


@pytest.fixture
def asked_anew() -> Iterator[None]:
    """The commit is looked for in this test, and again behind it."""
    for function in (module.code_commit, module._commit_of):
        function.cache_clear()
    yield
    for function in (module.code_commit, module._commit_of):
        function.cache_clear()


#: What a source package has, and a checkout has not.
SAID = ROOT / module.COMMIT_FILE


@pytest.mark.usefixtures("asked_anew")
def test_it_names_the_commit():
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    expected = head.stdout.strip() if head.returncode == 0 else "unknown"
    if SAID.is_file():
        expected = SAID.read_text("utf-8").strip()
    assert provenance("s", True, {})["commit"] == expected


@pytest.mark.usefixtures("asked_anew")
def test_outside_a_checkout_the_commit_is_the_packages_or_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(module, "origin", lambda: tmp_path)
    assert provenance("s", True, {})["commit"] == "unknown"
    (tmp_path / module.COMMIT_FILE).write_text("0a1b2c\n", "utf-8")
    for function in (module.code_commit, module._commit_of):
        function.cache_clear()
    assert provenance("s", True, {})["commit"] == "0a1b2c"


def test_the_same_settings_say_the_same_whatever_their_order():
    assert provenance("s", True, {"a": 1, "b": 2}) == provenance("s", True, {"b": 2, "a": 1})
    assert provenance("s", True, {"a": 1}) != provenance("s", True, {"a": 2})
