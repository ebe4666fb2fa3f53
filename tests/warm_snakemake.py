"""Snakemake in processes forked from one which has imported it and what the Snakefile imports.

Half of the tests' runs are over sooner than these imports are. Runs that are killed, that go to a
cluster, or that need an environment from Python's start on are processes of their own as ever.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from dissensus.study.registry import STUDIES
from dissensus.study.warm_scripts import ScriptServer, serve

_IMPORTED = (
    *("snakemake.cli", "dissensus.study.configuration", "dissensus.study.job_graph"),
    *("dissensus.study.preflight", "dissensus.study.start", "dissensus.study.preregistration"),
    *("snakemake_logger_plugin_dissensus.board", *STUDIES.values()),
)
#: Goes into the folder, takes the environment, says what it says into files, and ends in time.
_START = """
import os, signal, sys
os.chdir({folder!r})
os.environ.clear()
os.environ.update({environment!r})
for number, path in ((1, {out!r}), (2, {err!r})):
    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
signal.alarm({seconds})
from snakemake import cli
sys.argv, sys.path[0] = [cli.__file__, *{arguments!r}], ""
cli.main()
"""


@cache
def _server() -> ScriptServer:
    return ScriptServer(__file__)


def run_snakemake(
    folder: Path, arguments: Sequence[str], seconds: int
) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a folder, and wait for its end, at most so many seconds."""
    with TemporaryDirectory() as said:
        script, out, err = (Path(said) / name for name in ("start.py", "out", "err"))
        text = _START.format(
            **{"folder": str(folder), "environment": dict(os.environ), "arguments": [*arguments]},
            **{"out": str(out), "err": str(err), "seconds": seconds},
        )
        script.write_text(text, encoding="utf-8")
        status = _server().run(str(script))
        return subprocess.CompletedProcess(
            arguments, status, out.read_text("utf-8"), err.read_text("utf-8")
        )


if __name__ == "__main__":
    serve(_IMPORTED)
