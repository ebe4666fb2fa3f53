"""Arms of any study by its contrasts: a forest with a panel for each outcome, and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.design.contrasts import HEADLINE, RANDOMISATION
from dissensus.report.artefacts import Artefacts
from dissensus.report.escaping import label
from dissensus.report.frames import Record, keyed, records
from dissensus.report.labels import MISSING, limits, listed, number, p_value, signed
from dissensus.report.style import GREY, INK, new_figure, notice, styled, zero_line
from dissensus.report.tables import Table, make
from dissensus.report.view import Drawn, View

#: Inches that an arm takes, and what stands above and below a panel.
_ROW, _FRAME = 0.26, 0.62
_LONGEST = 28


@styled
def plot(artefacts: Artefacts, view: View) -> Drawn:
    """The mean of every arm, and its paired difference from the reference; a row an outcome."""
    contrasts = artefacts.frame("contrasts")
    contrasts = contrasts[(contrasts["method"] == HEADLINE) & contrasts["estimate"].notna()]
    titles, arms = view["outcomes"], view["arms"]
    shown = [name for name in titles if (contrasts["outcome"] == name).any()]
    if not shown:
        facts = dict.fromkeys(("level", "reference", "cluster", "n"), MISSING)
        return Drawn(notice("No session has an outcome.", view.simulated), facts)
    height = len(shown) * (_FRAME + _ROW * len(arms)) + 0.2
    figure = new_figure(height, view.simulated)
    grid = figure.subplots(len(shown), 2, sharey="row", squeeze=False)
    for (left, right), name in zip(grid, shown, strict=True):
        rows = contrasts[contrasts["outcome"] == name]
        means = keyed(rows[rows["reference"] == ""], "arm")
        differences = keyed(rows[rows["reference"] == arms[0]], "arm")
        forest(left, means, arms)
        null = view["nulls"].get(name)
        if null is not None:
            left.axvline(null, color=GREY, linewidth=0.6, linestyle=(0, (4, 2)), zorder=0)
        left.set_title(label(titles[name], 60))
        left.set_xlabel(f"Mean, {view.level} interval")
        forest(right, differences, arms)
        zero_line(right, vertical=True)
        right.set_title(f"Difference from {label(arms[0], _LONGEST)}")
        right.set_xlabel(f"Paired difference, {view.level} interval")
    counts = sorted({int(row["n"]) for row in records(contrasts[contrasts["reference"] != ""])})
    facts = {"level": view.level, "reference": arms[0], "cluster": view["cluster"]}
    return Drawn(figure, {**facts, "n": listed(f"{count:,}" for count in counts)})


def forest(axes: Axes, rows: Mapping[str, Record], names: Sequence[str]) -> None:
    """A dot with its interval in a row for each name, the first on top.

    Parameters
    ----------
    axes : to draw in; rows are at 0, 1 and so on from the top.
    rows : name -> estimate, ci_low and ci_high; a name without one has an empty row.
    names : of all rows.
    """
    for place, name in enumerate(names):
        row = rows.get(name)
        if row is None:
            continue
        if np.isfinite([row["ci_low"], row["ci_high"]]).all():
            axes.plot([row["ci_low"], row["ci_high"]], [place, place], color=INK, linewidth=1.1)
        axes.plot(row["estimate"], place, "o", color=INK, markersize=4)
    axes.set_yticks(range(len(names)), [label(name, _LONGEST) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.margins(x=0.08)
    axes.tick_params(axis="y", length=0)


def table(artefacts: Artefacts, view: View) -> Table:
    """Means of the arms and their contrasts, with both tests."""
    contrasts = artefacts.frame("contrasts")
    rows = [
        cells for name in view["outcomes"] for cells in _rows(contrasts, name, view["outcomes"])
    ]
    estimate = ("Estimate", f"{view.level} interval")
    tests = ("p", "p (Holm)", "p (sign flip)")
    columns = ("Outcome", "Arm or contrast", *estimate, *tests, "n", "Clusters")
    note = (
        "A row with two arms is their mean paired difference. Intervals and p are cluster-robust "
        "(CR2, Satterthwaite); the sign-flip test takes draws for independent. Holm's adjustment "
        "is over the contrasts of the primary outcome, and over all others. A mean has a p-value "
        "only where the study names a value to test it against."
    )
    return make("table_contrasts", "Outcomes by arm", columns, rows, note, view.simulated)


def _rows(
    contrasts: pd.DataFrame, outcome: str, titles: Mapping[str, str]
) -> list[tuple[str, ...]]:
    found = records(contrasts[contrasts["outcome"] == outcome])
    flipped = {
        (row["arm"], row["reference"]): row["p_value"]
        for row in found
        if row["method"] == RANDOMISATION
    }
    main = [row for row in found if row["method"] == HEADLINE]
    return [
        (
            titles[outcome],
            f"{row['arm']} − {row['reference']}" if row["reference"] else row["arm"],
            (signed if row["reference"] else number)(row["estimate"]),
            limits(row),
            p_value(row["p_value"]),
            p_value(row["p_adjusted"]) if row["reference"] else MISSING,
            p_value(flipped.get((row["arm"], row["reference"]))),
            str(row["n"]),
            str(row["n_clusters"]),
        )
        for row in sorted(main, key=lambda row: row["reference"] != "")
    ]
