"""Where the sessions lie on every bounded scale, and how many have run into a bound."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.escaping import Rst, rst
from dissensus.report.facts import Facts
from dissensus.report.forms import legend, offsets, rows_axis, swatch
from dissensus.report.frames import keyed
from dissensus.report.labels import language_name, listed, percent, range_of, scale_words
from dissensus.report.style import ALARM, INK, Mark, new_figure, notice, styled, zero_line
from dissensus.report.view import Artefacts, Drawn, View

from .frames import fitted_on, languages_of

#: Part of the index -> how it is drawn.
_PARTS = {
    "hi": Mark("index", INK, "o"),
    "lex": Mark("lexical part", "#0b3c6f", "D"),
    "sem": Mark("semantic part", "#e08a00", "s"),
}

NONE = "No scale has bounds."

COMPONENTS = {"hi": "index:", "lex": "lexical part:", "sem": "semantic part:"}


def bounded(saturation: pd.DataFrame) -> list[str]:
    """The bounded scales' index columns, in their order."""
    outcomes = dict.fromkeys(saturation["outcome"].tolist())
    return [str(name) for name in outcomes if str(name).startswith("hi_")]


def warnings_of(saturation: Facts, outcome: str) -> list[str]:
    """What warns on the scale of an outcome: "semantic part: 8.1% in Chinese"."""
    scale = outcome.removeprefix("hi_")
    warned = []
    for prefix, title in COMPONENTS.items():
        arms = [
            f"{_share(max(row['share_at_low'], row['share_at_high']))} in "
            f"{language_name(row['language'])}"
            for row in saturation.rows(warning=True, outcome=f"{prefix}_{scale}")
        ]
        if arms:
            warned.append(f"{title} {listed(arms)}")
    return warned


def _share(share: float) -> str:
    """A decimal only where it tells something."""
    return percent(share, 1 if share < 0.1 else 0)


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw a panel a language: the share of sessions at either bound of every scale."""
    metrics, saturation = artefacts.frames("metrics", "saturation")
    threshold = float(view["saturation_warning"])
    scales = bounded(saturation)
    facts = describe(artefacts.facts("saturation"), view)
    if not scales:
        return Drawn(notice(NONE, view.simulated), facts)
    languages = languages_of(metrics, view.reference)
    figure = new_figure(1.1 + 0.38 * len(scales), view.simulated)
    panels: Any = figure.subplots(1, len(languages), sharex=True, sharey=True, squeeze=False)
    for letter, axes, language in zip("abcdefghij", panels.flat, languages, strict=False):
        of_language = saturation[saturation["language"] == language]
        _panel(axes, of_language, scales, threshold)
        rows = artefacts.facts("saturation").rows(language=language, outcome=scales)
        sizes = f" (n = {range_of(row['n'] for row in rows)})" if rows else ""
        axes.set_title(f"{letter}  {language_name(language)}{sizes}")
        axes.set_xlabel("← % at the lower bound | upper bound →", size=7)
    shares = saturation[["share_at_low", "share_at_high"]].to_numpy(dtype=float)
    most = 100 * max(threshold, float(shares.max()))
    panels[0, 0].set_xlim(-1.1 * most, 1.1 * most)
    legend(figure, (swatch(mark) for mark in _PARTS.values()))
    return Drawn(figure, facts)


def _panel(axes: Axes, of_language: pd.DataFrame, scales: list[str], threshold: float) -> None:
    """A row for each scale: bars to the left for the lower bound, to the right for the upper."""
    rows = keyed(of_language, "outcome")
    for end in (-100 * threshold, 100 * threshold):
        axes.axvline(end, color=ALARM, linewidth=0.6, linestyle=(0, (1, 2)), zorder=0)
    zero_line(axes, vertical=True)
    for (prefix, mark), aside in zip(_PARTS.items(), offsets(len(_PARTS)), strict=True):
        for place, outcome in enumerate(scales):
            row = rows.get(f"{prefix}_{outcome.removeprefix('hi_')}")
            if row:
                shares = [-100 * row["share_at_low"], 100 * row["share_at_high"]]
                axes.barh([place + aside] * 2, shares, 0.2, color=mark.colour, linewidth=0)
    rows_axis(axes, [scale_words(outcome) for outcome in scales])
    axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")


def describe(saturation: Facts, view: View) -> dict[str, str]:
    """What the caption says."""
    threshold = view.fact("saturation_warning")
    warned = {
        scale_words(outcome): warning
        for outcome in bounded(saturation.frame)
        if (warning := warnings_of(saturation, outcome))
    }
    if warned:
        scales = " ".join(f"{scale}, {'; '.join(warning)}." for scale, warning in warned.items())
        short = "Sessions at a bound can move no further, so that effects here are cut short."
        text: str = Rst(f"**Warning: saturated scales.** {rst(scales)} {short}")
    else:
        text = f"No arm of any scale has more than {percent(threshold)} of its sessions at a bound."
    return {
        "warning": text,
        "threshold": percent(threshold),
        "reference": fitted_on(view),
    }
