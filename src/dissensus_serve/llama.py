"""A model file on this machine behind llama.cpp's server, for as long as a command runs.

``python -m dissensus_serve.llama model.gguf --port 8080 -- snakemake --cores 4 ...``. Needs
``xllamacpp``, which ``make .venv/llama`` installs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dissensus.errors import DissensusError, ProviderError, ResourceError
from dissensus.report.escaping import complain

#: Calls that the server answers at once, and the tokens that each may have, prompt and reply.
PLACES, CONTEXT = 4, 8192


def start(model: Path, port: int, context: int = CONTEXT, threads: int | None = None) -> Any:
    """The server, ready to answer on loopback; it ends with this process.

    Parameters
    ----------
    model : a GGUF file.
    port : where it listens.
    context : tokens of one call, prompt and reply.
    threads : that compute; None for as many as there are processors.

    Raises
    ------
    ResourceError : there is no such file, or llama.cpp cannot read it.
    ProviderError : llama.cpp is not installed.
    """
    if not model.is_file():
        raise ResourceError(f"{model} is no file; name a model in the GGUF format.")
    try:
        import xllamacpp
    except ImportError:
        raise ProviderError(
            "llama.cpp is not installed here; run `make .venv/llama`, or start a server of your "
            "own and name it in config/local.yaml."
        ) from None
    given = xllamacpp.CommonParams()
    given.model.path = str(model)
    given.hostnames, given.port = ["127.0.0.1"], port
    # The file's own name besides: a plan that has it says which model it was.
    given.model_alias = {"local", model.stem}
    given.n_parallel, given.n_ctx = PLACES, PLACES * context
    given.verbosity = -1
    if threads:
        given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(given)
    except Exception as error:
        raise ResourceError(f"{model} cannot be served ({error}); check the file.") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve a model while a command runs; the command's exit code."""
    parser = argparse.ArgumentParser(prog="dissensus_serve.llama", description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--context", type=int, default=CONTEXT)
    # Threads wait for each other without rest: where processors are few they do little else.
    parser.add_argument("--threads", type=int)
    parser.add_argument("command", nargs="+", metavar="-- command")
    chosen = parser.parse_args(arguments)
    try:
        server = start(chosen.model, chosen.port, chosen.context, chosen.threads)
    except DissensusError as error:
        complain(error)
        return 1
    ended = subprocess.run(chosen.command, check=False).returncode
    del server
    return ended


if __name__ == "__main__":
    sys.exit(main())
