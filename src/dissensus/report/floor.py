"""The noise floor: what two equal arms differ by, in the primary outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.report.facts import Facts
from dissensus.report.labels import interval, signed


@dataclass(frozen=True)
class Floor:
    """The noise floor of a study.

    Attributes
    ----------
    row : of an artefact: one of two equal arms, less the other.
    differs : what they are, in words that go before the difference.
    n : what it rests on, such as a number of draws.
    within : how many contrasts of the primary outcome are no further from 0 than the interval of
        that difference reaches; None where it has no interval.
    contrasts : how many contrasts of the primary outcome have an estimate.
    times, digits : what values are multiplied by, and decimals.
    unit : of what is printed, such as " points".
    noun : what a contrast is called.
    """

    row: Mapping[str, Any]
    differs: str
    n: Any
    within: float | None
    contrasts: float
    times: float = 1.0
    digits: int = 3
    unit: str = ""
    noun: str = "contrast"

    @classmethod
    def of(cls, contrasts: Facts, again: str, **look: Any) -> Floor | None:
        """From the contrasts of a study; None where no draw has the reference twice.

        Parameters
        ----------
        again : the arm that is the reference once more.
        look : ``times``, ``digits`` and ``unit``; other columns with the value that all rows have.
        """
        named = {name: look.pop(name) for name in ("times", "digits", "unit") if name in look}
        main = [row for row in contrasts.rows(headline=True, **look) if row["arm"] != again]
        where = {name: main[0][name] for name in ("outcome", "method")} if main else {}
        if not contrasts.rows(arm=again, **where):
            # The headline of a study that may stop has a method of its own.
            where.pop("method", None)
        whole = {"factor": ""} if "factor" in contrasts.frame else {}
        rows = contrasts.rows(arm=again, **whole, **where, **look)
        row = next((row for row in rows if row["reference"] and row["n"]), None)
        if row is None:
            return None
        compared = [each for each in main if each["reference"]]
        others = {name: [each[name] for each in compared] for name in ("arm", "reference")}
        beside = {"headline": True, **others, **look}
        differs = f"{row['reference'].replace('_', ' ')} run again differs from itself by"
        return cls.beside(row, contrasts, beside, differs, row["n"], **named)

    @classmethod
    def beside(
        cls,
        row: Mapping[str, Any],
        compared: Facts,
        where: Mapping[str, Any],
        differs: str,
        n: Any,
        **look: Any,
    ) -> Floor:
        """From a row of two equal arms.

        Parameters
        ----------
        compared, where : an artefact, and which of its rows are compared with the floor.
        look : ``times``, ``digits``, ``unit`` and ``noun``.
        """
        reach = max(abs(float(row["ci_low"])), abs(float(row["ci_high"])))
        near = f"-{reach} <= estimate <= {reach}"
        within = None if reach != reach else compared.over("sum", near, **where)
        return cls(row, differs, n, within, compared.over("count", "estimate", **where), **look)

    @property
    def has_limits(self) -> bool:
        """Whether its difference has an interval."""
        return self.within is not None

    @property
    def sentence(self) -> str:
        """What stands beside the headline."""
        estimate, low, high = (
            self.row[name] * self.times for name in ("estimate", "ci_low", "ci_high")
        )
        differs = f"{self.differs} {signed(estimate, self.digits)}"
        if self.within is None:
            return f"No noise floor: {differs}{self.unit}, n = {self.n}, without an interval."
        limits = f"{interval(low, high, self.digits, '−')}{self.unit}"
        floor = f"Noise floor: {differs} {limits}, n = {self.n}"
        if not self.contrasts:
            return f"{floor}."
        noun = self.noun if int(self.contrasts) == 1 else f"{self.noun}s"
        verb = "is" if int(self.within) == 1 else "are"
        return (
            f"{floor}; {self.within} of {self.contrasts} {noun} {verb} no further from zero than "
            "that."
        )
