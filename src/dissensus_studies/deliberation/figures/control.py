"""How contentiousness was steered, and what the quality of argument did beside it."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.forms import course, legend, multiples, rounds_axis, threads
from dissensus.report.labels import counted, listed, number, percent
from dissensus.report.style import GREY, INK, Mark, new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from .frames import ARM, grid, schedules_of

NONE = "No arm of this run steers contentiousness, so that there is no control to draw."

_ACROSS = 3
#: Measure -> how it is drawn.
_MARKS = {
    "contentiousness": replace(ARM, name="contentiousness β"),
    "quality": Mark("quality of argument ρ", "#c96f00", "D", (0, (4, 1.5))),
}


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a panel for each arm with a schedule: contentiousness and quality by round."""
    rounds, frame = artefacts.frames("rounds", "trajectories")
    scheduled, target = list(schedules_of(view)), view.fact("target")
    facts = describe(artefacts, view)
    controlled = rounds[rounds["arm"].isin(scheduled) & rounds["contentiousness"].notna()]
    if controlled.empty:
        return Drawn(notice(NONE, view.simulated), facts)
    figure = new_figure(0.55 + 1.55 * -(-len(scheduled) // _ACROSS), view.simulated)
    last = int(frame["round"].max())
    for arm, axes in multiples(figure, scheduled, _ACROSS, "round", "β and ρ"):
        _panel(axes, frame[frame["arm"] == arm], controlled[controlled["arm"] == arm], target)
        rounds_axis(axes, last)
        steered = "session_id.where(contentiousness == contentiousness)"
        n = artefacts.facts("rounds").over("distinct", steered, arm=arm)
        axes.set_title(f"{view.arm(arm)} (n = {n})", weight="normal", pad=3)
    named = {
        text: handle
        for axes in figure.axes
        for handle, text in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    legend(figure, named.values())
    return Drawn(figure, facts)


def _panel(axes: Axes, means: pd.DataFrame, sessions: pd.DataFrame, target: float) -> None:
    """Sessions as thin lines, means with intervals, and the target."""
    grid(axes, [0.0, 0.5, 1.0])
    wide = sessions.pivot(index="session_id", columns="round", values="contentiousness")
    threads(axes, [float(step) for step in wide.columns], wide.to_numpy(dtype=float), 0.5)
    for measure, mark in _MARKS.items():
        drawn = means[(means["measure"] == measure) & (means["n"] > 0)]
        if len(drawn):
            course(axes, drawn, mark, label=mark.name)
    remarks = ["ρ not judged"]
    if means.loc[means["measure"] == "quality", "n"].any():
        name = f"target ρ* = {target:g}"
        axes.axhline(target, color=INK, linewidth=0.7, linestyle=(0, (1, 1.5)), label=name)
        remarks = []
    frozen = float(sessions["frozen"].mean())
    if frozen:
        remarks.append(f"loop frozen in {percent(frozen, 0)} of rounds")
    # Below zero, where no line can run.
    axes.text(0.02, 0.02, "; ".join(remarks), size=6.5, color=GREY, transform=axes.transAxes)
    axes.set(ylim=(-0.22, 1.05), yticks=[0, 0.5, 1])


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    scheduled = list(schedules_of(view))
    target = view.fact("target")
    rounds, followed = artefacts.facts("rounds"), artefacts.facts("trajectories")
    if not rounds.over("count", "contentiousness", arm=scheduled):
        return {"text": NONE}
    last = int(followed.over("max", "round"))
    beta, rho = (
        {row["arm"]: row for row in followed.rows(measure=measure, round=last, arm=scheduled)}
        for measure in ("contentiousness", "quality")
    )
    ends = listed(
        f"{number(beta[arm]['estimate'], 2)} in {view.arm(arm)}"
        + (f" (ρ {number(rho[arm]['estimate'], 2)})" if rho[arm]["n"] else "")
        for arm in scheduled
        if arm in beta
    )
    # After the last round nothing is told to anybody.
    steered = f"(error == error) & (contentiousness == contentiousness) & (round < {last})"
    could_move = rounds.over("sum", steered, arm=scheduled)
    frozen = rounds.over("sum", f"{steered} & frozen", arm=scheduled)
    stood_still = (
        " The loop was frozen, because quality had been falling with contentiousness, in "
        f"{frozen:,} of the {counted(could_move, 'round')} after which it could move."
        if could_move
        else ""
    )
    return {
        "text": (
            "Contentiousness β that debaters were told, and the quality ρ of their arguments "
            f"where a judge scored it (mean of gamma): means by round with {view.level} intervals "
            f"over draws, sessions as thin lines of β, and the target ρ* = {target:g}. In the last "
            f"round β is {ends}.{stood_still}"
        )
    }
