"""Figure 4: the Identity Bias Coefficient by round."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from dissensus.identity.figures.frames import Estimates, is_defined, warning
from dissensus.identity.figures.style import columns_for, looks, noise_band, panels
from dissensus.identity.outcomes import OUTCOMES, PRIMARY
from dissensus.identity.terms import DIFFERENCE
from dissensus.report.claims.ranked import is_found
from dissensus.report.facts import Facts
from dissensus.report.forms import estimated, key_of, legend, whisker
from dissensus.report.frames import Record
from dissensus.report.labels import limits, listed, signed
from dissensus.report.style import Mark, new_figure, notice, styled, zero_line
from dissensus.report.view import Artefacts, Drawn, View

MISSING = "No team has an Identity Bias Coefficient in two rounds: there is no course to draw."


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a panel a bank, in it a line a team through its IBC by round."""
    estimates = Estimates.of(artefacts)
    facts = describe(estimates, artefacts.facts("comparisons"), view)
    if not _courses(estimates):
        return Drawn(notice(MISSING, view.simulated), facts)
    across = columns_for(estimates.banks)
    lines = -(-len(estimates.banks) // across)
    figure = new_figure(0.45 + 1.95 * lines, view.simulated)
    look = looks(estimates.teams)
    for place, (bank, axes) in enumerate(panels(figure, estimates, across, "round")):
        _panel(axes, estimates, bank, look)
        noise_band(axes, view)
        zero_line(axes)
        if place % across == 0:
            axes.set_ylabel(OUTCOMES[PRIMARY].column)
    legend(figure, map(key_of, look.values()), 4)
    return Drawn(figure, facts)


def _panel(axes: Axes, estimates: Estimates, bank: str, look: dict[str, Mark]) -> None:
    """Teams stand side by side at each round, so that their intervals do not cover each other."""
    step = 0.5 / max(len(estimates.teams), 2)
    for place, team in enumerate(estimates.teams):
        aside = (place - (len(estimates.teams) - 1) / 2) * step
        rows = {at: estimates.get(team, bank, "ibc", DIFFERENCE, at) for at in estimates.rounds}
        known_rows = {at + aside: row for at, row in rows.items() if is_defined(row)}
        for x, row in known_rows.items():
            whisker(axes, estimated(row), x, look[team], upright=True, words=team)
        axes.plot(
            list(known_rows),
            [row["estimate"] for row in known_rows.values()],
            color=look[team].colour,
            linestyle=look[team].line,
            linewidth=0.9,
            alpha=0.7,
            zorder=1,
        )
    axes.set_xticks(estimates.rounds)
    axes.set_xlim(estimates.rounds[0] - 0.45, estimates.rounds[-1] + 0.45)


def _courses(estimates: Estimates) -> dict[tuple[str, str], list[Record]]:
    """Team and bank -> its IBC in every round that has one, where at least two have."""
    courses = {
        cell: [
            row
            for at in estimates.rounds
            if is_defined(row := estimates.cited(*cell, "ibc", DIFFERENCE, at=at))
        ]
        for cell in estimates.cells()
    }
    return {cell: rows for cell, rows in courses.items() if len(rows) > 1}


def describe(estimates: Estimates, comparisons: Facts, view: View) -> dict[str, str]:
    """What the caption says."""
    courses = _courses(estimates)
    return {
        "found": _moves(comparisons, estimates.rounds, view) if courses else MISSING,
        "noise": f"{view.fact('ibc_noise'):.2f}",
        "warning": warning(view),
        "level": view.level,
    }


def _moves(comparisons: Facts, rounds: Sequence[int], view: View) -> str:
    """What becomes of the coefficient from the first round to the last, as it is tested."""
    first, last = f"round {rounds[0]}", f"round {rounds[-1]}"
    rows = comparisons.rows(kind="round", one=last, other=first, measure=PRIMARY)
    changes = [row for row in rows if row["estimate"] == row["estimate"]]
    if not changes:
        return "No team has the questions that two rounds could be compared on."
    told = [row for row in changes if is_found(row, view.alpha)]
    ways = [f"{'up' if row['estimate'] > 0 else 'down'} in {row['team']}" for row in told]
    each = listed(f"{row['team']} {signed(row['estimate'])} {limits(row)}" for row in changes)
    return (
        f"From {first} to {last}, over all banks and paired by question: {each}. Found "
        f"to move after Holm over teams and rounds: {listed(ways) or 'none'}."
    )
