"""Figure 3: the Identity Bias Coefficient with one peer and with several, of the same model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from dissensus.identity.figures.frames import (
    Estimates,
    Team,
    bank_words,
    casts,
    is_defined,
    range_words,
    read_teams,
    warning,
)
from dissensus.identity.figures.style import looks, noise_band
from dissensus.identity.outcomes import OUTCOMES, PRIMARY
from dissensus.identity.terms import DIFFERENCE, POOLED
from dissensus.report.escaping import label
from dissensus.report.forms import divide, estimated, key_of, rows_axis, whisker
from dissensus.report.labels import limits, listed, signed, whole
from dissensus.report.style import GREY, beside, new_figure, notice, styled, zero_line
from dissensus.report.view import Artefacts, Drawn, View

MISSING = "No model debates both with one peer an agent and with several: nothing to compare."


@dataclass(frozen=True)
class Series:
    """One line of a panel.

    Attributes
    ----------
    team : whose.
    peers : "all", or so many disagreeing and agreeing ones such as "4,0".
    label : for the legend.
    """

    team: str
    peers: str
    label: str


def series(cast: Sequence[Team], estimates: Estimates) -> list[Series]:
    """Each team over all its disagreements; those with several peers also where all disagree."""
    lines = []
    for team in cast:
        counts = team.peer_counts(estimates)
        lines.append(Series(team.name, "all", f"{team.name}, {range_words(counts, 'peer')}"))
        if team.peers > 1:
            all_disagree = f"{team.name}, all {counts[-1]} disagree"
            lines.append(Series(team.name, f"{team.peers},0", all_disagree))
    return lines


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a panel a model that debates both ways, in it a row a bank."""
    estimates = Estimates.of(artefacts)
    teams = read_teams(artefacts, estimates.teams)
    facts = describe(estimates, teams, view)
    groups = [group for group in casts(teams) if _comparable(estimates, group)]
    if not groups:
        return Drawn(notice(MISSING, view.simulated), facts)
    banks = estimates.panels()
    heights = [0.32 + 0.17 * len(series(group, estimates)) * len(banks) for group in groups]
    figure = new_figure(0.35 + sum(heights) + 0.3 * len(groups), view.simulated)
    grid = figure.subplots(len(groups), 1, squeeze=False, sharex=True, height_ratios=heights)
    for letter, axes, group in zip("abcdef", grid[:, 0], groups, strict=False):
        _panel(axes, estimates, group, banks)
        noise_band(axes, view, vertical=True)
        zero_line(axes, vertical=True)
        axes.set_title(f"{letter}  {cast_words(group)}")
    grid[-1, 0].set_xlabel(OUTCOMES[PRIMARY].title)
    return Drawn(figure, facts)


def cast_words(group: Sequence[Team]) -> str:
    """The model, and whether its agents have personas."""
    return f"{label(group[0].model)}{', with personas' if group[0].personas else ''}"


def _panel(axes: Axes, estimates: Estimates, group: Sequence[Team], banks: Sequence[str]) -> None:
    lines = series(group, estimates)
    look = looks([line.label for line in lines])
    block = len(lines) + 0.6
    for place, bank in enumerate(banks):
        for step, line in enumerate(lines):
            row = estimates.get(line.team, bank, "ibc", DIFFERENCE, peers=line.peers)
            if is_defined(row):
                at, words = place * block + step, f"{line.label}, {bank_words(bank)}"
                whisker(axes, estimated(row), at, look[line.label], words=words)
                count = whole(int(row["n"]))
                beside(axes, place * block + step, count, gap=2, size=5.5, color=GREY)
    divide(axes, [place * block - 0.8 for place in range(1, len(banks))])
    middles = [place * block + (len(lines) - 1) / 2 for place in range(len(banks))]
    rows_axis(axes, list(map(bank_words, banks)), middles)
    axes.set_ylim((len(banks) - 1) * block + len(lines) - 0.3, -0.7)
    axes.legend(
        handles=[key_of(mark, line=False) for mark in look.values()],
        loc="upper left",
        bbox_to_anchor=(1.05, 1.0),
        frameon=False,
        fontsize=7,
        borderaxespad=0,
    )


def _comparable(estimates: Estimates, group: Sequence[Team]) -> bool:
    """Whether some bank has an IBC of both kinds of team."""
    return any(
        {
            team.peers == 1
            for team in group
            if is_defined(estimates.get(team.name, bank, "ibc", DIFFERENCE))
        }
        == {True, False}
        for bank in estimates.banks
    )


def describe(estimates: Estimates, teams: Sequence[Team], view: View) -> dict[str, str]:
    """What the caption says."""
    clauses = []
    for group in casts(teams):
        if not _comparable(estimates, group):
            continue
        bank = estimates.panels()[-1]
        found_here = [
            f"{signed(row['estimate'])} {limits(row)} ({line.label})"
            for line in series(group, estimates)
            if is_defined(
                row := estimates.cited(line.team, bank, "ibc", DIFFERENCE, peers=line.peers)
            )
        ]
        where = "over all banks" if bank == POOLED else f"on {bank}"
        clauses.append(f"{cast_words(group)} {where}: {listed(found_here)}")
    return {
        "found": f"{'; '.join(clauses)}." if clauses else MISSING,
        "noise": f"{view.fact('ibc_noise'):.2f}",
        "warning": warning(view),
        "level": view.level,
    }
