"""The index's components by language: lexical and semantic, plain and with the length taken out."""

from __future__ import annotations

import string

import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.forms import CROWD, dots, threads
from dissensus.report.frames import Record, jitter
from dissensus.report.labels import (
    column_words,
    contrast_words,
    language_name,
    limits,
    listed,
    number,
    signed,
)
from dissensus.report.style import GREY, INK, Mark, marks, new_figure, notice, says, styled
from dissensus.report.view import Artefacts, Drawn, Marks, View

from ..inference.estimators import NET, OFFSET
from ..measures.homogeneity import METRICS
from .frames import effect_facts, estimates, languages_of, wide

#: The method where the instrument was not measured.
PLAIN = "cluster_robust"

#: Panels in a row.
_ACROSS = 4
#: Column -> title and unit.
_WORDS = {
    "s_lex": ("Lexical", "1 − normalised JSD"),
    "s_lex_matched": ("Lexical, matched", "1 − normalised JSD"),
    "s_lex_excess": ("Lexical, excess", "excess over shuffled tokens"),
    "tokens": ("Length", "tokens in a session"),
    "s_sem": ("Semantic, pooled", "mean cosine"),
    "s_sem_cross_side": ("Semantic, cross-side", "mean cosine"),
    "s_sem_same_side": ("Semantic, same side", "mean cosine"),
    "s_sem_same_speaker": ("Semantic, speaker", "mean cosine"),
}
_LETTERS = string.ascii_lowercase

_NET_DRAWN = (
    "From the dots of every language but the reference is subtracted what the measure makes of one "
    "and the same debate in both languages; a grey bar is their mean before that"
)
_RAW_DRAWN = "Dots are as the index reads each language"


def panels(effect: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Column -> title and unit: the index's components, then whatever else has an effect."""
    more = [name for name in effect["outcome"].unique() if name in METRICS.fields]
    titles = {name: (column_words(name), _unit(METRICS.columns[name].unit)) for name in more}
    return _WORDS | {name: words for name, words in titles.items() if name not in _WORDS}


def _unit(unit: str) -> str:
    """A unit in words: bounds stand at the axis itself."""
    words = unit.partition(",")[0]
    return "" if any(map(str.isdigit, words)) else words


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw every component by language, draws joined, with its effect above it."""
    metrics, effect = artefacts.frames("metrics", "language_effect")
    if not metrics["complete"].any():
        return Drawn(notice("No debate came through.", view.simulated), {})
    languages = languages_of(metrics, view.reference)
    looks = marks(languages, view.reference)
    contrasts = len(languages) - 1
    drawn = panels(effect)
    rows = -(-len(drawn) // _ACROSS)
    figure = new_figure(rows * (2.2 + 0.25 * max(contrasts - 1, 0)), view.simulated)
    axes = figure.subplots(rows, _ACROSS).ravel()
    for blank in axes[len(drawn) :]:
        blank.remove()
    shown: list[Marks] = []
    for letter, place, (column, (title, unit)) in zip(_LETTERS, axes, drawn.items(), strict=False):
        values = wide(metrics, column, languages)
        less = estimates(effect, column, OFFSET)
        shown += _panel(place, values, looks, _by_language(less, view.reference))
        effects = estimates(effect, column, PLAIN) | estimates(effect, column, NET)
        lines = [_line(name, row, contrasts) for name, row in effects.items()]
        empty = ["" for _ in range(2 * contrasts)] if not lines else []
        place.set_title(f"{letter}  {title}", size=7.5, pad=9 * 2 * contrasts + 6)
        place.annotate(
            "\n".join(lines or empty),
            (0, 1),
            (0, 3),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="left",
            va="bottom",
            size=6.5,
        )
        place.set_ylabel(unit, size=7)
    return Drawn(figure, describe(artefacts, languages, view), shown)


def _by_language(less: dict[str, Record], reference: str) -> dict[str, float]:
    """Language -> what the instrument does by itself, which its values are drawn less of."""
    return {name.removesuffix(f"-{reference}"): row["estimate"] for name, row in less.items()}


def _line(contrast: str, row: Record, contrasts: int) -> str:
    name = f"{contrast.replace('-', '−')}: " if contrasts > 1 else ""
    size = "" if name else f", n = {row['n']}"
    net = "net " if row["method"] == NET else ""
    return f"{name}{net}{signed(row['estimate'])}{size}\n{limits(row)}"


def _panel(
    axes: Axes, as_read: pd.DataFrame, looks: dict[str, Mark], less: dict[str, float]
) -> list[Marks]:
    """The dots of each language; returns which draw each stands for, while they are few.

    Parameters
    ----------
    as_read : a row a draw, a column a language.
    less : what the values of a language are drawn less of.
    """
    shown = []
    places = list(range(len(as_read.columns)))
    values = as_read - pd.Series(less, dtype=float).reindex(as_read.columns, fill_value=0.0)
    complete = values.dropna()
    threads(axes, places, complete.to_numpy(), 0.4)
    for place, language in zip(places, values.columns, strict=True):
        drawn = values[language].dropna()
        look = looks[str(language)]
        across = place + jitter(len(drawn), 0.2)
        if len(drawn) <= CROWD:
            shown.append(Marks(axes, across.tolist(), drawn.tolist(), list(map(str, drawn.index))))
        (cloud,) = axes.plot(
            across,
            drawn.to_numpy(),
            look.marker,
            color=look.colour,
            zorder=2,
            **dots(len(drawn), 1.8, 0.6),
        )
        if len(drawn) <= CROWD:
            told = (number(value, 3, "−") for value in drawn)
            says(cloud, *map(": ".join, zip(map(str, drawn.index), told, strict=True)))
        if len(drawn):
            bar = [place - 0.3, place + 0.3]
            if language in less:
                read = float(as_read[language].mean())
                axes.plot(bar, [read] * 2, color=GREY, linewidth=1.0, zorder=3)
            axes.plot(bar, [drawn.mean()] * 2, color=INK, linewidth=1.6, zorder=3)
    axes.set(
        xticks=places,
        xticklabels=[looks[str(name)].name for name in values.columns],
        xlim=(-0.6, len(places) - 0.4),
    )
    axes.locator_params(axis="y", nbins=5)
    if len(places) > 2:
        axes.tick_params(axis="x", labelrotation=30 if len(places) == 3 else 90)
    return shown


def describe(artefacts: Artefacts, languages: list[str], view: View) -> dict[str, str]:
    """What the caption says."""

    def clause(column: str) -> str:
        effects = effect_facts(artefacts, outcome=column, method=PLAIN) | effect_facts(
            artefacts, outcome=column, method=NET
        )
        return "; ".join(
            f"{contrast_words(name)} {signed(row['estimate'])} {limits(row)}"
            for name, row in effects.items()
        )

    metrics = artefacts.facts("metrics")
    further = [
        f". {title} (**{letter}**): {clause(column)}"
        for letter, (column, (title, _)) in zip(
            _LETTERS, panels(artefacts.frame("language_effect")).items(), strict=False
        )
        if column not in _WORDS
    ]
    is_net = (artefacts.frame("language_effect")["method"] == NET).any()
    return {
        "drawn": _NET_DRAWN if is_net else _RAW_DRAWN,
        "kind": "net of the instrument" if is_net else "not net of the instrument",
        "plain": clause("s_lex"),
        "matched": clause("s_lex_matched"),
        "excess": clause("s_lex_excess"),
        "pooled": clause("s_sem"),
        "cross_side": clause("s_sem_cross_side"),
        "same_speaker": clause("s_sem_same_speaker"),
        "further": "".join(further),
        "tokens": listed(
            f"{number(metrics.over('mean', 'tokens', language=name, complete=True), 0)} in "
            f"{language_name(name)}"
            for name in languages
        ),
        "level": view.level,
    }
