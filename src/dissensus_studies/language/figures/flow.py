"""How the randomisation ran and what was lost on the way, as a CONSORT flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from dissensus.report.escaping import label
from dissensus.report.facts import Fact
from dissensus.report.labels import counted, language_name, listed, percent, whole
from dissensus.report.style import FAINT, GREY, INK, Mark, marks, new_figure, notice, resize, styled
from dissensus.report.view import Artefacts, Drawn, View

from .frames import debates_of, languages_of

ROLES = ("P1", "P2", "O1", "O2")

_LINE, _PAD, _GAP = 0.145, 0.07, 0.2  # inches


@dataclass(frozen=True)
class Arm:
    """What became of the sessions of one language."""

    language: str
    sessions: int
    attempts: dict[int, int]
    lost: int
    not_compliant: int

    @property
    def complete(self) -> int:
        return self.sessions - self.lost


@dataclass(frozen=True)
class Flow:
    """Every number of the flow."""

    motions: int
    without_function: int
    left_out: int
    drawable: int
    domains: int
    draws: int
    motions_drawn: int
    arms: tuple[Arm, ...]
    complete_draws: int
    first: dict[str, int]
    casts: pd.DataFrame


def trace(
    pool: pd.DataFrame, manifest: pd.DataFrame, outcomes: pd.DataFrame, reference: str
) -> Flow:
    """Count what the flow shows.

    Parameters
    ----------
    pool : a row a motion.
    manifest : a row a session that was drawn.
    outcomes : a row a session that was run.
    reference : the language that comes first.
    """
    drawable = pool["drawable"].to_numpy(dtype=bool)
    none = (pool["domain_id"] == 0).to_numpy(dtype=bool)
    # A study that stopped has a manifest of more than it ran.
    manifest = manifest[manifest["session_id"].isin(outcomes["session_id"])]
    manifest, outcomes = debates_of(manifest), debates_of(outcomes)
    draws = manifest.drop_duplicates("draw_id")
    languages = languages_of(manifest, reference)
    leading = draws["language_order"].str.split(">").str[0]
    models = sorted({model for role in ROLES for model in draws[role]})
    casts = {role: [int((draws[role] == model).sum()) for model in models] for role in ROLES}
    return Flow(
        motions=len(pool),
        without_function=int(none.sum()),
        left_out=int((~drawable & ~none).sum()),
        drawable=int(drawable.sum()),
        domains=pool.loc[drawable, "domain_id"].nunique(),
        draws=len(draws),
        motions_drawn=draws["motion_id"].nunique(),
        arms=tuple(_arm(outcomes, language) for language in languages),
        complete_draws=int(outcomes.groupby("draw_id")["complete"].all().sum()),
        first={language: int((leading == language).sum()) for language in languages},
        casts=pd.DataFrame(casts, index=models),
    )


def _arm(outcomes: pd.DataFrame, language: str) -> Arm:
    part = outcomes[outcomes["language"] == language]
    ended = part[part["complete"].to_numpy(dtype=bool)]
    counts = part["attempts"].value_counts().sort_index()
    return Arm(
        language,
        sessions=len(part),
        attempts={int(str(times)): int(count) for times, count in counts.items()},
        lost=len(part) - len(ended),
        not_compliant=int((~ended["compliant"].astype(bool)).sum()),
    )


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw the flow, and below it who came first and who was cast as what."""
    pool, manifest, outcomes = artefacts.frames("pool", "manifest", "outcomes")
    if manifest.empty:
        return Drawn(notice("No debate was drawn.", view.simulated), {})
    flow = trace(pool, manifest, outcomes, view.reference)
    looks = marks([arm.language for arm in flow.arms], view.reference)
    panels = 0.85 + 0.17 * max(len(flow.casts), len(flow.arms))
    figure = new_figure(6.0, view.simulated)
    grid = figure.add_gridspec(2, 2, width_ratios=[1, 1.1])
    chart = _chart(figure.add_subplot(grid[0, :]), flow, looks)
    # Boxes are as high as their lines; the page is as high as the boxes.
    grid.set_height_ratios([chart, panels])
    resize(figure, chart + panels + 0.45, view.simulated)
    _orders(figure.add_subplot(grid[1, 0]), flow, looks)
    draws = artefacts.facts("manifest").over("distinct", "draw_id", rendered_from="")
    _casts(figure.add_subplot(grid[1, 1]), flow, draws)
    return Drawn(figure, describe(artefacts, [arm.language for arm in flow.arms]))


def _box(
    axes: Axes, x: float, top: float, width: float, lines: Sequence[str], edge: str = INK
) -> float:
    """A box with its text, the first line in bold; its lower edge."""
    bottom = top - 2 * _PAD - _LINE * len(lines)
    axes.add_patch(
        FancyBboxPatch(
            (x - width / 2, bottom),
            width,
            top - bottom,
            boxstyle="round,pad=0,rounding_size=0.05",
            facecolor="white",
            edgecolor=edge,
            linewidth=0.9,
        )
    )
    for index, line in enumerate(lines):
        axes.text(
            x,
            top - _PAD - _LINE * (index + 0.5),
            line,
            ha="center",
            va="center",
            size=7.5,
            weight="bold" if index == 0 else "normal",
        )
    return bottom


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate(
        "",
        xy=end,
        xytext=start,
        arrowprops={"arrowstyle": "-|>", "color": GREY, "lw": 0.8, "shrinkA": 0, "shrinkB": 0},
    )


def _chart(axes: Axes, flow: Flow, looks: dict[str, Mark]) -> float:
    """The boxes, in inches from the top; how deep they go."""
    width, centre, main, side = 6.9, 2.6, 4.2, 5.75
    axes.axis("off")
    axes.set_title("a  Motions, draws and sessions")

    def beside(top: float, bottom: float, lines: Sequence[str]) -> None:
        middle = (top + bottom) / 2
        half = _PAD + _LINE * len(lines) / 2
        _box(axes, side, middle + half, 1.95, lines, GREY)
        _arrow(axes, (centre, middle), (side - 0.975, middle))

    low = _box(
        axes, centre, 0.0, main, [f"{counted(flow.motions, 'motion')} in the pool, coded twice"]
    )
    lower = low - 3.4 * _GAP
    beside(low, lower, _excluded(flow))
    _arrow(axes, (centre, low), (centre, lower))
    low = _box(
        axes,
        centre,
        lower,
        main,
        [f"{counted(flow.drawable, 'motion')} to draw from, in {counted(flow.domains, 'domain')}"],
    )
    _arrow(axes, (centre, low), (centre, low - _GAP))
    low = _box(
        axes,
        centre,
        low - _GAP,
        main,
        [
            counted(flow.draws, "draw"),
            f"domain, then motion, at random ({counted(flow.motions_drawn, 'motion')} came up)",
            "one cast of models for all languages of a draw",
            "order of the languages at random",
        ],
    )
    depth = 0.05 - _arms(axes, flow, looks, low, (width, centre, main))
    axes.set(xlim=(0, width), ylim=(-depth, 0.05))
    return depth


def _excluded(flow: Flow) -> list[str]:
    return [
        f"{flow.motions - flow.drawable} not drawn from",
        f"no government function: {flow.without_function}",
        f"other source or year: {flow.left_out}",
    ]


def _arms(
    axes: Axes, flow: Flow, looks: dict[str, Mark], low: float, frame: tuple[float, float, float]
) -> float:
    """A column of boxes for each language, and what is left of the draws; the lowest edge."""
    width, centre, main = frame
    n = len(flow.arms)
    step = min(2.5, width / n)
    middle = min(max(centre, n * step / 2), width - n * step / 2)
    columns = [middle + step * (i - (n - 1) / 2) for i in range(n)]
    most = max(len(arm.attempts) for arm in flow.arms)
    tops, ends = low - 1.6 * _GAP, 0.0
    for x, arm in zip(columns, flow.arms, strict=True):
        edge = looks[arm.language].colour
        _arrow(axes, (centre, low), (x, tops))
        lines = [f"{language_name(arm.language)}: {counted(arm.sessions, 'session')}"]
        lines += [f"{_times(times)}: {whole(count)}" for times, count in arm.attempts.items()]
        bottom = _box(axes, x, tops, step - 0.15, lines + [""] * (most + 1 - len(lines)), edge)
        _arrow(axes, (x, bottom), (x, bottom - _GAP))
        kept = [f"{whole(arm.complete)} complete", f"lost for good: {whole(arm.lost)}"]
        ends = _box(axes, x, bottom - _GAP, step - 0.15, kept, edge)
    for x in columns:
        _arrow(axes, (x, ends), (centre, ends - 1.6 * _GAP))
    what = "pairs" if n == 2 else f"draws in all {n} languages"
    return _box(
        axes,
        centre,
        ends - 1.6 * _GAP,
        main,
        [
            f"{whole(flow.complete_draws)} complete {what}",
            f"analysed; {flow.draws - flow.complete_draws} not complete",
        ],
    )


def _times(attempts: int) -> str:
    return {1: "ran at once", 2: "rerun once", 3: "rerun twice"}.get(
        attempts, f"rerun {attempts - 1} times"
    )


def _orders(axes: Axes, flow: Flow, looks: dict[str, Mark]) -> None:
    places = list(range(len(flow.first)))
    expected = flow.draws / len(flow.first)
    most = max(*flow.first.values(), expected)
    for place, (language, count) in zip(places, flow.first.items(), strict=True):
        look = looks[language]
        axes.barh(
            place,
            count,
            height=0.62,
            facecolor="white",
            edgecolor=look.colour,
            linewidth=1.0,
            hatch=look.hatch,
        )
        axes.text(
            0.03 * most,
            place,
            whole(count),
            va="center",
            ha="left",
            size=7.5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )
    axes.axvline(expected, color=INK, linewidth=0.8, linestyle=(0, (3, 2)))
    axes.text(expected, -0.45, f" expected: {whole(expected)}", ha="left", va="bottom", size=6.5)
    axes.set(
        yticks=places,
        yticklabels=[looks[name].name for name in flow.first],
        ylim=(len(places) - 0.5, -0.9),
        xlim=(0, most * 1.35),
        xlabel="draws",
        title="b  Language run first",
    )


def _casts(axes: Axes, flow: Flow, draws: Fact) -> None:
    counts = flow.casts.to_numpy()
    rows = len(flow.casts)
    axes.set(
        xticks=range(len(ROLES)),
        xticklabels=ROLES,
        yticks=range(rows),
        yticklabels=[label(model) for model in flow.casts.index],
        xlim=(-0.5, len(ROLES) - 0.5),
        ylim=(rows - 0.5, -0.5),
        title="c  Draws by model and role",
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for i in range(rows):
        axes.axhline(i + 0.5, color=FAINT, linewidth=0.5)
        for j in range(len(ROLES)):
            axes.text(j, i, whole(counts[i, j]), ha="center", va="center", size=7.5)
    axes.set_xlabel(f"expected in each: {whole(draws * (1 / rows))}")


def describe(artefacts: Artefacts, languages: Sequence[str]) -> dict[str, str]:
    """What the caption says."""
    pool, manifest, outcomes = map(artefacts.facts, ("pool", "manifest", "outcomes"))
    debates = {"rendered_from": ""}
    draws = manifest.over("distinct", "draw_id", **debates)
    sessions = outcomes.over("count", "session_id", **debates)
    again = (outcomes.over(statistic, "attempts > 1", **debates) for statistic in ("sum", "mean"))
    reruns, share = again
    incomplete = outcomes.over("distinct", "draw_id", complete=False, **debates)

    def by_language(template: str, count: Callable[[str], Sequence[float]]) -> str:
        return listed(
            template.format(language_name(name), *map(whole, count(name))) for name in languages
        )

    def broken(name: str) -> Sequence[float]:
        ended = {"complete": True, "language": name, **debates}
        broken = outcomes.over("sum", "compliant == False", **ended)
        return broken, outcomes.over("count", "session_id", **ended)

    return {
        "motions": counted(pool.over("count", "motion_id"), "motion"),
        "drawable": str(pool.over("sum", "drawable")),
        "domains": counted(pool.over("distinct", "domain_id", drawable=True), "domain"),
        "draws": counted(draws, "draw"),
        "motions_drawn": str(manifest.over("distinct", "motion_id", **debates)),
        "languages": listed(map(language_name, languages)),
        "sessions": counted(sessions, "session"),
        "reruns": f"{whole(reruns)} ({percent(share)})",
        "lost": by_language(
            "{1} in {0}",
            lambda name: [
                outcomes.over("count", "session_id", complete=False, language=name, **debates)
            ],
        ),
        "incomplete": f"{incomplete} of {counted(draws, 'draw')}",
        "first": by_language(
            "{0} in {1}",
            lambda name: [
                manifest.over("distinct", "draw_id", language=name, position=1, **debates)
            ],
        ),
        "expected": whole(draws * (1 / len(languages))),
        "not_compliant": by_language("{1} of {2} in {0}", broken),
    }
