"""Arms of any study by its contrasts: a forest with a panel for each outcome, and a table."""

from __future__ import annotations

import pandas as pd

from dissensus.design.contrasts import HEADLINE, RANDOMISATION
from dissensus.report.escaping import label
from dissensus.report.forms import forest
from dissensus.report.frames import Column, Record, keyed, limits, records, tabulate
from dissensus.report.labels import MISSING, listed, number, p_value, signed
from dissensus.report.style import GREY, marks, new_figure, notice, styled, zero_line
from dissensus.report.tables import Table
from dissensus.report.view import Artefacts, Drawn, View

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
        facts = dict.fromkeys(("level", "reference", "cluster", "n", "null"), MISSING)
        return Drawn(notice("No session has an outcome.", view.simulated), facts)
    height = len(shown) * (_FRAME + _ROW * len(arms)) + 0.2
    figure = new_figure(height, view.simulated)
    named = {arm: label(arm, _LONGEST) for arm in arms}
    mark = marks(arms, arms[0])[arms[0]]
    grid = figure.subplots(len(shown), 2, sharey="row", squeeze=False)
    for (left, right), name in zip(grid, shown, strict=True):
        rows = contrasts[contrasts["outcome"] == name]
        means = keyed(rows[rows["reference"] == ""], "arm")
        differences = keyed(rows[rows["reference"] == arms[0]], "arm")
        forest(left, named, [(mark, means)])
        null = view["nulls"].get(name)
        if null is not None:
            left.axvline(null, color=GREY, linewidth=0.6, linestyle=(0, (4, 2)), zorder=0)
        left.margins(x=0.08)
        left.set_title(label(titles[name], 60))
        left.set_xlabel(f"Mean, {view.level} interval")
        forest(right, named, [(mark, differences)], reference=arms[0])
        zero_line(right, vertical=True)
        right.margins(x=0.08)
        right.set_title(f"Difference from {label(arms[0], _LONGEST)}")
        right.set_xlabel(f"Paired difference, {view.level} interval")
    compared = artefacts.facts("contrasts").rows(method=HEADLINE, outcome=shown, reference=arms[0])
    counts = sorted({row["n"] for row in compared if row["estimate"] == row["estimate"]})
    nulls = [view["nulls"].get(name) for name in shown]
    facts = {"level": view.level, "reference": arms[0], "cluster": view["cluster"]}
    facts["null"] = (
        "A dashed line is the value that the study tests a mean against."
        if any(null is not None for null in nulls)
        else ""
    )
    return Drawn(figure, {**facts, "n": listed(f"{count:,}" for count in counts)})


def table(artefacts: Artefacts, view: View) -> Table:
    """Means of the arms and their contrasts, with both tests."""
    columns = (
        Column("Outcome", "outcome", lambda name: str(view["outcomes"][name])),
        Column("Arm or contrast", ("arm", "reference"), _contrast),
        Column("Estimate", ("estimate", "reference"), lambda x, of: (signed if of else number)(x)),
        limits(view),
        Column("p", "p_value", p_value),
        Column("p (Holm)", "p_adjusted", p_value),
        Column("p (sign flip)", "flipped", p_value),
        Column("n", "n"),
        Column("Clusters", "n_clusters"),
    )
    note = (
        "A row with two arms is their mean paired difference. Intervals and p are cluster-robust "
        "(CR2, Satterthwaite); the sign-flip test flips whole clusters: of G of them it has no p "
        "below 2/2^G. Holm's adjustment is over the contrasts of the primary outcome, and over all "
        "others. A mean has a p-value only where the study names a value to test it against."
    )
    contrasts = artefacts.frame("contrasts")
    rows = [row for name in view["outcomes"] for row in _rows(contrasts, name)]
    return tabulate("table_contrasts", "Outcomes by arm", columns, rows, note, view)


def _contrast(arm: str, reference: str) -> str:
    return f"{arm} − {reference}" if reference else arm


def _rows(contrasts: pd.DataFrame, outcome: str) -> list[Record]:
    """Means, then contrasts, each with the p-value of the sign-flip test."""
    rows = records(contrasts[contrasts["outcome"] == outcome])
    flipped = {
        (row["arm"], row["reference"]): row["p_value"]
        for row in rows
        if row["method"] == RANDOMISATION
    }
    main = [
        {**row, "flipped": flipped.get((row["arm"], row["reference"]))}
        for row in rows
        if row["method"] == HEADLINE
    ]
    return sorted(main, key=lambda row: bool(row["reference"]))
