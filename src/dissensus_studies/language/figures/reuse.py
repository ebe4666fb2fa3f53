"""Within-role reuse: how much of a speaker's first speech comes back in the second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.facts import Facts
from dissensus.report.forms import CROWD, dots
from dissensus.report.frames import Array, jitter
from dissensus.report.labels import language_name, listed, number, whole
from dissensus.report.style import INK, Mark, marks, new_figure, notice, styled
from dissensus.report.view import Artefacts, Drawn, Marks, View

from .frames import languages_of

#: What names a pair of speeches.
_KEY = ("session_id", "first_turn", "second_turn")

MEASURES = {"characters": "by character", "tokens": "by token"}


@dataclass(frozen=True)
class Extreme:
    """A pair of one speaker's speeches.

    Attributes
    ----------
    draw_id, language, speaker : whose.
    first_turn, second_turn : which.
    ratio : SequenceMatcher's, by character.
    """

    draw_id: str
    language: str
    speaker: str
    first_turn: int
    second_turn: int
    ratio: float


def comparable(reuse: pd.DataFrame) -> pd.DataFrame:
    """The pairs of speeches that were given in every language."""
    languages = reuse["language"].nunique()
    place = ["draw_id", "speaker", "first_turn", "second_turn"]
    return reuse[reuse.groupby(place)["language"].transform("nunique") == languages]


def extremes(reuse: Facts) -> tuple[Extreme, Extreme] | None:
    """The most and the least recycled pair by character, among those given in every language.

    Ties go to the first in the order of draws, languages and turns; None where there is no pair.
    """
    rows = comparable(reuse.frame).sort_values(["draw_id", "language", "first_turn"], kind="stable")
    if rows.empty:
        return None
    ratios = rows["characters"].to_numpy()

    def at(index: int) -> Extreme:
        place = {name: rows[name].to_numpy()[index] for name in _KEY}
        row = reuse.row(**place)
        return Extreme(
            str(row["draw_id"]),
            str(row["language"]),
            str(row["speaker"]),
            int(row["first_turn"]),
            int(row["second_turn"]),
            row["characters"],
        )

    return at(int(ratios.argmax())), at(int(ratios.argmin()))


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw every pair by language, by character and by token, the extremes marked."""
    reuse = artefacts.frame("reuse")
    if reuse.empty:
        none = "No debater spoke twice, so that no speech can be recycled."
        return Drawn(notice(none, view.simulated), {})
    languages = languages_of(reuse, view.reference)
    looks = marks(languages, view.reference)
    figure = new_figure(0.95 + 0.72 * len(languages), view.simulated)
    axes = figure.subplots(1, 2, sharey=True)
    marked = extremes(artefacts.facts("reuse"))
    shown: list[Marks] = []
    for letter, place, (column, title) in zip("ab", axes, MEASURES.items(), strict=True):
        for row, language in enumerate(languages):
            of_language = reuse[reuse["language"] == language]
            up = _strip(place, row, of_language[column].to_numpy(dtype=float), looks[language])
            if len(of_language) <= CROWD:
                shown.append(
                    Marks(
                        place, of_language[column].tolist(), up, of_language["session_id"].tolist()
                    )
                )
        if marked:
            _mark(place, reuse, column, marked, languages)
        place.set_title(f"{letter}  Reuse {title}")
        place.set_xlabel("SequenceMatcher ratio of a speaker's two speeches")
        # The labels of the extremes stand above the first row and below the last.
        place.set(xlim=(0, 1), ylim=(len(languages) - 0.15, -0.85))
    pairs = artefacts.facts("reuse")
    names = [
        f"{looks[name].name}\n(n = {pairs.over('count', 'session_id', language=name):,})"
        for name in languages
    ]
    axes[0].set_yticks(range(len(languages)), names)
    axes[0].tick_params(axis="y", length=0)
    axes[1].tick_params(axis="y", length=0)
    return Drawn(figure, describe(artefacts.facts("reuse"), view), shown)


def _strip(axes: Axes, row: int, values: Array, look: Mark) -> list[float]:
    """Dots, and over them the quartiles and the median; returns the height of each dot."""
    heights = row + jitter(len(values), 0.5)
    axes.plot(
        values,
        heights,
        look.marker,
        color=look.colour,
        **dots(len(values), 1.9 if len(values) > 100 else 3.0, 0.55),
    )
    if len(values):
        low, middle, high = np.percentile(values, [25, 50, 75])
        axes.plot([low, high], [row, row], color="white", linewidth=5.0, zorder=3)
        axes.plot([low, high], [row, row], color=INK, linewidth=3.0, zorder=3)
        axes.plot(middle, row, "|", color="white", markersize=7, markeredgewidth=1.6, zorder=4)
    placed: list[float] = heights.tolist()
    return placed


def _mark(
    axes: Axes,
    reuse: pd.DataFrame,
    column: str,
    marked: tuple[Extreme, Extreme],
    languages: list[str],
) -> None:
    """Each extreme pair joined through the languages, named at the end where it is extreme."""
    for pair, style, name in zip(marked, ("-", (0, (3, 2))), ("most", "least"), strict=True):
        rows = reuse[(reuse["draw_id"] == pair.draw_id) & (reuse["speaker"] == pair.speaker)]
        rows = rows[rows["first_turn"] == pair.first_turn].set_index("language")
        xs = rows.loc[languages, column].to_numpy(dtype=float)
        axes.plot(
            xs,
            range(len(languages)),
            "o",
            linestyle=style,
            color=INK,
            markerfacecolor="white",
            markersize=5,
            linewidth=0.8,
            zorder=6,
        )
        # The gaps between the strips are free: the label stands in the one beside its extreme, and
        # of two extremes of one strip the second's in the one across it.
        row, side = languages.index(pair.language), 1 if languages.index(pair.language) else -1
        across = pair is marked[1] and pair.language == marked[0].language
        x, gap = xs[row], row + 0.52 * (-side if across else side)
        axes.annotate(
            f"{name} recycled: {pair.draw_id}, {pair.speaker}",
            (x, row),
            (min(max(x, 0.02), 0.98), gap),
            ha="left" if x < 0.5 else "right",
            va="center",
            size=6.5,
            zorder=8,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            arrowprops={"arrowstyle": "-", "color": INK, "lw": 0.6, "shrinkB": 4},
        )


def describe(reuse: Facts, view: View) -> dict[str, str]:
    """What the caption says."""
    languages = languages_of(reuse.frame, view.reference)

    def across(column: str) -> str:
        return listed(
            f"{number(reuse.over('median', column, language=name))} in {language_name(name)}"
            for name in languages
        )

    def describe_pair(pair: Extreme) -> str:
        return (
            f"{pair.draw_id}, {pair.speaker}, in {language_name(pair.language)}, "
            f"{number(pair.ratio)} by character"
        )

    marked = extremes(reuse)
    return {
        "pairs": whole(reuse.over("count", "session_id")),
        "characters": across("characters"),
        "tokens": across("tokens"),
        "most": describe_pair(marked[0]) if marked else "none",
        "least": describe_pair(marked[1]) if marked else "none",
    }
