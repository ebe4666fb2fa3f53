"""Where the sessions lie on every bounded scale, and how many have run into a bound."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.language.figures.frames import languages_of
from dissensus.report.artefacts import Artefacts
from dissensus.report.escaping import Rst, rst
from dissensus.report.frames import Record, keyed, records
from dissensus.report.labels import language_name, listed, percent, scale_words, wrapped
from dissensus.report.style import ALARM, GREY, INK, Mark, marks, new_figure, styled
from dissensus.report.view import Drawn, View

_BINS = np.linspace(0.0, 1.0, 26)

_KEY = (
    "Beside each distribution: the share of sessions at the scale's lower and upper bound. ▲ marks "
    "a scale on which more than {threshold} of a language's sessions are at a bound, by the index "
    "or by either of its parts."
)

#: Points from one line of a warning to the next.
_PITCH = 9.2

COMPONENTS = {"hi": "index:", "lex": "lexical part:", "sem": "semantic part:"}


def bounded(saturation: pd.DataFrame) -> list[str]:
    """The bounded scales' index columns, in their order."""
    outcomes = dict.fromkeys(saturation["outcome"].tolist())
    return [str(name) for name in outcomes if str(name).startswith("hi_")]


def warnings_of(saturation: pd.DataFrame, outcome: str) -> list[str]:
    """What warns on the scale of an outcome: "semantic part: 8.1% in Chinese"."""
    scale = outcome.removeprefix("hi_")
    rows = saturation[saturation["warning"].to_numpy(dtype=bool)]
    found = []
    for prefix, title in COMPONENTS.items():
        arms = [
            f"{_share(max(row['share_at_low'], row['share_at_high']))} in "
            f"{language_name(row['language'])}"
            for row in records(rows[rows["outcome"] == f"{prefix}_{scale}"])
        ]
        if arms:
            found.append(f"{title} {listed(arms)}")
    return found


def _share(share: float) -> str:
    """A decimal only where it tells something."""
    return percent(share, 1 if share < 0.1 else 0)


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw one panel a scale, in it a histogram a language with the shares at either bound."""
    metrics, saturation = artefacts.frames("metrics", "saturation")
    threshold = float(view["saturation_warning"])
    scales = bounded(saturation)
    notes = {
        outcome: "\n".join(wrapped(line, 40) for line in warnings_of(saturation, outcome))
        for outcome in scales
    }
    deep = max((len(text.splitlines()) for text in notes.values()), default=0)
    languages = languages_of(metrics, view.reference)
    looks = marks(languages, view.reference)
    columns = min(3, max(len(scales), 1))
    rows = max(math.ceil(len(scales) / columns), 1)
    figure = new_figure(rows * (0.85 + 0.52 * len(languages) + 0.13 * deep) + 0.2, view.simulated)
    axes = figure.subplots(rows, columns, squeeze=False)
    for place in axes.flat[len(scales) :]:
        place.axis("off")
    for letter, place, outcome in zip("abcdefghij", axes.flat, scales, strict=False):
        shares = keyed(saturation[saturation["outcome"] == outcome], "language")
        _panel(place, metrics, outcome, shares, looks)
        _head(place, f"{letter}  {scale_words(outcome)}", notes[outcome], deep)
    if len(scales) < axes.size:
        axes.flat[len(scales)].text(
            0.0,
            1.0,
            wrapped(_KEY.format(threshold=percent(threshold)), 40),
            va="top",
            size=7,
            color=GREY,
            transform=axes.flat[len(scales)].transAxes,
        )
    return Drawn(figure, describe(saturation, threshold, view))


def _head(axes: Axes, title: str, warned: str, deep: int) -> None:
    """The panel's title, and below it what warns, in the room that the longest warning needs."""
    axes.set_title(
        f"{title}  ▲" if warned else title, color=ALARM if warned else INK, pad=_PITCH * deep + 6
    )
    axes.annotate(
        warned,
        (0, 1),
        (0, 4 + _PITCH * (deep - 1 - warned.count("\n"))),
        xycoords="axes fraction",
        textcoords="offset points",
        va="bottom",
        size=6.5,
        color=ALARM,
    )
    axes.set_xlabel("Homogeneity Index", size=7)


def _panel(
    axes: Axes,
    metrics: pd.DataFrame,
    outcome: str,
    shares: dict[Any, Record],
    looks: dict[str, Mark],
) -> None:
    """Histograms one above the other, each on a base line of its own."""
    complete = metrics["complete"].to_numpy(dtype=bool)
    for row, (language, look) in enumerate(looks.items()):
        base = len(looks) - 1 - row
        chosen = complete & (metrics["language"] == language).to_numpy()
        values = metrics.loc[chosen, outcome].dropna().to_numpy(dtype=float)
        counts, edges = np.histogram(np.clip(values, 0.0, 1.0), _BINS)
        heights = 0.68 * counts / max(counts.max(), 1)
        axes.bar(
            edges[:-1],
            heights,
            np.diff(edges),
            bottom=base,
            align="edge",
            facecolor="white",
            edgecolor=look.colour,
            linewidth=0.6,
            hatch=look.hatch,
        )
        axes.axhline(base, color=GREY, linewidth=0.5)
        if language in shares:
            _ends(axes, base, shares[language])
        axes.text(
            0.0, base + 0.72, look.name, size=7, color=look.colour, weight="bold", va="bottom"
        )
    axes.set(
        xlim=(-0.26, 1.26), ylim=(-0.02, len(looks)), xticks=[0, 0.25, 0.5, 0.75, 1], yticks=[]
    )
    axes.set_xticklabels(["0", "¼", "½", "¾", "1"])
    axes.spines["left"].set_visible(False)


def _ends(axes: Axes, base: float, own: Record) -> None:
    """The shares at either bound, loud where they are why the row warns."""
    low, high = own["share_at_low"], own["share_at_high"]
    for x, share, side in ((-0.03, low, "right"), (1.03, high, "left")):
        loud = own["warning"] and share == max(low, high)
        axes.text(
            x,
            base + 0.02,
            percent(share),
            ha=side,
            va="bottom",
            size=6.5,
            color=ALARM if loud else GREY,
            weight="bold" if loud else "normal",
        )


def describe(saturation: pd.DataFrame, threshold: float, view: View) -> dict[str, str]:
    """What the caption says."""
    warned = {
        scale_words(outcome): found
        for outcome in bounded(saturation)
        if (found := warnings_of(saturation, outcome))
    }
    if warned:
        scales = " ".join(f"{scale}, {'; '.join(found)}." for scale, found in warned.items())
        short = "Sessions at a bound can move no further, so that effects here are cut short."
        text: str = Rst(f"**Warning: saturated scales.** {rst(scales)} {short}")
    else:
        text = f"No arm of any scale has more than {percent(threshold)} of its sessions at a bound."
    return {
        "warning": text,
        "threshold": percent(threshold),
        "reference": language_name(view.reference),
    }
