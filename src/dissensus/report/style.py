"""One look for every figure: small type, few lines, languages told apart by hue, grey and shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from io import StringIO
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from xml.sax.saxutils import escape

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dissensus.digests import digest
from dissensus.report.escaping import plain
from dissensus.report.facts import unmarked
from dissensus.report.labels import language_name, wrapped
from dissensus.stats.checks import FloatArray
from dissensus.tables.artefact import replacing, write_text

P = ParamSpec("P")
R = TypeVar("R")

#: Inches: the text width of a two-column page.
WIDTH = 7.1

INK, GREY, FAINT, ALARM = "#222222", "#767676", "#d5d5d5", "#b2182b"

SIMULATED = "simulated models"

_RC: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "text.color": INK,
    # A dollar is a dollar; between two of them, matplotlib would read TeX.
    "text.parse_math": False,
    "hatch.linewidth": 0.5,
    "lines.linewidth": 1.2,
    # Words stay words: they can be searched, selected and read aloud.
    "svg.fonttype": "none",
    # With the dates left out below, the same data give the same bytes.
    "svg.hashsalt": "dissensus",
}


@dataclass(frozen=True)
class Mark:
    """How one thing is drawn, such as an arm; any two differ in hue, grey value and shape."""

    name: str
    colour: str
    marker: str
    line: Any = "-"
    hatch: str = ""


# Hues of Okabe and Ito, darkened or lightened until their greys are apart.
_LOOKS = (
    ("#0b3c6f", "o", "-", ""),
    ("#e08a00", "D", (0, (4, 1.5)), "////"),
    ("#3f9b7a", "s", (0, (1, 1)), "...."),
    ("#b56bb0", "^", (0, (4, 1, 1, 1)), "xxxx"),
    ("#8a8a8a", "v", (0, (6, 2)), "----"),
)


def marks(languages: Sequence[str], reference: str) -> dict[str, Mark]:
    """The reference first, then the other languages in their order; looks come round after five."""
    ordered = [reference, *(name for name in languages if name != reference)]
    return {
        name: Mark(language_name(name), *_LOOKS[index % len(_LOOKS)])
        for index, name in enumerate(ordered)
    }


#: What the name of an artist begins with whose marks say something, and what parts their words.
_SAYS, _NEXT = "says: ", " \N{BROKEN BAR} "
_SAID = re.compile(rf"<g id=([\"']){_SAYS}([^<]*?)\1>")
_USE = re.compile(r"<use ([^<>]*)/>")
#: Where what is drawn is clipped: its name and its place; and such a name, wherever it stands.
_CLIP = re.compile(r'<clipPath id="(p[0-9a-f]+)">\s*(<[^<>]*>)')
_CLIPPED = re.compile(r"(?<=[#\"])p[0-9a-f]{10}(?=[)\"])")


@contextmanager
def _look() -> Iterator[None]:
    with mpl.rc_context(_RC):
        yield


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """A function that draws in the common look, and leaves matplotlib's settings as they were."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        with _look():
            return draw(*args, **kwargs)

    return drawn


def new_figure(height: float, simulated: bool, width: float = WIDTH) -> Figure:
    """An empty figure, in inches; a line at its foot says so where models are simulated."""
    figure = Figure(figsize=(width, height), layout="constrained")
    if simulated:
        figure.text(
            0.995, 0.0, SIMULATED, ha="right", va="bottom", size=6.5, style="italic", color=GREY
        )
    resize(figure, height, simulated)
    return figure


def resize(figure: Figure, height: float, simulated: bool) -> None:
    """Give a figure another height, and keep its foot free of all else."""
    figure.set_figheight(height)
    foot = 0.16 / height if simulated else 0.0
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    engine.set(rect=(0.0, foot, 1.0, 1.0 - foot))
    for text in figure.texts:
        text.set_y(0.03 / height)


def sentence_of(figure: Figure) -> str:
    """What a figure says that has nothing to draw, which is then its caption; "" of another."""
    return str(figure.get_label()).partition(_NOTICE)[2]


#: Before the sentence, in the label, which is not drawn, of a figure that has nothing else.
_NOTICE = "notice: "


def notice(sentence: str, simulated: bool) -> Figure:
    """A figure of one sentence, where there is nothing to draw; see :func:`sentence_of`."""
    figure = new_figure(0.9, simulated)
    figure.set_label(f"{_NOTICE}{sentence}")
    axes = figure.subplots()
    axes.set_axis_off()
    axes.text(0.5, 0.5, wrapped(sentence, 100), ha="center", va="center", size=8.5)
    return figure


def or_notice(figure: Figure, simulated: bool) -> Figure:
    """The figure, or a notice where none of its axes has a mark with a place.

    Rows may be there whose estimates are all undefined: axes without marks would look as if all
    of them were zero, or lost.
    """
    if sentence_of(figure) or any(map(_has_mark, figure.axes)):
        return figure
    return notice("Nothing that this figure draws is defined in this run.", simulated)


def _has_mark(axes: Axes) -> bool:
    """Whether data is drawn: reference lines and texts, which always have a place, are not."""
    of_data = [line for line in axes.lines if line.get_transform() == axes.transData]
    artists = (*of_data, *axes.collections, *axes.patches)
    return bool(axes.images) or any(
        bool(np.isfinite(places).all(axis=1).any()) for places in map(_places, artists)
    )


def _places(artist: Artist) -> FloatArray:
    """Where an artist of data is, on the page; of shape (places, 2), not a number where nowhere."""
    places: FloatArray
    if isinstance(artist, Collection):
        offsets = np.asarray(artist.get_offsets(), float)
        if offsets.any():
            return offsets.reshape(-1, 2)
        paths = [np.asarray(each.vertices, float) for each in artist.get_paths()]
        places = np.concatenate([np.empty((0, 2)), *paths])
    else:
        assert isinstance(artist, Line2D | Patch)
        path = artist.get_transform().transform_path(artist.get_path())
        places = np.asarray(path.vertices, float).reshape(-1, 2)
    return places


def save(
    figure: Figure, svg: str | Path, png: str | Path, title: str = "", words: str = ""
) -> None:
    """Write both forms, complete or not at all; the same figure gives the same bytes."""
    save_svg(figure, svg, title, words)
    with _look(), replacing(png) as part:
        figure.savefig(part, format="png", dpi=200, metadata={"Software": None})


def save_svg(figure: Figure, path: str | Path, title: str = "", words: str = "") -> None:
    """Write one form, well-formed whatever the words are.

    Parameters
    ----------
    title : of the figure.
    words : that stand for it, see :mod:`dissensus.report.captions`.
    """
    text = StringIO()
    with _look():
        _lay_out(figure)
        figure.savefig(text, format="svg", dpi=200, metadata={"Date": None})
    picture = _told(unmarked(_clipped(text.getvalue()))).replace("<svg ", '<svg role="img" ', 1)
    told = f"<title>{escape(title)}</title>\n <desc>{escape(words)}</desc>\n <metadata>"
    write_text(path, plain(picture.replace("<metadata>", told, 1) if words else picture))


def _lay_out(figure: Figure) -> None:
    """Find the layout, as an SVG has it, for all forms.

    Matplotlib finds it by drawing, and draws whatever has a layout to find twice for each form.
    """
    if engine := figure.get_layout_engine():
        FigureCanvasSVG(figure)
        figure.dpi = FigureCanvasSVG.fixed_dpi
        engine.execute(figure)
        figure.set_layout_engine(None)


def _clipped(picture: str) -> str:
    """The SVG with clips named by where they are, as it is written.

    The solver of the layout adds in the order of addresses in memory: last digits that are not
    written differ from run to run, and with them the names that matplotlib gives.
    """
    clips = [match.groups() for match in _CLIP.finditer(picture)]
    names = {name: f"p{digest([number, place])[:10]}" for number, (name, place) in enumerate(clips)}
    return _CLIPPED.sub(lambda named: names.get(named[0], named[0]), picture)


def says(artist: Artist, *words: str) -> None:
    """Have marks say their values where a pointer is over them; in the SVG, as titles.

    Parameters
    ----------
    words : one for each of a line's marks, or one for the whole artist.
    """
    artist.set_gid(_SAYS + _NEXT.join(word.replace(_NEXT, " ") for word in words))


def _told(picture: str) -> str:
    """The SVG with a title at each mark that :func:`says` gave words."""
    parts = _SAID.split(picture)
    for place in range(2, len(parts), 3):
        words, rest = parts[place].split(_NEXT), parts[place + 1]
        if len(words) == 1:
            parts[place + 1] = f'<g class="says"><title>{words[0]}</title>{rest}'
            continue
        titles = iter(words)
        titled = _USE.sub(
            lambda use: f'<use class="says" {use[1]}><title>{next(titles)}</title></use>',  # noqa: B023
            rest,
            count=len(words),
        )
        parts[place + 1] = f"<g>{titled}"
    return "".join(parts[::3])


def zero_line(axes: Axes, vertical: bool = False) -> None:
    """A thin line at no difference."""
    line = axes.axvline if vertical else axes.axhline
    line(0.0, color=GREY, linewidth=0.6, zorder=0)


def beside(
    axes: Axes, row: float, text: str, gap: float = 3, size: float = 6.0, **look: Any
) -> None:
    """A word at the right of a row, so many points beside the panel."""
    axes.annotate(
        text,
        (1.0, row),
        (gap, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center",
        size=size,
        annotation_clip=False,
        **look,
    )


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Places moved as little as need be so that neighbours are at least ``gap`` apart.

    Parameters
    ----------
    places : where labels would stand along one axis, in any order.
    gap : the room that one label needs.

    Notes
    -----
    Least squares under the constraint of order: neighbours that collide become a block about the
    mean of its members' wishes, and blocks that collide merge (pool adjacent violators).
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    blocks: list[tuple[float, int]] = []
    for rank, index in enumerate(order):
        blocks.append((places[index] - rank * gap, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (late, n), (early, m) = blocks.pop(), blocks.pop()
            blocks.append(((early * m + late * n) / (m + n), m + n))
    free = [value for value, size in blocks for _ in range(size)]
    placed = [0.0] * len(places)
    for rank, index in enumerate(order):
        placed[index] = free[rank] + rank * gap
    return placed
