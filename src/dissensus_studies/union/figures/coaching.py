"""What coaching changes: the students' shares by epoch and arm, and coached less control."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.facts import Row
from dissensus.report.floor import Floor
from dissensus.report.forms import AFTER_HOLM, estimated, fill_key, legend, whisker
from dissensus.report.frames import Record, records
from dissensus.report.labels import (
    column_words,
    interval,
    number,
    p_clause,
    percent,
    range_of,
    signed,
)
from dissensus.report.style import INK, Mark, new_figure, notice, spread, styled, zero_line
from dissensus.report.view import Artefacts, Drawn, View

from ..outcomes import OUTCOMES, PRIMARY
from ..tables import (
    COACHED_EPOCHS,
    DIFFERENCE,
    IN_DIFFERENCES,
    MEAN,
    RANDOMISATION,
)
from .frames import ARMS, COACHED

#: Dots of coached less control, and the diamond of all coached epochs together.
_EPOCH, _POOLED = COACHED, Mark("pooled", COACHED.colour, "D")

NONE = "No debate has a student whose claims, votes or rebuttals could be counted."


def outcome_words(outcome: str) -> str:
    """What an outcome is."""
    return OUTCOMES[outcome].title if outcome in OUTCOMES else column_words(outcome)


def outcome_noun(outcome: str) -> str:
    """The same within a sentence."""
    return OUTCOMES[outcome].named if outcome in OUTCOMES else column_words(outcome).lower()


def _title(outcome: str, panels: int) -> str:
    """Its short name, in lines that so many panels beside each other leave room for."""
    words = OUTCOMES[outcome].column if outcome in OUTCOMES else column_words(outcome)
    return fill(words, 72 // panels)


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw the outcomes: means by arm above, coached less control beneath."""
    rows = artefacts.frame("coaching")
    facts = describe(artefacts, view)
    outcomes_drawn = rows.loc[(rows["contrast"] == MEAN) & rows["estimate"].notna(), "outcome"]
    outcomes = list(dict.fromkeys(outcomes_drawn))
    if not outcomes:
        return Drawn(notice(NONE, view.simulated), facts)
    figure = new_figure(4.0, view.simulated)
    panels: Any = figure.subplots(
        2, len(outcomes), sharex="col", sharey="row", squeeze=False, height_ratios=[1.25, 1]
    )
    for column, outcome in enumerate(outcomes):
        of_outcome = rows[rows["outcome"] == outcome]
        above, beneath = panels[:, column]
        _means(above, of_outcome[of_outcome["contrast"] == MEAN])
        _gains(beneath, of_outcome, view.alpha)
        _epochs(above, int(of_outcome["epoch"].max()))
        above.set_title(f"{ascii_lowercase[column]}  {_title(outcome, len(outcomes))}")
        beneath.set_title(f"{ascii_lowercase[len(outcomes) + column]}  Coached − control", size=7.5)
        means = artefacts.facts("coaching").rows(outcome=outcome, contrast=MEAN)
        beneath.set_xlabel(f"epoch (n = {range_of(row['n'] for row in means)} an arm)")
    panels[0, 0].set_ylabel("share")
    panels[1, 0].set_ylabel("difference of shares")
    legend(figure, fill_key(*AFTER_HOLM))
    return Drawn(figure, facts)


def _epochs(axes: Axes, last: int) -> None:
    """A tick for each epoch, and one for all coached ones together."""
    names = [*map(str, range(1, last + 1)), *([_coached_epochs(last)] if last > 1 else [])]
    axes.set_xlim(0.6, last + (2.1 if last > 1 else 0.4))
    axes.set_xticks(range(1, len(names) + 1), names)
    axes.tick_params(labelbottom=False, bottom=False)


def _coached_epochs(last: float, to: str = "–") -> str:
    return f"2{to}{last}" if last > 2 else f"{last}"


def _means(axes: Axes, rows: pd.DataFrame) -> None:
    """A line for each arm, its name at its last point."""
    ends: dict[Mark, tuple[float, float]] = {}
    for mark, aside in zip(ARMS, (-0.06, 0.06), strict=True):
        of_arm = rows[(rows["arm"] == mark.name) & rows["estimate"].notna()].sort_values("epoch")
        if of_arm.empty:
            continue
        for row in records(of_arm):
            words = f"{mark.name}, epoch {row['epoch']}"
            whisker(axes, estimated(row), row["epoch"] + aside, mark, upright=True, words=words)
        axes.plot(
            of_arm["epoch"] + aside, of_arm["estimate"], linestyle=mark.line, color=mark.colour
        )
        ends[mark] = (float(of_arm["epoch"].iloc[-1]), float(of_arm["estimate"].iloc[-1]))
    # Not across the axis, where shares are near 0; apart where the means are near.
    heights = spread([max(height, 0.1) for _, height in ends.values()], 0.11)
    for (mark, (last, _)), height in zip(ends.items(), heights, strict=True):
        colour = COACHED.colour if mark is COACHED else "#5f5f5f"
        where = (last + 0.2, height)
        axes.annotate(mark.name, where, va="center", size=7, color=colour, annotation_clip=False)
    axes.set_ylim(-0.02, 1.02)


def _gains(axes: Axes, rows: pd.DataFrame, alpha: float) -> None:
    """A dot with its interval for each epoch, at the end a diamond for all coached ones together;
    filled where significant after adjustment.
    """
    zero_line(axes)
    last = int(rows["epoch"].max())
    gains = rows[(rows["contrast"] == DIFFERENCE) & (rows["method"] == RANDOMISATION)]
    for row in records(gains):
        is_pooled = row["epoch"] == COACHED_EPOCHS
        if is_pooled and last == 1:
            continue
        place = last + 1 if is_pooled else row["epoch"]
        if not np.isfinite(row["estimate"]):
            axes.text(place, 0.0, "–", ha="center", va="bottom", size=7)
            continue
        mark = _POOLED if is_pooled else _EPOCH
        epochs = _coached_epochs(last) if is_pooled else row["epoch"]
        filled, words = row["p_adjusted"] < alpha, f"coached − control, epoch {epochs}"
        whisker(axes, estimated(row), place, mark, filled=filled, upright=True, words=words)
        if is_pooled:
            axes.annotate(
                signed(row["estimate"], 2),
                (place, row["estimate"]),
                (5, 0),
                textcoords="offset points",
                va="center",
                size=6.5,
                color=INK,
            )


def pooled(artefacts: Artefacts) -> list[Row]:
    """Coached less control over all coached epochs, of each outcome that is defined."""
    of_all = {"contrast": DIFFERENCE, "epoch": COACHED_EPOCHS, "method": RANDOMISATION}
    return _defined(artefacts.facts("coaching").rows(**of_all))


def floor(artefacts: Artefacts, head: Row, view: View) -> Floor | None:
    """What the arms differ by in the first epoch, where nobody has a memo and both are alike.

    Beside it stands the one test of both: the last epoch less the first, of as many draws each. The
    headline rests on more draws than one epoch has, and is not compared with it.

    Parameters
    ----------
    head : the headline, of all coached epochs.
    view : for the level.
    """
    facts = artefacts.facts("coaching")
    of = {"outcome": head["outcome"], "method": head["method"]}
    first = _defined(facts.rows(epoch=1, contrast=DIFFERENCE, **of))
    if not first:
        return None
    differs = "in the first epoch, before any memo, the arms differ by"
    further = [
        f"up to epoch {row['epoch']} this changes by {_with_test(row, view)})"
        for row in _defined(facts.rows(contrast=IN_DIFFERENCES, **of))
    ]
    beside = "; ".join(further) or "no later epoch could be tested against it"
    return Floor(first[0], differs, first[0]["n"], beside=beside, digits=2)


def _defined(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if np.isfinite(row["estimate"])]


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    coaching = artefacts.facts("coaching")
    estimated_rows = pooled(artefacts)
    of_all = {"contrast": DIFFERENCE, "epoch": COACHED_EPOCHS, "method": RANDOMISATION}
    head = {row["headline"]: row for row in coaching.rows(**of_all)}.get(True)
    if head is None or not np.isfinite(head["estimate"]):
        none = "The headline, the gain in surviving claims, is not defined."
        nothing = {"headline": none, "beside": "", "power": ""}
        return {"level": view.level, **nothing, "note": head.words("note") if head else ""}
    last = coaching.over("max", "epoch")
    gains = coaching.rows(
        outcome=head["outcome"], contrast=IN_DIFFERENCES, epoch=int(last), method=RANDOMISATION
    )
    return {
        "level": view.level,
        "headline": (
            f"Coached less control, over all coached epochs ({_coached_epochs(last, ' to ')}), in "
            f"the {outcome_noun(head['outcome'])}: "
            f"{_with_test(head, view)}, {head['n']} of {head['assigned']} draws)."
        ),
        "beside": _beside([row for row in estimated_rows if not row["headline"]], gains, view),
        "power": _power(estimated_rows),
        "note": head.words("note"),
    }


def _with_test(row: Record, view: View) -> str:
    """Such as "+0.12 (95% interval [0.03, 0.20], p = 0.012; 0.024 after Holm over outcomes"."""
    limits = interval(row["ci_low"], row["ci_high"], 2, "−")
    holm = f"; {p_clause(row['p_adjusted'])} after Holm over outcomes"
    return (
        f"{signed(row['estimate'], 2)} ({view.level} interval {limits}, {p_clause(row['p_value'])}"
        f"{holm if np.isfinite(row['p_adjusted']) else ''}"
    )


def _beside(others: Sequence[Row], gains: Sequence[Row], view: View) -> str:
    """The other outcomes, and the last epoch less the first."""
    sentences = [f"{outcome_noun(row['outcome'])} {_with_test(row, view)})" for row in others]
    text = f"Beside it: {'; '.join(sentences)}." if sentences else ""
    for gain in gains:
        if np.isfinite(gain["estimate"]):
            text += (
                f" In the {OUTCOMES[PRIMARY].named}, epoch {gain['epoch']} less epoch 1, "
                f"from fewer draws: {_with_test(gain, view)})."
            )
    return text.strip()


def _power(rows: Sequence[Row]) -> str:
    """The smallest gains that so many draws find, and the power for given ones."""
    powered = []
    for row in rows:
        gains = {
            name.removeprefix("power_"): value
            for name, value in row.items()
            if name.startswith("power_") and value is not None and np.isfinite(value)
        }
        powers = [
            f"{percent(value, 0)} for {row.part(f'power_{gain}', float(gain)):g}"
            for gain, value in gains.items()
            if float(gain)
        ]
        if powers and np.isfinite(row["mde_80"]):
            least = number(row["mde_80"], 2)
            powered.append(f"{outcome_noun(row['outcome'])} {least} ({', '.join(powers)})")
    if not powered:
        return ""
    return (
        f"The smallest gains found with 80% power (and the power for a gain): {'; '.join(powered)}."
    )
