"""The judges, audited: each one's biases beside what a judge without any would show.

Slots and labels are exchanged by design, so that who follows them is biased. Lengths are nobody's
choice: votes that go with them are an association, and never drawn or called as a bias.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from dissensus.report.escaping import label
from dissensus.report.forms import divide, estimated, missing, rows_axis, shares_axis, whisker
from dissensus.report.frames import Record, keyed
from dissensus.report.labels import listed, number, p_clause, percent, range_of
from dissensus.report.style import ALARM, GREY, Mark, new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from ..inference.audit import VERBOSITY
from ..tables import ALL
from .frames import BIASES, UNBIASED, judge_words

NONE = "No vote of a panel can be read, so that no judge can be audited."

_FAIR, _NAMED = Mark("fair", "#0b3c6f", "o"), Mark("named", ALARM, "D")
_ASSOCIATED = Mark("associated", "#0b3c6f", "D")
#: Bias -> the axis.
_AXES = {
    "position": "share for slot A",
    "verbosity": "log odds per 100 words",
    "side": "share for “proposition”",
}


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a forest for each bias; a biased judge is red, filled, and has words beside it."""
    judges = artefacts.frame("judges")
    rows = judges[judges["bias"].isin(list(BIASES))]
    names = judges_of(rows["judge"])
    facts = {} if judges.empty else describe(artefacts, view)
    if not names or rows["estimate"].isna().all():
        return Drawn(notice(NONE, view.simulated), facts)
    figure = new_figure(1.12 + 0.27 * len(names), view.simulated)
    panels: Any = figure.subplots(1, len(BIASES), sharey=True)
    for letter, axes, bias in zip("abc", panels, BIASES, strict=True):
        _panel(axes, rows[rows["bias"] == bias], names, bias)
        audited = artefacts.facts("judges").rows(level="judge", bias=bias)
        sizes = f"\nn = {range_of(row['n'] for row in audited)}" if audited else ""
        axes.set_xlabel(f"{_AXES[bias]}{sizes}", size=7)
        axes.set_title(f"{letter}  {BIASES[bias]}")
    return Drawn(figure, facts)


def judges_of(named: Iterable[str]) -> list[str]:
    """The judges by name, and all of them together last."""
    names = sorted(set(named) - {ALL})
    return [*names, ALL] if len(names) > 1 else names


def _panel(axes: Axes, rows: pd.DataFrame, names: list[str], bias: str) -> None:
    axes.axvline(UNBIASED[bias], color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=0)
    by_judge = keyed(rows, "judge")
    for place, name in enumerate(names):
        if name in by_judge:
            _judge(axes, by_judge[name], place)
    rows_axis(axes, list(map(judge_words, names)))
    if len(names) > 1:
        divide(axes, [len(names) - 1.5])
    if bias == "verbosity":
        axes.xaxis.set_major_locator(MaxNLocator(4))
        _room(axes, rows)
    else:
        shares_axis(axes)


def _judge(axes: Axes, row: Record, place: int) -> None:
    if not np.isfinite(row["estimate"]):
        missing(axes, place)
        return
    named = bool(row["named"])
    is_bias = row["bias"] != VERBOSITY
    found = _NAMED if is_bias else _ASSOCIATED
    look, words = found if named else _FAIR, judge_words(row["judge"])
    whisker(axes, estimated(row), place, look, filled=named, words=words)
    if named:
        axes.annotate(
            f"{'favours' if is_bias else 'goes with'} {row['favours']}",
            (row["estimate"], place),
            (0, 5),
            textcoords="offset points",
            ha="center",
            size=6.3,
            color=found.colour,
        )


def _room(axes: Axes, rows: pd.DataFrame) -> None:
    """Limits that show every estimate, and no interval that would squeeze all others."""
    values = rows[["estimate", "ci_low", "ci_high"]].to_numpy(dtype=float)
    reach = np.abs(values[np.isfinite(values)]).max(initial=0.1)
    most = 3.0 * max(0.1, np.nanmax(np.abs(values[:, 0]), initial=0.0))
    reach = min(reach, most) * 1.08
    axes.set_xlim(-reach, reach)


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    audited = artefacts.facts("judges").rows(level=["judge", ALL], bias=list(BIASES))
    # One judge alone is all judges.
    judged = [row for row in audited if row["level"] != ALL]
    drawn = audited if len(judges_of(row["judge"] for row in audited)) > 1 else judged
    found = [row for row in drawn if row["named"]]
    follow = [
        f"{label(row['judge'], 24)} {percent(row['followed'], 0)}"
        for row in judged
        if row["bias"] == "position" and row["pairs"] and np.isfinite(row["followed"])
    ]
    return {
        "level": view.level,
        "named": listed(_named(row) for row in found if row["bias"] != VERBOSITY) or "none",
        "lengths": listed(_named(row) for row in found if row["bias"] == VERBOSITY) or "none",
        "follow": listed(follow) or "no pair can be read",
    }


def _named(row: Record) -> str:
    """A judge, or all of them, with what the votes favour or go with."""
    several = row["judge"] == ALL
    who = judge_words(ALL) if several else label(row["judge"], 24)
    verb = "go with" if row["bias"] == VERBOSITY else f"favour{'' if several else 's'}"
    whose = "whose votes" if row["bias"] == VERBOSITY else "which"
    return (
        f"{who}, {whose} {verb} {row['favours']} "
        f"({number(row['estimate'], 2, '−')}, {p_clause(row['p_adjusted'])} after Holm)"
    )
