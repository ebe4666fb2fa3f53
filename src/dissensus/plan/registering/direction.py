"""Whether what a study found lies on the side of 0 on which its plan expected it.

A direction is a hypothesis and no test: intervals and p-values stay two-sided, so that a finding
the other way is one as well. Where it came out is no deviation from the plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from dissensus.plan.deviations import read_plan
from dissensus.report.labels import counted, interval, signed
from dissensus.tables.artefact import read
from dissensus.tables.provenance import PLAN_FILE

Row = Mapping[str, Any]
#: How the plan and all that is said of it later end.
TWO_SIDED = "Intervals and p-values are two-sided all the same."
#: Side of 0 -> its sign.
_SIGNS = {"greater": 1, "less": -1}
#: The reference less itself is the noise floor, of which nothing is expected.
_FLOOR = re.compile(r"(.{1,200})_again-\1")


def expected(direction: str) -> str:
    """Where the difference is expected, in words; ``direction``: greater or less."""
    return "above 0" if direction == "greater" else "below 0"


@dataclass(frozen=True)
class Direction:
    """A registered direction, and the estimates that it was registered of.

    Attributes
    ----------
    side : greater or less.
    rows : the headline's, with ``contrast``, ``outcome``, ``estimate``, ``ci_low`` and ``ci_high``.
    """

    side: str
    rows: Sequence[Row]

    def signs(self) -> list[int]:
        """Of each row that has an estimate 1 on the registered side, -1 on the other, 0 at 0."""
        return [_sign(row["estimate"], self.side) for row in self.rows if _is_known(row)]

    @property
    def words(self) -> str:
        """What the front page says, in a few words."""
        signs = self.signs()
        if not signs:
            return "a direction, with no estimate to compare it with"
        if len(signs) == 1:
            return f"{'' if signs[0] > 0 else 'not '}in the registered direction"
        return f"{signs.count(1)} of {len(signs)} contrasts in the registered direction"

    def sentences(self) -> Iterator[str]:
        """On which side each estimate is, and what the tests are."""
        where = expected(self.side)
        signs = self.signs()
        if not signs:
            yield (
                f"Registered direction: {where}. No estimate of this study is marked as its "
                "headline, so that nothing is compared with it."
            )
            return
        if len(signs) > 1:
            verb = "is" if signs.count(1) == 1 else "are"
            there = f"{signs.count(1)} of {counted(len(signs), 'contrast')} {verb}"
            yield f"Registered direction: {where}. There {there}."
        for row in filter(_is_known, self.rows):
            limits = interval(row["ci_low"], row["ci_high"], minus="−")
            what = f"{row['outcome']}, {row['contrast']}: {signed(row['estimate'])} {limits}"
            begin = f"Registered direction: {where}. " if len(signs) == 1 else ""
            yield f"{begin}{what} is {_where(row, self.side)}."
        yield TWO_SIDED


def _is_known(row: Row) -> bool:
    return row["estimate"] is not None and isfinite(row["estimate"])


def _sign(value: float, side: str) -> int:
    return _SIGNS[side] * ((value > 0) - (value < 0))


def _where(row: Row, side: str) -> str:
    """On which side an estimate is, and whether its interval is there too."""
    ways = {1: "on that side", -1: "on the other side", 0: "on neither side"}
    limits = row["ci_low"], row["ci_high"]
    if not all(limit is not None and isfinite(limit) for limit in limits):
        return f"{ways[_sign(row['estimate'], side)]}, and has no interval"
    has_zero = limits[0] <= 0 <= limits[1]
    within = "its interval has 0 in it" if has_zero else "so is its whole interval"
    return f"{ways[_sign(row['estimate'], side)]}, and {within}"


def direction_of(folder: Path, headline_rows: str) -> Direction | None:
    """The direction that a study's plan has; None where it has none, or there is no plan.

    Parameters
    ----------
    folder : of the study, whose estimates are made.
    headline_rows : the artefact that marks its headline; "" of none.

    Raises
    ------
    DissensusError : the plan or the artefact is damaged.
    """
    side = registered_side(folder)
    if not side:
        return None
    path = folder / f"{headline_rows}.parquet"
    rows = read(path).to_pylist() if headline_rows and path.is_file() else []
    return Direction(
        side,
        [row for row in rows if row["headline"] and not _FLOOR.fullmatch(row["contrast"])],
    )


def registered_side(folder: Path) -> str:
    """The side of 0 that a study's plan expects: greater or less; "" of none, or without a plan.

    Raises
    ------
    ResourceError : the plan cannot be read.
    """
    if not (folder / PLAN_FILE).is_file():
        return ""
    side = (read_plan(folder).get("hypothesis") or {}).get("direction")
    return side if side in _SIGNS else ""
