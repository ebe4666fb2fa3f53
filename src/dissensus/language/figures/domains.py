"""The domains: mean index of each, and the language effect in each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.special import stdtrit

from dissensus.language.figures.frames import (
    differences,
    headlines,
    languages_of,
    offsets,
    primary,
)
from dissensus.language.figures.paired_effects import unit
from dissensus.report.artefacts import Artefacts
from dissensus.report.escaping import label
from dissensus.report.frames import Record, keyed, records
from dissensus.report.labels import contrast_words, limits, listed, number, p_clause, whole, wrapped
from dissensus.report.style import FAINT, GREY, INK, marks, new_figure, notice, styled, zero_line
from dissensus.report.view import Drawn, View

METHOD = "student_t"
NO_DOMAIN = "No draw has the index in every language, so that no domain has a mean."
BOTH = "both"


def domain_effects(metrics: pd.DataFrame, outcome: str, language: str, view: View) -> pd.DataFrame:
    """The language effect within each domain, with Student's interval by draw.

    Returns
    -------
    A row a domain_id: estimate, ci_low, ci_high (NaN for a single draw) and n.
    """
    pairs = differences(metrics, outcome, language, view.reference)
    numbers = metrics.drop_duplicates("draw_id").set_index("draw_id")["domain_id"]
    groups = pairs["difference"].groupby(numbers.reindex(pairs.index))
    found = groups.agg(["mean", "std", "count"])
    n = found["count"].to_numpy(dtype=float)
    tail = 0.5 + float(view.level.removesuffix("%")) / 200
    with np.errstate(invalid="ignore"):
        half = stdtrit(np.where(n > 1, n - 1, np.nan), tail) * found["std"] / np.sqrt(n)
    return pd.DataFrame(
        {
            "estimate": found["mean"],
            "ci_low": found["mean"] - half,
            "ci_high": found["mean"] + half,
            "n": found["count"],
        }
    )


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw domain means at the left and language effects by domain at the right."""
    metrics, domains, effect, tests = artefacts.frames(
        "metrics", "domains", "language_effect", "domain_tests"
    )
    means = _means(domains, view)
    if means.empty:
        facts = describe(metrics, domains, tests, view)
        return Drawn(notice(NO_DOMAIN, view.simulated), facts)
    languages = languages_of(metrics, view.reference)
    others = languages[1:]
    per = 0.32 + 0.12 * max(len(languages) - 2, 0)
    figure = new_figure(1.25 + per * len(means), view.simulated)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[1.15, 1])
    rows = np.arange(len(means))
    for axes in (left, right):
        axes.hlines(
            rows, 0, 1, transform=axes.get_yaxis_transform(), color=FAINT, linewidth=0.5, zorder=0
        )
        axes.tick_params(axis="y", length=0)
    looks = marks(languages, view.reference)
    _forest(left, rows - 0.1, means, INK, "o", label="all languages")
    _language_means(left, rows + 0.2, means, domains, view, looks)
    answers, less = headlines(effect), offsets(effect, primary(view))
    places = 0.26 * (np.arange(len(others)) - (len(others) - 1) / 2)
    for place, language in zip(places, others, strict=True):
        look = looks[language]
        found = domain_effects(metrics, primary(view), language, view).reindex(means.index)
        ruler = less.get(f"{language}-{view.reference}")
        if ruler:
            found[["estimate", "ci_low", "ci_high"]] -= ruler["estimate"]
        _forest(right, rows + place, found, look.colour, look.marker)
        answer = answers[f"{language}-{view.reference}"]
        right.axvline(
            answer["estimate"], color=look.colour, linewidth=0.9, linestyle=look.line, zorder=1
        )
    zero_line(right, vertical=True)
    _finish(left, right, means, others, looks, view)
    return Drawn(figure, describe(metrics, domains, tests, view))


def _means(domains: pd.DataFrame, view: View) -> pd.DataFrame:
    """Means over the languages, a row a domain_id, the greatest first."""
    rows = domains[
        (domains["outcome"] == primary(view))
        & (domains["language"] == BOTH)
        & (domains["method"] == METHOD)
    ]
    return rows.set_index("domain_id").sort_values("estimate", ascending=False, kind="stable")


def _language_means(
    axes: Axes, rows: Any, means: pd.DataFrame, domains: pd.DataFrame, view: View, looks: Any
) -> None:
    """Small open marks: the mean in each language."""
    for language, look in looks.items():
        one = domains[
            (domains["outcome"] == primary(view))
            & (domains["language"] == language)
            & (domains["method"] == METHOD)
        ].set_index("domain_id")
        axes.plot(
            one["estimate"].reindex(means.index),
            rows,
            look.marker,
            color=look.colour,
            markerfacecolor="white",
            markersize=3.6,
            markeredgewidth=0.9,
            zorder=3,
            label=look.name,
        )


def _forest(
    axes: Axes, rows: Any, found: pd.DataFrame, colour: str, marker: str, label: str = ""
) -> None:
    axes.hlines(rows, found["ci_low"], found["ci_high"], color=colour, linewidth=1.1, zorder=2)
    axes.plot(found["estimate"], rows, marker, color=colour, markersize=4.6, zorder=4, label=label)


def _finish(
    left: Axes, right: Axes, means: pd.DataFrame, others: list[str], looks: Any, view: View
) -> None:
    room = 5.0 + 11.0 * math.ceil((len(looks) + 1) / 3)
    names = [
        f"{wrapped(label(row['domain'], 56), 30)} (n = {whole(row['n'])})" for row in records(means)
    ]
    left.set(
        yticks=range(len(means)),
        yticklabels=names,
        ylim=(len(means) - 0.4, -0.6),
        xlabel=f"Homogeneity Index ({unit(primary(view), view.reference)})",
    )
    left.set_title("a  Mean of each domain", pad=room)
    left.legend(
        loc="lower left",
        bbox_to_anchor=(-0.02, 1.0),
        ncols=3,
        frameon=False,
        fontsize=6.5,
        handletextpad=0.1,
        columnspacing=0.9,
        borderpad=0.0,
        borderaxespad=0.2,
    )
    what = (
        contrast_words(f"{others[0]}-{view.reference}")
        if len(others) == 1
        else "Difference from the reference"
    )
    right.set_xlabel(f"{what} (same scale)")
    right.set_title("b  Language effect in each domain", pad=room)
    names = [f"{looks[name].name}" for name in others] if len(others) > 1 else []
    right.annotate(
        "line: all domains" + (f"; top to bottom {', '.join(names)}" if names else ""),
        (0, 1),
        (0, 4),
        xycoords="axes fraction",
        textcoords="offset points",
        size=6.5,
        color=GREY,
        va="bottom",
    )


def describe(
    metrics: pd.DataFrame, domains: pd.DataFrame, tests: pd.DataFrame, view: View
) -> dict[str, str]:
    """What the caption says."""
    means = _means(domains, view)
    rows = tests[tests["outcome"] == primary(view)]
    by_method = keyed(rows[rows["language"] == BOTH], "method")
    omnibus, picked = by_method["permutation_f"], by_method["largest_minus_smallest"]
    interactions = records(rows[rows["method"] == "interaction_f"])
    ordered = records(means)
    top, bottom = (_named(ordered[end]) if ordered else "none" for end in (0, -1))
    return {
        "domains": str(len(means)),
        "draws": whole(means["n"].sum()),
        "highest": top,
        "lowest": bottom,
        "omnibus": p_clause(omnibus["p_value"]),
        "picked": p_clause(picked["p_value"]),
        "interaction": listed(
            f"{p_clause(row['p_value'])} for {contrast_words(str(row['language']))}"
            for row in interactions
        ),
        "level": view.level,
    }


def _named(row: Record) -> str:
    """A domain with its mean."""
    return f"{row['domain']} ({number(row['estimate'], 3, '−')}, {limits(row)})"
