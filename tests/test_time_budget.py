"""A limit of minutes leaves tests out, and says which."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripted import ROOT


@pytest.mark.parametrize(("minutes", "left"), [("0", 2), ("60", 0)])
def test_tests_that_have_not_begun_in_time_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, minutes: str, left: int
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    (tmp_path / "test_made.py").write_text("def test_one(): pass\ndef test_two(): pass\n")
    command = [sys.executable, "-m", "pytest", "-p", "time_budget", "--minutes", minutes]
    done = subprocess.run([*command, tmp_path], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (f"{left} tests left out, since the time was over" in done.stdout) == (left > 0)
    assert (f"{left:5d}  test_made.py" in done.stdout) == (left > 0)
    assert (f"{2 - left} passed" in done.stdout) == (left < 2)
