"""Figure 1: conformity against obstinacy, by team, bank and condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from matplotlib.axes import Axes

from dissensus.report.claims.ranked import Ranked
from dissensus.report.forms import divide, estimated, key_of, legend, whisker
from dissensus.report.frames import Record
from dissensus.report.labels import counted, limits, listed, signed, whole
from dissensus.report.style import GREY, beside, marks, new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from ..terms import ANONYMIZED, VANILLA
from .frames import Estimates, bank_words, is_defined, range_words
from .style import columns_for, panels

MISSING = "No team had a disagreement to revise in round 1: no conformity or obstinacy to draw."

#: Whether agents see whose answer is whose, for readers.
SHOWN = {VANILLA: "with labels", ANONYMIZED: "without labels"}
_MARKS = [
    replace(mark, name=name)
    for name, mark in zip(("conformity", "obstinacy"), marks("01", "0").values(), strict=True)
]

#: Rows that one team takes, and the gap after it.
_ROWS, _BLOCK = 2, 2.5


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a panel a bank, in it a row a team and condition, both shares with their intervals."""
    estimates = Estimates.of(artefacts)
    facts = describe(estimates, view)
    if not _deltas(estimates):
        return Drawn(notice(MISSING, view.simulated), facts)
    across = columns_for(estimates.banks)
    lines = -(-len(estimates.banks) // across)
    tall = 0.72 + 0.42 * len(estimates.teams)
    figure = new_figure(0.35 + tall * lines, view.simulated)
    for bank, axes in panels(figure, estimates, across, "share of disagreements"):
        _panel(axes, estimates, bank)
    entries = [
        key_of(
            replace(mark, name=f"{mark.name}, {words}"), filled=condition != ANONYMIZED, line=False
        )
        for condition, words in SHOWN.items()
        for mark in _MARKS
    ]
    legend(figure, entries)
    return Drawn(figure, facts)


def _panel(axes: Axes, estimates: Estimates, bank: str) -> None:
    ticks, labels = [], []
    for index, team in enumerate(estimates.teams):
        for step, (condition, words) in enumerate(SHOWN.items()):
            middle = index * _BLOCK + step
            ticks.append(middle)
            labels.append(f"{team}  {words}" if step == 0 else words)
            rows = [estimates.get(team, bank, mark.name, condition) for mark in _MARKS]
            if not is_defined(rows[0]):
                continue
            filled = condition != ANONYMIZED
            for mark, row, up in zip(_MARKS, rows, (-0.2, 0.2), strict=True):
                told = f"{team}, {words}, {mark.name}"
                whisker(axes, estimated(row), middle + up, mark, filled=filled, words=told)
            beside(axes, middle, whole(int(rows[0]["n"])), gap=2, size=5.5, color=GREY)
        if index:
            divide(axes, [index * _BLOCK - (_BLOCK - _ROWS + 1) / 2])
    axes.set_yticks(ticks, labels)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(estimates.teams) * _BLOCK - (_BLOCK - _ROWS) - 0.35, -0.65)
    axes.set(xlim=(0, 1), xticks=[0, 0.25, 0.5, 0.75, 1.0])
    axes.set_xticklabels(["0", "", "0.5", "", "1"])


def _deltas(estimates: Estimates) -> list[tuple[str, str, str]]:
    """Team, bank and condition of every Delta of round 1 that the data define."""
    return [
        (team, bank, condition)
        for team, bank in estimates.cells()
        for condition in SHOWN
        if is_defined(estimates.get(team, bank, "delta", condition))
    ]


def describe(estimates: Estimates, view: View) -> dict[str, str]:
    """What the caption says."""
    rows = {
        cell: estimates.cited(cell[0], cell[1], "delta", cell[2]) for cell in _deltas(estimates)
    }
    return {
        "found": _found(estimates, rows) if rows else MISSING,
        "counts": range_words([row["n"] for row in rows.values()], "disagreement"),
        "level": view.level,
    }


def _found(estimates: Estimates, rows: dict[tuple[str, str, str], Record]) -> str:
    """Which of the two is the higher one, how often, and where most."""
    clauses = []
    drawn = {"measure": "delta", "round": 1, "peers": "all", "policy": "drop"}
    for condition, words in SHOWN.items():
        here = {**drawn, "condition": condition, "bank": estimates.banks}
        number = estimates.facts.over("count", "estimate", **here)
        higher, above, below = (
            estimates.facts.over("sum", meets, **here)
            for meets in ("estimate > 0", "ci_low > 0", "ci_high < 0")
        )
        clauses.append(
            f"in {whole(higher)} of {counted(number, 'cell')} {words} (interval of "
            f"the difference above zero in {whole(above)}, below it in {whole(below)})"
        )
    largest = Ranked.largest(rows.values()).words(_worded, _cell)
    return (
        f"Conformity is the higher one {listed(clauses)}. The largest difference is "
        f"that of {largest}."
    )


def _cell(row: Mapping[str, Any]) -> str:
    return f"{row['team']} on {bank_words(row['bank'])} {SHOWN[row['condition']]}"


def _worded(row: Mapping[str, Any]) -> str:
    return f"{_cell(row)}, {signed(row['estimate'])} {limits(row)}"
