"""What the study could find: power by number of questions, and the questions that are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.identity.figures.frames import bank_words, range_words, warning
from dissensus.identity.figures.style import looks
from dissensus.identity.terms import POOLED
from dissensus.report.artefacts import Artefacts
from dissensus.report.forms import divide, key_of, legend, rows_axis
from dissensus.report.frames import records
from dissensus.report.labels import counted, listed, number, percent, whole
from dissensus.report.style import FAINT, GREY, Mark, new_figure, notice, spread, styled
from dissensus.report.view import Drawn, View

MISSING = "No team has an Identity Bias Coefficient whose spread could say what power there is."

#: The power at which an effect counts as detectable.
TARGET = 0.8

#: The power at which a curve has its name.
_NAMED = 0.62

#: The questions of the paper's bank that its threshold is said of.
PAPER = 272

#: Numbers of questions that make good ticks.
_LADDER = (10, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600)


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
    found = {}
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
        found[team, bank] = Room(sd, here[0] if here else PAPER, needed, detectable)
    # By team; within one in the order of the banks.
    return dict(sorted(found.items(), key=lambda item: item[0][0]))


def nearest(found: Mapping[tuple[str, str], Room], ibc: float) -> float:
    """Of the IBCs that questions were asked for, the one nearest to another."""
    asked = {one for room in found.values() for one in room.needed}
    return min(asked, key=lambda one: (abs(one - ibc), one))


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw power by questions at the left, and the questions that each team needs at the right."""
    power = artefacts.frame("power")
    found, facts = rooms(power), describe(power, view)
    if not found:
        return Drawn(notice(MISSING, view.simulated), facts)
    look = looks(sorted({team for team, _ in found}))
    banks = _ordered(found)
    height = max(2.9, 0.95 + 0.15 * (len(look) + 0.6) * len(banks))
    figure = new_figure(height, view.simulated)
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.15])
    _curves(left, power, 2.9 / height)
    _rows(right, found, banks, look, nearest(found, view["ibc_noise"]))
    for axes in (left, right):
        axes.set_xlabel("questions")
    legend(figure, (key_of(mark, line=False) for mark in look.values()), 4)
    return Drawn(figure, facts)


def _ordered(found: Mapping[tuple[str, str], Room]) -> list[str]:
    """The banks, all together last and only where there are several."""
    banks = sorted({bank for _, bank in found} - {POOLED})
    pooled = any(bank == POOLED for _, bank in found)
    return [*banks, POOLED] if pooled and len(banks) != 1 else banks


def _log_scale(axes: Axes, low: float, high: float, room: float) -> None:
    """Logarithmic questions, with ``room`` of the decades between at either end for labels."""
    axes.set_xscale("log")
    rungs = [n for n in _LADDER if low <= n <= high]
    ticks = rungs[:: -(-len(rungs) // 6)] if rungs else [low, high]
    axes.set_xticks(ticks, [whole(n) for n in ticks])
    axes.minorticks_off()
    beyond = (high / low) ** room
    axes.set_xlim(low * 0.85 / beyond, high * 1.1 * beyond)


def _curves(axes: Axes, power: pd.DataFrame, scale: float) -> None:
    """A line an IBC, at the median over teams and banks.

    ``scale`` is how much of the axis a letter takes, by what it takes in the lowest figure.
    """
    own = power[(power["quantity"] == "power") & power["power"].notna()]
    cells = own.groupby("questions")[["team", "bank"]].apply(
        lambda rows: len(rows.drop_duplicates())
    )
    # Every cell has its own number of questions too: a band needs those that all have.
    own = own[own["questions"].isin(cells.index[cells == cells.max()])]
    by = own.groupby(["ibc", "questions"])["power"].agg(["median"])
    effects = sorted(set(own["ibc"]))
    first, last = float(own["questions"].min()), float(own["questions"].max())
    greys = np.linspace(0.62, 0.05, len(effects))
    for effect, grey in zip(effects, greys, strict=True):
        rows = by.loc[effect]
        places = rows.index.to_numpy(dtype=float)
        axes.plot(places, rows["median"], color=str(grey), linewidth=1.1)
    axes.axhline(TARGET, color=GREY, linewidth=0.6)
    axes.text(last * 1.08, TARGET + 0.01, percent(TARGET), size=6.5, color=GREY, va="bottom")
    axes.set(ylim=(0, 1.04), ylabel="power", yticks=[0, 0.2, 0.4, 0.6, 0.8, 1.0])
    _log_scale(axes, first, last, 0.1)
    axes.set_title("a  Power by true IBC")
    _name(axes, {effect: by.loc[effect]["median"] for effect in effects}, scale)


def _name(axes: Axes, curves: Mapping[float, pd.Series], scale: float) -> None:
    """The IBC of each curve: where it passes :data:`_NAMED`, or at the end nearest to that."""
    high = {ibc: curve for ibc, curve in curves.items() if curve.iloc[0] > _NAMED}
    low = {ibc: curve for ibc, curve in curves.items() if curve.iloc[-1] < _NAMED}
    passing = {ibc: curve for ibc, curve in curves.items() if ibc not in high | low}
    for some, end, align in ((high, 0, "right"), (low, -1, "left")):
        heights = spread([float(curve.iloc[end]) for curve in some.values()], 0.062 * scale)
        for (ibc, curve), height in zip(some.items(), heights, strict=True):
            place = curve.index[end] * (0.88 if align == "right" else 1.12)
            axes.text(place, height, f"{ibc:g}", ha=align, va="center", size=7)
    # From the greatest IBC, whose curve lies leftmost, on.
    names = list(reversed(passing))
    width = np.ptp(np.log(axes.get_xlim()))
    at = [np.interp(_NAMED, passing[ibc], np.log(passing[ibc].index)) for ibc in names]
    for ibc, place in zip(names, spread(at, 0.1 * width), strict=True):
        axes.text(np.exp(place - 0.01 * width), _NAMED, f"{ibc:g}", ha="right", size=7)


def _rows(
    axes: Axes,
    found: Mapping[tuple[str, str], Room],
    banks: Sequence[str],
    look: dict[str, Mark],
    ibc: float,
) -> None:
    """A row a team and bank: the questions needed as a mark, those complete as a bar."""
    block = len(look) + 0.6
    ends: list[int] = []
    for place, bank in enumerate(banks):
        for step, (team, one) in enumerate(look.items()):
            room = found.get((team, bank))
            if room is None:
                continue
            y, ends = place * block + step, [*ends, room.complete, room.needed[ibc]]
            axes.plot(
                [room.complete, room.needed[ibc]], [y, y], color=FAINT, linewidth=1.0, zorder=1
            )
            axes.plot(
                room.complete, y, "|", color=GREY, markersize=6, markeredgewidth=1.4, zorder=2
            )
            axes.plot(room.needed[ibc], y, one.marker, color=one.colour, markersize=4.2, zorder=3)
    divide(axes, [place * block - 0.8 for place in range(1, len(banks))])
    middles = [place * block + (len(look) - 1) / 2 for place in range(len(banks))]
    rows_axis(axes, list(map(bank_words, banks)), middles)
    axes.set_ylim((len(banks) - 1) * block + len(look) - 0.3, -0.7)
    _log_scale(axes, min(ends) * 0.9, max(ends) * 1.1, 0.0)
    axes.set_title(f"b  Held (bar) and needed for |IBC| {ibc:.2f}")


def describe(power: pd.DataFrame, view: View) -> dict[str, str]:
    """What the caption says."""
    every = rooms(power)
    if not every:
        return {"found": MISSING, "ibc": number(view["ibc_noise"], 2), "asked": "none"} | {
            "target": percent(TARGET),
            "warning": warning(view),
        }
    ibc, banks = nearest(every, view["ibc_noise"]), _ordered(every)
    found = {cell: room for cell, room in every.items() if cell[1] in banks}
    needed = sorted(room.needed[ibc] for room in found.values())
    enough = [
        f"{team} on {bank_words(bank)}"
        for (team, bank), room in found.items()
        if room.complete >= room.needed[ibc]
    ]
    least = sorted(room.detectable[PAPER] for room in found.values())
    return {
        "found": (
            f"Needed for |IBC| {number(ibc, 2)}: {range_words(needed, 'question')}. Those held are "
            f"enough in {whole(len(enough))} of {counted(len(found), 'cell')}"
            f"{f' ({listed(enough)})' if enough else ''}. With {PAPER} questions the smallest IBC "
            f"found would be {_between(least)}."
        ),
        "ibc": number(ibc, 2),
        "asked": range_words([room.complete for room in found.values()], "question"),
        "target": percent(TARGET),
        "warning": warning(view),
    }


def _between(values: Sequence[float]) -> str:
    """Such as "0.112", or "0.112 to 0.350"."""
    ends = list(dict.fromkeys((number(values[0]), number(values[-1]))))
    return " to ".join(ends)
