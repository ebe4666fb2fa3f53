"""The paper's printed numbers, and what follows from these alone."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.validation.sources import Data

from .figures.printed import PAPER


def printed(data: Data) -> Iterator[tuple[str, ...]]:
    """Rows of the study's table of the paper that something follows from."""
    for quantity, said, implied, _ in PAPER.rows.values():
        if implied:
            yield ("language", quantity, said, implied, "")
