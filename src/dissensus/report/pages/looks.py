"""The looks at a study that may stop: when it stopped and what that saved, a figure and a table."""

from __future__ import annotations

from math import log10

import pandas as pd
from matplotlib.axes import Axes

from dissensus.design.stopping import STOP, SYMMETRY
from dissensus.report.escaping import label
from dissensus.report.facts import Facts
from dissensus.report.forms import course, estimated, whisker
from dissensus.report.frames import Column, limits, records, tabulate
from dissensus.report.labels import counted, number, p_value, percent, signed
from dissensus.report.style import GREY, Mark, marks, new_figure, notice, styled, zero_line
from dissensus.report.tables import Table, nothing
from dissensus.report.view import Artefacts, Drawn, View

#: Inches of a panel.
_HEIGHT = 1.75
_LONGEST = 60

#: What intervals and p-values of looks are, for notes and captions.
METHOD = (
    "Intervals and p hold at all looks together, however often one looks (anytime-valid, by "
    "Ville's inequality). Where the outcome has declared bounds, as a share has, whole clusters "
    "are bet on and nothing else is assumed. Elsewhere it is a mixture of their sign-flip "
    "martingales: it takes a cluster's difference to be symmetric about its mean, and fails where "
    "it is skewed."
)


def stopping(looks: Facts, manifest: Facts, spending: Facts) -> str:
    """When a study stopped and what that saved, in sentences."""
    last = looks.rows()[-1]
    block, draws = last["block"], last["draws"]
    most = manifest.over("distinct", "draw_id")
    if last["verdict"] != STOP:
        return (
            f"Not stopped: after all {counted(most, 'draw')} it is not so that {last['rule']} in "
            f"every headline contrast. Headline intervals hold at all looks together; {SYMMETRY}."
        )
    left = f"block > {int(block)}"
    unrun, sessions = manifest.over("sum", left), manifest.over("count", "session_id")
    made = spending.over("sum", "calls", purpose=_of_sessions(spending))
    saved = float(made) / (float(sessions) - float(unrun)) * float(unrun)
    savings = (
        f"{unrun:,} of {counted(sessions, 'session')} ({percent(manifest.over('mean', left), 0)}) "
        f"were not run: some {saved:,.0f} calls fewer, as {made:,} were made."
        if unrun
        else "That block was the last, and all sessions were run."
    )
    return (
        f"Stopped after block {block}, at {draws} of {counted(most, 'draw')}, since "
        f"{last.words('rule')} in every headline contrast. {savings} Headline intervals hold at "
        f"all looks together ({SYMMETRY}); all others are of a fixed number of draws."
    )


def early(looks: Facts, view: View) -> list[str]:
    """What is said against the estimate of a study that its evidence stopped."""
    if not view.settings.get("stop_alpha") or looks.rows()[-1]["verdict"] != STOP:
        return []
    return [
        "The evidence stopped the study, which it does sooner where the estimate is large by "
        "chance: such estimates are too far from zero on average."
    ]


def _of_sessions(spending: Facts) -> list[str]:
    """The purposes of calls that sessions make."""
    with_session = spending.frame[spending.frame["session_id"] != ""]
    return list(dict.fromkeys(with_session["purpose"]))


def _alpha(view: View) -> float:
    """The level of the rule; without one, that of the intervals."""
    return float(view.settings.get("stop_alpha") or view.alpha)


@styled
def plot(artefacts: Artefacts, view: View) -> Drawn:
    """A row a headline contrast: its estimate and its evidence at every look."""
    looks = artefacts.frame("looks")
    if looks.empty:
        return Drawn(notice("The study was not looked at.", view.simulated), {})
    names = list(dict.fromkeys(looks["contrast"]))
    figure = new_figure(_HEIGHT * len(names) + 0.3, view.simulated)
    mark = marks(["look"], "look")["look"]
    grid = figure.add_gridspec(len(names), 2)
    for place, name in enumerate(names):
        rows = looks[looks["contrast"] == name].assign(round=lambda rows: rows["draws"])
        left, right = (figure.add_subplot(grid[place, column]) for column in (0, 1))
        for row in records(rows):
            words = f"after {counted(row['draws'], 'draw')}"
            whisker(left, estimated(row), row["draws"], mark, upright=True, words=words)
        zero_line(left)
        left.set_title(label(name, _LONGEST))
        left.set_ylabel(f"Paired difference, {view.level}")
        _evidence(right, rows, mark, view)
        for axes in (left, right):
            axes.set_xlabel("Draws so far")
    last = artefacts.facts("looks").rows()[-1]
    verdict = "Stopped" if last["verdict"] == STOP else "Not stopped, at"
    return Drawn(
        figure,
        {
            "level": view.level,
            "ended": f"{verdict} after {counted(last['draws'], 'draw')}",
            "rule": last.words("rule"),
            "symmetry": SYMMETRY,
            "alpha": f"{_alpha(view):g}",
        },
    )


def _evidence(axes: Axes, rows: pd.DataFrame, mark: Mark, view: View) -> None:
    """E-values on a scale of powers of ten."""
    logs = rows["e_value"].map(lambda value: log10(max(value, 1e-300)))
    course(axes, rows.assign(estimate=logs, ci_low=logs, ci_high=logs), mark, step="draws")
    axes.axhline(-log10(_alpha(view)), color=GREY, linewidth=0.6, linestyle=(0, (4, 2)), zorder=0)
    zero_line(axes)
    axes.set_title("Evidence against no difference")
    axes.set_ylabel("e-value, power of ten")


def table(artefacts: Artefacts, view: View) -> Table:
    """Every look with what it found."""
    columns = (
        Column("Draws", "draws", lambda value: f"{value:,}"),
        Column("Contrast", "contrast"),
        Column("Estimate", "estimate", signed),
        limits(view),
        Column("e-value", "e_value", lambda value: number(value, 2)),
        Column("p", "p_value", p_value),
        Column("n", "n"),
        Column("Clusters", "n_clusters"),
        Column("Verdict", "verdict"),
    )
    looks = artefacts.frame("looks")
    if looks.empty:
        why = "There was no look yet."
        return nothing("table_looks", "Looks at the study", why, view.simulated)
    note = f"Rule: {looks['rule'].iloc[-1]} in every contrast. {METHOD}"
    return tabulate("table_looks", "Looks at the study", columns, records(looks), note, view)
