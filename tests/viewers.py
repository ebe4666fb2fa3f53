"""The Python that has the viewers of agents' logs: ``make .venv/inspect/installed``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support import ROOT

PYTHON = ROOT / ".venv/inspect/bin/python"


def viewer(code: str, *arguments: str | Path) -> Any:
    """What some code prints as JSON, in the Python that has the viewers."""
    if not PYTHON.is_file():
        pytest.skip("no viewers here: make .venv/inspect/installed installs them")
    done = subprocess.run(
        [PYTHON, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])
