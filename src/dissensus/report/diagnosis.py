"""The diagnosis of a design as a table, and what it finds over numbers of items as a figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dissensus.design.contrasts import HEADLINE
from dissensus.design.diagnosis import HOLM, POWER
from dissensus.report.escaping import label
from dissensus.report.forms import key_of, legend
from dissensus.report.frames import Record, records
from dissensus.report.labels import in_brackets, number, whole
from dissensus.report.style import GREY, Mark, marks, new_figure, says, styled
from dissensus.report.tables import Table, make

POWER_TITLE = "Power, and the smallest effect that is found, over numbers of items"
#: Inches of the figure; standard errors of simulation that its bars reach.
_HEIGHT, _REACH = 2.4, 1.96


def table_diagnosis(diagnosis: pd.DataFrame) -> Table:
    """What planted truths come out as.

    Where the studies behind it are simulated outcomes and no debates, the words that stand on
    tables of simulated models do not stand here.

    Parameters
    ----------
    diagnosis : rows of :data:`~dissensus.design.diagnosis.DIAGNOSIS`.
    """
    rows = [_cells(row) for row in records(diagnosis)]
    note = (
        f"Simulated studies of this design, through the estimators that the study uses; estimated "
        f"is {' and '.join(dict.fromkeys(diagnosis['estimand']))}. Bias, coverage (share of "
        "intervals that hold the true value) and rejection (share of p-values below one minus the "
        "level) with the standard error of simulation in brackets. Rejection is the test's size "
        "where the true value is 0, else its power. Smallest: the effect that 80% of the intervals "
        "would tell from none, where it shifts every session alike. Type S: share of significant "
        "estimates with the wrong sign. Sharp null: no session depends on its arm at all."
    )
    is_redrawn = bool(diagnosis["items"].notna().any())
    if is_redrawn:
        note += (
            " Sessions of the simulated models were played once; each study draws whole clusters "
            "of them, with replacement. Null: every arm plays the reference, and in a study of one "
            "arm every draw has the first level of each factor. Null in the mean: in each cluster "
            "arms and levels have changed places as a whole, so that clusters differ in what these "
            "change, evenly about nothing."
        )
    if any(str(name).endswith(HOLM) for name in diagnosis["estimator"]):
        note += (
            " Holm: the share of studies that find an effect in any arm where none has one, and "
            "else the one arm that has it."
        )
    may_stop = bool(diagnosis["saved"].notna().any())
    if may_stop:
        note += (
            " Anytime valid: where the study stops by its rule; rejection is then the share of "
            "studies that ever find an effect, at any look, coverage that of the interval at the "
            "end, and saved the share of draws that are not run."
        )
    has_price = bool(diagnosis["usd"].notna().any())
    if has_price:
        note += " Price: expected, in US dollars, of a study of so many items."
    columns: tuple[str, ...] = (
        *("World", "True", "Estimator", "Studies", "Mean", "Bias", "RMSE", "Coverage", "Width"),
        *("Rejection", "Smallest", "Type S"),
        *(["Saved"] * may_stop + ["Price"] * has_price),
    )
    rows = [(*row, *[saved] * may_stop, *[usd] * has_price) for *row, saved, usd in rows]
    return make(
        "table_diagnosis", "Design diagnosis by simulation", columns, rows, note, is_redrawn
    )


def _cells(row: Record) -> tuple[str, ...]:
    return (
        str(row["world"]).replace("_", " "),
        number(row["true"]),
        str(row["estimator"]).replace(HOLM, " (Holm)").replace("_", " "),
        whole(row["simulations"]),
        number(row["mean"]),
        _with_error(row, "bias"),
        number(row["rmse"]),
        _with_error(row, "coverage"),
        number(row["width"]),
        _with_error(row, "rejection"),
        number(row["smallest"]),
        number(row["type_s"]),
        _with_error(row, "saved"),
        number(row["usd"], 2),
    )


def _with_error(row: Mapping[str, Any], name: str) -> str:
    """Such as "0.935 (0.017)"."""
    return in_brackets(number(row[name]), "se", number(row[f"{name}_se"]))


@styled
def plot_power(diagnosis: pd.DataFrame, items: int, simulated: bool) -> Figure:
    """Power over numbers of items, with the price where one is known; and the smallest effect.

    Parameters
    ----------
    diagnosis : rows of :data:`~dissensus.design.diagnosis.DIAGNOSIS` of some numbers of items.
    items : how many the study has.
    """
    rows = diagnosis[(diagnosis["estimator"] == HEADLINE) & diagnosis["items"].notna()]
    # A null is exact; the true value of all else is simulated too.
    rows = rows[rows["true_se"] > 0].assign(
        contrast=lambda frame: frame["world"].str.partition(", ")[2]
    )
    names = list(dict.fromkeys(rows["contrast"]))
    figure = new_figure(_HEIGHT, simulated)
    power, smallest = figure.subplots(1, 2)
    looks = marks(names, names[0]) if names else {}
    for name, mark in looks.items():
        of = rows[rows["contrast"] == name].sort_values("items")
        _line(power, of["items"], of["rejection"], mark, of["rejection_se"])
        _line(smallest, of["items"], of["smallest"], mark)
    power.axhline(POWER, color=GREY, linewidth=0.6, linestyle=(0, (4, 2)), zorder=0)
    power.set(ylabel="Share of studies that find it", ylim=(0, 1.05))
    power.set_title("Power")
    smallest.set_title("Smallest effect found with 80% power")
    smallest.set(ylabel=label(str(diagnosis["estimand"].iloc[0])))
    smallest.set_ylim(bottom=0)
    sizes = sorted(set(rows["items"]))
    for axes in (power, smallest):
        axes.axvline(items, color=GREY, linewidth=0.6, zorder=0)
        axes.set_xticks(sizes, [f"{int(size):,}" for size in sizes])
        axes.set_xlabel(f"Items (the study has {items:,})")
    prices = (
        rows.dropna(subset=["usd"]).drop_duplicates("items").set_index("items")["usd"].sort_index()
    )
    if len(prices):
        above = power.secondary_xaxis("top")
        above.set_xticks(list(prices.index), [f"${usd:,.2f}" for usd in prices])
    if len(names) > 1:
        legend(figure, [key_of(mark) for mark in looks.values()])
    return figure


def _line(axes: Axes, x: Any, y: Any, mark: Mark, se: Any = None) -> None:
    """One contrast, with a bar for what simulation leaves open."""
    reach = None if se is None else _REACH * se
    drawn = axes.errorbar(
        x, y, yerr=reach, color=mark.colour, marker=mark.marker, linestyle=mark.line,
        markersize=3.5, elinewidth=0.8, capsize=1.5,
    )  # fmt: skip
    points = (f"{mark.name}, {int(n):,} items: {value:.3f}" for n, value in zip(x, y, strict=True))
    says(drawn.lines[0], *points)
