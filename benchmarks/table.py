"""Rows of the benchmarks' table, kept as raw numbers and shown as medians and ratios."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

_HEAD = """# Benchmarks

Made by `python benchmarks/run.py`. All debaters are simulated models, or a local server that
answers as one would: the machinery is measured, and no model's own time. CPU is user and system
time of a command and all that it starts. Memory is the highest sum over its processes, in MB of
2^20 bytes; pages that they share count in each. A ratio is of the two medians. Machines differ:
compare ratios. Each part, the load of the machine just before it, and when and on what it ran:
"""
_COLUMNS = (
    "part",
    "what",
    "median",
    "lowest to highest",
    "runs",
    "beside",
    "ratio",
    "target",
    "met",
)


@dataclass(frozen=True)
class Target:
    """What a row is to reach: at most ``limit``, or at least that.

    Attributes
    ----------
    limit : in the row's unit, or a ratio.
    of : which of the row's two numbers.
    least : whether more is better.
    """

    limit: float
    of: Literal["median", "ratio"] = "median"
    least: bool = False

    def met(self, number: float) -> bool:
        return number >= self.limit if self.least else number <= self.limit

    def words(self, unit: str) -> str:
        bound = "at least" if self.least else "at most"
        if self.of == "ratio":
            return f"ratio {bound} {self.limit:g}"
        return f"{bound} {self.limit:,g} {unit}".rstrip()


@dataclass(frozen=True)
class Row:
    """One thing measured.

    Attributes
    ----------
    what : in words.
    unit : of its numbers; "" for a share or a count.
    values : a number a run.
    beside, beside_values : what it is compared with, and that one's numbers; empty for nothing.
    target : what it is to reach; None where nothing is asked.
    failure : why there are no values.
    """

    what: str
    unit: str = ""
    values: Sequence[float] = ()
    beside: str = ""
    beside_values: Sequence[float] = ()
    target: Target | None = None
    failure: str = ""

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Row:
        target = stored["target"] and Target(**stored["target"])
        return cls(**{**stored, "target": target})

    @property
    def median(self) -> float:
        return float(median(self.values))

    @property
    def ratio(self) -> float | None:
        """Of the medians; None without a number to divide by."""
        if not self.beside_values:
            return None
        other = float(median(self.beside_values))
        return self.median / other if other > 0 else None

    def cells(self) -> list[str]:
        """The row as the table shows it, without its part."""
        if self.failure:
            target = self.target.words(self.unit) if self.target else ""
            return [self.what, f"failed: {_one_line(self.failure)}", "", "", "", "", target, "no"]
        beside = self.beside
        if self.beside_values:
            beside += f", {_shown(float(median(self.beside_values)), self.unit)}"
        low, high = (_shown(bound(self.values), "") for bound in (min, max))
        ratio = "" if self.ratio is None else _shown(self.ratio, "")
        place = [self.what, _shown(self.median, self.unit), f"{low} to {high}"]
        return [*place, str(len(self.values)), beside, ratio, *self._verdict()]

    def _verdict(self) -> tuple[str, str]:
        if self.target is None:
            return "", ""
        number = self.median if self.target.of == "median" else self.ratio
        met = number is not None and self.target.met(number)
        return self.target.words(self.unit), "yes" if met else "no"


class Results:
    """All rows, by part, in a JSON file and in a Markdown one beside it, both written at each row.

    Parameters
    ----------
    stem : path of both files without its ending.
    order : of the parts in the table.

    Raises
    ------
    ValueError : there is a JSON file, and it cannot be read.
    """

    def __init__(self, stem: Path, order: Sequence[str]) -> None:
        self._stem = stem
        self._order = order
        self._parts: dict[str, dict[str, Any]] = {}
        if self._json.exists():
            try:
                stored = json.loads(self._json.read_text(encoding="utf-8"))
                for name, part in stored.items():
                    self.begin(name, part["on"], part["load"])
                    self._parts[name]["rows"] = [Row.read(row) for row in part["rows"]]
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise ValueError(
                    f"{self._json} is not as this version writes it ({error!r}); delete it."
                ) from None

    @property
    def _json(self) -> Path:
        return self._stem.with_suffix(".json")

    def begin(self, part: str, on: str, load: float) -> None:
        """Drop a part's rows, since it is measured again.

        Parameters
        ----------
        on : when and on what, in words.
        load : of the machine just before, over a minute.
        """
        self._parts[part] = {"on": on, "load": load, "rows": []}

    def add(self, part: str, row: Row) -> None:
        """Add a row to a part that has begun."""
        self._parts[part]["rows"].append(row)
        stored = {
            name: {**kept, "rows": [asdict(one) for one in kept["rows"]]}
            for name, kept in self._parts.items()
        }
        self._json.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
        self._stem.with_suffix(".md").write_text(self.markdown(), encoding="utf-8")

    def failed(self, parts: Sequence[str]) -> bool:
        """Whether something in these parts could not be measured."""
        return any(row.failure for part in parts for row in self._parts[part]["rows"])

    def markdown(self) -> str:
        """Head and table."""
        parts = {name: self._parts[name] for name in self._order if name in self._parts}
        by_place: dict[str, list[str]] = {}
        for name, part in parts.items():
            by_place.setdefault(part["on"], []).append(f"{name} ({part['load']:.1f})")
        places = [f"- {', '.join(names)}: {place}" for place, names in by_place.items()]
        lines = [list(_COLUMNS), ["---"] * len(_COLUMNS)]
        lines += [[name, *row.cells()] for name, part in parts.items() for row in part["rows"]]
        table = [f"| {' | '.join(line)} |" for line in lines]
        return "\n".join([_HEAD, *places, "", *table]) + "\n"


def _shown(number: float, unit: str) -> str:
    """Three figures, or all before the point."""
    size = abs(number)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{number:,.{digits}f} {unit}".rstrip()


def _one_line(text: str) -> str:
    """The end of a text, which says most of a failure, in a form that fits a cell."""
    line = " ".join(text.split()).replace("|", "/")
    return line if len(line) <= 300 else f"{line[:120]} ... {line[-170:]}"
