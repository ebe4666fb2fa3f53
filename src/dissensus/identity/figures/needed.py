"""What the study could find: the questions that an identity bias needs, and those held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from dissensus.identity.figures.frames import bank_words, range_words
from dissensus.identity.terms import POOLED
from dissensus.report.frames import records
from dissensus.report.labels import counted, listed, number, whole
from dissensus.report.view import View

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
    needed: Mapping[float, int]
    detectable: Mapping[int, float]


def rooms(power: pd.DataFrame) -> dict[tuple[str, str], Room]:
    """Team and bank -> what can be found there; left out where the run does not tell."""
    asked = power[(power["quantity"] != "power") & (power["power"] == TARGET)]
    rooms_of = {}
    for name, rows in asked.groupby(["team", "bank"], sort=False):
        team, bank = (str(part) for part in name)
        needed = {
            round(float(row["ibc"]), 6): int(row["questions"])
            for row in records(rows[rows["quantity"] == "needed"])
        }
        detectable = {
            int(row["questions"]): float(row["ibc"])
            for row in records(rows[rows["quantity"] == "detectable"])
        }
        here = [size for size in detectable if size != PAPER]
        sd = float(rows["sd"].iloc[0])
        rooms_of[team, bank] = Room(sd, here[0] if here else PAPER, needed, detectable)
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


def describe(power: pd.DataFrame, view: View) -> str:
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
        f"Needed for |IBC| {number(ibc, 2)}: {range_words(needed, 'question')}. Those held are "
        f"enough in {whole(len(enough))} of {counted(len(shown), 'cell')}"
        f"{f' ({listed(enough)})' if enough else ''}. With {PAPER} questions the smallest IBC "
        f"found would be {_between(least)}."
    )


def _between(values: Sequence[float]) -> str:
    """Such as "0.112", or "0.112 to 0.350"."""
    ends = list(dict.fromkeys((number(values[0]), number(values[-1]))))
    return " to ".join(ends)
