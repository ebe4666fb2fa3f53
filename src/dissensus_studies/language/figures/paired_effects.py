"""The language effect draw by draw, net of the instrument: pairs, sorted differences, headline."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from dissensus.report.escaping import Rst
from dissensus.report.forms import CROWD, dots, stride, threads
from dissensus.report.frames import Array, Record, jitter
from dissensus.report.labels import (
    contrast_words,
    counted,
    limits,
    number,
    p_clause,
    percent,
    scale_words,
    signed,
    whole,
)
from dissensus.report.style import (
    FAINT,
    GREY,
    INK,
    Mark,
    marks,
    new_figure,
    notice,
    says,
    styled,
    zero_line,
)
from dissensus.report.view import Artefacts, Drawn, Marks, View

from ..inference.estimators import OFFSET, REFITTED
from ..outcomes import INDEX
from .frames import (
    differences,
    effect_facts,
    fitted_on,
    headlines,
    languages_of,
    may_stop,
    offsets,
    primary,
)

NO_PAIR = "No draw has the index in both languages; it is fitted on two debates at least."


#: What the headline's interval is, for the caption.
_BOOTSTRAP = Rst(
    "is a studentised bootstrap over motions, which fits the anchors, and measures the\n"
    "instrument, anew in each resample"
)
_AS_READ = "is a studentised bootstrap over motions, which fits the anchors anew in each resample"
_AT_LOOKS = (
    "holds at all looks together, by sign flips of whole motions in the draws' differences with "
    "one ruler, as far as these are symmetric about their mean; the other intervals are a "
    "studentised bootstrap over motions"
)


def unit(view: View) -> str:
    """What the primary outcome counts."""
    return f"{scale_words(primary(view))}, fitted on {fitted_on(view)}"


def axis_unit(view: View) -> str:
    """The same where there is less room."""
    return f"{scale_words(primary(view))}, fitted on block 1" if may_stop(view) else unit(view)


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw every contrast with the reference: pairs, and sorted differences.

    With an offset of the instrument, a draw's value in the language stands twice: as the index
    reads it, and less the offset; differences are those of the second.
    """
    metrics, effect = artefacts.frames("metrics", "language_effect")
    outcome, reference = primary(view), view.reference
    answers, ruler = headlines(effect), offsets(effect, outcome)
    looks = marks(languages_of(metrics, reference), reference)
    paired = {
        contrast: _net_of(
            differences(metrics, outcome, contrast.removesuffix(f"-{reference}"), reference),
            ruler.get(contrast),
        )
        for contrast in answers
    }
    paired = {name: pairs for name, pairs in paired.items() if pairs["difference"].notna().any()}
    if not paired:
        return Drawn(notice(NO_PAIR, view.simulated), describe(artefacts, view))
    figure = new_figure(0.4 + 2.9 * len(paired), view.simulated)
    axes = figure.subplots(len(paired), 2, squeeze=False, width_ratios=[1.0, 2.2])
    dots: list[Marks] = []
    for row, (contrast, pairs) in zip(axes, paired.items(), strict=True):
        language, answer = contrast.removesuffix(f"-{reference}"), answers[contrast]
        _pairs(row[0], pairs, language, reference, looks)
        _sorted(row[1], pairs, answer, looks[language], view.level)
        if len(pairs) <= CROWD:
            ranked = pairs["difference"].sort_values()
            ranks = range(1, len(ranked) + 1)
            dots.append(Marks(row[1], ranks, ranked.tolist(), [str(draw) for draw in ranked.index]))
        row[0].set_ylabel(f"{INDEX.title} ({axis_unit(view)})")
        row[1].set_ylabel(f"{contrast_words(contrast)}\n({axis_unit(view)})")
    axes[0, 0].set_title("a  Each draw in both languages")
    net = "net of the instrument, " if ruler else ""
    axes[0, 1].set_title(f"b  Paired differences, {net}sorted")
    axes[-1, 1].set_xlabel("draws, by difference")
    return Drawn(figure, describe(artefacts, view), dots)


def _net_of(pairs: pd.DataFrame, offset: Record | None) -> pd.DataFrame:
    """The pairs with a column ``net``, the language's value less the offset, and its difference."""
    if offset is None:
        return pairs
    less = float(offset["estimate"])
    language = pairs.columns[0]
    return pairs.assign(net=pairs[language] - less, difference=pairs["difference"] - less)


def _pairs(
    axes: Axes, pairs: pd.DataFrame, language: str, reference: str, looks: dict[str, Mark]
) -> None:
    """A thin line a draw, dots where it stands, and the means."""
    shown = [(reference, looks[reference].name)]
    columns = [reference]
    if "net" in pairs:
        columns.append("net")
        shown.append((language, f"{looks[language].name},\nnet"))
    columns.append(language)
    shown.append((language, f"{looks[language].name},\nas read" if "net" in pairs else ""))
    names = [name or looks[language].name for _, name in shown]
    values_of = [pairs[column].to_numpy() for column in columns]
    thin = 0.7 if len(pairs) > 30 else 1.0
    threads(axes, list(range(len(columns))), np.column_stack(values_of), 0.6 * thin)
    for place, (values, (spoken, _)) in enumerate(zip(values_of, shown, strict=True)):
        look = looks[spoken]
        as_read = "net" in pairs and place == len(columns) - 1
        axes.plot(
            place + jitter(len(values), 0.12 if len(values) <= CROWD else 0.3),
            values,
            look.marker,
            color=GREY if as_read else look.colour,
            zorder=2,
            **dots(len(values), 2.6 * thin, 0.75),
        )
        axes.plot(
            [place - 0.2, place + 0.2], [values.mean()] * 2, color=INK, linewidth=1.8, zorder=3
        )
        axes.text(
            place + (-0.25 if place == 0 else 0.25),
            values.mean(),
            number(values.mean(), 2, "−"),
            ha="right" if place == 0 else "left",
            va="center",
            size=7,
            bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.5},
            zorder=4,
        )
    axes.set(xticks=range(len(columns)), xticklabels=names, xlim=(-0.85, len(columns) - 0.15))


def _sorted(axes: Axes, pairs: pd.DataFrame, answer: Record, look: Mark, level: str) -> None:
    """Differences from the least to the greatest, the headline and its interval behind them."""
    values = np.sort(pairs["difference"].to_numpy())
    n = len(values)
    ranks: Array = np.arange(1, n + 1, dtype=np.float64)
    positive = values > 0
    # With two draws or three, an interval may have no ends.
    is_bounded = bool(np.isfinite([answer["ci_low"], answer["ci_high"]]).all())
    if is_bounded:
        span = answer["ci_low"], answer["ci_high"]
        axes.axhspan(*span, color=look.colour, alpha=0.18, linewidth=0)
    axes.axhline(answer["estimate"], color=look.colour, linewidth=1.2)
    zero_line(axes)
    if n > CROWD:
        # A curve of so many points, sorted as they are, shows the same as all of them.
        shown = np.unique(np.linspace(0, n - 1, CROWD).astype(int))
        axes.fill_between(ranks[shown], 0, values[shown], color=FAINT, linewidth=0, zorder=0)
        axes.plot(ranks[shown], values[shown], color=look.colour, linewidth=1.6)
    else:
        _stems(axes, ranks, pairs["difference"].sort_values(), look)
    above = counted(int(positive.sum()), "draw")
    share = f"{above} of {whole(n)} above zero ({percent(positive.mean(), 0)}), filled"
    answered = f"mean {signed(answer['estimate'])}\n{level} CI {limits(answer)}"
    axes.text(
        0.02, 0.98, answered, transform=axes.transAxes, va="top", size=7.5, weight="bold", zorder=5
    )
    axes.text(0.02, 0.86, share, transform=axes.transAxes, va="top", size=7.5, zorder=5)
    axes.set_xlim(0.0, n + 1.0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.xaxis.set_major_formatter(lambda place, _: whole(place))
    # The words stand over the least of the differences: above those, and above the interval.
    low, high = min(values[0], 0.0), max(values[-1], 0.0)
    pad = 0.05 * max(high - low, 1e-9)
    middle = values[(n - 1) // 2]
    least = max(middle, answer["ci_high"]) if is_bounded else middle
    axes.set_ylim(low - pad, max(high + pad, low - pad + (least - low + pad) / 0.76))


def _stems(axes: Axes, ranks: Array, ranked: pd.Series[float], look: Mark) -> None:
    """Each draw's difference as a mark on a stem, filled where positive."""
    values = ranked.to_numpy()
    positive = values > 0
    told = np.array([f"{draw}: {signed(value)}" for draw, value in ranked.items()])
    axes.vlines(ranks, 0, values, color=GREY, linewidth=0.6)
    for chosen, fill in ((positive, look.colour), (~positive, "white")):
        (dots_drawn,) = axes.plot(
            ranks[chosen],
            values[chosen],
            look.marker,
            markerfacecolor=fill,
            color=look.colour,
            markersize=3.4 if len(values) > 30 else 5.0,
            markeredgewidth=0.7,
        )
        says(dots_drawn, *told[chosen])


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says: a clause for every contrast."""
    metrics = artefacts.frame("metrics")
    outcome, reference = primary(view), view.reference
    clauses, some = [], False
    ruler = effect_facts(artefacts, outcome=outcome, method=OFFSET)
    as_read = effect_facts(artefacts, outcome=outcome, method=REFITTED)
    for contrast, answer in effect_facts(artefacts, headline=True).items():
        pairs = differences(metrics, outcome, contrast.removesuffix(f"-{reference}"), reference)
        some = some or stride(len(pairs)) > 1
        # No p-value stands beside a difference that may be the instrument's.
        p_of = f"{p_clause(answer['p_value'])}, " if contrast in ruler else ""
        clauses.append(
            f"{contrast_words(contrast)} {signed(answer['estimate'])} "
            f"({view.level} CI {limits(answer)}, {p_of}{counted(answer['n'], 'pair')} on "
            f"{counted(answer['n_clusters'], 'motion')})"
        )
    if ruler:
        instrument = "; ".join(
            f"{contrast_words(contrast)}, on parallel texts, is {signed(row['estimate'])} "
            f"({limits(row)}); as the paper's index reads the debates, it is "
            f"{signed(as_read[contrast]['estimate'])} ({limits(as_read[contrast])})"
            for contrast, row in ruler.items()
        )
        kind = "Net of the instrument"
        instrument = f"What the instrument does by itself is subtracted: {instrument}"
    else:
        kind = "Not net of the instrument"
        instrument = (
            "No parallel text was measured, so that nobody can say how much of the effect is what "
            "the measures themselves do from language to language"
        )
    return {
        "kind": kind,
        "instrument": instrument,
        "effects": "; ".join(clauses),
        "unit": unit(view),
        "interval": _AT_LOOKS if may_stop(view) else _BOOTSTRAP if ruler else _AS_READ,
        "columns": "; grey, the language as the index reads it" if ruler else "",
        "lines": "a line for some" if some else "a line each",
    }
