"""What the figures of the study share: how teams are drawn, panels of banks, and empty ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dissensus.report.style import FAINT, GREY, Mark, marks
from dissensus.report.view import View

from .frames import Estimates, bank_words, is_defined, range_words

#: The look of every sixth team: the common looks come round after five.
_SIXTH = ("#a8442a", "P", (0, (2, 1)))

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def looks(teams: Sequence[str]) -> dict[str, Mark]:
    """How each team is drawn, by its place: six differ in hue, in grey and in shape.

    After every six, hues are joined with the shape and the line of the next: 36 teams differ.
    """
    # Only the looks are wanted: a team may have the name of a language.
    blank = list(marks([str(place) for place in range(5)], "0").values())
    colour, marker, line = _SIXTH
    blank.append(replace(blank[0], colour=colour, marker=marker, line=line))
    look_of = {}
    for place, team in enumerate(teams):
        rounds, hue = divmod(place, len(blank))
        shape = blank[(hue + rounds) % len(blank)]
        look_of[team] = replace(blank[hue], name=team, marker=shape.marker, line=shape.line)
    return look_of


def columns_for(banks: Sequence[str]) -> int:
    """Panels in a row: as many as leave room for the longest name."""
    letters = max(map(len, banks))
    room = 4 if letters <= 11 else 3 if letters <= 17 else 2 if letters <= 32 else 1
    # Five banks stand better as three and two than as four and one.
    return min(room, len(banks), 3 if len(banks) == 5 else 4)


def panels(
    figure: Figure, estimates: Estimates, columns: int, unit: str
) -> Iterator[tuple[str, Axes]]:
    """A panel a bank, lettered and named, so many in a row; places left over stay empty.

    Below the name stands in grey how many questions the bank's estimates rest on.

    Parameters
    ----------
    figure : on which there is nothing yet.
    estimates : the estimates, for their banks in order.
    columns : panels in a row, by :func:`columns_for`.
    unit : what the lowest panels count along x.
    """
    banks = estimates.banks
    grid = figure.subplots(
        -(-len(banks) // columns), columns, squeeze=False, sharex=True, sharey=True
    )
    for spare in grid.flat[len(banks) :]:
        spare.remove()
    for place, (bank, axes) in enumerate(zip(banks, grid.flat, strict=False)):
        axes.set_title(f"{_LETTERS[place]}  {bank_words(bank)}", pad=13)
        axes.annotate(
            _questions_of(estimates, bank),
            (0, 1),
            (0, 3),
            xycoords="axes fraction",
            textcoords="offset points",
            va="bottom",
            size=6.5,
            color=GREY,
        )
        # Where the panel below is missing, the numbers of its axis stand here.
        axes.tick_params(labelbottom=place + columns >= len(banks))
        yield bank, axes
        if place + columns >= len(banks):
            axes.set_xlabel(unit)


def _questions_of(estimates: Estimates, bank: str) -> str:
    """Such as "198 questions", or their range over the teams."""
    counts = [
        int(row["n_questions"])
        for key, row in estimates.rows.items()
        if key[1:3] == (bank, 1) and key[4:] == ("all", "drop", "conformity") and is_defined(row)
    ]
    return range_words(counts, "question")


def noise_band(axes: Axes, view: View, vertical: bool = False) -> None:
    """A faint band where an IBC cannot be distinguished from zero at 272 questions."""
    span = axes.axvspan if vertical else axes.axhspan
    span(-view["ibc_noise"], view["ibc_noise"], color=FAINT, alpha=0.45, linewidth=0, zorder=-1)
