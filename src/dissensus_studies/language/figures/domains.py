"""The domains: mean index of each, and the language effect in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, nan
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy.special import stdtrit

from dissensus.report import forms
from dissensus.report.claims.ranked import Ranked
from dissensus.report.escaping import label
from dissensus.report.facts import Row
from dissensus.report.forms import divide, estimated, key_of, legend, rows_axis, whisker
from dissensus.report.frames import records
from dissensus.report.labels import contrast_words, limits, listed, number, p_clause, whole, wrapped
from dissensus.report.style import GREY, INK, Mark, marks, new_figure, notice, styled, zero_line
from dissensus.report.view import Artefacts, Drawn, View

from ..inference.estimators import OFFSET
from ..outcomes import INDEX
from .frames import (
    differences,
    effect_facts,
    headlines,
    languages_of,
    offsets,
    primary,
)
from .paired_effects import axis_unit

METHOD = "student_t"
NO_DOMAIN = "No draw has the index in every language, so that no domain has a mean."
BOTH = "both"
_POOLED = Mark("all languages", INK, "o")


def domain_effects(metrics: pd.DataFrame, outcome: str, language: str, view: View) -> pd.DataFrame:
    """The language effect within each domain, with Student's interval by draw.

    Returns
    -------
    A row a domain_id: estimate, ci_low, ci_high (NaN for a single draw) and n.
    """
    pairs = differences(metrics, outcome, language, view.reference)
    numbers = metrics.drop_duplicates("draw_id").set_index("draw_id")["domain_id"]
    groups = pairs["difference"].groupby(numbers.reindex(pairs.index))
    summary = groups.agg(["mean", "std", "count"])
    n = summary["count"].to_numpy(dtype=float)
    tail = 0.5 + view.confidence / 2
    with np.errstate(invalid="ignore"):
        half = stdtrit(np.where(n > 1, n - 1, np.nan), tail) * summary["std"] / np.sqrt(n)
    return pd.DataFrame(
        {
            "estimate": summary["mean"],
            "ci_low": summary["mean"] - half,
            "ci_high": summary["mean"] + half,
            "n": summary["count"],
        }
    )


@styled
def draw(artefacts: Artefacts, view: View) -> Drawn:
    """Draw domain means at the left and language effects by domain at the right."""
    metrics, domains, effect = artefacts.frames("metrics", "domains", "language_effect")
    means = _means(domains, view)
    if means.empty:
        return Drawn(notice(NO_DOMAIN, view.simulated), describe(artefacts, view))
    languages = languages_of(metrics, view.reference)
    others = languages[1:]
    per = 0.32 + 0.12 * max(len(languages) - 2, 0)
    figure = new_figure(1.25 + per * len(means), view.simulated)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[1.15, 1])
    divide(left, range(len(means)))
    divide(right, range(len(means)))
    looks = marks(languages, view.reference)
    for place, row in enumerate(records(means)):
        whisker(left, estimated(row), place - 0.1, _POOLED, words=str(row["domain"]))
    _language_means(left, means, domains, view, looks)
    answers, less = headlines(effect), offsets(effect, primary(view))
    for offset, language in zip(forms.offsets(len(others)), others, strict=True):
        look = looks[language]
        effects = domain_effects(metrics, primary(view), language, view).reindex(means.index)
        ruler = less.get(f"{language}-{view.reference}")
        if ruler:
            effects[["estimate", "ci_low", "ci_high"]] -= ruler["estimate"]
        for place, row in enumerate(records(effects)):
            whisker(right, estimated(row), place + offset, look, words=look.name)
        answer = answers[f"{language}-{view.reference}"]
        right.axvline(
            answer["estimate"], color=look.colour, linewidth=0.9, linestyle=look.line, zorder=1
        )
    zero_line(right, vertical=True)
    shown = {"outcome": primary(view), "language": BOTH, "method": METHOD}
    of_domain = {row["domain_id"]: row for row in artefacts.facts("domains").rows(**shown)}
    rows = [of_domain[domain] for domain in means.index]
    _finish(left, right, rows, others, looks, view, bool(less))
    return Drawn(figure, describe(artefacts, view))


def _means(domains: pd.DataFrame, view: View) -> pd.DataFrame:
    """Means over the languages, a row a domain_id, the greatest first."""
    rows = domains[
        (domains["outcome"] == primary(view))
        & (domains["language"] == BOTH)
        & (domains["method"] == METHOD)
    ]
    return rows.set_index("domain_id").sort_values("estimate", ascending=False, kind="stable")


def _language_means(
    axes: Axes, means: pd.DataFrame, domains: pd.DataFrame, view: View, looks: Mapping[str, Mark]
) -> None:
    """Small open marks: the mean in each language."""
    chosen = domains[(domains["outcome"] == primary(view)) & (domains["method"] == METHOD)]
    for language, look in looks.items():
        mean_of = chosen[chosen["language"] == language].set_index("domain_id")["estimate"]
        for place, mean in enumerate(mean_of.reindex(means.index)):
            whisker(axes, (mean, nan, nan), place + 0.2, look, filled=False, words=look.name)


def _finish(
    left: Axes,
    right: Axes,
    means: Sequence[Row],
    others: list[str],
    looks: Mapping[str, Mark],
    view: View,
    is_net: bool,
) -> None:
    room = 5.0 + 11.0 * ceil((len(looks) + 1) / 3)
    names = [f"{wrapped(label(row['domain'], 56), 30)} (n = {whole(row['n'])})" for row in means]
    rows_axis(left, names)
    right.tick_params(axis="y", length=0)
    left.set_xlabel(f"{INDEX.title} ({axis_unit(view)})")
    left.set_title("a  Mean of each domain, as read", pad=room)
    open_marks = [key_of(look, filled=False, line=False) for look in looks.values()]
    legend(left, [key_of(_POOLED), *open_marks], columns=3)
    what = (
        contrast_words(f"{others[0]}-{view.reference}")
        if len(others) == 1
        else "Difference from the reference"
    )
    right.set_xlabel(f"{what} (same scale)")
    net = ", net" if is_net else ""
    right.set_title(f"b  Language effect{net}", pad=room)
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


def describe(artefacts: Artefacts, view: View) -> dict[str, str]:
    """What the caption says."""
    domains, tests = artefacts.facts("domains"), artefacts.facts("domain_tests")
    shown = {"outcome": primary(view), "language": BOTH, "method": METHOD}
    means = domains.rows(**shown)
    top, bottom = (
        ranked.words(_named, lambda row: str(row["domain"])) or "none"
        for ranked in (Ranked.most(means), Ranked.least(means))
    )
    omnibus, picked = (
        tests.rows(outcome=primary(view), language=BOTH, method=method)
        for method in ("permutation_f", "largest_minus_smallest")
    )
    interactions = tests.rows(outcome=primary(view), method="interaction_f")
    return {
        "domains": str(domains.over("count", "domain_id", **shown)),
        "draws": whole(domains.over("sum", "n", **shown)),
        "highest": top,
        "lowest": bottom,
        "omnibus": listed(p_clause(row["p_value"]) for row in omnibus) or "no p",
        "picked": listed(p_clause(row["p_value"]) for row in picked) or "no p",
        "interaction": listed(
            f"{p_clause(row['p_value'])} for {contrast_words(str(row['language']))}"
            for row in interactions
        ),
        "net": (
            ", less the instrument's offset over all domains"
            if effect_facts(artefacts, outcome=primary(view), method=OFFSET)
            else ""
        ),
        "level": view.level,
    }


def _named(row: Mapping[str, Any]) -> str:
    """A domain with its mean."""
    return f"{row['domain']} ({number(row['estimate'], 3, '−')}, {limits(row)})"
