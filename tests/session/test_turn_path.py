"""One accepted turn over HTTP passes few functions and files: who reads them follows it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.thorough
def test_a_turn_passes_few_functions_and_files() -> None:
    program = Path(__file__).with_name("turn_path.py")
    run = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=True, timeout=120
    )
    counts = json.loads(run.stdout)
    # Of Python 3.11, which counts a comprehension as a function; 3.12 counts fewer.
    assert counts["files"] <= 20 and counts["functions"] <= 90 and counts["moves"] <= 62, counts
    assert counts["files"] > 10 and counts["functions"] > 60
