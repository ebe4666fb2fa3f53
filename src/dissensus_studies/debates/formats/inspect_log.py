"""Inspect logs as turns, read by Inspect's own package where that is installed.

The package need not be in this environment: it may be in one of its own, in ``.venv/inspect`` of
the folder, where a checkout's ``make .venv/inspect/installed`` puts it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dissensus.errors import ResourceError
from dissensus.shipped import is_checkout

from . import inspect_reader

#: Where it may be besides, from the project's folder.
_OWN = Path(".venv/inspect/bin/python")


def turns(path: Path, columns: Mapping[str, str | None]) -> Iterator[dict[str, Any]]:
    """The turns of a log, ``.eval`` or ``.json``; of a sample without any, its session alone.

    Parameters
    ----------
    columns : field -> where a message, its sample or the evaluation has it.

    Raises
    ------
    ResourceError : the package is nowhere, or cannot read the file.
    """
    done = subprocess.run(
        [_python(path), inspect_reader.__file__, str(path.resolve()), json.dumps(columns)],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        error_lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason"]
        raise ResourceError(f"{path}: Inspect cannot read it ({error_lines[-1][:300]}).")
    for line in done.stdout.decode("utf-8").splitlines():
        yield json.loads(line)


def _how() -> str:
    """How it is installed beside the project, in a checkout and elsewhere."""
    if is_checkout():
        return "`make .venv/inspect/installed`"
    return "`python3 -m venv .venv/inspect && .venv/inspect/bin/pip install inspect-ai`"


def _python(path: Path) -> str:
    """The Python that has the package."""
    if find_spec("inspect_ai"):
        return sys.executable
    if _OWN.is_file():
        return str(_OWN)
    raise ResourceError(
        f"{path} is read by Inspect's own package, which is not installed; {_how()} puts it into "
        "an environment of its own."
    )
