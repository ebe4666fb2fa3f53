"""What a figure shows in this run, in words: for those who do not see it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend

from dissensus.report.facts import unmarked
from dissensus.report.labels import stopped

#: The most characters of an alternative, and the most names of rows that it lists.
_LONGEST, _NAMES = 900, 12
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z]|[a-z]: )")
_EMPTY = re.compile(r"\n\s*\n")
_INTERVAL = re.compile(r"\[\s*+[−+-]?\d[^\[\]]*\]")
_ESTIMATE = re.compile(r"(?<!\d)\d++(?:\.\d++%?|%)")
_NUMBER = re.compile(r"\d+%?")
_MARKUP = re.compile(r"\*\*|\*(?=\S)|(?<=\S)\*|`|\\")
_TABLES = "The numbers are in the tables of the study."


def alternative(title: str, figure: Figure, caption: str, level: str = "") -> str:
    """The words that stand for a figure: its panels and series, and its main number.

    Parameters
    ----------
    title : of the figure.
    figure : as it was drawn.
    caption : reStructuredText, with the run's numbers.
    level : of its intervals, such as "95%", which is no result.
    """
    panels = [words for axes in figure.axes if axes.axison for words in [_panel(axes)] if words]
    count = "Panels: " if len(panels) > 1 else ""
    series = [*dict.fromkeys(filter(None, _series(figure)))]
    sentences = [
        stopped(title),
        f"{count}{'; '.join(panels)}." if panels else "",
        f"Shown separately: {_listed(series)}." if series else "",
        main_sentence(caption, unmarked(level)),
        _TABLES,
    ]
    return _shortened(" ".join(" ".join(sentences).split()))


def main_sentence(caption: str, level: str) -> str:
    """The first sentence of a caption with an interval, or else an estimate, or else a number."""
    paragraphs = (" ".join(part.split()) for part in _EMPTY.split(_MARKUP.sub("", caption)))
    sentences = [sentence for part in paragraphs for sentence in _SENTENCE.split(part)]
    for kind in (_INTERVAL, _ESTIMATE, _NUMBER):
        telling = [sentence for sentence in sentences if set(kind.findall(sentence)) - {level}]
        if telling:
            return telling[0]
    return ""


def _panel(axes: Axes) -> str:
    """Its title, what its axes are, and the names of its rows or columns."""
    title, across, up = axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()
    against = " against ".join(filter(None, (up, across)))
    rows = [name for name in _names(axes) if name]
    of = f" of {_listed(rows)}" if 1 < len(rows) <= _NAMES else ""
    words = ": ".join(filter(None, (title, f"{against}{of}")))
    return " ".join(words.split())


def _names(axes: Axes) -> Iterator[str]:
    """Words at the ticks of an axis, which numbers are not."""
    for axis in (axes.yaxis, axes.xaxis):
        words = [label.get_text().strip() for label in axis.get_ticklabels()]
        if any(re.search("[^\\W\\d_]{2}", word) for word in words):
            yield from words


def _series(figure: Figure) -> Iterator[str]:
    of_axes = [axes.get_legend() for axes in figure.axes]
    legends = chain(figure.legends, (legend for legend in of_axes if isinstance(legend, Legend)))
    yield from (text.get_text() for legend in legends for text in legend.get_texts())


def _listed(names: Sequence[str]) -> str:
    """Names in a row, which may have commas themselves."""
    return ("; " if any("," in name for name in names) else ", ").join(names)


def _shortened(text: str) -> str:
    """A text of a bearable length, cut between words."""
    if len(unmarked(text)) <= _LONGEST:
        return text
    room = _LONGEST - len(_TABLES) - 2
    return f"{text[:room].rpartition(' ')[0]}… {_TABLES}"
