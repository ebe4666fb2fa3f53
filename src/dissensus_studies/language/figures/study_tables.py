"""The study's own tables: reliability, saturation, domain tests, components, and conduct."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from dissensus.report.frames import Column, Record, keyed, limits, records, tabulate
from dissensus.report.labels import (
    contrast_words,
    interval,
    language_name,
    number,
    p_value,
    percent,
    scale_words,
)
from dissensus.report.tables import Table, nothing
from dissensus.report.view import Artefacts, View

from ..design.reliability import ALL
from ..inference.domain_tests import TESTS
from ..inference.estimators import NET, OFFSET
from .components import PLAIN, panels
from .frames import may_stop

_COEFFICIENTS = {
    "percent_agreement": "Percent agreement",
    "cohen_kappa": "Cohen's kappa",
    "scott_pi": "Scott's pi",
    "krippendorff_alpha": "Krippendorff's alpha (nominal)",
    "gwet_ac1": "Gwet's AC1",
}

_CHECKS = {
    "attrition": "Attrition",
    "compliance": "Format compliance",
    "compliance_equivalence": "Compliance, equivalence",
    "conduct": "Effect on conduct",
    "drift": "Drift over blocks",
    "carry_over": "Carry-over between languages",
}


_N = Column("N", "n")
_P = Column("p-value", "p_value", p_value)
_SCALE = Column("Scale", "outcome", scale_words)
_CONTRAST = Column("Contrast", "contrast", contrast_words)


def table_reliability(artefacts: Artefacts, view: View) -> Table:
    """Agreement of the coders, overall and by code."""
    reliability, pool = artefacts.frames("reliability", "pool")
    # Both coders coded real motions: the models have no part in this table.
    title, real = "Reliability of the domain coding", replace(view, simulated=False)
    if reliability.empty:
        return nothing("table_reliability", title, "No motion was coded by two coders.", False)
    names = dict(zip(pool["domain_id"].astype(str), pool["domain"], strict=True))
    rows = [row for row in records(reliability) if _coefficient(row["statistic"], names)]
    columns = (
        Column("Source", "source", lambda source: "All motions" if source == ALL else source),
        _N,
        Column("Statistic", "statistic", lambda name: _coefficient(name, names)),
        Column("Value", "value", number),
        limits(view),
    )
    q = int(artefacts.facts("reliability").shared("q"))
    note = (
        "Two coders, before adjudication; N counts motions. Intervals: bootstrap over motions. AC1 "
        f"depends on the number of codes in the codebook, which is {q}, unused ones included. "
        "Sources are given apart, since motions written for a pool are easier to code."
    )
    return tabulate("table_reliability", title, columns, rows, note, real)


def _coefficient(statistic: str, names: Mapping[str, str]) -> str:
    """What a coefficient is; "" where the table does not have it."""
    if statistic.startswith("agreement["):
        code = statistic[len("agreement[") : -1]
        return f"Specific agreement on {code}, {names.get(code, 'which no motion kept')}"
    return _COEFFICIENTS.get(statistic, "")


def table_saturation(artefacts: Artefacts, view: View) -> Table:
    """Shares of sessions at the bounds of every bounded scale."""
    saturation = artefacts.frame("saturation")
    parts = {"hi": "Index", "lex": "Lexical part", "sem": "Semantic part"}
    columns = (
        _SCALE,
        Column("Outcome", "outcome", lambda outcome: parts[outcome.split("_")[0]]),
        Column("Language", "language", language_name),
        Column("At lower", "share_at_low", percent),
        Column("At upper", "share_at_high", percent),
        _N,
        Column("Warning", "warning", lambda warned: "SATURATED" if warned else ""),
    )
    warned = int(saturation["warning"].sum())
    note = (
        "Share of complete sessions within 0.01 of the scale's bound. SATURATED: more than "
        f"{percent(view['saturation_warning'])} at a bound, {warned} of {len(saturation)} rows. "
        "Where an arm is saturated the effect on that scale is cut short, and its interval is that "
        "of the other arm alone."
    )
    title = "Saturation of the bounded scales"
    return tabulate("table_saturation", title, columns, records(saturation), note, view)


def table_domain_tests(artefacts: Artefacts, view: View) -> Table:
    """Whether domains differ."""
    columns = (
        _SCALE,
        Column("Outcome", "language", _mean_or_contrast),
        Column("Test", ("method", "largest", "smallest", "difference"), _test),
        Column("Statistic", "statistic", number),
        Column("df", ("df_between", "df_within"), _df),
        _P,
        _N,
    )
    note = "N counts draws. Re-drawn tests repeat the manifest's own random assignment of domains."
    rows = records(artefacts.frame("domain_tests"))
    return tabulate("table_domain_tests", "Tests of domain differences", columns, rows, note, view)


def _mean_or_contrast(language: str) -> str:
    return "Mean over languages" if language == "both" else contrast_words(language)


def _test(method: str, largest: object, smallest: object, difference: float) -> str:
    sentence = TESTS.get(method, method).rstrip(".")
    if not isinstance(largest, str):
        return sentence
    return f"{sentence}: {largest} minus {smallest} = {number(difference)}"


def _df(between: float, within: float) -> str:
    first = "" if pd.isna(between) else f"{between:g}"
    return first if pd.isna(within) else f"{first}, {within:.2f}"


def table_components(artefacts: Artefacts, view: View) -> Table:
    """The effect on each raw component of the index."""
    effect = artefacts.frame("language_effect")
    parts = panels(effect)
    of_parts = effect[effect["outcome"].isin(list(parts))]
    by = keyed(of_parts, "method", "contrast", "outcome")
    rows = [
        row | {name: by[name, *place] for name in (NET, OFFSET, "sign_flip")}
        for (method, *place), row in by.items()
        if method == PLAIN
    ]
    columns = (
        _CONTRAST,
        Column("Part", "outcome", lambda outcome: parts[outcome][0]),
        Column("Unit", "outcome", lambda outcome: parts[outcome][1]),
        Column("Net", NET, _estimate),
        Column(f"{view.level} CI, net", NET, _limits),
        Column("p-value, net", NET, _p),
        Column("Offset", OFFSET, _estimate),
        Column("As read", "estimate", number),
        limits(view, ", as read"),
        Column("p (Fisher's), as read", "sign_flip", _p),
        _N,
    )
    note = (
        "Raw similarities, which no anchor touches. Net: mean paired difference less the "
        "instrument's offset, the difference between languages on parallel texts; studentised "
        "bootstrap over motions. As read: the paired difference; interval by motion (CR2), p "
        "(Fisher's) by sign flips of motions. Matched: both sessions of a draw "
        "cut at random to as many tokens a turn. Excess: over the session's own shuffled tokens."
    )
    title = "Language effect on the parts of the index"
    return tabulate("table_components", title, columns, rows, note, view)


def _estimate(row: Record) -> str:
    return number(row["estimate"])


def _limits(row: Record) -> str:
    return interval(row["ci_low"], row["ci_high"])


def _p(row: Record) -> str:
    return p_value(row["p_value"])


def table_instrument(artefacts: Artefacts, view: View) -> Table:
    """What the measures make of parallel texts."""
    rows = records(artefacts.frame("instrument"))
    columns = (
        _CONTRAST,
        Column("Measure", ("measure", "anchor"), _measure),
        Column("Measured with", ("tokenizer", "embedder"), _measured_with),
        Column("Direction", "direction", lambda direction: direction.replace(">", " to ")),
        Column("Difference", "estimate", number),
        limits(view),
        Column("In SDs", "estimate_d", lambda value: number(value, 2)),
        _N,
    )
    anew = "" if may_stop(view) else "; the index refits its anchors"
    note = (
        "The difference between languages on one and the same debate, run in the one and rendered "
        "in the other, in each direction and in the mean: what the measure does by itself. "
        f"Studentised bootstrap over motions{anew}. In SDs: of debates run "
        f"in {language_name(view.reference)}. N counts debates, in the mean draws."
    )
    if not rows:
        note = (
            "No parallel text was measured: name a translator in language.instrument. Until then "
            "nobody can say how much of a difference between languages is the instrument's own."
        )
    title = "The instrument: parallel texts in two languages"
    return tabulate("table_instrument", title, columns, rows, note, view)


def _measure(measure: str, anchor: str) -> str:
    return f"Homogeneity Index, {scale_words(f'hi_{anchor}')}" if anchor else measure


def _measured_with(tokenizer: str, embedder: str) -> str:
    return ", ".join(filter(None, (tokenizer, embedder)))


def table_conduct(artefacts: Artefacts, view: View) -> Table:
    """Attrition, compliance, and what language, time and order do to conduct and index."""
    diagnostics = artefacts.frame("diagnostics")
    columns = (
        Column("Check", "check", _CHECKS.__getitem__),
        Column("Group", "group", _group),
        Column("Statistic", "statistic", lambda statistic: statistic.replace("_", " ")),
        Column("Value", "value", number),
        Column("CI", ("ci_low", "ci_high"), interval),
        _P,
        _N,
        Column("Method", "note"),
    )
    note = (
        "N counts sessions, or draws where two languages are compared. That no difference is found "
        "(McNemar) does not show that there is none: the equivalence test asks that. Drift and "
        "carry-over are of the primary outcome, as it reads."
    )
    rows = records(diagnostics[diagnostics["check"].isin(list(_CHECKS))])
    title = "Attrition, format compliance, time and order"
    return tabulate("table_conduct", title, columns, rows, note, view)


def _group(group: str) -> str:
    if group == "all":
        return "all"
    return contrast_words(group) if "-" in group else language_name(group)
