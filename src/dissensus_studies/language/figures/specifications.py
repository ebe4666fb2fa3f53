"""The specification curve: the effect under every choice of measure, and the choices below it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.forms import fill_key, legend
from dissensus.report.frames import keyed
from dissensus.report.labels import (
    SCALES,
    contrast_words,
    counted,
    number,
    p_clause,
    percent,
    signed,
)
from dissensus.report.style import (
    ALARM,
    FAINT,
    GREY,
    INK,
    beside,
    new_figure,
    notice,
    says,
    styled,
    zero_line,
)
from dissensus.report.view import Artefacts, Drawn, View
from dissensus.stats.checks import FloatArray

#: Column of the curve -> what readers call the choice.
CHOICES = {
    "weight_lexical": "Lexical weight",
    "unit": "Unit",
    "variant": "Lexical length",
    "tokenizer": "Tokeniser",
    "pairs": "Pairs of turns",
    "embedder": "Embedder",
    "anchor": "Anchor",
}

_VALUES: dict[str, dict[str, str]] = {
    "unit": {"turn": "turn", "speaker": "speaker", "side": "side"},
    "variant": {"plain": "as spoken", "matched": "matched", "excess": "over shuffle"},
    "pairs": {"pooled": "all", "cross_side": "cross-side"},
    "anchor": SCALES,
}

ALPHA = 0.05

#: Stretches of the curve, each a cell in the row of an option.
_STRETCHES = 64


def options(curve: pd.DataFrame) -> list[tuple[str, str, pd.Series]]:
    """Every choice that is made in more than one way: choice, option, and which rows took it.

    A choice that had one option, such as a single embedder, decides nothing and is left out.
    """
    choices = []
    for column, title in CHOICES.items():
        names = _VALUES.get(column, {})
        order = list(names)
        values = sorted(
            set(curve[column].dropna().tolist()),
            key=lambda value: (order.index(value) if value in names else len(order), value),
        )
        if len(values) < 2:
            continue
        for value in values:
            name = f"{value:g}" if column == "weight_lexical" else names.get(value, str(value))
            choices.append((title, name, curve[column] == value))
    return choices


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw the curve of every contrast above the choices behind each of its points."""
    curve, tests = artefacts.frames("specification_curve", "specification_tests")
    if not curve["estimate_d"].notna().any():
        none = "No specification has an effect: no draw has the index in both languages."
        return Drawn(notice(none, view.simulated), {})
    contrasts = list(dict.fromkeys(curve["contrast"].tolist()))
    rows = len(options(curve))
    height = 0.125 * rows + 2.3
    figure = new_figure(height, view.simulated)
    axes = figure.subplots(
        2, len(contrasts), squeeze=False, sharey="row", height_ratios=[1.9, 0.125 * rows + 0.1]
    )
    for column, contrast in enumerate(contrasts):
        of_contrast = curve[curve["contrast"] == contrast].sort_values("specification")
        of_contrast = of_contrast[of_contrast["estimate_d"].notna()].reset_index(drop=True)
        _curve(axes[0, column], of_contrast, column == 0)
        _joint(axes[0, column], of_contrast, tests[tests["contrast"] == contrast])
        _matrix(axes[1, column], of_contrast, options(of_contrast), column == 0)
        axes[0, column].set_title(contrast_words(contrast))
        number = artefacts.facts("specification_curve").over(
            "count", "estimate_d", contrast=contrast
        )
        axes[1, column].set_xlabel(f"{counted(number, 'specification')}, by effect")
    legend(figure, fill_key("significant", "not significant"), right=True)
    return Drawn(figure, describe(artefacts))


def _curve(axes: Axes, curve: pd.DataFrame, first: bool) -> None:
    """Effects in SDs of the differences: filled where significant, a star for the headline."""
    d = curve["estimate_d"].to_numpy()
    ranks = np.arange(len(curve))
    # The interval is on each anchor's scale; dividing by the differences' SD puts it on this one.
    sd = (curve["estimate"] / curve["estimate_d"]).to_numpy()
    with np.errstate(invalid="ignore", divide="ignore"):
        limits = (curve["ci_low"] / sd, curve["ci_high"] / sd)
    axes.fill_between(ranks, *limits, color=FAINT, linewidth=0, step="mid", zorder=1)
    significant = (curve["p_value"] < ALPHA).to_numpy()
    size = 2.2 if len(curve) > 200 else 3.6
    told = np.array([f"{rank + 1} of {len(d)}: {signed(value, 2)}" for rank, value in enumerate(d)])
    (filled,) = axes.plot(
        ranks[significant], d[significant], "o", color=INK, markersize=size, markeredgewidth=0
    )
    says(filled, *told[significant])
    (hollow,) = axes.plot(
        ranks[~significant],
        d[~significant],
        "o",
        markerfacecolor="white",
        color=GREY,
        markersize=size,
        markeredgewidth=0.5,
    )
    says(hollow, *told[~significant])
    zero_line(axes)
    for rank in np.flatnonzero(curve["main"].to_numpy(dtype=bool)):
        axes.plot(rank, d[rank], "*", color=ALARM, markersize=9, markeredgecolor="white", zorder=5)
        # The curve rises: what stands above it on the left, or below on the right, would cross it.
        late = rank > len(curve) / 2
        axes.annotate(
            f"headline {signed(d[rank], 2)}",
            (rank, d[rank]),
            (-6 if late else 6, 7 if late else -7),
            textcoords="offset points",
            ha="right" if late else "left",
            va="bottom" if late else "top",
            size=7,
            color=ALARM,
            weight="bold",
        )
    axes.set(xlim=_across(curve), xticks=[])
    if first:
        axes.set_ylabel("effect (SDs of the\npaired differences)")


def _across(curve: pd.DataFrame) -> tuple[float, float]:
    """The limits of an axis with a place for each specification; with none, of one place."""
    n = max(len(curve), 1)
    return -0.01 * n - 0.5, 1.01 * n - 0.5


def _joint(axes: Axes, curve: pd.DataFrame, tests: pd.DataFrame) -> None:
    """The curve's median, and the p of its joint test, whose statistic has another divisor."""
    median, joint = float(curve["estimate_d"].median()), keyed(tests, "test")["median"]
    text = f"median {signed(median, 2)}, joint {p_clause(joint['p_value'])}"
    axes.text(0.99, 0.03, text, transform=axes.transAxes, ha="right", va="bottom", size=7)


def _matrix(
    axes: Axes,
    curve: pd.DataFrame,
    rows: list[tuple[str, str, pd.Series]],
    first: bool,
) -> None:
    """How often each option is taken along the curve, and the median effect under it."""
    titles = [title for title, _, _ in rows]
    d = curve["estimate_d"]
    for row, (title, _, taken) in enumerate(rows):
        if row and titles[row - 1] != title:
            axes.axhline(row - 0.5, color=FAINT, linewidth=0.6)
        ranks = np.flatnonzero(taken.to_numpy(dtype=bool))
        main = curve["main"].to_numpy(dtype=bool)[ranks].any()
        _strip(axes, row, taken.to_numpy(dtype=float))
        if len(ranks):
            text = signed(float(d[taken].median()), 2)
            beside(axes, row, text, weight="bold" if main else "normal")
    beside(axes, -0.95, "median", color=GREY)
    axes.set(
        xlim=_across(curve),
        ylim=(len(rows) - 0.4, -0.6),
        xticks=[],
    )
    axes.tick_params(axis="y", length=0)
    axes.spines[:].set_visible(False)
    if first:
        labels = [
            f"{title}:  {name}" if row == 0 or titles[row - 1] != title else name
            for row, (title, name, _) in enumerate(rows)
        ]
        axes.set_yticks(range(len(rows)), labels, fontsize=6.5)


def _strip(axes: Axes, row: int, taken: FloatArray) -> None:
    """A row of cells, each as dark as the share of its stretch of the curve that took the option.

    Parameters
    ----------
    taken : 1 where a specification took the option, shape (n,).
    """
    if not len(taken):
        return
    cells = np.array_split(taken, min(_STRETCHES, len(taken)))
    edges = np.concatenate([[0], np.cumsum([len(cell) for cell in cells])]) - 0.5
    shares = np.array([[cell.mean() for cell in cells]])
    axes.pcolormesh(
        edges, [row - 0.4, row + 0.4], shares, cmap="Greys", vmin=0.0, vmax=1.0, rasterized=True
    )


def describe(artefacts: Artefacts) -> dict[str, str]:
    """What the caption says: a sentence for every contrast."""
    curve, tests = artefacts.facts("specification_curve"), artefacts.facts("specification_tests")
    sentences = []
    for contrast in dict.fromkeys(curve.frame["contrast"].tolist()):
        middle, lowest, highest = (
            curve.over(statistic, "estimate_d", contrast=contrast)
            for statistic in ("median", "min", "max")
        )
        above, below = (
            curve.over("mean", f"(p_value < {ALPHA}) & (estimate_d {sign} 0)", contrast=contrast)
            for sign in "><"
        )
        headline = "".join(
            f"; the headline's is {signed(row['estimate_d'], 2)} in this unit"
            for row in curve.rows(contrast=contrast, main=True)
        )
        joint = tests.row(contrast=contrast, test="median")
        sentences.append(
            f"{contrast_words(contrast)}: the median effect is {signed(middle, 2)} (range "
            f"{number(lowest, 2, '−')} to {number(highest, 2, '−')}{headline}); "
            f"{percent(above, 0)} of specifications are significantly positive and "
            f"{percent(below, 0)} significantly negative; joint permutation test of the median "
            f"{p_clause(joint['p_value'])}."
        )
    return {
        "specifications": str(curve.over("distinct", "specification")),
        "sentences": " ".join(sentences),
    }
