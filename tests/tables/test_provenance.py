"""Provenance says what made a file, and nothing that differs between two runs of the same."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import version

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


def test_it_names_the_commit():
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    expected = head.stdout.strip() if head.returncode == 0 else "unknown"
    module.code_commit.cache_clear()
    module._commit_of.cache_clear()
    assert provenance("s", True, {})["commit"] == expected


def test_outside_a_checkout_the_commit_is_unknown(monkeypatch: pytest.MonkeyPatch):
    module.code_commit.cache_clear()
    module._commit_of.cache_clear()
    monkeypatch.setenv("PATH", "")
    assert provenance("s", True, {})["commit"] == "unknown"
    module.code_commit.cache_clear()


def test_the_same_settings_say_the_same_whatever_their_order():
    assert provenance("s", True, {"a": 1, "b": 2}) == provenance("s", True, {"b": 2, "a": 1})
    assert provenance("s", True, {"a": 1}) != provenance("s", True, {"a": 2})
