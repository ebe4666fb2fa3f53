"""Loads a tokeniser or an embedder once, to see whether it can be.

That is done in a process of its own, since a model may take gigabytes that a run's own process
never needs: ``python -m dissensus.text.loading tokenizer hf:FacebookAI/xlm-roberta-large``.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Literal

from dissensus.errors import DissensusError, ProviderError
from dissensus.text.embeddings import embedder
from dissensus.text.tokens import tokenizer

Kind = Literal["tokenizer", "embedder"]


def check_loadable(kind: Kind, name: str) -> None:
    """Load what may have to be downloaded or installed; what has no colon comes with this package.

    Parameters
    ----------
    name : as :func:`~dissensus.text.tokens.tokenizer` or
        :func:`~dissensus.text.embeddings.embedder` takes it.

    Raises
    ------
    ProviderError : it cannot be loaded, in the words of what loads it.
    """
    if ":" not in name:
        return
    done = subprocess.run(
        [sys.executable, "-m", "dissensus.text.loading", kind, name],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise ProviderError(lines[-1])


def main(kind: str, name: str) -> None:
    """Load it, or end with the sentence that says why not."""
    try:
        if kind == "tokenizer":
            tokenizer(name)("one word")
        else:
            embedder(name)
    except DissensusError as error:
        sys.exit(" ".join(str(error).split()))
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        sys.exit(f"{kind} {name!r} cannot be loaded ({what}); name another.")


if __name__ == "__main__":
    main(*sys.argv[1:])
