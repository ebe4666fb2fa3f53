"""What each arm changes against the reference: the primary outcome, then the main others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from dissensus.design.contrasts import HEADLINE
from dissensus.report.arms import at_all_looks, stated, with_flips
from dissensus.report.claims.ranked import Ranked, joint_limits, together
from dissensus.report.escaping import Rst
from dissensus.report.facts import Row
from dissensus.report.forms import AFTER_HOLM, divide, fill_key, forest, legend
from dissensus.report.frames import Record, keyed, significant
from dissensus.report.labels import (
    interval,
    listed,
    p_clause,
    p_value,
    range_of,
    signed,
)
from dissensus.report.style import GREY, INK, new_figure, notice, styled, zero_line
from dissensus.report.view import Artefacts, Drawn, View

from ..outcomes import OUTCOMES, PRIMARY
from .frames import ARM, contrast_words, short_name

#: Beside the primary outcome; one that no contrast defines is left out.
BESIDE = (
    "entropy_last",
    "density_mean",
    "silent_share",
    "ignored_share",
    "quality_last",
    "correct_last",
)

NONE = "No arm has a draw in common with the reference, so that nothing can be compared."

_ACROSS = 3

_PAIR = ("arm", "reference")
#: Contrasts in the order of the arms: (arm, reference) -> name.
Names = dict[tuple[str, str], str]


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a forest of the primary outcome with its numbers, and small ones beneath."""
    contrasts = artefacts.frame("contrasts")
    facts = describe(artefacts, view)
    rows = compared(contrasts)
    names, beside = named(rows, view), drawn_beside(rows)
    if not names:
        return Drawn(notice(NONE, view.simulated), facts)
    deep = -(-len(beside) // _ACROSS)
    large, small = 0.165 * len(names) + 0.85, 0.165 * len(names) + 0.68
    figure = new_figure(large + deep * small + 0.1, view.simulated)
    heights = [large, deep * small] if deep else [large]
    made: Any = figure.subfigures(len(heights), 1, height_ratios=heights)
    parts = np.ravel(made)
    forest, beside_it = parts[0].subplots(1, 2, sharey=True, width_ratios=[1, 1.05])
    _primary(forest, contrasts, names, view)
    _numbers(beside_it, contrasts, names)
    legend(figure, fill_key(*AFTER_HOLM), right=True)
    if deep:
        panels = parts[1].subplots(deep, min(_ACROSS, len(beside)), sharey=True, squeeze=False)
        for index, axes in enumerate(panels.ravel()):
            if index >= len(beside):
                axes.set_axis_off()
                continue
            _small(axes, beside[index], artefacts, names, view)
            letter = chr(ord("b") + index)
            axes.set_title(f"{letter}  {short_name(beside[index])}", size=7.5, pad=3)
    return Drawn(figure, facts)


def compared(contrasts: pd.DataFrame) -> pd.DataFrame:
    """The row that stands for each contrast of arms and outcome."""
    rows = stated(contrasts)
    return rows[rows["reference"] != ""]


def drawn_beside(rows: pd.DataFrame) -> list[str]:
    """The outcomes beside the primary one that any contrast defines."""
    return [name for name in BESIDE if rows.loc[rows["outcome"] == name, "estimate"].notna().any()]


def named(rows: pd.DataFrame, view: View) -> Names:
    """The contrasts that any outcome defines, in the order of the arms."""
    keyed = rows[rows["estimate"].notna()]
    compared = set(zip(keyed["arm"], keyed["reference"], strict=True))
    return {
        (arm, reference): contrast_words(arm, reference, view)
        for reference in view.arms
        for arm in view.arms
        if (arm, reference) in compared
    }


def _forest(axes: Axes, rows: Mapping[Any, Record], names: Names, view: View) -> None:
    """A dot and an interval for each contrast, filled where significant after adjustment."""
    forest(axes, names, [(ARM, rows)], significant(view))
    zero_line(axes, vertical=True)
    common = sum(reference == view.reference for _, reference in names)
    # Below the line, the reference is another arm.
    divide(axes, [common - 0.5] if 0 < common < len(names) else [])


def _primary(axes: Axes, contrasts: pd.DataFrame, names: Names, view: View) -> None:
    """The forest of the primary outcome."""
    primary = compared(contrasts)
    _forest(axes, keyed(primary[primary["outcome"] == PRIMARY], *_PAIR), names, view)
    axes.set_title(f"a  {OUTCOMES[PRIMARY].title} (primary)", pad=12)
    axes.set_xlabel(f"arm − {view.arm(view.reference)}")
    axes.xaxis.set_major_locator(MaxNLocator(5))


def _numbers(axes: Axes, contrasts: pd.DataFrame, names: Names) -> None:
    """Estimates, sizes and p-values of the primary outcome, a line beside each of its dots."""
    of_primary = contrasts[contrasts["outcome"] == PRIMARY]
    primary = {(row["arm"], row["reference"]): row for row in with_flips(of_primary, *_PAIR)}
    axes.set_axis_off()
    axes.set_xlim(0.0, 1.0)
    heads = ("difference", "n", "p", "p (Holm)", "p (sign flip)")
    columns = tuple(zip((0.0, 0.45, 0.59, 0.78, 1.0), heads, strict=True))
    for x, head in columns:
        side = "left" if x == 0.0 else "right"
        axes.text(x, -0.75, head, ha=side, va="bottom", size=6.5, color=GREY)
    for place, key in enumerate(names):
        row = primary[key]
        cells = (
            f"{signed(row['estimate'], 2)} {interval(row['ci_low'], row['ci_high'], 2, '−')}",
            str(row["n"]),
            p_value(row["p_value"]),
            p_value(row["p_adjusted"]),
            p_value(row["flipped"]),
        )
        for (x, _), cell in zip(columns, cells, strict=True):
            side = "left" if x == 0.0 else "right"
            axes.text(x, place, cell, ha=side, va="center", size=6.8, color=INK)


def _small(axes: Axes, outcome: str, artefacts: Artefacts, names: Names, view: View) -> None:
    """The forest of another outcome."""
    rows = artefacts.facts("contrasts").rows(
        outcome=outcome, method=HEADLINE, reference=references(artefacts)
    )
    _forest(axes, {(row["arm"], row["reference"]): row for row in rows}, names, view)
    sizes = range_of(row["n"] for row in rows if row["estimate"] == row["estimate"])
    unit = OUTCOMES[outcome].unit or ("share" if OUTCOMES[outcome].is_share else "score")
    axes.set_xlabel(f"difference, {unit}; n = {sizes}", size=6.5)
    axes.xaxis.set_major_locator(MaxNLocator(4))


def references(artefacts: Artefacts) -> list[str]:
    """What arms are compared with; a row without a reference is a mean of one arm."""
    return sorted({*artefacts.frame("contrasts")["reference"]} - {""})


def primary(artefacts: Artefacts) -> list[Row]:
    """The contrasts of the primary outcome that are defined."""
    rows = artefacts.facts("contrasts").rows(headline=True, reference=references(artefacts))
    return [row for row in rows if row["estimate"] == row["estimate"]]


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says of what is drawn."""
    contrasts = artefacts.frame("contrasts")
    rows = compared(contrasts)
    defined = primary(artefacts)
    largest = Ranked.largest(defined).words(partial(_worded, view), view.arm_of)
    limits = joint_limits(defined, "arms").replace("limits", ", with limits that", 1)
    of_all = f"{limits}," * bool(limits)
    most = f"the largest difference{of_all} is {largest}" if largest else "no contrast is defined"
    below = [row for row in defined if row["p_adjusted"] < view.alpha]
    names = named(rows, view)
    others = any(reference != view.reference for _, reference in names)
    return {
        "reference": view.arm(view.reference),
        "level": view.level,
        "primary": f"{OUTCOMES[PRIMARY].named}: {most}",
        "found": listed(map(view.arm_of, below)) or "none",
        "looks": Rst(at_all_looks(contrasts)),
        "beneath": "; below the line, arms that are compared with another arm" if others else "",
        "beside": _beside(artefacts, drawn_beside(rows), names, view),
    }


def _beside(artefacts: Artefacts, outcomes: Sequence[str], names: Names, view: View) -> str:
    """How many marks of the small panels are filled."""
    if not outcomes:
        return ""
    drawn = {
        "method": HEADLINE,
        "outcome": outcomes,
        "arm": sorted({arm for arm, _ in names}),
        "reference": sorted({reference for _, reference in names}),
    }
    contrasts = artefacts.facts("contrasts")
    filled = contrasts.over("sum", f"p_adjusted < {view.alpha:.6g}", **drawn)
    last = chr(ord("b") + len(outcomes) - 1)
    panels = "**b**" if last == "b" else f"**b** to **{last}**"
    return Rst(
        f" In {panels}, {filled} of {contrasts.over('count', 'estimate', **drawn)} are filled."
    )


def _worded(view: View, row: Mapping[str, Any]) -> str:
    """A contrast that is picked: its limits hold for all arms together, where it has such."""
    words, of = f"{view.arm_of(row)}, {signed(row['estimate'])}", together(row)
    if np.isnan(of["ci_low"]):
        return words
    limits = interval(of["ci_low"], of["ci_high"], 3, "−")
    return f"{words} ({limits}, {p_clause(row['p_adjusted'])} after Holm)"
