"""A `dissensus serve` of a test's own: started on a free port, stopped whatever happens."""

from __future__ import annotations

import json
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from forked import Forked

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Server:
    """A server that is listening.

    Attributes
    ----------
    address : http://127.0.0.1:PORT; the openai package's base_url is this with /v1.
    said : the line that it printed.
    stderr : what it writes there.
    """

    address: str
    said: str
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
    with tempfile.TemporaryDirectory() as said:
        chosen = ("serve", "--port", "0", *options)
        server = Forked("dissensus.cli", chosen, cwd, Path(said), seconds=600, environment=env)
        try:
            while not (line := server.out.read_text("utf-8")).endswith("\n") and not server.ended:
                time.sleep(0.005)
            found = re.search(r"http://[^/\s]+:\d+", line)
            if not found:
                raise RuntimeError(f"dissensus serve did not start: {line}{server.end().stderr}")
            yield Server(found[0], line.strip(), server.err)
        finally:
            server.send(signal.SIGTERM)
            try:
                server.end(10)
            except TimeoutError:
                server.kill()
                server.end()
