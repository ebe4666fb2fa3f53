"""What the study could find: the questions that an identity bias needs, and those held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dissensus.report.facts import Fact, Facts, unmarked
from dissensus.report.labels import listed, number
from dissensus.report.view import View

from ..terms import POOLED
from .frames import bank_words, range_words

MISSING = "No team has an Identity Bias Coefficient whose spread could say what power there is."

#: The power at which an effect counts as detectable.
TARGET = 0.8

#: The questions of the paper's bank that its threshold is said of.
PAPER = 272


@dataclass(frozen=True)
class Room:
    """What one team's questions of one bank can find.

    Attributes
    ----------
    sd : such that an IBC's standard error is sd / sqrt(questions).
    complete : questions complete under both conditions.
    needed : IBC -> questions for :data:`TARGET`.
    detectable : questions -> smallest IBC found with :data:`TARGET`, here and at :data:`PAPER`.
    """

    sd: float
    complete: int
    needed: Mapping[float, float]
    detectable: Mapping[float, float]


def rooms(power: Facts) -> dict[tuple[str, str], Room]:
    """Team and bank -> what can be found there; left out where the run does not tell.

    Raises
    ------
    ArtefactError : a team's questions of a bank have several spreads.
    """
    asked = power.rows(quantity=["needed", "detectable"], power=TARGET)
    rooms_of = {}
    for team, bank in dict.fromkeys((row["team"], row["bank"]) for row in asked):
        rows = [row for row in asked if (row["team"], row["bank"]) == (team, bank)]
        needed: dict[float, float] = {
            Fact(round(float(row["ibc"]), 6), row["ibc"].origin): row["questions"]
            for row in rows
            if row["quantity"] == "needed"
        }
        detectable: dict[float, float] = {
            row["questions"]: row["ibc"] for row in rows if row["quantity"] == "detectable"
        }
        here = [size for size in detectable if size != PAPER]
        sd = power.shared("sd", team=team, bank=bank)
        complete = min(here, default=PAPER)
        rooms_of[team, bank] = Room(sd, int(complete), needed, detectable)
    # By team; within one in the order of the banks.
    return dict(sorted(rooms_of.items(), key=lambda item: item[0][0]))


def nearest(rooms_of: Mapping[tuple[str, str], Room], ibc: float) -> float:
    """Of the IBCs that questions were asked for, the one nearest to another."""
    asked = {ibc_asked for room in rooms_of.values() for ibc_asked in room.needed}
    return min(asked, key=lambda candidate: (abs(candidate - ibc), candidate))


def _ordered(rooms_of: Mapping[tuple[str, str], Room]) -> list[str]:
    """The banks, all together last and only where there are several."""
    banks = sorted({bank for _, bank in rooms_of} - {POOLED})
    pooled = any(bank == POOLED for _, bank in rooms_of)
    return [*banks, POOLED] if pooled and len(banks) != 1 else banks


def describe(power: Facts, view: View) -> str:
    """Which questions a bias just out of the noise needs, and which of those held are enough."""
    every = rooms(power)
    if not every:
        return MISSING
    ibc, banks = nearest(every, view["ibc_noise"]), _ordered(every)
    shown = {cell: room for cell, room in every.items() if cell[1] in banks}
    needed = sorted(room.needed[ibc] for room in shown.values())
    enough = [
        f"{team} on {bank_words(bank)}"
        for (team, bank), room in shown.items()
        if room.complete >= room.needed[ibc]
    ]
    least = sorted(room.detectable[PAPER] for room in shown.values())
    return (
        f"Needed for |IBC| {number(ibc, 2)}: {range_words(needed, 'question')}. This run has "
        f"enough {f'for {listed(enough)}' if enough else 'in no team'}. With {PAPER} questions the "
        f"smallest IBC found would be {_between(least)}."
    )


def _between(values: Sequence[float]) -> str:
    """Such as "0.112", or "0.112 to 0.350"."""
    ends = {unmarked(end): end for end in map(number, (values[0], values[-1]))}
    return " to ".join(ends.values())
