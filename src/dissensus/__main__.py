"""``python -m dissensus``."""

from __future__ import annotations

import sys

from dissensus.cli import main

if __name__ == "__main__":
    sys.exit(main())
