"""The page of a comparison: a forest, what it comes to together, and what differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from dissensus.compare.comparison import (
    DIFFERENCES,
    PANELS,
    POOLED,
    RUNS,
    UNITS,
    Compared,
    Comparison,
    differing_kinds,
    pooled_rows,
    unit_rows,
)
from dissensus.report.escaping import html, label
from dissensus.report.findings import Bar, Card
from dissensus.report.forms import rows_axis, whisker
from dissensus.report.labels import (
    interval,
    limits,
    listed,
    number,
    p_clause,
    p_value,
    percent,
    signed,
    whole,
    wrapped,
)
from dissensus.report.pages.cards import card_body
from dissensus.report.pages.pictures import inline
from dissensus.report.pages.shell import header, page
from dissensus.report.pages.study import scripts, style
from dissensus.report.style import GREY, INK, Mark, new_figure, save, styled, zero_line
from dissensus.report.tables import Table, as_html, make, write_table
from dissensus.stats.multiplicity import letters
from dissensus.stats.results import Estimate
from dissensus.tables.artefact import write, write_text
from dissensus.tables.provenance import provenance

_UNIT, _MEAN, _NEXT = Mark("", INK, "o"), Mark("", "#0b3c6f", "D"), Mark("", GREY, "|")


#: The page of each of some runs, by the address from a page, and what it is called.
Way = Sequence[tuple[str, str]]


def write_comparison(comparison: Comparison, folder: Path, back: Way = ()) -> Path:
    """Write the artefacts, the figure, the tables and the page; the page's path.

    Parameters
    ----------
    folder : is made; what is in it of an earlier comparison is written again.
    back : the pages that this one leads back to.
    """
    made_by = provenance(
        "compare", comparison.simulated, {run.name: run.plan.as_data() for run in comparison.runs}
    )
    write(folder / "units.parquet", UNITS, list(unit_rows(comparison)), made_by)
    write(folder / "pooled.parquet", POOLED, list(pooled_rows(comparison)), made_by)
    write(folder / "differences.parquet", DIFFERENCES, list(comparison.differences), made_by)
    tables = [*_tables(comparison)]
    for table in tables:
        write_table(table, str(folder / f"{table.name}.csv"), str(folder / f"{table.name}.md"))
    figures = []
    for place, each in enumerate(comparison.compared, start=1):
        name = "forest" if place == 1 else f"forest_{place}"
        words = in_words(each, comparison)
        paths = folder / f"{name}.svg", folder / f"{name}.png"
        save(draw(each, comparison), *paths, each.title, words)
        figures.append((name, paths[0].read_text(encoding="utf-8"), words))
    path = folder / "index.html"
    write_text(path, _page(comparison, tables, figures, back))
    return path


def card_of(comparison: Comparison) -> Card:
    """The first estimand in a sentence, a picture and an objection."""
    first = comparison.compared[0]
    shown = [{"label": unit.name, **vars(unit)} for unit in first.units]
    shown += [{"label": "Mean", **_values(first.pooled.mean)}]
    bars = [Bar(str(row["label"]), row, digits=3) for row in shown]
    return Card(finding(first, comparison), objection(first, comparison), bars, first.title)


def differing(comparison: Comparison) -> str:
    """What differs between the runs or the panels, in a sentence; "" within one run."""
    if len(comparison.runs) < 2:
        return ""
    return f"What differs between the {comparison.over}s: {differing_kinds(comparison)}."


def write_refusal(
    study: str,
    question: str,
    why: str,
    folder: Path,
    made_by: Mapping[str, Any],
    *,
    simulated: bool,
    back: Way = (),
) -> None:
    """Write the same files where nothing can be compared: without a row, and with the reason.

    Parameters
    ----------
    why : a sentence.
    folder : is made.
    made_by : metadata of the artefacts.
    back : the pages that this one leads back to.
    """
    for schema in (UNITS, POOLED, DIFFERENCES):
        name = schema.name
        write(folder / f"{name}.parquet", schema, [], made_by)
        table = make(name, f"{study}, not compared", ("Why",), [(why,)], "", simulated)
        write_table(table, str(folder / f"{name}.csv"), str(folder / f"{name}.md"))
    figure = new_figure(1.0, simulated)
    figure.text(0.5, 0.5, "not compared", ha="center")
    save(figure, folder / "forest.svg", folder / "forest.png", question, why)
    said = f'<main id="content"><h1>{html(question)}</h1><p>{html(why)}</p></main>'
    body = f"{header(back, simulated)}{said}"
    write_text(folder / "index.html", page(f"{study}, not compared", style(), body))


def finding(each: Compared, comparison: Comparison) -> str:
    """What units come to together, in a sentence."""
    together, mean = each.pooled, each.pooled.mean
    over = comparison.over
    what = f"{over}s" if over in (RUNS, PANELS) else f"values of {over}"
    return (
        f"{each.title}: {_in_line(_values(mean))} over "
        f"{together.k} {what}, {p_clause(mean.p_value)}."
    )


def objection(each: Compared, comparison: Comparison) -> str:
    """The strongest of what speaks against it."""
    together = each.pooled
    low, high = together.prediction_low, together.prediction_high
    if not isfinite(low):
        return "But two units say next to nothing of a third: no prediction interval is defined."
    if low <= 0.0 <= high:
        return (
            f"But a further {comparison.over} may be of the other sign: its true effect is "
            f"expected within {interval(low, high, minus='−')}."
        )
    return (
        f"But a further {comparison.over} is expected within {interval(low, high, minus='−')}, and "
        f"true effects differ by a standard deviation of {number(together.tau)}."
    )


def ties(each: Compared, comparison: Comparison) -> str:
    """Which units cannot be told apart, in a sentence."""
    if len(each.tied) == len(each.units):
        return "Every two of them differ clearly."
    if len(each.tied) == 1:
        return "No two of them differ clearly."
    sets = listed(f"({', '.join(names)})" for names in each.tied if len(names) > 1)
    return f"Pairs within a set do not differ clearly, all others do; the sets: {sets}."


@styled
def draw(each: Compared, comparison: Comparison) -> Figure:
    """A row for each unit, then the mean, then where a further unit is expected."""
    together, mean = each.pooled, each.pooled.mean
    names = [unit.name for unit in each.units]
    is_predicted = isfinite(together.prediction_low)
    last = ["Mean, random effects", *(["A further one, expected"] if is_predicted else [])]
    figure = new_figure(0.9 + 0.26 * (len(names) + len(last)), comparison.simulated)
    axes = figure.subplots()
    for place, unit in enumerate(each.units):
        values = unit.estimate, unit.ci_low, unit.ci_high
        whisker(axes, values, place, _UNIT, words=unit.name)
    place = len(names)
    whisker(axes, (mean.estimate, mean.ci_low, mean.ci_high), place, _MEAN, words=last[0])
    if is_predicted:
        expected = mean.estimate, together.prediction_low, together.prediction_high
        whisker(axes, expected, place + 1, _NEXT, words=last[1])
    axes.axhline(len(names) - 0.5, color=GREY, linewidth=0.5)
    rows_axis(axes, [label(name) for name in (*names, *last)])
    zero_line(axes, vertical=True)
    axes.set_xlabel(wrapped(label(each.title, 160), 80))
    return figure


def in_words(each: Compared, comparison: Comparison) -> str:
    """The figure in words."""
    units = (f"{unit.name} {_in_line(vars(unit))}" for unit in each.units)
    return f"{finding(each, comparison)} {'; '.join(units)}. {ties(each, comparison)}"


def _tables(comparison: Comparison) -> Iterator[Table]:
    yield _units(comparison)
    yield _pooled(comparison)
    if comparison.over in (RUNS, PANELS):
        yield _differences(comparison)


def _units(comparison: Comparison) -> Table:
    level = percent(comparison.confidence, 0)
    marked = [
        (each, letters([unit.name for unit in each.units], each.tied))
        for each in comparison.compared
    ]
    has_errors = all(unit.has_own_error for each in comparison.compared for unit in each.units)
    return make(
        "units",
        f"What each {comparison.over} estimates",
        (
            *("What is estimated", comparison.over.capitalize(), "Estimate", f"{level} CI", "SE"),
            *("n", "Letters"),
        ),
        [
            (
                each.title,
                unit.name,
                number(unit.estimate),
                interval(unit.ci_low, unit.ci_high),
                number(unit.se),
                whole(unit.n),
                marks[unit.name],
            )
            for each, marks in marked
            for unit in each.units
        ],
        "The numbers are those of the runs' own artefacts. Units without a letter in common "
        "differ clearly: Welch's t tests of all pairs, adjusted by Holm. Where units have the same "
        "draws and err alike, these find too few differences."
        + (
            ""
            if has_errors
            else " Where an estimator has no standard error, it is from the interval."
        ),
        comparison.simulated,
    )


def _pooled(comparison: Comparison) -> Table:
    level = percent(comparison.confidence, 0)
    every = "All" if len({run.plan.seed for run in comparison.runs}) == 1 else "Some"
    shared = (
        f" {every} have the same draws, and so may err alike: the interval of the mean has the "
        "whole error of one of them, with a degree of freedom less than its clusters, and is as "
        "wide as if all erred by the same."
        if comparison.shares_draws
        else ""
    )
    return make(
        "pooled",
        "What they come to together",
        (
            *("What is estimated", "Mean", f"{level} CI", "p", f"{level} prediction", "tau"),
            *("I squared", "Q", "p of Q", "Units"),
        ),
        [
            (
                each.title,
                number(each.pooled.mean.estimate),
                interval(each.pooled.mean.ci_low, each.pooled.mean.ci_high),
                p_value(each.pooled.mean.p_value),
                interval(each.pooled.prediction_low, each.pooled.prediction_high)
                if isfinite(each.pooled.prediction_low)
                else "",
                number(each.pooled.tau),
                percent(each.pooled.i_squared, 0),
                number(each.pooled.q, 1),
                p_value(each.pooled.q_p),
                whole(each.pooled.k),
            )
            for each in comparison.compared
        ],
        "Random effects with Paule and Mandel's variance between units; Hartung and Knapp's "
        "interval of the mean. The prediction interval is for the true effect of a further "
        f"{comparison.over}. Both end where no effect can be larger, such as at -1 and 1 for a "
        f"difference of shares.{shared}",
        comparison.simulated,
    )


def _differences(comparison: Comparison) -> Table:
    runs = [run.name for run in comparison.runs]
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for row in comparison.differences:
        rows.setdefault((row["kind"], row["name"]), {})[row["run"]] = row["value"]
    return make(
        "differences",
        f"What differs between the {comparison.over}s",
        ("Kind", "Name", *runs),
        [(*name, *(values[run] for run in runs)) for name, values in rows.items()],
        "From the configuration that each run keeps, its files and its provenance. Of a file "
        "the beginning of its SHA-256 is shown; a dash stands where a run has none.",
        comparison.simulated,
    )


def _page(
    comparison: Comparison,
    tables: Sequence[Table],
    figures: Sequence[tuple[str, str, str]],
    back: Way,
) -> str:
    card = card_of(comparison)
    named = ", ".join(run.name for run in comparison.runs)
    differ = differing(comparison)
    body = [
        header(back, comparison.simulated),
        f'<main id="content"><p class="kicker">{html(comparison.study)}, compared over '
        f"{html(comparison.over)}: {html(named)}</p>",
        f"<h1>{html(comparison.question)}</h1>",
        '<section class="card">',
        *card_body(card, links="", lost=html(differ)),
        "</section>",
    ]
    for name, svg, words in figures:
        body += [
            f'<figure id="{name}"><div class="pan"><div class="picture">'
            f"{inline(svg, name, words)}</div></div>"
            f"<figcaption>{html(words)}</figcaption></figure>"
        ]
    body += [f'<div class="table">{as_html(table)}</div>' for table in tables]
    title = f"{comparison.study}, {named} compared"
    return page(title, style(), "\n".join([*body, "</main>"]), scripts())


def _in_line(row: Mapping[str, Any]) -> str:
    """An estimate with its interval, as sentences have them."""
    return f"{signed(row['estimate'])} {limits(row)}"


def _values(mean: Estimate) -> dict[str, float]:
    return {"estimate": mean.estimate, "ci_low": mean.ci_low, "ci_high": mean.ci_high}
