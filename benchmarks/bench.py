"""What every part is given: where to work, how much to measure, and where its rows go."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from table import Row
from timing import Failed, Took


@dataclass(frozen=True)
class Bench:
    """One part's surroundings.

    Attributes
    ----------
    folder : empty, its own, and on a disk.
    runs : of each thing that is measured more than once.
    quick : whether to measure small sizes, of which no target speaks.
    inspect : a python that has inspect-ai; "" for none.
    keep : takes each row as it comes.
    mallm : a python that has mallm; "" for none.
    """

    folder: Path
    runs: int
    quick: bool
    inspect: str
    keep: Callable[[Row], None]
    mallm: str = ""

    def add(self, row: Row) -> None:
        """Keep a row and show it, since the whole takes long."""
        row = replace(row, target=None) if self.quick else row
        self.keep(row)
        self.say(" | ".join(cell for cell in row.cells() if cell))

    def say(self, words: str) -> None:
        """Say how far it has come."""
        print(f"... {words}", file=sys.stderr, flush=True)

    @contextmanager
    def attempt(self, what: str) -> Iterator[None]:
        """Measure something whose failure is a row of its own and loses no other."""
        try:
            yield
        except Failed as error:
            print(error, file=sys.stderr)
            self.add(Row(what, failure=str(error)))
        except Exception as error:
            traceback.print_exc()
            self.add(Row(what, failure=f"{type(error).__name__}: {error}"))


def seconds(runs: Sequence[Took], share: float = 1.0) -> list[float]:
    """Wall clock of each run, times a factor."""
    return [run.seconds * share for run in runs]


def cpu(runs: Sequence[Took], share: float = 1.0) -> list[float]:
    """Processor seconds of each run, times a factor."""
    return [run.cpu_s * share for run in runs]


def memory(runs: Sequence[Took]) -> list[float]:
    """Highest memory of each run's processes together, in MB."""
    return [run.together_mb for run in runs]


def largest(runs: Sequence[Took]) -> list[float]:
    """Highest memory of each run's largest process, in MB."""
    return [run.largest_mb for run in runs]
