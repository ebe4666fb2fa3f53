"""The study's own tables: reliability, saturation, domain tests, components, and conduct."""

from __future__ import annotations

import pandas as pd

from dissensus.language.design.reliability import ALL
from dissensus.language.figures.components import METHOD, PANELS
from dissensus.language.inference.domain_tests import TESTS
from dissensus.language.inference.estimators import NET, OFFSET
from dissensus.report.artefacts import Artefacts
from dissensus.report.frames import records
from dissensus.report.labels import (
    MISSING,
    contrast_words,
    interval,
    language_name,
    number,
    p_value,
    percent,
    scale_words,
)
from dissensus.report.tables import Table, make
from dissensus.report.view import View

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


def table_reliability(artefacts: Artefacts, view: View) -> Table:
    """Agreement of the coders, overall and by code."""
    reliability, pool = artefacts.frames("reliability", "pool")
    names = dict(zip(pool["domain_id"].astype(str), pool["domain"], strict=True))
    rows = []
    for row in records(reliability):
        statistic = str(row["statistic"])
        if statistic.startswith("agreement["):
            code = statistic[len("agreement[") : -1]
            sentence = f"Specific agreement on {code}, {names.get(code, 'which no motion kept')}"
        elif statistic in _COEFFICIENTS:
            sentence = _COEFFICIENTS[statistic]
        else:
            continue
        of = str(row["source"])
        rows.append(
            (
                "All motions" if of == ALL else of,
                str(row["n"]),
                sentence,
                number(row["value"]),
                interval(row["ci_low"], row["ci_high"]),
            )
        )
    q = int(reliability["q"].iloc[0])
    note = (
        "Two coders, before adjudication; N counts motions. Intervals: bootstrap over motions. AC1 "
        f"depends on the number of codes in the codebook, which is {q}, unused ones included. "
        "Sources are given apart, since motions written for a pool are easier to code."
    )
    columns = ("Source", "N", "Statistic", "Value", f"{view.level} CI")
    title = "Reliability of the domain coding"
    # Both coders coded real motions: the models have no part in this table.
    return make("table_reliability", title, columns, rows, note, False)


def table_saturation(artefacts: Artefacts, view: View) -> Table:
    """Shares of sessions at the bounds of every bounded scale."""
    saturation = artefacts.frame("saturation")
    parts = {"hi": "Index", "lex": "Lexical part", "sem": "Semantic part"}
    rows = [
        (
            scale_words(row["outcome"]),
            parts[str(row["outcome"]).split("_")[0]],
            language_name(row["language"]),
            percent(row["share_at_low"]),
            percent(row["share_at_high"]),
            str(row["n"]),
            "SATURATED" if row["warning"] else "",
        )
        for row in records(saturation)
    ]
    warned = int(saturation["warning"].sum())
    note = (
        "Share of complete sessions within 0.01 of the scale's bound. SATURATED: more than "
        f"{percent(view['saturation_warning'])} at a bound, {warned} of {len(rows)} rows. Where an "
        "arm is saturated the effect on that scale is cut short, and its interval is that of the "
        "other arm alone."
    )
    columns = ("Scale", "Outcome", "Language", "At lower", "At upper", "N", "Warning")
    return make(
        "table_saturation", "Saturation of the bounded scales", columns, rows, note, view.simulated
    )


def table_domain_tests(artefacts: Artefacts, view: View) -> Table:
    """Whether domains differ."""
    rows = []
    for row in records(artefacts.frame("domain_tests")):
        df: str = "" if pd.isna(row["df_between"]) else f"{row['df_between']:g}"
        df += "" if pd.isna(row["df_within"]) else f", {row['df_within']:.2f}"
        what = (
            "Mean over languages" if row["language"] == "both" else contrast_words(row["language"])
        )
        sentence = TESTS.get(str(row["method"]), str(row["method"])).rstrip(".")
        if isinstance(row["largest"], str):
            sentence += f": {row['largest']} minus {row['smallest']} = {number(row['difference'])}"
        rows.append(
            (
                scale_words(row["outcome"]),
                what,
                sentence,
                number(row["statistic"]),
                df,
                p_value(row["p_value"]),
                str(row["n"]),
            )
        )
    note = "N counts draws. Re-drawn tests repeat the manifest's own random assignment of domains."
    columns = ("Scale", "Outcome", "Test", "Statistic", "df", "p-value", "N")
    return make(
        "table_domain_tests", "Tests of domain differences", columns, rows, note, view.simulated
    )


def table_components(artefacts: Artefacts, view: View) -> Table:
    """The effect on each raw component of the index."""
    effect, rows = artefacts.frame("language_effect"), []
    chosen = effect[(effect["method"] == METHOD) & effect["outcome"].isin(list(PANELS))]
    by = {
        name: {
            (row["contrast"], row["outcome"]): row
            for row in records(effect[effect["method"] == name])
        }
        for name in ("sign_flip", NET, OFFSET)
    }
    for row in records(chosen):
        title, unit = PANELS[row["outcome"]]
        place = row["contrast"], row["outcome"]
        net, offset = by[NET].get(place), by[OFFSET].get(place)
        rows.append(
            (
                contrast_words(row["contrast"]),
                title,
                unit,
                number(net["estimate"]) if net else MISSING,
                interval(net["ci_low"], net["ci_high"]) if net else MISSING,
                p_value(net["p_value"]) if net else MISSING,
                number(offset["estimate"]) if offset else MISSING,
                number(row["estimate"]),
                interval(row["ci_low"], row["ci_high"]),
                p_value(by["sign_flip"][place]["p_value"]) if place in by["sign_flip"] else MISSING,
                str(row["n"]),
            )
        )
    note = (
        "Raw similarities, which no anchor touches. Net: mean paired difference less the "
        "instrument's offset, the difference between languages on parallel texts; studentised "
        "bootstrap over motions. As read: the paired difference; interval by motion (CR2), p "
        "(Fisher's) by sign flips of draws. Matched: both sessions of a draw "
        "cut at random to as many tokens a turn. Excess: over the session's own shuffled tokens."
    )
    columns = (
        "Contrast",
        "Part",
        "Unit",
        "Net",
        f"{view.level} CI, net",
        "p-value, net",
        "Offset",
        "As read",
        f"{view.level} CI, as read",
        "p (Fisher's), as read",
        "N",
    )
    return make(
        "table_components",
        "Language effect on the parts of the index",
        columns,
        rows,
        note,
        view.simulated,
    )


def table_instrument(artefacts: Artefacts, view: View) -> Table:
    """What the measures make of parallel texts."""
    rows = []
    for row in records(artefacts.frame("instrument")):
        what = row["measure"]
        if row["anchor"]:
            what = f"Homogeneity Index, {scale_words('hi_' + str(row['anchor']))}"
        direction = str(row["direction"]).replace(">", " to ")
        by = [str(row[name]) for name in ("tokenizer", "embedder") if row[name]]
        rows.append(
            (
                contrast_words(row["contrast"]),
                what,
                ", ".join(by),
                direction,
                number(row["estimate"]),
                interval(row["ci_low"], row["ci_high"]),
                number(row["estimate_d"], 2),
                str(row["n"]),
            )
        )
    note = (
        "The difference between languages on one and the same debate, run in the one and rendered "
        "in the other, in each direction and in the mean: what the measure does by itself. "
        "Studentised bootstrap over motions; the index refits its anchors. In SDs: of debates run "
        f"in {language_name(view.reference)}. N counts debates, in the mean draws."
    )
    if not rows:
        note = (
            "No parallel text was measured: name a translator in language.instrument. Until then "
            "no difference between languages can be told from the instrument's own."
        )
    columns = ("Contrast", "Measure", "Measured with", "Direction", "Difference")
    return make(
        "table_instrument",
        "The instrument: parallel texts in two languages",
        (*columns, f"{view.level} CI", "In SDs", "N"),
        rows,
        note,
        view.simulated,
    )


def table_conduct(artefacts: Artefacts, view: View) -> Table:
    """Attrition, compliance, and what language, time and order do to conduct and index."""
    diagnostics = artefacts.frame("diagnostics")
    rows = [
        (
            _CHECKS[row["check"]],
            _group(str(row["group"])),
            str(row["statistic"]).replace("_", " "),
            number(row["value"]),
            interval(row["ci_low"], row["ci_high"]),
            p_value(row["p_value"]),
            str(row["n"]),
            str(row["note"]),
        )
        for row in records(diagnostics[diagnostics["check"].isin(list(_CHECKS))])
    ]
    note = (
        "N counts sessions, or draws where two languages are compared. That no difference is found "
        "(McNemar) does not show that there is none: the equivalence test asks that. Drift and "
        "carry-over are of the primary outcome, as it reads."
    )
    columns = ("Check", "Group", "Statistic", "Value", "CI", "p-value", "N", "Method")
    return make(
        "table_conduct",
        "Attrition, format compliance, time and order",
        columns,
        rows,
        note,
        view.simulated,
    )


def _group(group: str) -> str:
    if group == "all":
        return "all"
    return contrast_words(group) if "-" in group else language_name(group)
