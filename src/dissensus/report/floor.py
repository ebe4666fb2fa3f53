"""The noise floor: what two equal arms differ by, in the primary outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.report.facts import Fact, Facts, Row
from dissensus.report.labels import interval, signed
from dissensus.report.view import View

#: Why no contrast is tested: of outcomes over all sessions of an arm, and of studies that may stop.
_UNTESTED = (
    "no contrast was tested against it, which takes a number for each draw, and as many draws as "
    "were planned"
)


@dataclass(frozen=True)
class Beyond:
    """How many contrasts were found to be larger than the floor, each tested with it in one test.

    Attributes
    ----------
    found, tested : how many.
    noun : what they are, in the singular.
    verbs : of one, and of several.
    rest : what is so of them, behind the verb.
    level : of the test, such as "95%".
    """

    found: Fact
    tested: Fact
    noun: str
    verbs: tuple[str, str]
    rest: str
    level: str

    @property
    def words(self) -> str:
        """Such as "3 of 11 arms differ from debate by more than that (95%, after Holm)"."""
        noun = self.noun if int(self.tested) == 1 else f"{self.noun}s"
        verb = self.verbs[1 not in (int(self.found), int(self.tested))]
        return f"{self.found} of {self.tested} {noun} {verb} {self.rest} ({self.level}, after Holm)"


@dataclass(frozen=True)
class Floor:
    """The noise floor of a study.

    Attributes
    ----------
    row : of an artefact: one of two equal arms, less the other.
    differs : what they are, in words that go before the difference.
    n : what it rests on, such as a number of draws.
    beyond : what is larger than that; None where nothing was tested with it.
    beside : what is said where no count was tested, such as why; may be empty.
    times, digits : what values are multiplied by, and decimals.
    unit : of what is printed, such as " points".
    """

    row: Mapping[str, Any]
    differs: str
    n: Any
    beyond: Beyond | None = None
    beside: str = ""
    times: float = 1.0
    digits: int = 3
    unit: str = ""

    @classmethod
    def of(cls, contrasts: Facts, again: str, view: View, **look: Any) -> Floor | None:
        """From the contrasts of a study; None where no draw has the reference twice.

        Parameters
        ----------
        again : the arm that is the reference once more.
        view : for the level of the tests.
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
        name = view.arm(row["reference"])
        tested = [each for each in main if each["floor_p"] == each["floor_p"]]
        noun = "contrast" if any(" " in row["arm"] for row in tested) else "arm"
        beyond = (
            beyond_of(
                contrasts, tested, view, noun=noun, name=name, reference=row["reference"], look=look
            )
            if tested
            else None
        )
        beside = "" if tested or not main else _UNTESTED
        differs = f"{name} run again differs from itself by"
        return cls(row, differs, row["n"], beyond, beside, **named)

    @property
    def has_limits(self) -> bool:
        """Whether its difference has an interval."""
        return bool(self.row["ci_low"] == self.row["ci_low"])

    @property
    def sentence(self) -> str:
        """What stands beside the headline."""
        estimate, low, high = (
            self.row[name] * self.times for name in ("estimate", "ci_low", "ci_high")
        )
        differs = f"{self.differs} {signed(estimate, self.digits)}"
        if not self.has_limits:
            return f"No noise floor: {differs}{self.unit}, n = {self.n}, without an interval."
        limits = f"{interval(low, high, self.digits, '−')}{self.unit}"
        more = self.beyond.words if self.beyond else self.beside
        return f"Noise floor: {differs} {limits}, n = {self.n}{'; ' if more else ''}{more}."


def beyond_of(
    contrasts: Facts,
    tested: Sequence[Row],
    view: View,
    *,
    noun: str,
    name: str,
    reference: str,
    look: Mapping[str, Any] | None = None,
) -> Beyond:
    """How many contrasts are beyond the floor.

    Parameters
    ----------
    contrasts : what the rows are of.
    tested : headlines that were tested with the floor.
    view : for the level.
    noun : what they are, in the singular.
    name, reference : the reference for readers, and as rows name it.
    look : further columns with the value that all rows have.
    """
    names = {key: [row[key] for row in tested] for key in ("arm", "reference")}
    where = {"headline": True, **names, **(look or {})}
    found = contrasts.over("sum", f"floor_p < {view.alpha:.6g}", **where)
    of = contrasts.over("count", "floor_p", **where)
    if set(names["reference"]) == {reference}:
        rest = f"from {name} by more than that"
        return Beyond(found, of, noun, ("differs", "differ"), rest, view.level)
    rest = f"larger than what {name} differs from itself by, with the same weight"
    return Beyond(found, of, "contrast", ("is", "are"), rest, view.level)
