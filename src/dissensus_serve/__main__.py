"""``python -m dissensus_serve``: the command ``dissensus serve``, with its options."""

from __future__ import annotations

import sys

from dissensus.cli import main

if __name__ == "__main__":
    sys.exit(main(["serve", *sys.argv[1:]]))
