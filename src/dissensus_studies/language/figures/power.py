"""What the study could find: power by number of draws, and the smallest detectable effect."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dissensus.report.frames import Record
from dissensus.report.labels import contrast_words, counted, listed, number, percent, signed, whole
from dissensus.report.style import GREY, INK, marks, new_figure, notice, spread, styled
from dissensus.report.view import Artefacts, Drawn, View

from .frames import effect_facts, headlines
from .paired_effects import axis_unit, unit

STANDARDISED = "standardised"
TARGET = 0.8

#: Numbers of draws that make good ticks.
_LADDER = frozenset(25 * 2**rung for rung in range(16))


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw power by draws at the left and the smallest detectable effect at the right."""
    power, effect = artefacts.frames("power", "language_effect")
    if power.empty:
        return Drawn(notice("No design has a power that could be drawn.", view.simulated), {})
    planned = int(view["draws"])
    figure = new_figure(2.9, view.simulated)
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.05])
    _curves(left, power[power["basis"] == STANDARDISED])
    _detectable(right, power, headlines(effect), view)

    sizes = sorted(set(power["n_draws"]))
    for axes in (left, right):
        axes.set_xscale("log")
        rungs = [n for n in sizes if n in _LADDER]
        # As many as have room: every other one where the ladder is long.
        ticks = rungs[:: -(-len(rungs) // 6)]
        axes.set_xticks(ticks, [whole(n) for n in ticks])
        axes.minorticks_off()
        axes.set_xlabel("complete draws")
        # Room at the right for the labels at the ends of the lines.
        axes.set_xlim(sizes[0] * 0.9, sizes[-1] * (sizes[-1] / sizes[0]) ** 0.42)
        axes.axvline(planned, color=GREY, linewidth=0.6, linestyle=(0, (3, 2)), zorder=0)
        axes.annotate(
            f"{whole(planned)} planned",
            (planned, 1),
            (0, 1),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            va="bottom",
            size=6.5,
            color=GREY,
        )
    return Drawn(figure, describe(artefacts, view))


def _curves(axes: Axes, rows: pd.DataFrame) -> None:
    """A line for each effect, labelled at its end."""
    sizes, effects = sorted(set(rows["n_draws"])), sorted(set(rows["effect_sd"]))
    table = rows.pivot(index="n_draws", columns="effect_sd", values="power")
    ends = spread([float(table[e].iloc[-1]) for e in effects], 0.062)
    greys = np.linspace(0.62, 0.05, len(effects))
    for effect, end, grey in zip(effects, ends, greys, strict=True):
        axes.plot(sizes, table[effect], "o-", color=str(grey), markersize=2.6)
        axes.text(sizes[-1] * 1.12, end, f"{effect:g} SD", va="center", size=7, color=INK)
    axes.axhline(TARGET, color=GREY, linewidth=0.6)
    axes.text(sizes[0] * 0.92, TARGET + 0.01, "80%", size=6.5, color=GREY, va="bottom")
    axes.set(ylim=(0, 1.1), ylabel="power", yticks=[0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set_title("a  Power by true effect", pad=13)


def _detectable(
    axes: Axes,
    power: pd.DataFrame,
    answers: dict[str, Record],
    view: View,
) -> None:
    """A line for each contrast; the headline's estimate as a star."""
    rows = power[power["basis"] != STANDARDISED].drop_duplicates(["basis", "n_draws"])
    looks = marks([name.removesuffix(f"-{view.reference}") for name in answers], view.reference)
    lines = []
    for contrast, of_basis in rows.groupby("basis", sort=False):
        of_basis = of_basis.sort_values("n_draws")
        look = looks[str(contrast).removesuffix(f"-{view.reference}")]
        axes.plot(of_basis["n_draws"], of_basis["mde"], color=look.colour)
        name = look.name if len(answers) > 1 else "detectable"
        lines.append((float(of_basis["mde"].iloc[-1]), float(of_basis["n_draws"].iloc[-1]), name))
    lines = [line for line in lines if np.isfinite(line[0])]
    highest = float(rows["mde"].max()) if rows["mde"].notna().any() else 1.0
    for contrast, answer in answers.items():
        look = looks[contrast.removesuffix(f"-{view.reference}")]
        if np.isfinite(answer["estimate"]):
            size = abs(float(answer["estimate"]))
            highest = max(highest, size)
            axes.plot(answer["n"], size, "*", color=look.colour, markersize=9, zorder=4)
            lines.append(
                (
                    size,
                    float(answer["n"]),
                    f"{look.name} observed" if len(answers) > 1 else "observed effect",
                )
            )
    ceiling = 1.12 * highest
    _label(axes, lines, ceiling, float(rows["n_draws"].max()))
    axes.set(
        ylim=(0, ceiling),
        ylabel=f"smallest effect detectable\nat 80% power ({axis_unit(view)})",
    )
    axes.set_title("b  Minimum detectable effect", pad=13)


def _label(axes: Axes, lines: list[tuple[float, float, str]], ceiling: float, last: float) -> None:
    """Names beside the right edge, moved apart where they would touch."""
    gap = 0.062 * ceiling
    places = spread([y for y, _, _ in lines], gap)
    # Labels pushed below the axis would stand on its numbers.
    lift = max(0.0, 0.6 * gap - min(places, default=gap))
    places = [place + lift for place in places]
    for (y, x, text), place in zip(lines, places, strict=True):
        axes.text(last * 1.14, place, text, va="center", size=7)
        axes.plot([x * 1.05, last * 1.11], [y, place], color=GREY, linewidth=0.4)


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    power, planned = artefacts.facts("power"), view.fact("draws")
    standard = {"basis": STANDARDISED, "n_draws": int(planned)}
    powers = power.rows(**standard)
    clauses = []
    for contrast, answer in effect_facts(artefacts, headline=True).items():
        there = {"basis": contrast, "n_draws": int(answer["n"])}
        if power.rows(**there):
            clauses.append(
                f"{contrast_words(contrast)}, {counted(answer['n'], 'complete pair')}: "
                f"{number(power.shared('mde', **there))}, against an estimate of "
                f"{signed(answer['estimate'])}"
            )
    return {
        "planned": counted(planned, "draw"),
        "standardised": number(power.shared("mde", **standard) if powers else None),
        "powers": listed(
            f"{percent(row['power'], 0)} for {row['effect_sd']:g}"
            for row in powers
            if row["effect_sd"] > 0
        ),
        "observed": "; ".join(clauses) or "no complete pair",
        "unit": unit(view),
    }
