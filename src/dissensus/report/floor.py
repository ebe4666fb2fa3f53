"""The noise floor: what the reference arm differs by from itself, in the primary outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.report.facts import Facts
from dissensus.report.labels import limits, signed


@dataclass(frozen=True)
class Floor:
    """The noise floor of a study.

    Attributes
    ----------
    row : of the contrasts: the reference run again, less the reference.
    within : how many contrasts of the primary outcome are no further from 0 than the interval of
        that difference reaches; None where it has no interval.
    contrasts : how many contrasts of the primary outcome have an estimate.
    """

    row: Mapping[str, Any]
    within: float | None
    contrasts: float

    @classmethod
    def of(cls, contrasts: Facts, again: str) -> Floor | None:
        """From the contrasts of a study; None where no draw has the reference twice.

        Parameters
        ----------
        again : the arm that is the reference once more.
        """
        main = contrasts.rows(headline=True)
        where = {name: main[0][name] for name in ("outcome", "method")} if main else {}
        rows = contrasts.rows(arm=again, factor="", **where)
        row = next((row for row in rows if row["reference"] and row["n"]), None)
        if row is None:
            return None
        compared = {"headline": True, "reference": [r["reference"] for r in main if r["reference"]]}
        reach = max(abs(float(row["ci_low"])), abs(float(row["ci_high"])))
        near = f"-{reach} <= estimate <= {reach}"
        within = None if reach != reach else contrasts.over("sum", near, **compared)
        return cls(row, within, contrasts.over("count", "estimate", **compared))

    @property
    def sentence(self) -> str:
        """What stands beside the headline."""
        row = self.row
        differs = f"{row['reference']} run again differs from itself by {signed(row['estimate'])}"
        if self.within is None:
            return f"{differs}, n = {row['n']}, without an interval: no noise floor can be told."
        floor = f"Noise floor: {differs} {limits(row)}, n = {row['n']}"
        if not self.contrasts:
            return f"{floor}."
        least = "contrast is" if int(self.contrasts) == 1 else "contrasts are"
        return f"{floor}; {self.within} of {self.contrasts} {least} no further from 0 than that."
