"""``python -m dissensus``, and the command ``dissensus``."""

from __future__ import annotations

import os
import sys

#: As in a run's scripts: sets have one order, which prompts that are made again must have too.
_HASH_SEED = "0"


def start() -> int:
    """Run the command in a Python that orders sets as a run does; the exit code."""
    if os.environ.get("PYTHONHASHSEED") != _HASH_SEED:
        os.environ["PYTHONHASHSEED"] = _HASH_SEED
        os.execv(sys.executable, [sys.executable, "-P", "-m", "dissensus", *sys.argv[1:]])
    from dissensus.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(start())
