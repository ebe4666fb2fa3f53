"""Which of several estimates is the largest, with its ties and with those not told from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, inf
from typing import Any, TypeVar

from dissensus.report.labels import listed

R = TypeVar("R", bound=Mapping[str, Any])
#: Names of estimates that a sentence lists.
_NAMED = 4


def together(row: Mapping[str, Any]) -> dict[str, Any]:
    """An estimate with the limits that hold for its whole family, where it has any.

    They are due wherever an estimate is shown because it is the largest of several.
    """
    if not has_family(row):
        return dict(row)
    return {**row, "ci_low": row["family_low"], "ci_high": row["family_high"]}


def joint_limits(rows: Iterable[Mapping[str, Any]], of: str) -> str:
    """What an axis or a sentence adds where limits are those of the family; "" where none are.

    Parameters
    ----------
    of : what the family is of, such as "arms".
    """
    return f"limits hold for all {of} together" if any(map(has_family, rows)) else ""


def has_family(row: Mapping[str, Any]) -> bool:
    """Whether an estimate has limits that hold for its whole family."""
    return is_number(row.get("family_low")) and is_number(row.get("family_high"))


def is_number(value: Any) -> bool:
    """Whether a cell has a number."""
    return value is not None and value == value


def leaves_out_zero(row: Mapping[str, Any]) -> bool:
    """Whether an estimate has an interval, and 0 is outside it."""
    low, high = row["ci_low"], row["ci_high"]
    return is_number(low) and is_number(high) and not low <= 0.0 <= high


def is_found(row: Mapping[str, Any], alpha: float) -> bool:
    """Whether an estimate of a family differs from 0, whichever of the family it is.

    By the limits that hold for the family; where it has none, by the p-value after adjustment.
    """
    if has_family(row):
        return not row["family_low"] <= 0.0 <= row["family_high"]
    return bool(is_number(row.get("p_adjusted")) and row["p_adjusted"] < alpha)


def picked(rows: Iterable[R], alpha: float) -> R | None:
    """The estimate that a headline shows: the largest that is found, else the largest of all."""
    ordered = sorted(rows, key=_size, reverse=True)
    found = [row for row in ordered if is_found(row, alpha)]
    return next(iter([*found, *ordered]), None)


@dataclass(frozen=True)
class Ranked:
    """Estimates by their value.

    Attributes
    ----------
    first : the one with the most, or with the least; all that are equal to it.
    near : others that their intervals do not tell from it.
    others : how many more there are.
    by_size : whether they stand by their distance from 0.
    """

    first: Sequence[Mapping[str, Any]]
    near: Sequence[Mapping[str, Any]]
    others: int
    by_size: bool = False

    @classmethod
    def most(cls, rows: Iterable[Mapping[str, Any]]) -> Ranked:
        """Those with the highest estimate."""
        return cls._of(rows, float)

    @classmethod
    def least(cls, rows: Iterable[Mapping[str, Any]]) -> Ranked:
        """Those with the lowest estimate."""
        return cls._of(rows, lambda value: -float(value))

    @classmethod
    def largest(cls, rows: Iterable[Mapping[str, Any]]) -> Ranked:
        """Those furthest from 0, of either sign."""
        return replace(cls._of(rows, lambda value: abs(float(value))), by_size=True)

    @classmethod
    def _of(cls, rows: Iterable[Mapping[str, Any]], size: Callable[[Any], float]) -> Ranked:
        defined = [row for row in rows if is_number(row["estimate"])]
        ordered = sorted(defined, key=lambda row: -size(row["estimate"]))
        if not ordered:
            return cls((), (), 0)
        top = size(ordered[0]["estimate"])
        first = [row for row in ordered if size(row["estimate"]) == top]
        rest = ordered[len(first) :]
        near = [row for row in rest if not _are_told(first[0], row, size)]
        return cls(first, near, len(rest) - len(near))

    def words(
        self, worded: Callable[[Mapping[str, Any]], str], name: Callable[[Mapping[str, Any]], str]
    ) -> str:
        """Such as "ccagent +30.0 (no clear difference from compromise)"; "" without any estimate.

        Parameters
        ----------
        worded : an estimate with its numbers.
        name : what it is of.
        """
        if not self.first:
            return ""
        # One of the other sign may be as far from 0, and not as high.
        lead = self.first[0]["estimate"]
        is_other = [self.by_size and row["estimate"] * lead < 0 for row in self.near]
        beside, across = (
            [row for row, other in zip(self.near, is_other, strict=True) if other is side]
            for side in (False, True)
        )
        every = "any of the others" if not (self.others or across) else ""
        said = [
            f"no clear difference from {every or _named(beside, name)}" if beside else "",
            f"possibly as large, with the other sign: {_named(across, name)}" if across else "",
        ]
        behind = f" ({'; '.join(filter(None, said))})" if self.near else ""
        return f"{listed(map(worded, self.first))}{behind}"


def spread(rows: Iterable[R], worded: Callable[[R], str]) -> str:
    """Several estimates by their ends, which are never taken for all of them.

    Of one or two all are said, such as "0.9 in a and 1.4 in b"; of more "from 0.9 in a to 1.4 in
    b". Those without an estimate are left out.
    """
    defined = [row for row in rows if is_number(row["estimate"])]
    ordered = sorted(defined, key=lambda row: float(row["estimate"]))
    if len(ordered) < 3:
        return listed(map(worded, ordered))
    return f"from {worded(ordered[0])} to {worded(ordered[-1])}"


def _named(rows: Sequence[Mapping[str, Any]], name: Callable[[Mapping[str, Any]], str]) -> str:
    """The first of some estimates by what they are of, and that there are others."""
    return listed([*map(name, rows[:_NAMED]), *["others"] * (len(rows) > _NAMED)])


def _are_told(
    first: Mapping[str, Any], other: Mapping[str, Any], size: Callable[[Any], float]
) -> bool:
    """Whether two estimates differ.

    Contrasts of a headline were tested in the draws that they share, and name those that are alike.
    Of other estimates, and of two of different signs by their size, the interval of the difference
    must leave 0 out. Its limits are the two distances to the limits that face each other, squared
    and added (Newcombe 1998, *Statistics in Medicine* 17, method 10); without limits nothing is
    told.
    """
    same_sign = size(1.0) != size(-1.0) or first["estimate"] * other["estimate"] > 0
    if same_sign and "alike" in first and has_family(first) and has_family(other):
        return str(other["contrast"]) not in [str(name) for name in first["alike"]]
    one, two = _faced(first, size), _faced(other, size)
    gap = abs(one[0] - two[0])
    return gap > hypot(one[0] - one[1], two[2] - two[0])


def _faced(row: Mapping[str, Any], size: Callable[[Any], float]) -> tuple[float, float, float]:
    """Estimate and limits on the scale of the ranking, whatever their sign there."""
    of = together(row)
    low, high = of["ci_low"], of["ci_high"]
    if not (is_number(low) and is_number(high)):
        return size(of["estimate"]), -inf, inf
    value, sign = float(of["estimate"]), 1.0 if size(1.0) > 0 else -1.0
    if size(-1.0) == size(1.0) and value < 0:
        sign = -1.0
    ends = sorted((sign * float(low), sign * float(high)))
    return sign * value, ends[0], ends[1]


def moved(row: Mapping[str, Any] | None, what: str, *, grows: str, falls: str) -> str:
    """What an interval says of a change, such as "is not found to change".

    Parameters
    ----------
    row : the change with its limits; None where nobody estimated it.
    what : that changes.
    grows, falls : the verbs, such as "grows" and "falls".
    """
    if row is None or not (is_number(row["ci_low"]) and is_number(row["ci_high"])):
        return f"{what} has no interval of its change"
    of = together(row)
    if of["ci_low"] <= 0.0 <= of["ci_high"]:
        return f"{what} is not found to change"
    return f"{what} {grows if of['estimate'] > 0 else falls}"


def _size(row: Mapping[str, Any]) -> float:
    return abs(float(row["estimate"])) if is_number(row["estimate"]) else -inf
