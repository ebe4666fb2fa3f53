"""Who wins: shares of debates won by each side and contested, by motion, arm and epoch."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.forms import (
    apart,
    divide,
    key_of,
    legend,
    rows_axis,
    share_of,
    shares_axis,
    stack,
    swatch,
    whisker,
)
from dissensus.report.frames import Record, keyed
from dissensus.report.labels import share_interval
from dissensus.report.style import new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, View

from ..tables import ALL, CONTESTED, LAYERS, SIDES
from .frames import (
    MOST_MOTIONS,
    VERDICTS,
    attrition,
    left_out,
    motion_words,
    motions_of,
)

NONE = "No debate ran to its end, so that there is no verdict."

#: What the column of a share is in the row of the proposition.
_COLUMNS = {SIDES[0]: "won", CONTESTED: "contested", SIDES[1]: "lost"}
#: A line needs a darker grey than an area.
_LINES = [replace(mark, colour="#6b6b6b") if mark.name == CONTESTED else mark for mark in VERDICTS]
#: Between the shares of one motion.
_STEP = 0.24


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw shares with intervals by motion, and counts by arm and epoch."""
    verdicts, wins = artefacts.frames("verdicts", "wins")
    facts = describe(artefacts, view)
    if verdicts.empty:
        return Drawn(notice(NONE, view.simulated), facts)
    shown = _shown(wins)
    cells = verdicts.groupby(["arm", "epoch"])["winner"].value_counts().unstack(fill_value=0)
    height = 0.95 + 0.23 * max(len(shown), len(cells) + verdicts["arm"].nunique())
    figure = new_figure(max(height, 1.9), view.simulated)
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.15])
    _shares(left, shown)
    _counts(right, cells)
    return Drawn(figure, facts)


def _of_proposition(wins: pd.DataFrame) -> dict[str, Record]:
    """Motion -> its row, all motions together last."""
    rows = keyed(wins[(wins["by"] == "side") & (wins["side"] == SIDES[0])], "motion_id")
    return {name: rows[name] for name in motions_of(wins) if name in rows}


def _shown(wins: pd.DataFrame) -> dict[str, Record]:
    """The first motions, and all together."""
    rows = _of_proposition(wins)
    kept = {*[name for name in rows if name != ALL][:MOST_MOTIONS], ALL}
    return {name: row for name, row in rows.items() if name in kept}


def _shares(axes: Axes, shown: dict[str, Record]) -> None:
    """The three shares of each motion, one beneath the other, with their intervals."""
    for place, (motion, row) in enumerate(shown.items()):
        for beneath, mark in enumerate(_LINES, start=-1):
            shares, at = share_of(row, _COLUMNS[mark.name]), place + _STEP * beneath
            whisker(axes, shares, at, mark, words=f"{motion_words(motion)}, {mark.name}")
    rows_axis(axes, [motion_words(name) for name in shown])
    shares_axis(axes)
    axes.set_xlabel("share of debates")
    axes.set_title("a  By motion, both arms", pad=16)
    divide(axes, [place + 0.5 for place in range(len(shown) - 1)])
    legend(axes, map(key_of, _LINES))


def _counts(axes: Axes, cells: pd.DataFrame) -> None:
    """A bar for each arm and epoch, with the numbers of debates in it."""
    arms = [arm for arm, _ in cells.index]
    places = apart(arms, gap=0.5)
    for place, counts in zip(places, cells.to_dict("records"), strict=True):
        total = sum(counts.values())
        shares = {str(name): count / total for name, count in counts.items()}
        stack(axes, place, shares, VERDICTS, {str(name): str(n) for name, n in counts.items() if n})
    rows_axis(axes, [f"{arm}, epoch {epoch}" for arm, epoch in cells.index], places)
    shares_axis(axes)
    axes.set_xlabel("share of debates (number in the bar)")
    axes.set_title("b  By arm and epoch", pad=16)
    divide(axes, [places[arms.index(arm)] - 0.75 for arm in dict.fromkeys(arms) if arm != arms[0]])
    legend(axes, map(swatch, VERDICTS))


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    verdicts, wins = artefacts.facts("verdicts"), artefacts.facts("wins")
    motions = motions_of(wins.frame)
    of_side = {"by": "side", "side": SIDES[0], "speaker": "", "place": 0}
    whole = wins.row(motion_id=motions[-1], **of_side) if motions else None
    decided = {
        name: verdicts.over("count", "session_id", decided_by=name) for name in (*LAYERS, "none")
    }
    layers = [f"{name} {number}" for name, number in decided.items() if number]
    return {
        "attrition": attrition(artefacts),
        "level": view.level,
        "contested": _share(whole, "contested"),
        "proposition": _share(whole, "won"),
        "opposition": _share(whole, "lost"),
        "layers": ", ".join(layers) or "none",
        "left": left_out(motions),
    }


def _share(row: Record | None, name: str) -> str:
    """Such as "19% [12, 29]"."""
    return "no debate" if row is None else share_interval(*share_of(row, name), digits=0)
