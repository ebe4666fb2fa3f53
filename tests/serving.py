"""A `dissensus serve` of a test's own: started on a free port, stopped whatever happens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Server:
    """A server that is listening.

    Attributes
    ----------
    address : http://127.0.0.1:PORT; the openai package's base_url is this with /v1.
    said : the line that it printed.
    process : itself.
    stderr : what it writes there.
    """

    address: str
    said: str
    process: subprocess.Popen[str]
    stderr: Path

    def errors(self) -> str:
        """What the server has written to its standard error."""
        return self.stderr.read_text(encoding="utf-8")

    def stats(self) -> dict[str, Any]:
        """What the server has counted until now."""
        with urlopen(f"{self.address}/stats", timeout=10) as answer:
            counted: dict[str, Any] = json.load(answer)
        return counted


def command(*options: str) -> list[str]:
    """The command line of a server."""
    return [sys.executable, "-m", "dissensus", "serve", *options]


@contextmanager
def serving(
    *options: str, env: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> Iterator[Server]:
    """A server on a free port for as long as the block lasts.

    Parameters
    ----------
    options : of ``dissensus serve``, as on the command line.
    env : environment variables besides those of this process.
    cwd : the project whose configuration it reads.
    """
    with tempfile.TemporaryDirectory() as folder:
        errors = Path(folder) / "stderr"
        with errors.open("w") as file:
            process = subprocess.Popen(
                command("--port", "0", *options),
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://[^/\s]+:\d+", said)
            if not found:
                process.wait(timeout=10)
                raise RuntimeError(f"dissensus serve did not start: {said}{errors.read_text()}")
            yield Server(found[0], said.strip(), process, errors)
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout:
                process.stdout.close()
