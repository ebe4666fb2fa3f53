"""The ledger: what a run has spent, one line for every try that a provider may charge for.

Under a budget, the most that a try can cost is reserved before it is sent, by a line of its own. A
second line, with the same name, says what it came to. What a killed process had reserved counts as
spent: the provider may charge for it. A try whose answer did not arrive counts with its most, until
a further line of its name says that it can have cost no more than less.
"""

from __future__ import annotations

import errno
import math
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from dissensus.errors import BudgetReached, ResourceError, SettingError
from dissensus.llm.records import read_line, write_line
from dissensus.llm.shared import SharedFile, unchanging

#: Its name in a run's folder.
LEDGER = "ledger.jsonl"
#: More than the rounding error of a sum of dollars, and less than the price of a token.
_ROUNDING_USD = 1e-9


@dataclass(frozen=True)
class Billed:
    """One try; ``sure`` where the provider counted its tokens, else ``usd`` is its most.

    Raises
    ------
    ValueError : dollars or tokens are negative, or dollars no finite number.
    """

    stage: str
    model: str
    usd: float
    sure: bool
    input_tokens: int
    output_tokens: int

    def __post_init__(self) -> None:
        _dollars(self.usd)
        if self.input_tokens < 0 or self.output_tokens < 0:
            raise ValueError(f"{self.input_tokens}, {self.output_tokens} are no counts of tokens")


class Ledger:
    """What a run has spent; all its processes read and write it.

    Parameters
    ----------
    path : JSON lines, made with its folder by the first try; None for this process alone.
    budget_usd : what the run may spend, 0 or more; None for no limit.
    stage : under which this process's tries are written down.

    Raises
    ------
    SettingError : the budget is negative or no number.
    ResourceError : a line of the file is damaged, when it is first read.
    """

    def __init__(self, path: Path | None, budget_usd: float | None, stage: str = "") -> None:
        if budget_usd is not None and not budget_usd >= 0.0:
            raise SettingError(
                f"budget_usd is {budget_usd}; it must be 0 or more, or null for no limit."
            )
        self.budget_usd = budget_usd
        self._path = path
        self._stage = stage
        self._file = None if path is None else SharedFile(path)
        self._reading = -1
        self._unwritten: list[dict[str, Any]] = []
        self._lock = Lock()
        self._name, self._number = secrets.token_hex(6), count(1)
        self._mine: set[str] = set()
        self._refused_usd: float | None = None
        #: Dollars that batches under way may cost, of whatever process; None where there are none.
        self.pledged: Callable[[], float] | None = None
        self._forget()

    def _forget(self) -> None:
        self._offset = 0
        self._lines = 0
        # Dollars of sure tries, and of others.
        self._usd = {True: 0.0, False: 0.0}
        self._reserved: dict[str, float] = {}
        # What a try whose answer did not arrive counts with, by its name; and how many there are.
        self._unsure: dict[str, float] = {}
        self._unsure_tries = 0
        self._answered: set[str] = set()

    def reserve(self, model: str, usd: float) -> str | None:
        """Reserve the most that a try can cost, before it is sent.

        Returns
        -------
        A name for :meth:`add` or :meth:`release`, "" where nothing needs to be reserved; None where
        the budget may cover the try once others that this process has sent have come to less than
        their most.

        Raises
        ------
        BudgetReached : it does not cover the try.
        ResourceError : what the run spends cannot be written down, or not be read.
        """
        if self.budget_usd is None or not usd:
            return ""
        with self._lock:
            name = f"{self._name}-{next(self._number)}"
            line = {"reservation": name, "stage": self._stage, "model": model, "usd": usd}
            if self._file is None:
                if not self._covers(usd):
                    return None
                self._reserved[name] = usd
            else:
                lines = b"".join(map(write_line, [*self._unwritten, line]))
                with self._file as descriptor:
                    # Nobody else may reserve the same money in between.
                    self._take_in(descriptor)
                    if not self._covers(usd):
                        return None
                    self._put(descriptor, lines)
                self._unwritten.clear()
            self._mine.add(name)
            return name

    def release(self, reservation: str) -> None:
        """Give reserved money back: the try was not charged for."""
        if reservation:
            self._settle(reservation, {"release": reservation})

    def add(
        self,
        model: str,
        usd: float,
        input_tokens: int,
        output_tokens: int,
        *,
        sure: bool = True,
        reservation: str = "",
    ) -> None:
        """Write a try, in place of what was reserved for it.

        It raises no error for a file that cannot be written, since the reply is still to be saved:
        the try counts all the same, and the next :meth:`check` stops the run.

        Raises
        ------
        ValueError : see :class:`Billed`.
        """
        billed = Billed(self._stage, model, usd, sure, input_tokens, output_tokens)
        self._settle(
            reservation, vars(billed) | ({"reservation": reservation} if reservation else {})
        )

    def _settle(self, reservation: str, line: dict[str, Any]) -> None:
        with self._lock:
            self._mine.discard(reservation)
            if self._file is None:
                self._count(line)
            else:
                self._unwritten.append(line)
                with suppress(ResourceError):
                    self._write()

    def check(self) -> None:
        """Return where the run may go on.

        Raises
        ------
        BudgetReached : it has spent its budget.
        ResourceError : what it spends cannot be written down, or not be read.
        """
        with self._lock:
            if self._unwritten:
                self._write()
            if self.budget_usd is None:
                return
            self._read()
            if self._mine or self._total() < self.budget_usd - _ROUNDING_USD:
                return
            raise BudgetReached(self._reached())

    @property
    def spent_usd(self) -> float:
        """Dollars of all tries, with the most that unsure ones may have cost."""
        with self._lock:
            self._read()
            return self._total()

    @property
    def sure_usd(self) -> float:
        """Dollars of answers that arrived."""
        with self._lock:
            self._read()
            return self._sum(sure=True)

    @property
    def unsure_usd(self) -> float:
        """The most that tries without an answer may have cost."""
        with self._lock:
            self._read()
            return self._sum(sure=False)

    def answered(self, model: str) -> bool:
        """Whether the model ever answered in this run."""
        with self._lock:
            self._read()
            return model in self._answered or any(
                line.get("sure") and line["model"] == model for line in self._unwritten
            )

    def _sum(self, sure: bool) -> float:
        waiting = sum(line["usd"] for line in self._unwritten if line.get("sure") is sure)
        reserved = 0.0 if sure else sum(self._reserved.values())
        return self._usd[sure] + float(waiting) + reserved

    def _total(self) -> float:
        return self._sum(sure=True) + self._sum(sure=False)

    def _covers(self, usd: float) -> bool:
        """Whether the budget covers a try now; raises BudgetReached where it will not later."""
        assert self.budget_usd is not None
        pledged = self.pledged() if self.pledged else 0.0
        left = self.budget_usd - self._total() - pledged
        if self._refused_usd is None and usd <= left + _ROUNDING_USD:
            return True
        if self._mine:
            return False
        # The run ends: no cheaper call may be sent, and be in no sentence about what was spent.
        self._refused_usd = usd if self._refused_usd is None else self._refused_usd
        batches = f", batches under way may cost ${pledged:,.4f} more" if pledged else ""
        more = f"{batches}, and the next call may cost up to ${self._refused_usd:,.4f}"
        raise BudgetReached(self._reached(more))

    def _reached(self, more: str = "") -> str:
        return (
            f"The run has spent ${self._total():,.4f}{self._in_doubt()} of the "
            f"${self.budget_usd:,.4f} that budget_usd allows{more}; raise budget_usd and start "
            "again: the run goes on where it stopped."
        )

    def _in_doubt(self) -> str:
        """What of it is not sure, and why; "" for nothing."""
        unsure = self._sum(sure=False)
        if not unsure:
            return ""
        waiting = sum(line.get("sure") is False for line in self._unwritten)
        tries = self._unsure_tries + len(self._reserved) + waiting
        return (
            f" (up to ${unsure:,.4f} of it for {tries} {'try' if tries == 1 else 'tries'} whose "
            "answer has not arrived, each at the most that it can have cost; the provider's bill "
            "may be less)"
        )

    def in_doubt(self) -> str:
        """What of the money spent is not sure, in brackets after a space; "" for nothing."""
        with self._lock:
            self._read()
            return self._in_doubt()

    def _count(self, line: dict[str, Any]) -> None:
        """Count a line: what was reserved, what was given back, or what a try cost."""
        if "release" in line:
            self._reserved.pop(line["release"], None)
        elif "sure" not in line:
            self._reserved[line["reservation"]] = _dollars(line["usd"])
        else:
            name = line.get("reservation")
            billed = Billed(**{key: value for key, value in line.items() if key != "reservation"})
            self._reserved.pop(name or "", None)
            before = self._unsure.pop(name or "", None)
            if before is not None:
                self._usd[False] -= before
                self._unsure_tries -= 1
            self._usd[billed.sure] += billed.usd
            if not billed.sure:
                self._unsure_tries += 1
                self._unsure |= {name: billed.usd} if name else {}
            if billed.sure:
                self._answered.add(billed.model)

    def _write(self) -> None:
        """Append what is not written yet."""
        assert self._file is not None
        # What takes long is done before others wait for the file.
        lines = b"".join(map(write_line, self._unwritten))
        with self._file as descriptor:
            self._put(descriptor, lines)
        self._unwritten.clear()

    def _put(self, descriptor: int, lines: bytes) -> None:
        """Write whole lines at the end of the locked file, or nothing; a torn last line is cut off.

        Raises
        ------
        ResourceError : they cannot be written.
        """
        try:
            end = os.fstat(descriptor).st_size
            if end and os.pread(descriptor, 1, end - 1) != b"\n":
                end = os.pread(descriptor, end, 0).rfind(b"\n") + 1
                os.ftruncate(descriptor, end)
            if os.pwrite(descriptor, lines, end) < len(lines):
                os.ftruncate(descriptor, end)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise ResourceError(
                f"{self._path} cannot be written ({error.strerror}), and without it the budget "
                "would not be kept; free some space and start again: the run goes on where it "
                "stopped."
            ) from None

    def _read(self) -> None:
        """Count the lines that were appended since, by this process or another."""
        if self._path is None:
            return
        if self._reading < 0:
            try:
                self._reading = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return
        with unchanging(self._reading):
            self._take_in(self._reading)

    def _take_in(self, descriptor: int) -> None:
        """Count the new lines of the file, which nobody may write meanwhile."""
        size = os.fstat(descriptor).st_size
        if size == self._offset:
            return
        if size < self._offset:
            # A person deleted lines: count from the start.
            self._forget()
        added = os.pread(descriptor, size - self._offset, self._offset)
        # A last line without its end is being written, or was torn by a kill.
        for line in added[: added.rfind(b"\n") + 1].split(b"\n")[:-1]:
            try:
                self._count(read_line(line))
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise ResourceError(
                    f"{self._path}: line {self._lines + 1} of the ledger is damaged ({error}); "
                    "delete that line and start again: what the journals know of it is counted."
                ) from None
            self._offset += len(line) + 1
            self._lines += 1


def _dollars(value: Any) -> float:
    """An amount in a line; ValueError where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{value!r} is no amount of dollars")
    if not (math.isfinite(value) and value >= 0.0):
        raise ValueError(f"usd is {value}; a try costs a finite amount, 0 or more")
    return float(value)
